"""Asking in Cypher from Python: what is checked before a query is run, and what comes back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.aio import AsyncMemory
from remanent.clock import SteppedClock
from remanent.config import Config
from remanent.cypher.language import CypherRules
from remanent.errors import BadQuery, InvalidInput, QueryLimit
from remanent.memory import Memory, UserMemory
from remanent.testing import HashEmbedder, ScriptedMind


def test_what_was_remembered_is_found(ada: UserMemory) -> None:
    ada.remember("I live in Bergen")

    found = ada.cypher("MATCH (b:Belief) RETURN b.statement AS told, b.subject AS of")

    assert found.records == [{"told": "I live in Bergen", "of": "owner"}]


def test_dates_and_times_can_be_parameters(ada: UserMemory, clock: SteppedClock) -> None:
    query = "RETURN datetime($at) < datetime() AS past, date($day) = date('2026-01-02') AS same"

    found = ada.cypher(query, {"at": clock.now() - timedelta(days=1), "day": clock.now().date().replace(month=1, day=2)})  # fmt: skip

    assert found.rows == ((True, True),)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Passage) RETURN count(p)",
        "MATCH (p) WHERE p:Passage RETURN count(p)",
        "MATCH (:Source)-[:HAS_PASSAGE]->(p:Passage) RETURN count(p)",
        "MATCH (p:Passage) WHERE p.text CONTAINS 'peanut' RETURN count(p)",
    ],
)
def test_a_label_is_enough_to_find_passages(ada: UserMemory, query: str) -> None:
    ada.add("No peanut for Oscar, ever.")
    ada.work()

    assert ada.cypher(query).rows == ((1,),)


def test_asking_changes_nothing(ada: UserMemory) -> None:
    ada.remember("I live in Bergen")
    before = ada.beliefs()

    ada.cypher("MATCH (n) RETURN n")

    assert ada.beliefs() == before


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"parameters": {"x": object()}}, "parameters"),
        ({"parameters": {"x": float("nan")}}, "parameters"),
        ({"parameters": ["x"]}, "parameters"),
        ({"as_of": datetime(2026, 1, 1)}, "as_of"),  # noqa: DTZ001 - that is the point
        ({"as_of": "2026"}, "as_of"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"limit": True}, "limit"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": 3600}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
    ],
)
def test_bad_input_is_named(ada: UserMemory, asked: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ada.cypher("RETURN 1", **asked)
    assert refused.value.field == field


def test_a_query_has_to_be_text(ada: UserMemory) -> None:
    with pytest.raises(InvalidInput, match="query"):
        ada.cypher(b"RETURN 1")  # type: ignore[arg-type]
    with pytest.raises(BadQuery, match="empty"):
        ada.cypher(" \n")


def test_the_settings_bound_what_a_call_may_ask_for(tmp_path: Path, clock: SteppedClock) -> None:
    rules = CypherRules(rows=2, seconds=10.0, query_characters=60, parameter_characters=20)
    config = Config(memory=str(tmp_path / "m.db"), cypher=rules)
    with Memory.open(config, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        me = memory.user("ada")
        found = me.cypher("UNWIND [1, 2, 3] AS x RETURN x")
        assert (found.rows, found.truncated) == (((1,), (2,)), True)
        with pytest.raises(InvalidInput, match="limit"):
            me.cypher("RETURN 1", limit=3)
        with pytest.raises(QueryLimit) as refused:
            me.cypher(f"RETURN '{'x' * 60}'")
        assert refused.value.limit == "query_characters"
        with pytest.raises(QueryLimit) as refused:
            me.cypher("RETURN $x", {"x": "y" * 30})
        assert refused.value.limit == "parameter_characters"


def test_the_async_twin_asks_too(tmp_path: Path, clock: SteppedClock) -> None:
    async def asked() -> object:
        async with await AsyncMemory.open(
            tmp_path / "m.db", clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()
        ) as memory:
            me = await memory.user("ada", name="Ada")
            answers = await asyncio.gather(*(me.cypher(f"RETURN {n}") for n in range(4)))
            return [answer.rows[0][0] for answer in answers]

    assert asyncio.run(asked()) == [0, 1, 2, 3]


def test_as_of_is_a_moment_in_the_life_of_the_graph(ada: UserMemory) -> None:
    ada.remember("I live in Oslo", at=datetime(2026, 1, 1, tzinfo=UTC))

    held = "MATCH (b:Belief) RETURN count(b)"

    assert ada.cypher(held).rows == ((1,),)
    assert ada.cypher(held, as_of=datetime(2025, 1, 1, tzinfo=UTC)).rows == ((0,),)


def test_long_texts_are_cut_unless_asked_for_whole(ada: UserMemory) -> None:
    text = "Oscar may not eat peanuts. " * 40
    ada.add(text)
    ada.work()
    query = "MATCH (p:Passage) RETURN p.text AS text, {again: [p.text]} AS more LIMIT 1"

    ((cut, more),) = ada.cypher(query).rows
    ((whole, _),) = ada.cypher(query, verbose=True).rows

    assert len(cut) <= 500 < len(whole)
    assert more == {"again": [cut]}
    assert whole.startswith(cut.removesuffix("…"))
    assert ada.cypher(query).notices
    assert ada.cypher(query, verbose=True).notices == ()
