"""Work: promised jobs are done under a lease, by whoever comes first, and retried as often as it takes.

Does the kinds of jobs that it has a handler for, and leaves others alone. A job that failed for good (a dead
letter) is retried or dropped by hand: the caller's own, named by key, by what it works on, or by the beginning
of either.
"""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Final, assert_never

from remanent import metrics
from remanent.clock import stopwatch
from remanent.core.env import Env
from remanent.core.model.job import Job, JobState
from remanent.core.model.page import Step, Worked
from remanent.core.model.scope import Scope
from remanent.errors import BudgetSpent, BusyMemory, InvalidInput, UnknownKey
from remanent.jobs.rules import Park, Retry, after_failure


def lease_length(env: Env) -> timedelta:
    """How long a job stays with a worker that gives no sign of life."""
    return timedelta(seconds=env.config.jobs.lease_seconds)


@contextmanager
def keep_lease(env: Env, job: Job, worker: str) -> Iterator[None]:
    """Renew the lease while the work goes on, so that nobody takes it over half-way."""
    stop = threading.Event()

    def renew() -> None:
        while not stop.wait(env.config.jobs.lease_seconds / 3):
            with suppress(BusyMemory):  # somebody writes at length; the next try may get through
                env.queue.renew(job.key, worker, until=env.clock.now() + lease_length(env))

    keeper = threading.Thread(target=renew, name=f"lease {job.key}", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        stop.set()
        keeper.join()


Progress = Callable[[Step], None]

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; jobs keep their error


def work_jobs(
    env: Env,
    *,
    user_id: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Worked:
    """Do due jobs, oldest first, until none is left, `limit` are done, or `stop()` says so.

    `stop` is asked between jobs: the one in hand is always finished.
    """
    worker, kinds = f"worker-{uuid.uuid4()}", tuple(env.handlers)
    env.queue.wake(now=env.clock.now())
    done = retried = parked = 0
    while limit is None or done + retried + parked < limit:
        if stop is not None and stop():
            break
        now, lease = env.clock.now(), lease_length(env)
        job = env.queue.claim(worker, now=now, lease=lease, user_id=user_id, kinds=kinds)
        if job is None:
            break
        problem = _attempt(env, job, worker)
        if problem is None:
            done += env.queue.finish(job.key, worker, now=env.clock.now())
            outcome = "done"
        elif _put_back(env, job, worker, problem):
            retried += 1
            outcome = "failed"
        else:
            parked += 1
            outcome = "parked"
        metrics.JOBS.add(kind=job.kind.value, outcome=outcome)
        if progress is not None:
            error = None if problem is None else format_error(problem)
            progress(_step(env, job, error, user_id))
    return Worked(done=done, retried=retried, parked=parked)


def _attempt(env: Env, job: Job, worker: str) -> Exception | None:
    """Do the job under a lease kept alive; what went wrong, or None."""
    began = stopwatch()
    try:
        with keep_lease(env, job, worker):
            scope = env.registry.scope_of(job.user_id)
            env.handlers[job.kind](env, scope, job.payload)
    except Exception as problem:  # a job may fail in any way and must not take the worker along
        log.warning("job failed", extra={"job": job.key}, exc_info=True)
        return problem
    finally:
        metrics.JOB_SECONDS.observe(stopwatch() - began, kind=job.kind.value)
    return None


def _put_back(env: Env, job: Job, worker: str, problem: Exception) -> bool:
    """True: to be tried again; False: parked for somebody to look at, or, where only the day's
    budget is spent, until there is a new one: to try again before would be in vain."""
    now, error = env.clock.now(), format_error(problem)
    if isinstance(problem, BudgetSpent):
        env.queue.park(job.key, worker, now=now, error=error, until=problem.again_at)
        return False
    decision = after_failure(job.attempts, random.random(), env.config.jobs)  # noqa: S311 - jitter, not a secret
    match decision:
        case Retry(after=pause):
            env.queue.retry_later(job.key, worker, run_at=now + pause, error=error)
            return True
        case Park():
            env.queue.park(job.key, worker, now=now, error=error)
            return False
        case _:
            assert_never(decision)


def _step(env: Env, job: Job, error: str | None, user_id: str | None) -> Step:
    counts = env.queue.counts(user_id=user_id)
    return Step(
        kind=job.kind.value,
        key=job.key,
        error=error,
        remaining=counts.get(JobState.READY, 0) + counts.get(JobState.RUNNING, 0),
    )


def format_error(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"


_ALL: Final = 1_000_000


def retry(env: Env, scope: Scope, named: str) -> Job:
    """Make a parked job ready again with all its attempts; the job as it was."""
    job = _job_named(env, scope, named, JobState.PARKED)
    if not env.queue.revive(job.key, now=env.clock.now()):
        raise UnknownKey(named)
    return job


def drop(env: Env, scope: Scope, named: str) -> Job:
    """Take a parked or ready job away for good; the job as it was."""
    job = _job_named(env, scope, named, JobState.PARKED, JobState.READY)
    if not env.queue.drop(job.key):
        raise UnknownKey(named)
    return job


def _job_named(env: Env, scope: Scope, named: str, *states: JobState) -> Job:
    jobs = env.queue.jobs(user_id=scope.user_id, states=states, limit=_ALL)
    exact = [job for job in jobs if job.key == named]
    matching = exact or [job for job in jobs if named and _matches_name(job, named)]
    if not matching:
        raise UnknownKey(named)
    if len(matching) > 1:
        keys = ", ".join(job.key for job in matching[:5])
        raise InvalidInput("key", f"{named!r} could be any of {len(matching)} jobs: {keys}")
    return matching[0]


def _matches_name(job: Job, named: str) -> bool:
    """`extract:ada:8f3a...` answers to its beginning, to `8f3a` and to `extract:8f3a`."""
    about = job.key.rpartition(":")[2]
    return any(name.startswith(named) for name in (job.key, about, f"{job.kind.value}:{about}"))
