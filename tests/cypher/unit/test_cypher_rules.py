"""The language itself: whatever is thrown at it, it answers or refuses, and its values have an order."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.cypher.language.checking import Checker, notices
from remanent.cypher.language.evaluating import World
from remanent.cypher.language.moments import Duration, between, duration, shifted
from remanent.cypher.language.picture import Picture
from remanent.cypher.language.planning import needs
from remanent.cypher.language.reader import read
from remanent.cypher.language.running import run
from remanent.cypher.language.schema import LABELS, TYPES
from remanent.cypher.language.tokens import tokens
from remanent.cypher.language.values import compare, equal, identity, order
from remanent.errors import BadQuery, CypherError, ForbiddenQuery

pytestmark = pytest.mark.quick

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
NODES = [((n, f"k{n}", "Person"), json.dumps({"name": f"n{n}", "rank": n % 3})) for n in range(6)]
EDGES = [((f"e{n}", "FOLLOWS", n, (n * 2) % 6), "{}") for n in range(6)]

WORDS = st.sampled_from(
    [
        "MATCH",
        "OPTIONAL",
        "WHERE",
        "RETURN",
        "WITH",
        "UNWIND",
        "AS",
        "DISTINCT",
        "ORDER",
        "BY",
        "LIMIT",
        "SKIP",
        "UNION",
        "ALL",
        "CALL",
        "CREATE",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "-",
        ">",
        "<",
        ":",
        ",",
        ".",
        "|",
        "*",
        "+",
        "=",
        "<>",
        "n",
        "m",
        "r",
        "x",
        "Person",
        "FOLLOWS",
        "'a'",
        '"b"',
        "1",
        "2.5",
        "$p",
        "count",
        "collect",
        "size",
        "EXISTS",
        "COUNT",
        "IN",
        "AND",
        "OR",
        "NOT",
        "NULL",
        "true",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "..",
        "=~",
        "CONTAINS",
        "IS",
        ";",
        "`q`",
    ]
)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3)
    | st.datetimes(timezones=st.just(UTC)) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


def asked(text: str, **parameters: Any) -> list[list[Any]]:
    query = read(text)
    world = World(picture=Picture(NODES, EDGES), parameters=parameters, now=NOW, tick=lambda: None)
    return run(query, Checker().columns(query), world, limit=1000)[0]


# -- reading ----------------------------------------------------------------------------------


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(CypherError):
        Checker().columns(read(text))


@given(st.lists(WORDS, max_size=25).map(" ".join))
def test_any_heap_of_words_is_answered_or_refused(text: str) -> None:
    with contextlib.suppress(CypherError):
        asked(f"MATCH (n:Person) {text}", p=1)


@given(st.text(max_size=20))
def test_a_string_comes_back_as_it_was_written(text: str) -> None:
    written = "".join(f"\\u{ord(one):04x}" if ord(one) < 0x10000 else one for one in text)  # fmt: skip
    if any(0xD800 <= ord(one) <= 0xDFFF for one in text):
        return
    assert asked(f"RETURN '{written}'") == [[text]]


def test_words_in_strings_names_and_comments_are_no_clauses() -> None:
    query = "// CREATE (n)\nRETURN 'LOAD CSV' AS `DELETE`, /* SET */ \"MERGE\" AS x"

    assert asked(query) == [["LOAD CSV", "MERGE"]]
    assert [one.kind for one in tokens("'a' `b` $c 1 2.0 d +")] == [
        "string", "quoted", "parameter", "int", "float", "name", "sign", "end",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "word", ["CREATE", "MERGE", "SET", "DELETE", "REMOVE", "DROP", "FOREACH", "LOAD"]
)
@pytest.mark.parametrize("before", ["", "MATCH (n) ", "WITH 1 AS x ", "CALL { ", "RETURN 1 UNION "])
def test_every_word_that_writes_is_refused_wherever_a_clause_may_stand(
    word: str, before: str
) -> None:
    for said in (word, word.lower(), word.title()):
        with pytest.raises(ForbiddenQuery, match=word):
            read(f"{before}{said} (n) RETURN n")


# -- values -----------------------------------------------------------------------------------


@given(st.lists(PLAIN, max_size=6))
def test_all_values_have_an_order(values: list[Any]) -> None:
    ordered = sorted(values, key=order)

    assert [order(one) for one in ordered] == sorted(order(one) for one in values)
    assert all(one is not None for one in ordered[: len(ordered) - values.count(None)])


@given(PLAIN, PLAIN)
def test_equality_and_order_agree(left: Any, right: Any) -> None:
    assert equal(left, right) == equal(right, left)
    if equal(left, left) is True:
        assert identity(left) == identity(left)
    less, more = compare("<", left, right), compare(">", right, left)
    assert less == more
    if compare("=", left, right) is True and less is not None:
        assert less is False


@given(st.integers(-400, 400), st.integers(-400, 400))
def test_what_is_unknown_stays_unknown(left: int, right: int) -> None:
    ((sum_, test, both),) = asked(
        "RETURN $a + $b, $a < $n, $a = $b AND $n", a=left, b=right, n=None
    )

    assert sum_ == left + right
    assert test is None
    assert both is (None if left == right else False)


@given(st.dates(date(1990, 1, 1), date(2040, 1, 1)), st.dates(date(1990, 1, 1), date(2040, 1, 1)))
def test_the_time_between_two_days_leads_from_one_to_the_other(first: date, second: date) -> None:
    assert shifted(first, between(first, second)) == second


@given(st.integers(0, 40), st.integers(0, 400), st.integers(0, 10**6))
def test_a_duration_is_read_as_it_is_written(months: int, days: int, seconds: int) -> None:
    made = Duration(months, days, seconds * 1_000_000)

    assert duration(str(made)) == made


# -- matching ---------------------------------------------------------------------------------


def test_where_a_query_begins_makes_no_difference() -> None:
    forwards = asked(
        "MATCH (a:Person)-[:FOLLOWS]->(b)-[:FOLLOWS]->(c) RETURN a.name, b.name, c.name"
    )
    from_behind = asked(
        "MATCH (c:Person) MATCH (a)-[:FOLLOWS]->(b)-[:FOLLOWS]->(c) RETURN a.name, b.name, c.name"
    )
    from_within = asked(
        "MATCH (b:Person) MATCH (a)-[:FOLLOWS]->(b), (b)-[:FOLLOWS]->(c) RETURN a.name, b.name, c.name"
    )

    assert sorted(forwards) == sorted(from_behind) == sorted(from_within)


@given(st.integers(0, 2), st.integers(0, 3))
def test_a_condition_inside_a_pattern_is_one_behind_it(rank: int, number: int) -> None:
    inside = asked("MATCH (a {rank: $r})-[]-(b {name: $n}) RETURN a.name", r=rank, n=f"n{number}")
    behind = asked("MATCH (a)-[]-(b) WHERE b.name = $n AND $r = a.rank RETURN a.name", r=rank, n=f"n{number}")  # fmt: skip

    assert sorted(inside) == sorted(behind)


@pytest.mark.parametrize(
    ("query", "labels", "types"),
    [
        ("RETURN 1", (), ()),
        ("MATCH (p:Person) RETURN p", ("Person",), ()),
        ("MATCH (p:Person)-[:MENTIONS]-(q:Source) RETURN p", ("Person", "Source"), ("MENTIONS",)),
        (
            "MATCH (p:Person) MATCH (p)-[:ABOUT]-(:Belief) RETURN p",
            ("Belief", "Person"),
            ("ABOUT",),
        ),
        ("MATCH (p:Person|Entity) RETURN p", ("Entity", "Person"), ()),
        (
            "MATCH (s:Source)-[:HAS_PASSAGE]->(p:Passage) RETURN p",
            ("Passage", "Source"),
            ("HAS_PASSAGE",),
        ),
    ],
)
def test_only_what_can_be_met_is_looked_at(
    query: str, labels: tuple[str, ...], types: tuple[str, ...]
) -> None:
    assert (needs(read(query)).labels, needs(read(query)).types) == (labels, types)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "MATCH (p:Person)-[:ABOUT*1..2]-(q:Person) RETURN p",
        "MATCH (p:Person) WITH p.name AS x MATCH (p) RETURN p",
        "MATCH (p:!Person) RETURN p",
    ],
)
def test_where_anything_can_be_met_all_is_looked_at(query: str) -> None:
    assert set(needs(read(query)).labels) == set(LABELS) - {"Passage"}


def test_a_name_that_nothing_has_is_noticed() -> None:
    (label, type_) = notices(read("MATCH (a:Persona)-[:LIKES]->(:Person) RETURN a"))

    assert "'Persona'" in label
    assert "'LIKES'" in type_
    assert notices(read(f"MATCH (a:{LABELS[0]})-[:{TYPES[0]}]->() RETURN a")) == ()


def test_every_step_is_counted() -> None:
    steps = 0

    def tick() -> None:
        nonlocal steps
        steps += 1
        if steps > 100:
            raise BadQuery("enough")

    query = read("UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN count(*)")
    world = World(picture=Picture([], []), parameters={}, now=NOW + timedelta(), tick=tick)
    with pytest.raises(BadQuery, match="enough"):
        run(query, ("count(*)",), world, limit=1)
