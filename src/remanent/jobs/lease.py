"""Lease: whoever works on a job holds it, for as long as there are signs of life."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from remanent.clock import Clock
from remanent.core.model.job import Job
from remanent.core.ports.queue import Queue
from remanent.errors import BusyMemory
from remanent.jobs.rules.retries import JobRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    queue: Queue
    clock: Clock
    rules: JobRules

    @property
    def length(self) -> timedelta:
        """How long a job stays with a worker that gives no sign of life."""
        return timedelta(seconds=self.rules.lease_seconds)

    @contextmanager
    def kept(self, job: Job, worker: str) -> Iterator[None]:
        """Renew the lease while the work goes on, so that nobody takes it over half-way."""
        stop = threading.Event()

        def renew() -> None:
            while not stop.wait(self.rules.lease_seconds / 3):
                with suppress(
                    BusyMemory
                ):  # somebody writes at length; the next try may get through
                    self.queue.renew(job.key, worker, until=self.clock.now() + self.length)

        keeper = threading.Thread(target=renew, name=f"lease {job.key}", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            stop.set()
            keeper.join()
