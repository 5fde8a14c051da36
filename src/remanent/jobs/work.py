"""Work: promised jobs are done under a lease, by whoever comes first, and retried as often as it takes.

Does the kinds of jobs that it has a handler for, and leaves others alone. A job that failed for good
(a dead letter) is retried or dropped by hand: the caller's own, named by key, by what it works on, or by the
beginning of either.
"""

from __future__ import annotations

import logging
import random
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from remanent import metrics
from remanent.clock import stopwatch
from remanent.core.env import Env
from remanent.core.interruption import Interrupted, interruptible
from remanent.core.model.job import Job, JobState
from remanent.core.model.page import Step, Worked
from remanent.core.model.scope import Scope
from remanent.errors import (
    BudgetSpent,
    BusyMemory,
    InvalidInput,
    StoreError,
    UnknownKey,
    UnreachableMemory,
)
from remanent.jobs.rules import after_failure


def lease_length(env: Env) -> timedelta:
    """How long a job stays with a worker that gives no sign of life."""
    return timedelta(seconds=env.config.jobs.lease_seconds)


def claim_job(env: Env, worker: str, **which: Any) -> Job | None:
    """Lease a due job, as `Queue.claim` does. Who had to wait for it holds it from now on, unless another
    has taken it over meanwhile."""
    lease = lease_length(env)
    while True:
        job = env.queue.claim(worker, now=env.clock.now(), lease=lease, **which)
        now = env.clock.now()
        if job is None or (job.lease_until or now) - now >= lease * 2 / 3:
            return job
        if env.queue.renew(job.key, worker, until=now + lease):
            return job


@contextmanager
def keep_lease(
    env: Env, job: Job, worker: str, stop: Callable[[], bool] | None = None
) -> Iterator[None]:
    """Renew the lease while the work goes on, so that nobody takes it over half-way.

    The work is interrupted at its next checkpoint when the job is no longer ours (cancelled, or taken
    over), and when `stop()` has been true for a while; whatever interrupts it, the job is handed back.
    """
    over, give_way = threading.Event(), threading.Event()
    keeper = threading.Thread(
        target=_keep, args=(env, job, worker, stop, over, give_way), name=f"lease {job.key}"
    )
    keeper.daemon = True
    keeper.start()
    env.caches.jobs_in_hand[job.key] = worker
    try:
        with interruptible(give_way.is_set):
            yield
    except Exception:
        raise  # a failure: whoever leased it decides what becomes of it
    except BaseException:
        env.queue.settle(job.key, worker, JobState.READY, at=None)
        raise
    finally:
        over.set()
        env.caches.jobs_in_hand.pop(job.key, None)
        keeper.join()


def _keep(
    env: Env,
    job: Job,
    worker: str,
    stop: Callable[[], bool] | None,
    over: threading.Event,
    give_way: threading.Event,
) -> None:
    renewed, stopped = stopwatch(), None
    while not over.wait(_LOOK_SECONDS):
        if stop is not None and stop():
            stopped = stopped or stopwatch()
            if stopwatch() - stopped > GRACE_SECONDS:
                give_way.set()
        try:
            if not env.queue.renew(job.key, worker):
                give_way.set()
            elif stopwatch() - renewed > env.config.jobs.lease_seconds / 3:
                renewed = stopwatch()
                env.queue.renew(job.key, worker, until=env.clock.now() + lease_length(env))
        except BusyMemory:
            continue  # somebody writes at length; the next try may get through
        except StoreError:  # the work itself meets it, too, and says so; a server may come back
            log.warning("lease could not be looked at", extra={"job": job.key}, exc_info=True)


def hand_back_jobs(env: Env) -> None:
    """Hand back whatever this process has in hand: it ends, and its threads with it."""
    for key, worker in list(env.caches.jobs_in_hand.items()):
        env.queue.settle(key, worker, JobState.READY, at=None)
        env.caches.jobs_in_hand.pop(key, None)


Progress = Callable[[Step], None]
GRACE_SECONDS: Final = 1.0  # for the job in hand to end by itself, once its worker has to stop
_LOOK_SECONDS: Final = 0.25  # between two looks whether a job in hand is still ours

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
    """Do due jobs until none is left, `limit` are done, or `stop()` says so: one of each user in turn,
    the newest first, so that nobody waits for what somebody else brought along.

    Once `stop()` is true, no other job is begun; the one in hand has a moment to end, and is then
    handed back at its next step.
    """
    worker, kinds = f"worker-{uuid.uuid4()}", tuple(env.handlers)
    env.queue.wake(now=env.clock.now())
    done = retried = parked = 0
    served = ""
    while limit is None or done + retried + parked < limit:
        if stop is not None and stop():
            break
        job = claim_job(env, worker, user_id=user_id, kinds=kinds, after_user=served)
        if job is None:
            break
        served = job.user_id
        try:
            problem = _attempt(env, job, worker, stop)
        except Interrupted:
            continue  # handed back, or cancelled; whether to go on is asked above
        if problem is None:
            done += env.queue.settle(job.key, worker, JobState.DONE, at=env.clock.now())
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


def _attempt(env: Env, job: Job, worker: str, stop: Callable[[], bool] | None) -> Exception | None:
    """Do the job under a lease kept alive; what went wrong, or None."""
    began = stopwatch()
    try:
        with keep_lease(env, job, worker, stop):
            scope = env.registry.scope_of(job.user_id)
            env.handlers[job.kind](env, scope, job.payload)
    except UnreachableMemory:  # no fault of the job's
        env.caches.jobs_in_hand[job.key] = worker  # until it can be handed back
        raise
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
        env.queue.settle(
            job.key, worker, JobState.PARKED, at=now, error=error, until=problem.again_at
        )
        return False
    pause = after_failure(job.attempts, random.random(), env.config.jobs)  # noqa: S311 - jitter, not a secret
    if pause is None:
        env.queue.settle(job.key, worker, JobState.PARKED, at=now, error=error)
        return False
    env.queue.settle(job.key, worker, JobState.READY, at=now + pause, error=error)
    return True


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


def retry(env: Env, scope: Scope, key: str) -> Job:
    """Give a parked job all its attempts again; `key` may be the beginning of one."""
    job = _job_named(env, scope, key, JobState.PARKED)
    if not env.queue.wake(now=env.clock.now(), key=job.key):
        raise UnknownKey(key)
    return job


def drop(env: Env, scope: Scope, key: str) -> Job:
    """Take a job that is not done away for good, a running one too; what it worked on stays as it is."""
    job = _job_named(env, scope, key, JobState.PARKED, JobState.READY, JobState.RUNNING)
    if not env.queue.drop(job.key, running=True):
        raise UnknownKey(key)
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
