"""Workers killed, and jobs cancelled, in the middle of long sources: the graph is that of a quiet run."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import forks
import pytest
from effort import times
from reader import SLICED, opened

from remanent import Memory, UserMemory
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.model.job import JobKind, JobState
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.ports.graph import Nodes
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent_conformance.builders import digest

KILLS, SECTIONS = times(6, 40), times(16, 90)
START = datetime(2026, 6, 1, tzinfo=UTC)
UNFINISHED = (JobState.READY, JobState.RUNNING, JobState.PARKED)


def long_text(dice: random.Random) -> str:
    return "\n\n".join(
        f"Tom Lie: did thing {n}\nNina{dice.randrange(5)} Berg > home > Town{dice.randrange(4)}\n"
        f"It is so that Tom Lie bought {n} apples."
        for n in range(SECTIONS)
    )


def told(path: Path) -> None:
    with opened(path, START.isoformat(), SLICED) as memory:
        for number, name in enumerate(("ada", "bob")):
            user = memory.user(name, name=name.title())
            user.add(long_text(random.Random(number)), started_at=START, origin_id=name)


def graphs(memory: Memory) -> list[str]:
    memory.work()
    found = []
    for user in (memory.user("ada"), memory.user("bob")):
        assert user.jobs(UNFINISHED) == []
        (source,) = user.env.graph.select(user.scope, Nodes(Source))
        assert isinstance(source, Source)
        assert source.processing_status is ProcessingStatus.EXTRACTED
        found.append(digest(user.env.graph.export(user.scope), without=CIRCUMSTANCES))
    return found


def cancelled_and_begun_again(user: UserMemory) -> None:
    """All that is promised is taken back, a running job too; then somebody asks for it once more."""
    for job in user.jobs(UNFINISHED):
        user.drop_job(job.key)
        key = str(job.payload["source_key"])
        step = process_source if job.kind is JobKind.PROCESS else extract_source
        step(user.env, user.scope, key)


@pytest.mark.slow
@pytest.mark.torture
def test_long_sources_disturbed_end_as_in_a_quiet_run(tmp_path: Path) -> None:
    quiet, disturbed = tmp_path / "quiet.db", tmp_path / "disturbed.db"
    told(quiet)
    shutil.copy(quiet, disturbed)
    with opened(quiet, START.isoformat(), SLICED) as memory:
        expected = graphs(memory)

    dice, now, kills = random.Random(5), START, 0
    while kills < KILLS:
        now += timedelta(hours=1)  # the leases of the killed have run out
        place = dice.choice(("clean", "embed", "extract", "judge", "between"))
        arguments = disturbed, now.isoformat(), SLICED, f"{place}:{dice.randrange(1, 4)}"
        process = forks.start(Path(__file__).with_name("reader.py"), *arguments)
        here = next((line for line in process.stdout if line.startswith("here")), "")
        if here and kills % 3 == 2:  # while the worker holds the job
            with opened(disturbed, (now + timedelta(minutes=1)).isoformat(), SLICED) as memory:
                cancelled_and_begun_again(memory.user(dice.choice(("ada", "bob"))))
        process.kill()
        process.communicate()
        if not here:
            break
        kills += 1

    assert kills > KILLS // 2
    with opened(disturbed, (now + timedelta(hours=1)).isoformat(), SLICED) as memory:
        assert graphs(memory) == expected
        assert memory.rebuild().comparison.is_same
