"""Lease: whoever works on a job holds it, for as long as there are signs of life."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

from remanent.core.env import Env
from remanent.core.model.job import Job
from remanent.errors import BusyMemory


def length(env: Env) -> timedelta:
    """How long a job stays with a worker that gives no sign of life."""
    return timedelta(seconds=env.config.jobs.lease_seconds)


@contextmanager
def kept(env: Env, job: Job, worker: str) -> Iterator[None]:
    """Renew the lease while the work goes on, so that nobody takes it over half-way."""
    stop = threading.Event()

    def renew() -> None:
        while not stop.wait(env.config.jobs.lease_seconds / 3):
            with suppress(BusyMemory):  # somebody writes at length; the next try may get through
                env.queue.renew(job.key, worker, until=env.clock.now() + length(env))

    keeper = threading.Thread(target=renew, name=f"lease {job.key}", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()
