"""Every function and operator of the language, with what it gives and what it refuses."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from remanent.cypher.language.checking import Checker
from remanent.cypher.language.evaluating import World
from remanent.cypher.language.picture import Picture
from remanent.cypher.language.reader import read
from remanent.cypher.language.running import run
from remanent.errors import BadQuery, CypherError, ForbiddenQuery, QueryLimit

pytestmark = pytest.mark.quick

NOW = datetime(2026, 5, 4, 9, 30, 15, 250_000, tzinfo=UTC)
NODES = [
    ((1, "k1", "Person"), json.dumps({"name": "Ann", "rank": 2, "since": "2026-01-01T02:00:00+02:00"})),
    ((2, "k2", "Person"), json.dumps({"name": "Bob", "rank": 1, "distinct_days": ["a", "b"]})),
    ((3, "k3", "Entity"), json.dumps({"name": "Oslo", "provenance": {"a": [1]}})),
]  # fmt: skip
EDGES = [
    (("e1", "FOLLOWS", 1, 2), json.dumps({"weight": 0.5})),
    (("", "FOLLOWS", 2, 2), json.dumps({"weight": 0.9})),
    (("", "ABOUT", 1, 3), "{}"),
    (("", "ABOUT", 1, 99), "{}"),
]


def asked(text: str, **parameters: Any) -> list[list[Any]]:
    query = read(text)
    world = World(picture=Picture(NODES, EDGES), parameters=parameters, now=NOW, tick=lambda: None)
    return run(query, Checker().columns(query), world, limit=1000)[0]


def value(expression: str) -> Any:
    ((found,),) = asked(f"RETURN {expression} AS x", map={"a": 1}, none=None)
    return found


VALUES: list[tuple[str, Any]] = [
    # text
    ("lower('AB') + upper('cd')", "abCD"), ("ltrim('  a ')", "a "), ("rtrim(' a  ')", " a"),
    ("btrim('xxaxx', 'x')", "a"), ("normalize('e\\u0301')", "é"), ("left('abc', 2)", "ab"),
    ("left('abc', -1)", ""), ("right('abc', 2)", "bc"), ("right('abc', 0)", ""), ("split('abc', '')", ["a", "b", "c"]),
    ("substring('abc', 1)", "bc"), ("replace('abc', '', 'x')", "abc"), ("char_length('abc')", 3),
    ("toString(true)", "true"), ("toString(1.5)", "1.5"), ("toStringOrNull([1])", None), ("toString(date('2026-01-02'))", "2026-01-02"),
    ("toLower(date('2026-01-02'))", "2026-01-02"), ("'a' || 'b'", "ab"), ("1 + 'a'", "1a"), ("'abc'[0..2]", "ab"),
    ("'x' =~ null", None), ("1 =~ 'a'", None), ("1 CONTAINS 'a'", None), ("datetime() STARTS WITH '2026-05'", True),
    # conversions
    ("toInteger('4.7')", 4), ("toInteger(true)", 1), ("toInteger('x')", None), ("toInteger(2.9)", 2), ("toInteger(1.0/0.0)", None),
    ("toFloat('1.5')", 1.5), ("toFloat('1_0')", None), ("toFloat(2)", 2.0), ("toFloat([1])", None), ("toBoolean('TRUE')", True),
    ("toBoolean(0)", False), ("toBoolean('x')", None), ("toBoolean(false)", False), ("toBoolean(1.5)", None),
    ("toStringList([1, null, 'a'])", ["1", None, "a"]), ("toIntegerList(['1', 'x'])", [1, None]), ("toFloatList(['1'])", [1.0]),
    # lists and maps
    ("range(5, 1, -2)", [5, 3, 1]), ("range(2, 1)", []), ("head([])", None), ("last([])", None), ("reverse([1, 2])", [2, 1]),
    ("isEmpty('')", True), ("isEmpty({})", True), ("size({a: 1})", 1), ("[1, 2][5]", None), ("[1][null]", None), ("null[0]", None),
    ("{a: {b: 1}}.a.b", 1), ("{a: 1}['a']", 1), ("{a: 1}.b", None), ("$map.a", 1), ("keys({b: 1, a: 2})", ["a", "b"]),
    ("[1, 2, 3][null..2]", None), ("null[1..2]", None), ("[x IN null | x]", None), ("any(x IN null WHERE x)", None),
    ("[x IN [1, 2]]", [1, 2]), ("[1 IN [1], 2]", [True, 2]), ("[x IN [3] WHERE x > 2]", [3]), ("all(x IN [] WHERE false)", True), ("any(x IN [null] WHERE x)", None),
    ("none(x IN [null] WHERE x)", None), ("single(x IN [1, 1] WHERE x = 1)", False), ("single(x IN [null] WHERE x)", None),
    ("all(x IN [true, null] WHERE x)", None), ("reduce(s = 0, x IN null | s + x)", 0), ("[1] + [2]", [1, 2]), ("0 + [1]", [0, 1]),
    ("[1, 2] = [1, null]", None), ("[1, 2] = [3, null]", False), ("[1] = [1, 2]", False), ("{a: 1} = {b: 1}", False), ("{a: 1} = {a: null}", None),
    ("[1, 2] < [1, 3]", True), ("[] < [1]", True), ("1 IN []", False), ("coalesce(null, null)", None), ("nullIf(1, 1)", None), ("nullIf(1, 2)", 1),
    # numbers
    ("abs(-2.5)", 2.5), ("sign(0)", 0), ("sign(-2)", -1), ("ceil(1.2)", 2.0), ("floor(1.8)", 1.0), ("round(-2.5)", -2.0), ("round(2.567, 2)", 2.57),
    ("sqrt(16)", 4.0), ("exp(0)", 1.0), ("log(1)", 0.0), ("log10(100)", 2.0), ("isNaN(0.0 / 0.0)", True), ("isNaN(sqrt(-1))", True),
    ("round(sin(pi() / 2) + cos(0) + tan(0) + asin(0) + acos(1) + atan(0) + atan2(0, 1))", 2.0), ("round(degrees(pi()))", 180.0),
    ("radians(0)", 0.0), ("e() > 2.7", True), ("-7 % 3", -1), ("7 % -3", 1), ("7.5 % 2", 1.5), ("1.0 / 0", "inf"), ("-1 / 0.0", "-inf"),
    ("2 ^ 0.5 > 1.41", True), ("2 ^ 100000 > 1e308", True), ("(-2) ^ 100001 < -1e308", True), ("(-1) ^ 0.5 = 1", False), ("+3", 3), ("-(1 + 2)", -3), ("0x1F + 0o17", 46), ("1e3", 1000.0), (".5", 0.5),
    ("-9223372036854775808", -9223372036854775808), ("5 % 0.0 = 1", False), ("1 <> null", None), ("1 < 'a'", None), ("true < false", False),
    # truth
    ("true XOR null", None), ("false AND null", False), ("null OR false", None), ("NOT NOT true", True), ("null IS NULL", True),
    ("1 IS NOT NULL", True), ("1 < 2 > 0", True), ("1 < 2 < null", None), ("3 < 2 < null", False), ("exists(null)", False),
    # dates and times
    ("date('2026')", "2026-01-01"), ("date('2026-03')", "2026-03-01"), ("date(datetime())", "2026-05-04"), ("date('2026-03-01T10:00')", "2026-03-01"),
    ("date({year: 2026, month: 2})", "2026-02-01"), ("date({date: date('2026-02-03'), day: 9})", "2026-02-09"),
    ("datetime('2026-03-01')", "2026-03-01T00:00:00Z"), ("datetime('2026-03')", "2026-03-01T00:00:00Z"), ("datetime({year: 2026, hour: 3, timezone: '+02:00'})", "2026-01-01T03:00:00+02:00"),
    ("datetime({timezone: '-01:30'}).hour", 8), ("datetime(null)", None), ("localdatetime('2026-01-01T10:00')", "2026-01-01T10:00:00"),
    ("localdatetime().year", 2026), ("time('10:15')", "10:15:00Z"), ("localtime('10:15')", "10:15:00"), ("time()", "09:30:15.250000Z"), ("time({hour: 7})", "07:00:00Z"),
    ("time('10:00') + duration('PT90M')", "11:30:00Z"), ("datetime.fromEpoch(1, 500000000)", "1970-01-01T00:00:01.500000Z"),
    ("datetime.fromEpochMillis(1500).second", 1), ("datetime({epochSeconds: 60}).minute", 1), ("date.statement() = date()", True),
    ("datetime.truncate('year', datetime()).month", 1), ("datetime.truncate('quarter', datetime()).month", 4), ("date.truncate('week')", "2026-05-04"),
    ("localdatetime.truncate('hour').minute", 0), ("datetime().epochMillis = timestamp()", True), ("datetime().epochSeconds > 1", True),
    ("datetime().millisecond + datetime().microsecond", 250250), ("datetime().nanosecond", 250000000), ("datetime().offset", "Z"), ("datetime().timezone", "Z"),
    ("date('2026-05-04').quarter", 2), ("date('2026-05-04').ordinalDay", 124), ("date('2026-05-04').weekYear", 2026), ("date('2026-05-04').dayOfQuarter", 34),
    ("date('2026-05-04').nothing", None), ("date('2026-01-01') < '2026-02-01'", True), ("date('2026-01-01') = 'x'", False), ("datetime() > 'nonsense'", None),
    ("datetime() = localdatetime()", False), ("date('2026-05-04') = datetime('2026-05-04')", True), ("datetime() - duration('P1Y2M3DT4H')", "2025-03-01T05:30:15.250000Z"),
    ("date('2026-01-01') + duration('PT36H')", "2026-01-02"), ("duration('P1.5D')", "P1DT12H"), ("duration('-P1D')", "P-1D"), ("duration('P2W')", "P14D"),
    ("duration({months: 14})", "P1Y2M"), ("duration({seconds: 1, milliseconds: 500})", "PT1.5S"), ("duration({})", "PT0S"), ("duration('P1D') + duration('PT1H')", "P1DT1H"),
    ("duration('P3D') - duration('P1D')", "P2D"), ("duration('P1D') * 2", "P2D"), ("2 * duration('P1D')", "P2D"), ("duration('P4D') / 2", "P2D"), ("-duration('P1D')", "P-1D"), ("+duration('P1D')", "P1D"),
    ("duration('P1D') + date('2026-01-01')", "2026-01-02"), ("duration('P14M').years", 1), ("duration('P14M').monthsOfYear", 2), ("duration('P15D').weeks", 2), ("duration('P15D').daysOfWeek", 1),
    ("duration('PT90M').minutesOfHour", 30), ("duration('PT61S').secondsOfMinute", 1), ("duration('PT1S').milliseconds", 1000), ("duration('P1D').nothing", None), ("duration('P7M').quarters", 2),
    ("duration.between(date('2026-03-31'), date('2026-02-28'))", "P-1M"), ("duration.inMonths(date('2026-01-01'), date('2026-03-05')).months", 2),
    ("duration.inSeconds(datetime('2026-01-01'), datetime('2026-01-01T00:01:00Z')).seconds", 60), ("duration(duration('P1D'))", "P1D"), ("toString(duration('P1D'))", "P1D"),
    # the rest of the words
    ("CASE WHEN false THEN 1 END", None), ("CASE 1 WHEN null THEN 2 ELSE 3 END", 3), ("count(*)", 1), ("sum(null)", 0), ("size('a\\nb\\t')", 4), ("'\\U0001F600'", "😀"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), VALUES, ids=[one for one, _ in VALUES])
def test_an_expression_has_its_value(expression: str, expected: Any) -> None:
    assert value(expression) == expected


REFUSED: list[tuple[str, str]] = [
    ("RETURN toLower(1)", "takes text"), ("RETURN abs('a')", "takes a number"), ("RETURN range(1, 2.5)", "whole number"), ("RETURN head('a')", "takes a list"),
    ("RETURN toString([1])", "plain value"), ("RETURN substring('a', -1)", "negative"), ("RETURN 'a' =~ '('", "regular expression"), ("RETURN size(1)", "size takes"),
    ("RETURN range(1, 2, 0)", "step of 0"), ("RETURN labels(1)", "takes a node"), ("RETURN type(1)", "takes a relationship"), ("RETURN nodes(1)", "takes a path"),
    ("RETURN properties(1)", "properties takes"), ("RETURN id(1)", "id takes"), ("RETURN elementId(1)", "elementId takes"), ("RETURN NOT 1", "neither true nor false"),
    ("RETURN -'a'", "takes a number"), ("RETURN 1 - 'a'", "cannot be taken"), ("RETURN 1 * 'a'", "takes numbers"), ("RETURN 1 % 0", "divided by zero"), ("RETURN 1 IN 2", "takes a list"),
    ("RETURN [1]['a']", "no property"), ("RETURN [1][1.5]", "whole number"), ("RETURN [1]['a'..]", "whole numbers"), ("RETURN (1).a", "no property"), ("WITH 1 AS x RETURN x:Person", "no labels"),
    ("RETURN time('x')", "time of day"), ("RETURN datetime('x')", "not a date and time"), ("RETURN datetime({month: 1})", "no year"), ("RETURN datetime({year: 2026, month: 13})", "no such time"),
    ("RETURN datetime({year: 2026, odd: 1})", "odd"), ("RETURN duration('x')", "not a duration"), ("RETURN duration('P1.1.1D')", "not a duration"), ("RETURN duration({odd: 1})", "cannot be made"),
    ("RETURN duration({years: 1e30})", "so long"), ("RETURN date() + duration({years: 99999})", "calendar"), ("RETURN datetime.fromEpoch(1e30)", "no such time"), ("RETURN datetime.fromEpoch('a')", "no such time"),
    ("RETURN duration.between(1, 2)", "two dates"), ("RETURN date.truncate('eon', date())", "is not one of"), ("RETURN date.truncate('day', 1)", "unit and a date"), ("RETURN date.truncate('day', date(), {day: 2})", "no fields"),
    ("UNWIND ['a'] AS x RETURN sum(x)", "takes numbers"), ("UNWIND [1] AS x RETURN percentileCont(x, 2)", "from 0 to 1"), ("RETURN max(*)", "only count"), ("RETURN count()", "something to count"),
    ("RETURN sum()", "wrong number"), ("RETURN toLower(DISTINCT 'a')", "DISTINCT makes no sense"), ("RETURN *", "nothing that *"), ("MATCH (n) RETURN *, count(n)", "cannot stand together"),
    ("MATCH p = shortestPath((a)-[*]-(b)-[*]-(c)) RETURN p", "one relationship"), ("MATCH (a), (b) RETURN shortestPath((a)-[*]-(b))", "MATCH only"),
    ("MATCH (a {name: 'Ann'}), (b {name: 'Bob'}), p = shortestPath((a)-[*2..3]-(b)) RETURN p", "least length"), ("MATCH (a)-[*1..2 WHERE true]-() RETURN a", "variable length"),
    ("MATCH (a $map.x) RETURN a", "')'"), ("MATCH (a $none) RETURN a", "are a map"), ("WITH 1 AS a MATCH (a) RETURN a", "not a node"), ("CALL { MATCH (n) } RETURN 1", "has to RETURN"),
    ("MATCH (n) CALL (m) { RETURN 1 AS x } RETURN x", "nothing is called 'm'"), ("RETURN COLLECT { MATCH (n) RETURN n.name, n.rank } AS x", "one column"), ("CALL db.labels() YIELD x RETURN x", "yields label"),
    ("RETURN CASE END", "a value should"), ("RETURN CASE 1 END", "WHEN should"), ("RETURN 'a\\q'", "means nothing"), ("RETURN '\\uD800'", "no character"), ("RETURN 1a", "runs into"), ("RETURN `", "never closed"),
    ("RETURN /* x", "never closed"), ("RETURN ?", "no part of Cypher"), ("RETURN ``", "a value should"), ("RETURN 123456789012345678901234567890", "64 bits"), ("RETURN 9999999999999999999", "64 bits"),
    ("MATCH (n) RETURN n SKIP 1.5", "SKIP"), ("USE x MATCH (n) RETURN n", "USE"), ("FINISH", "RETURN"), ("RETURN 1 RETURN 2", "should"), ("MATCH (n) RETURN n ORDER n", "should"), ("WITH 1 RETURN 1", "needs a name"),
    ("RETURN {a 1}", "':'"), ("RETURN [1, 2", "']'"), ("MATCH (n:) RETURN n", "a label"), ("MATCH ()-[:]-() RETURN 1", "a label"), ("RETURN reduce(s, x IN [1] | s)", "'='"), ("RETURN any(x IN [1])", "WHERE"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "problem"), REFUSED, ids=[one for one, _ in REFUSED])
def test_what_makes_no_sense_is_refused(query: str, problem: str) -> None:
    with pytest.raises(CypherError) as refused:
        asked(query, map={"a": 1}, none=None)
    assert problem in str(refused.value)
    assert type(refused.value) in (BadQuery, ForbiddenQuery)


@pytest.mark.parametrize(
    "query",
    [
        "RETURN range(1, 10000000)",
        "RETURN reduce(s = 'x', i IN range(1, 30) | s + s)",
        "RETURN reduce(l = [1], i IN range(1, 30) | l + l)",
        "RETURN replace('aaaa', 'a', reduce(s = 'x', i IN range(1, 19) | s + s))",
        f"RETURN 'a' =~ '{'a' * 1001}'",
    ],
)
def test_nothing_grows_without_end(query: str) -> None:
    with pytest.raises(QueryLimit) as ended:
        asked(query)
    assert ended.value.limit == "size"


GRAPH: list[tuple[str, list[list[Any]]]] = [
    ("MATCH (a)-[r]-(a) RETURN a.name", [["Bob"]]),
    ("MATCH (a {name: 'Bob'})--(b) RETURN b.name ORDER BY b.name", [["Ann"], ["Bob"]]),
    ("MATCH ()-[r:FOLLOWS]->() RETURN elementId(r) ORDER BY r.weight", [["e1"], ["k2-FOLLOWS-k2"]]),
    ("MATCH ()-[r]->() RETURN count(r)", [[3]]),
    ("MATCH (a:Person) RETURN a.distinct_source_days, a.since ORDER BY a.name", [[None, "2026-01-01T00:00:00Z"], [2, None]]),
    ("MATCH (a:Entity) RETURN a.provenance.a[0]", [[1]]),
    ("MATCH (a:Person {name: 'Ann'})-[r]->(b) MATCH (a)-[r]->(c) RETURN c.name ORDER BY c.name", [["Bob"], ["Oslo"]]),
    ("MATCH (a)-[rs:FOLLOWS*1..2 {weight: 0.5}]->(b) RETURN b.name", [["Bob"]]),
    ("MATCH (a)-[r WHERE r.weight > 0.6]->(b WHERE b.rank = 1) RETURN a.name", [["Bob"]]),
    ("MATCH (a)-[:FOLLOWS]->+(b) RETURN count(*)", [[3]]),
    ("MATCH (a:Entity)-[:ABOUT]-*(b) RETURN count(*)", [[2]]),
    ("MATCH (a {name: 'Ann'})-[:FOLLOWS]->{2}(b) RETURN b.name", [["Bob"]]),
    ("MATCH p = shortestPath((a {name: 'Oslo'})-[*]-(b {name: 'Bob'})) RETURN length(p), [n IN nodes(p) | n.name] AS n", [[2, ["Oslo", "Ann", "Bob"]]]),
    ("MATCH p = shortestPath((a {name: 'Oslo'})-[*..1]-(b {name: 'Bob'})) RETURN p", []),
    ("MATCH p = shortestPath((a {name: 'Ann'})-[*]-(b {name: 'Ann'})) RETURN p", []),
    ("MATCH p = shortestPath((a {name: 'Ann'})-[:FOLLOWS* {weight: 9}]-(b {name: 'Bob'})) RETURN p", []),
    ("MATCH (n IS Person) RETURN count(n)", [[2]]),
    ("MATCH (n:%) RETURN count(n)", [[3]]),
    ("MATCH (n:(Person|Entity)&!Entity) RETURN count(n)", [[2]]),
    ("MATCH (n) WHERE n:Person|Entity RETURN count(n)", [[3]]),
    ("MATCH ()-[r]->() WHERE r:ABOUT RETURN count(r)", [[1]]),
    ("OPTIONAL MATCH (x:Concept) RETURN x:Person, x.name, x {.name}", [[None, None, None]]),
    ("OPTIONAL MATCH (x:Concept) MATCH (x)--(y) RETURN y", []),
    ("OPTIONAL MATCH (x:Concept) OPTIONAL MATCH (x)-->(y) RETURN y", [[None]]),
    ("MATCH (n:Person) WITH n.name AS name, n.rank AS rank ORDER BY rank RETURN collect(name)", [[["Bob", "Ann"]]]),
    ("MATCH (n:Person) RETURN n.name ORDER BY count(*), n.name", [["Ann"], ["Bob"]]),
    ("MATCH (n:Person) RETURN n.rank + 1 AS r ORDER BY n.rank + 1 DESC", [[3], [2]]),
    ("MATCH (n:Person) RETURN DISTINCT labels(n) AS l, count(*) AS c", [[["Person"], 2]]),
    ("MATCH (n) RETURN DISTINCT n:Person AS p ORDER BY p", [[False], [True]]),
    ("MATCH (n:Person) RETURN max(n.rank) - min(n.rank) AS d, avg(n.rank)", [[1, 1.5]]),
    ("UNWIND [duration('P1D'), duration('P2D')] AS d RETURN sum(d), avg(d)", [["P3D", "P1DT12H"]]),
    ("UNWIND [3, 1, 2] AS x RETURN percentileDisc(x, 0.5), stDev(x), count(DISTINCT x)", [[2, 1.0, 3]]),
    ("UNWIND [] AS x RETURN percentileDisc(x, 0.5), percentileCont(x, 0.5), stDev(x)", [[None, None, 0.0]]),
    ("UNWIND [1, 1.0, true, 'a', null, [1], {a: 1}] AS x RETURN count(DISTINCT x)", [[5]]),
    (("UNWIND ['b', 2, null, true, [1], {a: 1}, date('2026-01-01'), datetime(), 1.5, 0.0/0.0, duration('P1D'), time('10:00')] AS x "
     "WITH x ORDER BY x RETURN collect(toStringOrNull(x))[2..]"), [[["10:00:00Z", "P1D", "b", "true", "1.5", "2", "nan"]]]),
    ("MATCH (n:Person) WITH n ORDER BY n.name RETURN collect(n {.name, n: n.rank})[0] AS m", [[{"name": "Ann", "n": 2}]]),
    ("MATCH (n:Person {name: 'Ann'}) WITH n, n.rank AS rank RETURN n {.name, rank} AS m", [[{"name": "Ann", "rank": 2}]]),
    ("MATCH (n:Person {name: 'Ann'}) RETURN [p = (n)-->() | length(p)] AS l", [[[1, 1]]]),
    ("RETURN EXISTS { MATCH (n:Person) WHERE n.rank = 2 RETURN n } AS e, COUNT { MATCH (n:Person) RETURN n } AS c", [[True, 2]]),
    ("RETURN COUNT { (n:Person), (m:Entity) WHERE n.rank = 1 } AS c", [[1]]),
    ("MATCH (n:Person) CALL { MATCH (m:Entity) RETURN count(m) AS c } RETURN sum(c)", [[2]]),
    ("MATCH (n:Person) CALL (*) { WITH n RETURN n.rank AS r } RETURN sum(r)", [[3]]),
    ("CALL () { RETURN 1 AS x } RETURN x", [[1]]),
    ("CALL db.relationshipTypes() YIELD relationshipType AS t WITH t WHERE t = 'ABOUT' RETURN t", [["ABOUT"]]),
    ("CALL db.labels", [[one] for one in ("Artifact", "Belief", "Concept", "Entity", "Event", "Macro", "Passage", "Person", "Source", "Storyline", "Summary")]),
    ("RETURN 1 AS x UNION RETURN 1 AS x UNION ALL RETURN 2 AS x", [[1], [2]]),
    ("RETURN 1 AS x UNION ALL RETURN 1 AS x", [[1], [1]]),
    ("UNWIND 5 AS x RETURN x", [[5]]),
    ("MATCH (n:Person) RETURN n.name AS on ORDER BY n.name OFFSET 1", [["Bob"]]),
    ("MATCH (count:Person) WHERE count.rank = 1 RETURN count.name ORDER BY count.name ASCENDING", [["Bob"]]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "answer"), GRAPH, ids=[one for one, _ in GRAPH])
def test_a_query_has_its_answer(query: str, answer: list[list[Any]]) -> None:
    assert asked(query) == answer


def test_what_is_not_a_number_is_told_as_text() -> None:
    assert value("0.0 / 0.0") == "nan"
    assert math.isnan(float(value("0.0 / 0.0")))
