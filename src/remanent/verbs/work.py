"""Work: what was promised is done, by whoever comes first, as often as it takes."""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from remanent.clock import Clock
from remanent.model.job import Job, JobKind, JobState
from remanent.model.page import Step, Worked
from remanent.model.scope import Scope
from remanent.ports.queue import Queue
from remanent.ports.registry import Registry
from remanent.rules.jobs import JobRules, Park, Retry, after_failure

Handler = Callable[[Scope, Mapping[str, str]], object]
Progress = Callable[[Step], None]

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; jobs keep their error


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    queue: Queue
    registry: Registry
    clock: Clock
    rules: JobRules
    handlers: Mapping[JobKind, Handler]

    def __call__(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Worked:
        """Do due jobs, oldest first, until none is left, `limit` are done, or `stop()` says so.

        `stop` is asked between jobs: the one in hand is always finished.
        """
        worker = f"worker-{uuid.uuid4()}"
        done = retried = parked = 0
        while limit is None or done + retried + parked < limit:
            if stop is not None and stop():
                break
            job = self.queue.claim(worker, now=self.clock.now(), lease=self._lease, user_id=user_id)
            if job is None:
                break
            error = self._attempt(job, worker)
            if error is None:
                done += self.queue.finish(job.key, worker, now=self.clock.now())
            elif self._put_back(job, worker, error):
                retried += 1
            else:
                parked += 1
            if progress is not None:
                progress(self._step(job, error, user_id))
        return Worked(done=done, retried=retried, parked=parked)

    @property
    def _lease(self) -> timedelta:
        return timedelta(seconds=self.rules.lease_seconds)

    def _attempt(self, job: Job, worker: str) -> str | None:
        """Do the job under a lease kept alive; what went wrong, or None."""
        try:
            with self._kept(job, worker):
                scope = self.registry.scope_of(job.user_id)
                self.handlers[job.kind](scope, job.payload)
        except Exception as problem:  # a job may fail in any way and must not take the worker along
            log.warning("job failed", extra={"job": job.key}, exc_info=True)
            return f"{type(problem).__name__}: {problem}"
        return None

    def _put_back(self, job: Job, worker: str, error: str) -> bool:
        """True: to be tried again; False: parked for somebody to look at."""
        now = self.clock.now()
        decision = after_failure(job.attempts, random.random(), self.rules)  # noqa: S311 - jitter, not a secret
        match decision:
            case Retry(after=pause):
                self.queue.retry_later(job.key, worker, run_at=now + pause, error=error)
                return True
            case Park():
                self.queue.park(job.key, worker, now=now, error=error)
                return False
            case _:
                assert_never(decision)

    @contextmanager
    def _kept(self, job: Job, worker: str) -> Iterator[None]:
        """Renew the lease while the work goes on, so that nobody takes it over half-way."""
        stop = threading.Event()

        def renew() -> None:
            while not stop.wait(self.rules.lease_seconds / 3):
                self.queue.renew(job.key, worker, until=self.clock.now() + self._lease)

        keeper = threading.Thread(target=renew, name=f"lease {job.key}", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            stop.set()
            keeper.join()

    def _step(self, job: Job, error: str | None, user_id: str | None) -> Step:
        counts = self.queue.counts(user_id=user_id)
        return Step(
            kind=job.kind.value,
            key=job.key,
            error=error,
            remaining=counts.get(JobState.READY, 0) + counts.get(JobState.RUNNING, 0),
        )
