"""A whole life on every set-up of servers: the same as in a file, moved there and back, and erased."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import rebuilt as lives
import set_ups
from effort import times
from telltale import MORNING, Telltale
from test_postgres_life import told

from remanent import Memory, SteppedClock
from remanent.errors import StoreError
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest
from remanent_conformance.hunts.hunt import Plan, hunt

pytestmark = [pytest.mark.server, pytest.mark.slow]

DAYS = 2


@pytest.fixture(scope="module")
def places() -> Iterator[set_ups.Places]:
    made = set_ups.Places()
    yield made
    made.drop()


@pytest.fixture(params=set_ups.BESIDE)
def place(request: pytest.FixtureRequest, places: set_ups.Places) -> Iterator[str]:
    with places.given(request.param) as given:
        yield given


def lived(where: Path | str, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """The life of two days, with the same ids for the same events wherever it is lived."""
    clock = SteppedClock(lives.START)
    memory = lives.opened(where, clock)
    monkeypatch.setattr(os, "urandom", random.Random(7).randbytes)
    lives.live(memory, clock, days=DAYS)
    return memory


def graphs(memory: Memory) -> dict[str, str]:
    """The digest of what everybody has."""
    users = [one.user_id for one in memory.users()]
    return {one: digest(lives.exported(memory, one)) for one in users}


def test_a_life_is_the_same_as_in_a_file(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        lived(place, monkeypatch) as memory,
        lived(tmp_path / "memory.db", monkeypatch) as embedded,
    ):
        assert told(memory) == told(embedded)
        for one in (memory, embedded):
            one.rebuild().switch()
        assert told(memory) == told(embedded)
        key = lives.ada_of(memory).sources()[0].key
        for one in (memory, embedded):
            erased = lives.ada_of(one).erase(key)
            assert erased.probe.found == 0
        assert told(memory)["found"] == told(embedded)["found"]
        assert not any(one.traces([key], truth=True) for one in memory.env.stores.erasing)
        assert memory.env.stores.health.examine(lambda _told, _raw: "").damages == ()


def test_it_moves_there_and_back(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lived(tmp_path / "memory.db", monkeypatch) as embedded:
        before = graphs(embedded)
        there = embedded.migrate(place)
    with lives.opened(place) as memory:
        assert graphs(memory) == before
        lives.ada_of(memory).add("A note from the other house: tea at four.", title="Later")
        memory.work()
        after = graphs(memory)
        back = memory.migrate(tmp_path / "back.db")
    with lives.opened(tmp_path / "back.db") as again:
        assert graphs(again) == after

    assert there.counts["event"] < back.counts["event"]


def test_a_part_alone_is_not_the_memory(place: str) -> None:
    lives.opened(place).close()
    with pytest.raises(StoreError, match="name their addresses"):
        lives.opened(place.split()[0])


def test_nobody_learns_there_what_they_may_not_know(place: str) -> None:
    plan = Plan(users=3, teams=1, calls=times(30, 2000))
    with Memory.open(
        place, clock=(clock := SteppedClock(MORNING)), mind=Telltale(), embedder=HashEmbedder()
    ) as memory:
        found = hunt(memory, clock, plan)
    assert found.leaks == []
    assert found.crashes == []
    assert found.calls == plan.calls
