"""A worker process for the tests of sleep: does what is due on a clock that stands still, and tells.

`sleeper.py HOW PATH NOW [MOMENT]`, where HOW is `worker` or `hand`: every run and every step of a job is a
line on standard output. After a line that begins with MOMENT it stands still until it is killed.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sleepers import Diarist, asleep, diarists

from remanent import Memory, SteppedClock
from remanent.core.env import Night, NightJob
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.testing import HashEmbedder, ScriptedMind

STEPS = 20
OWN = (SleepJob.FADE,)  # the real ones among them


def say(line: str, moment: str = "") -> None:
    os.write(1, f"{line}\n".encode())  # one write: a line is whole or not there
    if moment and line.startswith(moment):
        threading.Event().wait()


def jobs_of(memory: Memory, moment: str) -> Mapping[SleepJob, NightJob]:
    """Jobs that write a diary, and the real ones."""
    found: dict[SleepJob, NightJob] = {}
    for job, one in diarists(memory, steps=STEPS).items():
        real = memory.env.nights.get(job)
        found[job] = real if real is not None and job in OWN else Telling(one, moment)
    return found


class Telling:
    """A diarist who tells aloud."""

    def __init__(self, diarist: Diarist, moment: str) -> None:
        self.diarist = diarist
        self.moment = moment

    def __call__(self, night: Night) -> JobOutcome:
        user, job = night.scope.user_id, self.diarist.job.value
        say(f"run {user} {job} {night.at.isoformat()}", self.moment)
        self.diarist.between = self.step
        return self.diarist(night)

    def step(self, number: int) -> None:
        say(f"step {self.diarist.job.value} {number}", self.moment)


def open_at(path: str | Path, now: datetime, moment: str = "") -> Memory:
    """The memory with these jobs, at that time."""
    memory = Memory.open(
        path, clock=SteppedClock(now), mind=ScriptedMind(), embedder=HashEmbedder()
    )
    return asleep(memory, jobs_of(memory, moment))


def is_due(memory: Memory) -> bool:
    users = [memory.user(one.user_id) for one in memory.users()]
    return any(one.due for user in users for one in user.timetable())


def sleep_out(memory: Memory, how: str = "worker") -> None:
    """As a worker does, or by hand, until nothing is due to anybody."""
    while is_due(memory):
        if how == "hand":
            memory.sleep()
        else:
            memory.schedule()
            memory.work()
        time.sleep(0.01)


if __name__ == "__main__":
    by, where, now = sys.argv[1:4]
    with open_at(where, datetime.fromisoformat(now), *sys.argv[4:]) as opened:
        say("ready")
        sleep_out(opened, by)
