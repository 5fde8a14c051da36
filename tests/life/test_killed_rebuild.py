"""kill -9 while a memory is derived again, and while it is switched to: the old graph or the new one."""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import forks
import pytest
import rebuilt as lives
from effort import times

from remanent import Memory, SteppedClock
from remanent.errors import EmbedderError
from remanent_conformance.builders import digest

sys.path.insert(0, str(Path(__file__).parent))
from rebuilder import OtherEmbedder, OtherMind

KILLS = times(4, 24)
LONGEST_S = 0.25  # from the beginning of a switch to the kill


@contextmanager
def a_rebuilder(path: Path) -> Iterator[forks.Forked]:
    with forks.start(Path(__file__).with_name("rebuilder.py"), path) as process:
        yield process
        process.kill()


def heard(process: forks.Forked, word: str, times: int = 1) -> bool:
    """Wait until it has said so, so many times; False if it ended before."""
    while times and (line := process.stdout.readline()):
        times -= line.strip() == word
    return not times


def told(memory: Memory) -> str:
    records = [one for user in memory.users() for one in lives.exported(memory, user.user_id)]
    return digest(records)


@contextmanager
def either(path: Path) -> Iterator[Memory]:
    """The memory, whoever's vectors it has."""
    try:
        memory = lives.opened(path)
    except EmbedderError:
        memory = lives.opened(path, mind=OtherMind(), embedder=OtherEmbedder())
    with memory:
        yield memory


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was lived in; to be copied, not touched."""
    place, clock = tmp_path_factory.mktemp("lived") / "memory.db", SteppedClock(lives.START)
    with lives.opened(place, clock) as memory:
        lives.live(memory, clock, days=7)
    return place


@pytest.fixture
def path(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(lived, tmp_path / "memory.db"))


@pytest.mark.slow
@pytest.mark.torture
def test_killed_at_any_event_it_goes_on_and_ends_the_same(path: Path) -> None:
    dice = random.Random(3)
    with lives.opened(path) as memory:
        before = told(memory)
        whole = memory.rebuild(mind=OtherMind(), embedder=OtherEmbedder())
        wanted, events = whole.comparison, whole.events
        whole.discard()

        for _ in range(times(2, 6)):
            with a_rebuilder(path) as process:
                assert heard(process, "event", dice.randrange(1, events // 7))
            assert told(memory) == before

        rebuilt = memory.rebuild(mind=OtherMind(), embedder=OtherEmbedder())
        assert rebuilt.events < events
        assert rebuilt.comparison == wanted
        rebuilt.discard()
        assert told(memory) == before


@pytest.mark.slow
@pytest.mark.torture
def test_killed_in_the_switch_it_is_the_old_graph_or_the_new_one(path: Path) -> None:
    dice = random.Random(5)
    with lives.opened(path) as memory:
        old = told(memory)
    seen = set()
    for number in range(KILLS):
        with a_rebuilder(path) as process:
            assert heard(process, "ready")
            process.stdin.write("stop\n" if number == 0 else "\n")
            process.stdin.flush()
            if number == 0:
                assert heard(process, "replaced")  # and nothing is committed
            elif number < KILLS - 1:
                assert heard(process, "switching")
                time.sleep(dice.random() * LONGEST_S)
            else:
                assert heard(process, "switched")
        with either(path) as memory:
            _check_whole(path, memory)
            is_new = memory.env.embedder.name == OtherEmbedder().name
            assert is_new == (told(memory) != old)
            seen.add(is_new)
            assert is_new is (number > 0) or 0 < number < KILLS - 1
            if is_new:  # back to where it was
                memory.rebuild(mind=lives.QuickMind(), embedder=lives.HashEmbedder()).switch()
                assert told(memory) == old
    assert seen == {True, False}
    assert list(path.parent.glob("*.rebuild")) == []


def _check_whole(path: Path, memory: Memory) -> None:
    with apsw.Connection(str(path)) as file:
        assert list(file.execute("PRAGMA integrity_check")) == [("ok",)]
        assert list(file.execute("PRAGMA foreign_key_check")) == []
    assert lives.ada_of(memory).search("Kestrel budget", touch=False)
