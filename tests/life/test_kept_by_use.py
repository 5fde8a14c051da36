"""A life of 400 days on a stepped clock: what is asked for now and then stays at hand, what nobody asks for
leaves the hot part, and all of it can be found again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from effort import times

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.source import Source
from remanent.core.ports.index import Question
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import digest

pytestmark = [pytest.mark.slow, pytest.mark.torture]

START = datetime(2025, 1, 6, 9, tzinfo=UTC)
DAY = timedelta(days=1)
DAYS, STEP, NOTES = 400, times(4, 1), times(1, 3)  # notes on a day, on every so manieth day
ASKED = {7: "search", 11: "context", 13: "recall and search"}  # every so many days, and how
THINGS = ("lamp", "boiler", "ferry", "ladder", "violin", "passport", "freezer", "canoe", "tractor")
PLACES = (
    "Bergen",
    "Tromso",
    "Lisbon",
    "Riga",
    "Ghent",
    "Cork",
    "Nantes",
    "Split",
    "Turin",
    "Porto",
)


def told(number: int) -> str:
    """What note number so-and-so is about: no two have all these words."""
    thing, place = THINGS[number % len(THINGS)], PLACES[number // len(THINGS) % len(PLACES)]
    return f"the {thing} in {place} with mark m{number}q"


@dataclass(slots=True)
class Past:
    """A life that was lived: of each note its key, and month by month how much there was."""

    keys: list[str] = field(default_factory=list)
    asked: dict[int, int] = field(default_factory=dict)  # note -> every so many days
    hot: list[int] = field(default_factory=list)
    every: list[int] = field(default_factory=list)
    size_bytes: list[int] = field(default_factory=list, compare=False)
    digest: str = ""


def lives(user: UserMemory, past: Past) -> list[Lifecycle]:
    nodes = user.env.graph.get_many(user.scope, past.keys)
    return [nodes[key].life for key in past.keys]


def rows(user: UserMemory, *, cold: bool) -> int:
    """How many entries a question looks at."""
    asked = Question(text="", vector=HashEmbedder().embed(["x"])[0], weights={"dense": 1.0})
    return len(user.env.index.weigh(user.scope, asked, kinds=(), limit=100_000, cold=cold))


def live(path: Path) -> Past:
    """All days, each with what is noted and asked in it, and the nights between them."""
    clock, past = SteppedClock(START), Past()
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada Lind")
        for day in range(0, DAYS, STEP):
            clock.move_to(START + day * DAY)
            for _ in range(NOTES):
                number = len(past.keys)
                past.keys.append(
                    ada.add(f"{told(number).capitalize()} costs {number + 17} crowns.")
                )
            ada.work()
            for every, verb in ASKED.items():
                note = list(ASKED).index(every)
                past.asked[note] = every
                if day % (every * STEP) == 0 and note < len(past.keys):
                    ask(ada, told(note), verb)
            clock.advance(20 * timedelta(hours=1))
            ada.sleep()
            ada.work()
            if day % 100 < STEP:
                past.hot.append(rows(ada, cold=False))
                past.every.append(rows(ada, cold=True))
                past.size_bytes.append(sum(one.stat().st_size for one in path.parent.glob("*.db*")))
        past.digest = digest(ada.env.graph.export(ada.scope), without=CIRCUMSTANCES)
    return past


def ask(user: UserMemory, about: str, verb: str) -> None:
    if "search" in verb:
        assert user.search(f"{about}?", limit=2)
    if "context" in verb:
        assert user.context(f"Do you remember {about}?").lines
    if "recall" in verb:
        user.recall(about)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Past]:
    path = tmp_path_factory.mktemp("life") / "life.db"
    return path, live(path)


def opened(path: Path) -> Memory:
    clock = SteppedClock(START + DAYS * DAY)
    return Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder())


def test_what_is_asked_for_stays_and_the_rest_leaves_the_hot_part(lived: tuple[Path, Past]) -> None:
    path, past = lived
    with opened(path) as memory:
        each = lives(memory.user("ada"), past)
    kept = [number for number, life in enumerate(each) if life.state is not State.ARCHIVED]
    assert set(past.asked) <= set(kept)
    assert all(each[number].access_count > 5 for number in past.asked)
    unasked = [n for n, life in enumerate(each[: len(each) // 2]) if not life.access_count]
    assert len(unasked) > len(each) // 4
    assert not set(unasked) & set(kept)


def test_all_of_it_is_found_again(lived: tuple[Path, Past]) -> None:
    path, past = lived
    with opened(path) as memory:
        ada = memory.user("ada")
        cold = [life.state is State.ARCHIVED for life in lives(ada, past)]
        missed = []
        for number, key in enumerate(past.keys):
            hits = ada.search(f"{told(number)}?", touch=False, kinds=["passage", "source"])
            hit = next((one for one in hits if one.source_key == key), None)
            if hit is None or hit.cold is not cold[number]:
                missed.append(number)
        assert missed == []
        asleep = past.keys[cold.index(True)]
        ada.search(f"{told(cold.index(True))}?")
        (node,) = ada.env.graph.get_many(ada.scope, [asleep]).values()
        assert isinstance(node, Source)
        assert node.life.state is State.ACTIVE


def test_what_is_looked_at_and_what_is_written_is_bounded(lived: tuple[Path, Past]) -> None:
    _, past = lived
    assert past.every == sorted(past.every)
    assert past.hot[-1] < past.every[-1] / 2
    assert past.hot[-1] <= 1.5 * past.hot[1]  # as many come as go
    grown = [later - one for one, later in pairwise(past.size_bytes)]
    assert max(grown[1:]) <= grown[0]  # no more in a hundred days however long it lasts


def test_lived_again_it_is_the_same(lived: tuple[Path, Past], tmp_path: Path) -> None:
    assert live(tmp_path / "life.db") == lived[1]
