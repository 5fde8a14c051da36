"""Work: what was promised is done, by whoever comes first, as often as it takes."""

from __future__ import annotations

import logging
import random
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

from remanent import metrics
from remanent.clock import Clock, stopwatch
from remanent.core.model.job import Job, JobKind, JobState
from remanent.core.model.page import Step, Worked
from remanent.core.model.scope import Scope
from remanent.core.ports.queue import Queue
from remanent.core.ports.registry import Registry
from remanent.errors import BudgetSpent
from remanent.jobs.lease import Lease
from remanent.jobs.rules.retries import JobRules, Park, Retry, after_failure

Handler = Callable[[Scope, Mapping[str, str]], object]
Progress = Callable[[Step], None]

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; jobs keep their error


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Does the kinds of jobs that it has a handler for, and leaves others alone."""

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
        worker, kinds = f"worker-{uuid.uuid4()}", tuple(self.handlers)
        self.queue.wake(now=self.clock.now())
        done = retried = parked = 0
        while limit is None or done + retried + parked < limit:
            if stop is not None and stop():
                break
            now, lease = self.clock.now(), self._lease.length
            job = self.queue.claim(worker, now=now, lease=lease, user_id=user_id, kinds=kinds)
            if job is None:
                break
            problem = self._attempt(job, worker)
            if problem is None:
                done += self.queue.finish(job.key, worker, now=self.clock.now())
                outcome = "done"
            elif self._put_back(job, worker, problem):
                retried += 1
                outcome = "failed"
            else:
                parked += 1
                outcome = "parked"
            metrics.JOBS.add(kind=job.kind.value, outcome=outcome)
            if progress is not None:
                told = None if problem is None else _told(problem)
                progress(self._step(job, told, user_id))
        return Worked(done=done, retried=retried, parked=parked)

    @property
    def _lease(self) -> Lease:
        return Lease(queue=self.queue, clock=self.clock, rules=self.rules)

    def _attempt(self, job: Job, worker: str) -> Exception | None:
        """Do the job under a lease kept alive; what went wrong, or None."""
        began = stopwatch()
        try:
            with self._lease.kept(job, worker):
                scope = self.registry.scope_of(job.user_id)
                self.handlers[job.kind](scope, job.payload)
        except Exception as problem:  # a job may fail in any way and must not take the worker along
            log.warning("job failed", extra={"job": job.key}, exc_info=True)
            return problem
        finally:
            metrics.JOB_SECONDS.see(stopwatch() - began, kind=job.kind.value)
        return None

    def _put_back(self, job: Job, worker: str, problem: Exception) -> bool:
        """True: to be tried again; False: parked for somebody to look at, or, where only the day's
        budget is spent, until there is a new one: to try again before would be in vain."""
        now, error = self.clock.now(), _told(problem)
        if isinstance(problem, BudgetSpent):
            self.queue.park(job.key, worker, now=now, error=error, until=problem.again_at)
            return False
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

    def _step(self, job: Job, error: str | None, user_id: str | None) -> Step:
        counts = self.queue.counts(user_id=user_id)
        return Step(
            kind=job.kind.value,
            key=job.key,
            error=error,
            remaining=counts.get(JobState.READY, 0) + counts.get(JobState.RUNNING, 0),
        )


def _told(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
