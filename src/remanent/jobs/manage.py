"""Tend: what somebody does by hand about work that failed.

Only the caller's own jobs, named by key, by what they work on, or by the beginning of either.
"""

from __future__ import annotations

from typing import Final

from remanent.core.env import Env
from remanent.core.model.job import Job, JobState
from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput, UnknownKey

_ALL: Final = 1_000_000


def retry(env: Env, scope: Scope, named: str) -> Job:
    """Make a parked job ready again with all its attempts; the job as it was."""
    job = _one(env, scope, named, JobState.PARKED)
    if not env.queue.revive(job.key, now=env.clock.now()):
        raise UnknownKey(named)
    return job


def drop(env: Env, scope: Scope, named: str) -> Job:
    """Take a parked or ready job away for good; the job as it was."""
    job = _one(env, scope, named, JobState.PARKED, JobState.READY)
    if not env.queue.drop(job.key):
        raise UnknownKey(named)
    return job


def _one(env: Env, scope: Scope, named: str, *states: JobState) -> Job:
    jobs = env.queue.jobs(user_id=scope.user_id, states=states, limit=_ALL)
    exact = [job for job in jobs if job.key == named]
    found = exact or [job for job in jobs if named and _goes_by(job, named)]
    if not found:
        raise UnknownKey(named)
    if len(found) > 1:
        keys = ", ".join(job.key for job in found[:5])
        raise InvalidInput("key", f"{named!r} could be any of {len(found)} jobs: {keys}")
    return found[0]


def _goes_by(job: Job, named: str) -> bool:
    """`extract:ada:8f3a...` answers to its beginning, to `8f3a` and to `extract:8f3a`."""
    about = job.key.rpartition(":")[2]
    return any(name.startswith(named) for name in (job.key, about, f"{job.kind.value}:{about}"))
