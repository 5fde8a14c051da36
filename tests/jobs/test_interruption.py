"""A job in hand gives way: to whoever cancels it, to a worker that has to leave, to a memory that closes."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.env import Env
from remanent.core.interruption import checkpoint
from remanent.core.model.job import Job, JobKind, JobState
from remanent.core.model.scope import Scope
from remanent.core.ports.queue import Queue
from remanent.errors import StoreError
from remanent.jobs.work import claim_job, hand_back_jobs, lease_length, work_jobs

LONG_S = 120
HOUR = timedelta(hours=1)


class Endless:
    """A job that comes to an end only where it is interrupted."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def __call__(self, env: Env, scope: Scope, payload: Mapping[str, str]) -> None:
        self.begun.set()
        pause = threading.Event()
        while True:
            checkpoint()
            pause.wait(0.01)


class Failing:
    """A queue whose store is away when it is first asked who holds a lease."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.failed = threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)

    def renew(self, key: str, worker: str, **until: Any) -> bool:
        if not self.failed.is_set():
            self.failed.set()
            raise StoreError("memory.db", "is away")
        return self.queue.renew(key, worker, **until)


class Late:
    """A queue at which who claims first waits for an hour, in which another may claim."""

    def __init__(self, queue: Queue, clock: SteppedClock, other: str | None) -> None:
        self.queue, self._clock, self._other = queue, clock, other
        self._is_first = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)

    def claim(self, worker: str, **which: Any) -> Job | None:
        job = self.queue.claim(worker, **which)
        if self._is_first:
            self._is_first = False
            self._clock.advance(HOUR)
            if self._other is not None:
                now = self._clock.now()
                assert self.queue.claim(self._other, now=now, lease=HOUR) is not None
        return job


@contextmanager
def at_work(memory: Memory, stop: threading.Event, **parts: Any) -> Iterator[Env]:
    """A worker in a thread of its own, in the middle of a job that does not end."""
    endless = Endless()
    env = replace(memory.env, handlers={JobKind.PROCESS: endless}, **parts)
    worker = threading.Thread(target=work_jobs, args=(env,), kwargs={"stop": stop.is_set})
    worker.start()
    try:
        assert endless.begun.wait(LONG_S)
        yield env
        worker.join(LONG_S)
        assert not worker.is_alive()
    finally:
        stop.set()
        worker.join()


@pytest.fixture
def job(ada: UserMemory) -> Job:
    ada.add("I met Sarah Chen in Oslo.")
    (job,) = ada.jobs()
    return job


def test_a_job_that_runs_can_be_cancelled(memory: Memory, ada: UserMemory, job: Job) -> None:
    with at_work(memory, threading.Event()):
        assert ada.drop_job(job.key).state is JobState.RUNNING

    assert ada.jobs() == []


def test_a_store_that_was_away_for_a_moment_takes_no_lease_away(
    memory: Memory, ada: UserMemory, job: Job
) -> None:
    queue = Failing(memory.env.queue)
    stores = replace(memory.env.stores, queue=queue)
    with at_work(memory, threading.Event(), stores=stores):
        assert queue.failed.wait(LONG_S)
        assert ada.drop_job(job.key).state is JobState.RUNNING  # and whoever keeps it notices

    assert ada.jobs() == []


def test_a_worker_that_has_to_leave_hands_its_job_back(
    memory: Memory, ada: UserMemory, job: Job
) -> None:
    stop = threading.Event()
    with at_work(memory, stop):
        stop.set()

    assert ada.jobs() == [job]  # as it was: no attempt counted, no error


def test_a_process_that_ends_hands_back_what_it_has_in_hand(
    memory: Memory, ada: UserMemory, job: Job
) -> None:
    stop = threading.Event()
    with at_work(memory, stop) as env:
        stop.set()
        hand_back_jobs(env)
        assert ada.jobs() == [job]


def test_a_job_that_was_handed_back_is_done_by_the_next_worker(
    memory: Memory, ada: UserMemory, job: Job
) -> None:
    stop = threading.Event()
    with at_work(memory, stop):
        stop.set()

    memory.work()

    assert ada.jobs([JobState.READY, JobState.RUNNING, JobState.PARKED]) == []
    assert ada.search("Sarah Chen")


def test_whoever_works_without_a_worker_is_never_interrupted() -> None:
    checkpoint()


@pytest.mark.parametrize("other", [None, "w2"])
def test_who_waited_long_for_a_job_begins_it_with_a_whole_lease_or_not_at_all(
    memory: Memory, clock: SteppedClock, job: Job, other: str | None
) -> None:
    queue = Late(memory.env.queue, clock, other)
    env = replace(memory.env, stores=replace(memory.env.stores, queue=queue))
    claimed = claim_job(env, "w1")
    (running,) = queue.jobs(states=[JobState.RUNNING])
    assert running.key == job.key
    assert running.worker == (other or "w1")
    if other is None:
        assert claimed is not None
        assert running.lease_until == clock.now() + lease_length(env)
    else:
        assert claimed is None
