"""Workers killed at random in every phase of reading: the graph is that of a quiet run."""

from __future__ import annotations

import random
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import forks
import pytest
from effort import times
from plain_mind import PlainMind

from remanent import Memory, SteppedClock
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.job import JobState
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

SOURCES, KILLS = times(80, 500), times(10, 60)
LONGEST = times(16, 60)  # jobs from one death to the next
START = datetime(2026, 6, 1, tzinfo=UTC)
FIRST = ("Sarah", "Bob", "Robert", "Tom", "Eve", "Nina")
LAST = ("Chen", "Lee", "Berg", "Lie")
TOWNS = ("Oslo", "Bergen", "Bodø")


def texts(dice: random.Random) -> list[str]:
    """A cast that shares first names, moves about and is spoken of in part by short forms."""
    found = []
    for number in range(SOURCES):
        name = dice.choice(FIRST)
        if dice.random() < 0.5:
            name = f"{name} {dice.choice(LAST)}"
        found.append(
            f"{name}: did thing {number}\n{name} > home > {dice.choice(TOWNS)}\n"
            f"It is so that {name} bought {dice.randrange(40)} apples."
        )
    return found


def told(path: Path, clock: SteppedClock) -> None:
    with Memory.open(path, clock=clock, mind=PlainMind(), embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada", timezone="Europe/Oslo")
        for number, text in enumerate(texts(random.Random(4))):
            ada.add(
                text, started_at=START - timedelta(hours=7 * (number % 97)), origin_id=str(number)
            )


def graph_digest(path: Path, clock: SteppedClock) -> str:
    with Memory.open(path, clock=clock, mind=PlainMind(), embedder=HashEmbedder()) as memory:
        env = memory.env
        memory.work()
        ada = memory.user("ada")
        assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []
        assert ada.status().counts["source"] == SOURCES
        scope = env.registry.scope_of("ada")
        return digest(env.graph.export(scope), without=CIRCUMSTANCES)


@pytest.mark.slow
@pytest.mark.torture
def test_a_disturbed_import_ends_as_a_quiet_one(tmp_path: Path) -> None:
    quiet, disturbed = tmp_path / "quiet.db", tmp_path / "disturbed.db"
    told(quiet, SteppedClock(START))
    shutil.copy(quiet, disturbed)
    expected = graph_digest(quiet, SteppedClock(START))

    dice, now, kills = random.Random(11), START, 0
    while kills < KILLS:
        now += timedelta(hours=1)  # the leases of the killed have run out
        process = forks.start(Path(__file__).with_name("reader.py"), disturbed, now.isoformat())
        finished = [process.stdout.readline() for _ in range(dice.randrange(1, LONGEST))]
        time.sleep(dice.random() * 0.02)
        process.kill()
        process.communicate()
        if not finished[-1]:
            break
        kills += 1

    assert kills > KILLS // 6
    assert graph_digest(disturbed, SteppedClock(now + timedelta(hours=1))) == expected
