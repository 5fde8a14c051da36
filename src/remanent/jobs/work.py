"""Work: what was promised is done, by whoever comes first, as often as it takes.

Does the kinds of jobs that it has a handler for, and leaves others alone.
"""

from __future__ import annotations

import logging
import random
import uuid
from collections.abc import Callable
from typing import assert_never

from remanent import metrics
from remanent.clock import stopwatch
from remanent.core.env import Env
from remanent.core.model.job import Job, JobState
from remanent.core.model.page import Step, Worked
from remanent.errors import BudgetSpent
from remanent.jobs.lease import kept, length
from remanent.jobs.rules.retries import Park, Retry, after_failure

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
        now, lease = env.clock.now(), length(env)
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
            told = None if problem is None else _told(problem)
            progress(_step(env, job, told, user_id))
    return Worked(done=done, retried=retried, parked=parked)


def _attempt(env: Env, job: Job, worker: str) -> Exception | None:
    """Do the job under a lease kept alive; what went wrong, or None."""
    began = stopwatch()
    try:
        with kept(env, job, worker):
            scope = env.registry.scope_of(job.user_id)
            env.handlers[job.kind](env, scope, job.payload)
    except Exception as problem:  # a job may fail in any way and must not take the worker along
        log.warning("job failed", extra={"job": job.key}, exc_info=True)
        return problem
    finally:
        metrics.JOB_SECONDS.see(stopwatch() - began, kind=job.kind.value)
    return None


def _put_back(env: Env, job: Job, worker: str, problem: Exception) -> bool:
    """True: to be tried again; False: parked for somebody to look at, or, where only the day's
    budget is spent, until there is a new one: to try again before would be in vain."""
    now, error = env.clock.now(), _told(problem)
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


def _told(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"
