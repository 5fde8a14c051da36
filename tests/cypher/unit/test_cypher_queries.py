"""Ordinary questions of an agent, each with the answer that Neo4j would give on the same graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cypher_world import ANN, ANN_SCOPE, BOB, LUNCH, NOW, ask, day, fill

from remanent.core.ports.cypher import Question
from remanent.cypher.jail import Wanted
from remanent.cypher.language.checking import Checker
from remanent.cypher.language.evaluating import World
from remanent.cypher.language.picture import Picture
from remanent.cypher.language.planning import needs
from remanent.cypher.language.reader import read
from remanent.cypher.language.running import run
from remanent.errors import BadQuery
from remanent.stores.sqlite import SqliteStores, open_stores

pytestmark = pytest.mark.quick

PARAMETERS: dict[str, Any] = {
    "name": "Ann Lee",
    "names": ["Ann Lee", "Bob Day"],
    "two": 2,
    "since": "2026-04-01T00:00:00Z",
    "map": {"name": "Cyd Moe"},
}

ANSWERS: list[tuple[str, list[list[Any]]]] = [
    # nodes and their properties
    ("MATCH (p:Person) RETURN p.name ORDER BY p.name", [["Ann Lee"], ["Bob Day"], ["Cyd Moe"]]),
    ("MATCH (p:person) RETURN count(p)", [[3]]),
    ("MATCH (p:Person {name: 'Bob Day'}) RETURN p.aliases, p.confidence", [[["Bobby"], 0.9]]),
    ("MATCH (p:Person) WHERE p.is_owner RETURN p.name", [["Ann Lee"]]),
    ("MATCH (p:Person) WHERE NOT p.is_owner RETURN p.name ORDER BY p.name DESC", [["Cyd Moe"], ["Bob Day"]]),
    ("MATCH (e:Entity {type: 'location'}) RETURN e.name ORDER BY e.name", [["Bergen"], ["Oslo"]]),
    ("MATCH (e:Entity|Concept) RETURN count(*)", [[5]]),
    ("MATCH (n:!Source&!Belief) RETURN count(n)", [[8]]),
    ("MATCH (n) WHERE n:Person OR n:Concept RETURN labels(n)[0] AS l, count(*) AS c ORDER BY l",
     [["Concept", 2], ["Person", 3]]),
    ("MATCH (n) RETURN labels(n) AS l, count(*) AS c ORDER BY c DESC, l",
     [[["Entity"], 3], [["Person"], 3], [["Source"], 3], [["Belief"], 2], [["Concept"], 2]]),
    ("MATCH (p:Person {name: $name}) RETURN p.source_count", [[2]]),
    ("MATCH (p:Person $map) RETURN p.name", [["Cyd Moe"]]),
    ("MATCH (p:Person) WHERE p.name IN $names RETURN p.name ORDER BY p.name", [["Ann Lee"], ["Bob Day"]]),
    ("MATCH (p:Person) WHERE 'Bobby' IN p.aliases RETURN p.name", [["Bob Day"]]),
    ("MATCH (p:Person) WHERE any(n IN p.notes WHERE n.content CONTAINS 'cello') RETURN p.name", [["Bob Day"]]),
    ("MATCH (p:Person {name: 'Bob Day'}) RETURN [n IN p.notes | n.content]", [[["Plays the cello."]]]),
    (("MATCH (n) WHERE n.user_id = 'ann' UNWIND n.notes AS note WITH n, note WHERE note.added_by = 'ann' "
     "RETURN n.name, note.content, note.date_added.year"), [["Bob Day", "Plays the cello.", 2026]]),
    ("MATCH (p:Person) WHERE p.notes IS NULL RETURN count(*)", [[2]]),
    ("MATCH (p:Person) WHERE p.nothing = 1 OR NOT p.nothing = 1 RETURN p", []),
    # text
    ("MATCH (n) WHERE toLower(n.name) CONTAINS 'be' RETURN n.name", [["Bergen"]]),
    ("MATCH (n) WHERE n.name STARTS WITH 'A' RETURN n.name ORDER BY n.name", [["Acme"], ["Ann Lee"]]),
    ("MATCH (n) WHERE n.name ENDS WITH 'ing' RETURN n.name", [["sailing"]]),
    ("MATCH (n:Person) WHERE n.name =~ '(?i)ANN.*' RETURN n.name", [["Ann Lee"]]),
    ("MATCH (n:Person) WHERE n.name =~ 'nn' RETURN n.name", []),
    (("RETURN split('a,b', ',')[1] AS b, substring('hello', 1, 3) AS s, replace('aba', 'a', 'x') AS r, "
     "trim(' x ') + toUpper('y') AS t"), [["b", "ell", "xbx", "xY"]]),
    ("RETURN 'it\\'s' + \" \\u0041\" AS s, size('abc') AS n, reverse('abc') AS r", [["it's A", 3, "cba"]]),
    # relationships
    (("MATCH (:Person {name: 'Ann Lee'})-[r:HAS_RELATIONSHIP_WITH]->(o) RETURN r.relationship_type, "
     "r.attitude, o.name"), [["friend", 5, "Bob Day"]]),
    ("MATCH (p:Person)-[r {relationship_type: 'works_at'}]->(e) RETURN p.name, e.name ORDER BY p.name",
     [["Bob Day", "Acme"], ["Cyd Moe", "Acme"]]),
    (("MATCH (p:Person)-[r:associated_with]->(e:Entity) WHERE r.relationship_type = 'lives_in' "
     "RETURN p.name, e.name"), [["Ann Lee", "Bergen"]]),
    (("MATCH (a:Person)-[:ASSOCIATED_WITH]->(e)<-[:ASSOCIATED_WITH]-(b:Person) WHERE a.name < b.name "
     "RETURN a.name, b.name, e.name"), [["Bob Day", "Cyd Moe", "Acme"]]),
    ("MATCH (a:Person {name: 'Bob Day'})-[r:HAS_RELATIONSHIP_WITH]-(b) RETURN b.name ORDER BY b.name",
     [["Ann Lee"], ["Cyd Moe"]]),
    ("MATCH (a:Person)-[r]->(b) RETURN DISTINCT type(r) AS t ORDER BY t",
     [["ASSOCIATED_WITH"], ["ENGAGES_WITH"], ["HAS_RELATIONSHIP_WITH"]]),
    (("MATCH (a)-[r:HAS_RELATIONSHIP_WITH|ENGAGES_WITH]->(b) RETURN startNode(r).name, endNode(r).name "
     "ORDER BY b.name"), [["Ann Lee", "Bob Day"], ["Bob Day", "Cyd Moe"], ["Ann Lee", "sailing"]]),
    ("MATCH ()-[r:HAS_RELATIONSHIP_WITH]->() WHERE r.attitude >= 4 AND r.proximity > 3 RETURN r.description",
     [["They sail together."]]),
    ("MATCH ()-[r:NEIGHBOUR]->() RETURN r.weight", [[0.5]]),
    ("MATCH (s:Source)-[m:MENTIONS]->(:Person {name: 'Bob Day'}) RETURN s.title ORDER BY s.title",
     [["Harbour"], ["Lunch"]]),
    (("MATCH (s:Source)-[:MENTIONS]->(p:Person), (s)-[:MENTIONS]->(q:Person) WHERE p.name < q.name "
     "RETURN p.name, q.name, s.title ORDER BY s.title"),
     [["Bob Day", "Cyd Moe", "Harbour"], ["Ann Lee", "Bob Day", "Lunch"]]),
    # paths
    ("MATCH (:Person {name: 'Ann Lee'})-[:HAS_RELATIONSHIP_WITH*1..2]->(o) RETURN o.name ORDER BY o.name",
     [["Bob Day"], ["Cyd Moe"]]),
    (("MATCH p = (a:Person {name: 'Ann Lee'})-[:HAS_RELATIONSHIP_WITH*2]->(c) RETURN length(p), "
     "[n IN nodes(p) | n.name] AS names, [r IN relationships(p) | r.relationship_type] AS types"),
     [[2, ["Ann Lee", "Bob Day", "Cyd Moe"], ["friend", "colleague"]]]),
    (("MATCH (c:Person {name: 'Cyd Moe'})<-[rs:HAS_RELATIONSHIP_WITH*1..3]-(a) RETURN a.name, "
     "[r IN rs | r.relationship_type] AS t ORDER BY a.name"),
     [["Ann Lee", ["colleague", "friend"]], ["Bob Day", ["colleague"]]]),
    (("MATCH (a:Person {name: 'Ann Lee'}), (c:Person {name: 'Cyd Moe'}) "
     "MATCH p = shortestPath((a)-[*..5]-(c)) RETURN length(p)"), [[2]]),
    (("MATCH p = allShortestPaths((:Entity {name: 'Acme'})-[:ASSOCIATED_WITH|HAS_RELATIONSHIP_WITH*]-"
     "(:Person {name: 'Ann Lee'})) RETURN [n IN nodes(p) | n.name] AS names"),
     [[["Acme", "Bob Day", "Ann Lee"]]]),
    ("MATCH (a:Person {name: 'Ann Lee'})-[:HAS_RELATIONSHIP_WITH*0..1]->(o) RETURN count(*)", [[2]]),
    ("MATCH (a:Person {name: 'Ann Lee'})-[:HAS_RELATIONSHIP_WITH]->{1,2}(o) RETURN count(*)", [[2]]),
    (("MATCH (a:Person {name: 'Bob Day'})-[:HAS_RELATIONSHIP_WITH]-(b)-[:HAS_RELATIONSHIP_WITH]-(c) "
     "RETURN count(*)"), [[0]]),
    # counting
    ("MATCH (s:Source)-[:MENTIONS]->(p:Person) RETURN p.name, count(s) AS n ORDER BY n DESC, p.name",
     [["Ann Lee", 2], ["Bob Day", 2], ["Cyd Moe", 1]]),
    ("MATCH (p:Person) RETURN count(*), sum(p.source_count), min(p.confidence), max(p.name)",
     [[3, 5, 0.7, "Cyd Moe"]]),
    ("MATCH (b:Belief) RETURN avg(b.importance), collect(b.importance)[0] IN [3, 8]", [[5.5, True]]),
    (("MATCH (p:Person) WHERE p.name = 'Nobody' RETURN count(p), sum(p.source_count), avg(p.source_count), "
     "collect(p.name)"), [[0, 0, None, []]]),
    ("MATCH (p:Person) WHERE p.name = 'Nobody' RETURN p.name, count(*)", []),
    ("MATCH (:Person)--(n) RETURN count(DISTINCT n) AS a, size(collect(DISTINCT n)) AS b", [[11, 11]]),
    (("MATCH (p:Person)-[r]-() WITH p, count(r) AS degree WHERE degree > 4 RETURN p.name, degree "
     "ORDER BY degree DESC, p.name"), [["Ann Lee", 7], ["Bob Day", 5]]),
    ("MATCH (p:Person) RETURN sum(p.source_count) * 2 + 1 AS s", [[11]]),
    (("MATCH (p:Person)-[:ASSOCIATED_WITH]->(e) WITH p, e ORDER BY p.name "
     "RETURN {place: e.name, who: collect(p.name)} AS m ORDER BY m.place"), [[{"place": "Acme", "who": ["Bob Day", "Cyd Moe"]}],
                          [{"place": "Bergen", "who": ["Ann Lee"]}]]),
    ("MATCH (b:Belief) RETURN percentileCont(b.importance, 0.5), stDevP(b.importance)", [[5.5, 2.5]]),
    (("MATCH (p:Person) WITH max(p.source_count) AS most MATCH (q:Person) WHERE q.source_count = most "
     "RETURN q.name ORDER BY q.name"), [["Ann Lee"], ["Bob Day"]]),
    # OPTIONAL MATCH, WITH, UNWIND, CALL
    ("MATCH (p:Person) OPTIONAL MATCH (p)-[:ENGAGES_WITH]->(c) RETURN p.name, c.name ORDER BY p.name",
     [["Ann Lee", "sailing"], ["Bob Day", None], ["Cyd Moe", None]]),
    (("MATCH (p:Person) OPTIONAL MATCH (p)-[:HAS_RELATIONSHIP_WITH]->(q) WHERE q.confidence > 0.8 "
     "RETURN p.name, q.name ORDER BY p.name"), [["Ann Lee", "Bob Day"], ["Bob Day", None], ["Cyd Moe", None]]),
    (("MATCH (p:Person) WITH DISTINCT p OPTIONAL MATCH (p)-[:HAS_RELATIONSHIP_WITH]-(q) "
     "RETURN p.name, count(q) ORDER BY p.name"), [["Ann Lee", 1], ["Bob Day", 2], ["Cyd Moe", 1]]),
    (("MATCH (p:Person) CALL { WITH p MATCH (p)-[:HAS_RELATIONSHIP_WITH]->(q) RETURN count(q) AS n } "
     "RETURN p.name, n ORDER BY p.name"), [["Ann Lee", 1], ["Bob Day", 1], ["Cyd Moe", 0]]),
    (("MATCH (p:Person) CALL (p) { MATCH (p)<-[:MENTIONS]-(s) RETURN max(s.started_at) AS last } "
     "RETURN p.name, date(last) ORDER BY p.name"),
     [["Ann Lee", "2026-05-01"], ["Bob Day", "2026-04-10"], ["Cyd Moe", "2026-04-10"]]),
    (("CALL { MATCH (p:Concept) RETURN p.name AS name UNION MATCH (e:Entity) RETURN e.name AS name } "
     "RETURN name ORDER BY name"), [["Acme"], ["Bergen"], ["Oslo"], ["patience"], ["sailing"]]),
    ("UNWIND $names AS name MATCH (p:Person {name: name}) RETURN p.name, p.source_count",
     [["Ann Lee", 2], ["Bob Day", 2]]),
    ("UNWIND [1, null, [2]] AS x RETURN x", [[1], [None], [[2]]]),
    ("UNWIND [] AS x RETURN x", []),
    ("MATCH (p:Person) WITH p ORDER BY p.name SKIP 1 LIMIT 1 RETURN p.name", [["Bob Day"]]),
    ("MATCH (p:Person) RETURN p.name ORDER BY p.name LIMIT $two", [["Ann Lee"], ["Bob Day"]]),
    ("MATCH (p:Person) WITH collect(p.name) AS names RETURN size(names), head(names) IN names", [[3, True]]),
    ("MATCH (p:Person) WITH *, p.source_count AS n WHERE n = 1 RETURN p.name", [["Cyd Moe"]]),
    ("MATCH (c:Concept) RETURN c.name AS n UNION ALL MATCH (c:Concept) RETURN c.name AS n ORDER BY n",
     [["patience"], ["sailing"], ["patience"], ["sailing"]]),
    # subqueries and patterns as values
    (("MATCH (p:Person) WHERE EXISTS { (p)-[:ASSOCIATED_WITH]->(:Entity {name: 'Acme'}) } "
     "RETURN p.name ORDER BY p.name"), [["Bob Day"], ["Cyd Moe"]]),
    ("MATCH (p:Person) WHERE EXISTS { MATCH (p)<-[:MENTIONS]-(s) WHERE s.title = 'Sailing' } RETURN p.name",
     [["Ann Lee"]]),
    ("MATCH (c:Concept) WHERE NOT (c)<-[:ENGAGES_WITH]-() RETURN c.name", [["patience"]]),
    ("MATCH (p:Person) WHERE (p)-[:HAS_RELATIONSHIP_WITH]->({name: 'Cyd Moe'}) RETURN p.name", [["Bob Day"]]),
    ("MATCH (p:Person) RETURN p.name, COUNT { (p)<-[:MENTIONS]-() } AS n ORDER BY p.name",
     [["Ann Lee", 2], ["Bob Day", 2], ["Cyd Moe", 1]]),
    ("MATCH (p:Person) RETURN COLLECT { MATCH (p)-[:ASSOCIATED_WITH]->(e) RETURN e.name } AS l ORDER BY p.name",
     [[["Bergen"]], [["Acme"]], [["Acme"]]]),
    (("MATCH (p:Person) RETURN p.name, [(p)-[:HAS_RELATIONSHIP_WITH]->(q) WHERE q.confidence < 0.8 | q.name] "
     "AS l ORDER BY p.name"), [["Ann Lee", []], ["Bob Day", ["Cyd Moe"]], ["Cyd Moe", []]]),
    ("MATCH (p:Person) RETURN p.name, exists((p)-[:ENGAGES_WITH]->()) AS e ORDER BY p.name",
     [["Ann Lee", True], ["Bob Day", False], ["Cyd Moe", False]]),
    # maps, lists, conditions
    ("MATCH (p:Person {name: $name}) RETURN p {.name, .source_count, x: 1 + 1} AS m",
     [[{"name": "Ann Lee", "source_count": 2, "x": 2}]]),
    ("MATCH (p:Person {name: $name}) RETURN p {.*}.name, properties(p).name, 'name' IN keys(p)",
     [["Ann Lee", "Ann Lee", True]]),
    ("RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS l, reduce(s = 0, x IN [1, 2] | s + x) AS s",
     [[[1, 9, 25], 3]]),
    ("RETURN all(x IN [1] WHERE x > 0), none(x IN [1] WHERE x > 0), single(x IN [1, 2] WHERE x > 1)",
     [[True, False, True]]),
    ("RETURN [1, 2, 3][0], [1, 2, 3][-1], [1, 2, 3][1..], [1, 2] + 3, tail([1, 2]), last([1, 2])",
     [[1, 3, [2, 3], [1, 2, 3], [2], 2]]),
    (("MATCH (p:Person) RETURN CASE WHEN p.source_count > 1 THEN 'often' ELSE 'once' END AS c, count(*) AS n "
     "ORDER BY c"), [["often", 2], ["once", 1]]),
    ("RETURN CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN null THEN 1 END", [["b", None]]),
    ("RETURN coalesce(null, 'x'), null = null, null IN [1], 1 IN [null], NOT null, true OR null, 1 <> 2",
     [["x", None, None, None, None, True, True]]),
    ("RETURN 7 / 2, -7 / 2, 7 % 3, 7.0 / 2, 2 ^ 3, 1 + 2 * 3, abs(-2), round(2.5), toInteger('4')",
     [[3, -3, 1, 3.5, 8.0, 7, 2, 3.0, 4]]),
    ("RETURN 1 < 2 <= 2, 'a' < 'b', 1 = 1.0, '1' = 1, true XOR true", [[True, True, True, False, False]]),
    # times
    ("MATCH (s:Source) WHERE s.started_at > datetime('2026-04-01') RETURN s.title ORDER BY s.started_at",
     [["Harbour"], ["Sailing"]]),
    ("MATCH (s:Source) WHERE s.started_at >= datetime($since) RETURN count(s)", [[2]]),
    ("MATCH (s:Source) WHERE s.started_at > '2026-04-01' RETURN count(s)", [[2]]),
    ("MATCH (s:Source) WHERE s.started_at > datetime() - duration('P7D') RETURN s.title", [["Sailing"]]),
    ("MATCH (s:Source) WHERE s.started_at >= datetime() - duration({days: 30}) RETURN count(s)", [[2]]),
    ("MATCH (s:Source) RETURN s.started_at.month AS m, count(*) AS n ORDER BY m", [[3, 1], [4, 1], [5, 1]]),
    ("MATCH (s:Source {title: 'Lunch'}) RETURN s.started_at, toString(date(s.started_at))",
     [["2026-03-01T12:00:00Z", "2026-03-01"]]),
    ("RETURN datetime(), date(), timestamp()", [["2026-05-04T09:00:00Z", "2026-05-04", 1777885200000]]),
    ("RETURN date('2026-01-31') + duration('P1M'), duration.between(date('2026-01-01'), date('2026-02-03'))",
     [["2026-02-28", "P1M2D"]]),
    ("RETURN duration.inDays(date('2026-01-01'), date('2026-03-01')).days, duration({hours: 36}).hours",
     [[59, 36]]),
    (("RETURN datetime('2026-05-04T11:00:00+02:00') = datetime(), datetime({epochMillis: 0}).year, "
     "date.truncate('month', date('2026-01-23'))"), [[True, 1970, "2026-01-01"]]),
    ("RETURN date('2026-05-04').dayOfWeek, date('2026-05-04').week, datetime().hour", [[1, 19, 9]]),
    # beliefs, passages, shape
    ("MATCH (b:Belief)-[:ABOUT]->(p:Person) RETURN b.statement ORDER BY b.importance DESC",
     [["Ann lives in Bergen"], ["Ann prefers tea"]]),
    ("MATCH (s:Source)-[:SUPPORTS]->(b:Belief) RETURN s.title, b.statement", [["Lunch", "Ann lives in Bergen"]]),
    ("MATCH (s:Source)-[:HAS_PASSAGE]->(p:Passage) RETURN p.speaker, p.text ORDER BY p.ordinal",
     [["Ann", "We had soup."], ["Bob", "The boat is for sale."]]),
    ("MATCH (s:Source) WHERE 'boat' IN s.keywords RETURN s.title ORDER BY s.title", [["Harbour"], ["Lunch"]]),
    ("CALL db.labels() YIELD label WITH label WHERE label STARTS WITH 'P' RETURN label", [["Passage"], ["Person"]]),
    ("MATCH (p:Person {name: $name}) RETURN elementId(p) = p.key", [[True]]),
    ("// who\nMATCH (p:Person) /* all */ RETURN count(p) AS `how many`;", [[3]]),
]  # fmt: skip


@pytest.fixture(scope="module")
def stores() -> Iterator[SqliteStores]:
    opened = open_stores(":memory:", now=NOW, embedder_name="hash", dimensions=8)
    fill(opened)
    yield opened
    opened.close()


@pytest.mark.parametrize(("query", "answer"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_an_ordinary_question(stores: SqliteStores, query: str, answer: list[list[Any]]) -> None:
    assert ask(stores, query, parameters=PARAMETERS) == answer


@pytest.mark.parametrize(("query", "answer"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_the_language_answers_the_same_outside_the_jail(
    stores: SqliteStores, query: str, answer: list[list[Any]]
) -> None:
    read_ = read(query)
    wanted = needs(read_)
    rows, bodies = stores.cypher.visible_rows(  # type: ignore[attr-defined]
        ANN_SCOPE,
        Question(text=query, now=NOW),
        Wanted(labels=list(wanted.labels), types=list(wanted.types)),
    )
    count = len(rows["nodes"])
    picture = Picture(
        zip(rows["nodes"], bodies, strict=False), zip(rows["edges"], bodies[count:], strict=False)
    )
    world = World(picture=picture, parameters=PARAMETERS, now=NOW, tick=lambda: None)

    assert run(read_, Checker().columns(read_), world, limit=1000) == (answer, False)


def test_a_node_comes_back_whole(stores: SqliteStores) -> None:
    ((node,),) = ask(stores, "MATCH (p:Person {name: 'Bob Day'}) RETURN p")

    assert node["key"] == BOB.key
    assert node["labels"] == ["Person"]
    assert node["properties"]["created_at"] == "2026-03-14T09:26:53.589793Z"
    assert node["properties"]["salience"] == 0.5
    hidden = {"created_by", "line_digest", "distinct_days"}
    assert not hidden & node["properties"].keys()


def test_a_relationship_and_a_path_come_back_whole(stores: SqliteStores) -> None:
    query = "MATCH p = (:Person)-[r:HAS_RELATIONSHIP_WITH {relationship_type: 'friend'}]->() RETURN r, p"
    ((edge, path),) = ask(stores, query)

    assert (edge["type"], edge["start"], edge["end"]) == ("HAS_RELATIONSHIP_WITH", ANN.key, BOB.key)
    assert edge["properties"]["valid_from"] == "2019-01-01T12:00:00Z"
    assert [one["key"] for one in path["nodes"]] == [ANN.key, BOB.key]
    assert path["relationships"] == [edge]


def test_as_of_asks_of_another_time(stores: SqliteStores) -> None:
    homes = "MATCH (:Person)-[{relationship_type: 'lives_in'}]->(e) RETURN e.name"
    held = "MATCH (b:Belief) RETURN b.statement ORDER BY b.statement"

    assert ask(stores, homes, as_of=day(2021, 1, 1)) == [["Oslo"]]
    assert ask(stores, homes, as_of=day(2019, 6, 1)) == []
    assert ask(stores, held, as_of=day(2021, 1, 1)) == [["Ann lives in Oslo"]]
    assert ask(stores, "MATCH (s:Source) RETURN s.key", as_of=day(2026, 3, 2)) == [[LUNCH.key]]
    notes = "MATCH (p:Person {name: 'Bob Day'}) RETURN [n IN p.notes | n.content]"
    assert ask(stores, notes, as_of=day(2026, 3, 2)) == [[["Plays the cello.", "Has a cold."]]]


def test_what_has_faded_is_there_when_asked_for(stores: SqliteStores) -> None:
    query = "MATCH (p:Person {state: 'archived'}) RETURN p.name"

    assert ask(stores, query) == []
    assert ask(stores, query, include_archived=True) == [["Zed Old"]]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("MATCH (p:Person) RETURN q.name", "nothing is called 'q'"),
        ("MATCH (person:Person) RETURN persn.name", "did you mean 'person'"),
        ("MATCH (p:Person RETURN p", "line 1, column 17"),
        ("MATCH (p)\nRETURN p.name !", "line 2"),
        ("MATCH (p:Person)", "RETURN should"),
        ("RETURN", "a value should"),
        ("RETURN 'open", "never closed"),
        ("RETURN foo(1)", "no function foo"),
        ("RETURN size(1, 2)", "takes 1 arguments"),
        ("RETURN $missing", "$missing was not given"),
        ("RETURN 1 AS a, 2 AS a", "two columns"),
        ("MATCH (p:Person) WITH p.name RETURN 1", "needs a name"),
        ("MATCH (p:Person) WITH p WHERE count(p) > 1 RETURN p", "gathers rows"),
        ("MATCH (p:Person) RETURN count(sum(p.source_count))", "inside another"),
        ("MATCH (p:Person) RETURN DISTINCT p.name ORDER BY p.confidence", "nothing is called 'p'"),
        ("RETURN 1 UNION RETURN 2 AS b", "same names"),
        ("RETURN 1 / 0", "divided by zero"),
        ("RETURN 9223372036854775807 + 1", "64 bits"),
        ("RETURN 1 + true", "cannot be added"),
        ("MATCH (n) WHERE n.name RETURN n", "a condition is text"),
        ("RETURN date('yesterday')", "not a date"),
        ("RETURN datetime({year: 2026, timezone: 'Europe/Oslo'})", "time zone"),
        ("MATCH (n) RETURN n LIMIT -1", "LIMIT"),
        ("RETURN rand()", "no function rand"),
        ("RETURN apoc.text.join(['a'], '')", "no function apoc.text.join"),
        ("RETURN 1 != 2", "!"),
        ("EXPLAIN MATCH (n) RETURN n", "EXPLAIN"),
        ("SELECT * FROM nodes", "not SQL"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(
    stores: SqliteStores, query: str, problem: str
) -> None:
    with pytest.raises(BadQuery) as refused:
        ask(stores, query)
    assert problem in str(refused.value)
