"""kill -9 while something is erased: it is all there or all gone, and erasing again ends the same."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import forks
import pytest
import rebuilt as lives
from effort import times

from remanent import Memory, SteppedClock
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.source import Source
from remanent.core.read import every
from remanent.core.records.export import OWED, Mark
from remanent.errors import UnknownKey
from remanent_conformance.builders import digest

KILLS = times(3, 24)
LONGEST_S = 0.6


def told(memory: Memory) -> str:
    records = [one for user in memory.users() for one in lives.exported(memory, user.user_id)]
    return digest(records, without=CIRCUMSTANCES)


def is_there(memory: Memory, key: str) -> bool:
    env = memory.env
    return env.graph.get(lives.ada_of(memory).scope, key) is not None


@pytest.fixture
def lived(tmp_path: Path) -> tuple[Path, str]:
    place, clock = tmp_path / "memory.db", SteppedClock(lives.START)
    with lives.opened(place, clock) as memory:
        lives.live(memory, clock, days=6)
        scope, graph = lives.ada_of(memory).scope, memory.env.graph
        own = [one for one in every(graph, scope, Source) if one.user_id == "ada"]
        key = sorted(own, key=lambda one: one.created_at)[2].key
    return place, key


@pytest.mark.slow
@pytest.mark.torture
def test_killed_at_any_moment_it_ends_the_same(lived: tuple[Path, str], tmp_path: Path) -> None:
    path, key = lived
    whole, done = tmp_path / "whole.db", tmp_path / "done.db"
    shutil.copy(path, whole)
    shutil.copy(path, done)
    with lives.opened(whole) as memory:
        before = told(memory)
    with lives.opened(done) as memory:
        lives.ada_of(memory).erase(key)
        after = told(memory)
    assert before != after
    dice, script = random.Random(5), Path(__file__).with_name("eraser.py")
    for number in range(KILLS):
        place = tmp_path / f"{number}.db"
        shutil.copy(path, place)
        with forks.start(script, place, key) as process:
            process.stdout.readline()
            time.sleep(dice.uniform(0, LONGEST_S))
            process.kill()
        with lives.opened(place) as memory:
            found = told(memory)
            assert found in (before, after)
            assert is_there(memory, key) is (found == before)
            if found == before:
                lives.ada_of(memory).erase(key)
            memory.work()
            assert memory.env.records.get(None, Mark, OWED) is None
            assert told(memory) == after
            with pytest.raises(UnknownKey):
                lives.ada_of(memory).erase(key)
        assert key.encode() not in place.read_bytes()
