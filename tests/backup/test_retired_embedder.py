"""A memory that was made with the embedder that was built in before goes over to the one that is now."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.embedders.builtin import NAME
from remanent.testing import HashEmbedder, ScriptedMind

OLD = "granite-30m-int8"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Old(HashEmbedder):
    """As the old one was named and shaped; its weights need not be installed here."""

    name = OLD
    dimensions = 384

    def embed(self, texts, *, kind="passage"):
        import numpy as np

        short = super().embed(texts, kind=kind)
        return np.tile(short, 6) / np.sqrt(np.float32(6))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of old."""
    path = tmp_path / "old.db"
    with Memory.open(
        path, clock=SteppedClock(START), mind=ScriptedMind(), embedder=Old()
    ) as memory:
        me = memory.user("ada", timezone="UTC")
        me.add("My cello teacher lives in Bergen.")
        memory.work()
        me.remember("I like green tea")
        assert memory.embedding().embedder == OLD
    return path


def opened(path: Path | Config) -> Memory:
    return Memory.open(path, clock=SteppedClock(START), mind=ScriptedMind())


def test_it_opens_answers_by_words_and_is_embedded_anew_by_the_worker(path: Path) -> None:
    with opened(path) as memory:
        me = memory.user("ada")
        state = memory.embedding()
        assert (state.embedder, state.towards) == (OLD, NAME)
        assert me.search("cello teacher")[0].text.startswith("My cello")
        assert me.recall("green tea")[0].belief.statement == "I like green tea"
        assert memory.work().done == 1
        state = memory.embedding()
        assert (state.embedder, state.towards, state.share) == (NAME, None, 1.0)
        assert me.search("Who gives music lessons?")[0].text.startswith("My cello")
        assert me.search("Who gives music lessons?")[0].signals["dense"] > 0
        assert memory.work().done == 0
    with opened(path) as memory:
        assert memory.embedding().towards is None
        assert memory.user("ada").status().embedder == NAME


def test_what_is_told_meanwhile_is_not_lost(path: Path) -> None:
    with opened(path) as memory:
        me = memory.user("ada")
        me.remember("I play chess on Fridays")
        assert me.recall("chess")[0].belief.statement == "I play chess on Fridays"
        me.add("The ferry to Oslo is late.")
        memory.work()
        assert memory.embedding().embedder == NAME
        clock = memory.env.clock
        assert isinstance(clock, SteppedClock)
        clock.move_to(START.replace(hour=23))
        memory.work()
        assert "ferry" in me.search("Which boat had a delay?")[0].text
        assert me.recall("board games at the weekend")


def test_opened_twice_it_is_promised_once(path: Path) -> None:
    with opened(path) as memory:
        first = memory.user("ada").jobs(states=["ready"])
    with opened(path) as memory:
        assert memory.user("ada").jobs(states=["ready"]) == first
        assert [one.kind.value for one in first] == ["reembed"]


def test_whoever_names_it_keeps_it(path: Path) -> None:
    with opened(Config(memory=str(path), embedder=OLD)) as memory:
        assert memory.embedding().towards is None
        assert memory.user("ada").search("cello")
        assert "is no more" in memory.ready().findings[1].told


def test_a_way_to_another_embedder_is_not_left(path: Path) -> None:
    with opened(Config(memory=str(path), embedder=OLD)) as memory:
        memory.env.stores.reembedding.begin("hash-64", 64)
    with opened(path) as memory:
        assert memory.embedding().towards == "hash-64"


def test_a_memory_of_nobody_opens(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", mind=ScriptedMind(), embedder=Old()):
        pass
    with opened(tmp_path / "m.db") as memory:
        assert memory.embedding().towards is None
