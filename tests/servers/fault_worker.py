"""A worker of the tests: reads what waits until its standard input is closed, and says each job it did.

`fault_worker.py URL BEGINNING`: time runs from a fixed morning on, for everyone alike, so that no night falls into a test.
"""

from __future__ import annotations

import sys
import threading
import time
from datetime import UTC, datetime, timedelta

from plain_mind import PlainMind

from remanent import Memory
from remanent.config import Config
from remanent.core.model.page import Step
from remanent.jobs.rules import JobRules
from remanent.surfaces.cli.worker import work_and_sleep
from remanent.testing import HashEmbedder

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
LEASE_S = 3.0


class RunningClock:
    """Runs from a fixed morning on, since a moment that all processes agree on."""

    def __init__(self, beginning_s: float) -> None:
        self._beginning_s = beginning_s

    def now(self) -> datetime:
        return MORNING + timedelta(seconds=time.monotonic() - self._beginning_s)


def opened(place: str, beginning_s: float) -> Memory:
    """The memory as all processes of these tests open it."""
    config = Config(memory=place, jobs=JobRules(lease_seconds=LEASE_S))
    clock = RunningClock(beginning_s)
    return Memory.open(config, clock=clock, mind=PlainMind(), embedder=HashEmbedder())


def main(place: str, beginning_s: float) -> None:
    stop = threading.Event()

    def listen() -> None:
        sys.stdin.read()
        stop.set()

    def tell(step: Step) -> None:
        print("did", step.key, step.error or "", flush=True)

    with opened(place, beginning_s) as memory:
        print("ready", flush=True)
        threading.Thread(target=listen, daemon=True).start()
        work_and_sleep(
            memory, limit=None, progress=tell, stop=stop.is_set, rest=lambda s: stop.wait(s / 10)
        )


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
