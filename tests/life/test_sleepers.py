"""Several workers on one file, and the death of one: every job of the night is done, once, to the end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import forks
import pytest
from sleeper import open_at, sleep_out
from sleepers import state_of

from remanent import Memory, SteppedClock
from remanent.core.model.job import JobState
from remanent.core.model.sleep import SleepJob
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
MORNING = datetime(2026, 5, 14, 9, tzinfo=UTC)  # ten days later
USERS = ("ada", "bob")


def founded(path: Path) -> Path:
    """A memory of two people who were away for ten days."""
    with Memory.open(
        path, clock=SteppedClock(START), mind=ScriptedMind(), embedder=HashEmbedder()
    ) as memory:
        for name in USERS:
            user = memory.user(name)
            user.add("The kettle is on.")
        memory.work()
    return path


def worker(path: Path, *moment: str, how: str = "worker") -> forks.Forked:
    script = Path(__file__).with_name("sleeper.py")
    return forks.start(script, how, path, MORNING.isoformat(), *moment)


def ends(path: Path, now: datetime = MORNING) -> dict[str, str]:
    """How each user's graph is when all is done that is due."""
    with open_at(path, now) as memory:
        sleep_out(memory)
        assert all(not memory.user(name).jobs([JobState.PARKED]) for name in USERS)
        return {name: state_of(memory, name) for name in USERS}


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return ends(founded(tmp_path_factory.mktemp("peace") / "memory.db"))


@pytest.mark.parametrize("hows", [("worker", "worker"), ("hand", "hand"), ("worker", "hand")])
def test_two_at_once_do_every_job_once(
    tmp_path: Path, in_peace: dict[str, str], hows: tuple[str, str]
) -> None:
    path = founded(tmp_path / "memory.db")
    two = [worker(path, how=how) for how in hows]
    lines = [line for one in two for line in one.communicate()[0].splitlines()]
    runs = sorted(line for line in lines if line.startswith("run"))

    assert [one.returncode for one in two] == [0, 0]
    assert len(runs) == len(set(runs))
    told = {job for job in SleepJob if any(f" {job.value} " in line for line in runs)}
    assert len(runs) == len(told) * len(USERS)
    assert told >= set(SleepJob) - {SleepJob.FADE}
    assert ends(path) == in_peace


@pytest.mark.parametrize(
    "moment", ["step promote_macros 0", "step describe 7", "step upkeep 19", "run bob promote "]
)
def test_after_kill_9_another_worker_comes_to_the_same_end(
    tmp_path: Path, in_peace: dict[str, str], moment: str
) -> None:
    path = founded(tmp_path / "memory.db")
    running = worker(path, moment)
    while not (line := running.stdout.readline()).startswith(moment):
        assert line, "it ended before its time"
    running.kill()
    running.communicate()

    with open_at(path, MORNING) as memory:
        jobs = [job for name in USERS for job in memory.user(name).jobs([JobState.RUNNING])]
        assert len(jobs) == 1  # its lease holds, and nobody else may
        memory.schedule()
        memory.work()
        assert memory.env.queue.jobs(states=[JobState.RUNNING]) == jobs
    assert ends(path, MORNING + timedelta(minutes=2)) == in_peace
