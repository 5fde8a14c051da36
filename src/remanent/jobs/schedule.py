"""Schedule: where each job of a user's nights stands, and which are due.

The timetable in the user's zone. Nothing before a user was registered is ever due.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import ScheduledJob, SleepJob
from remanent.jobs.rules import last_tick, next_tick, ticks_between

_ORDER = {job: number for number, job in enumerate(SleepJob)}


class DueJob(NamedTuple):
    """Job that is due, and the time it is done for."""

    job: SleepJob
    tick: datetime


def due(env: Env, scope: Scope, now: datetime) -> list[DueJob]:
    """Each job that missed a time, for the last one missed; in order of time."""
    table = timetable(env, scope, now)
    return _ordered(DueJob(one.job, one.due) for one in table if one.due is not None)


def missed(env: Env, scope: Scope, until: datetime) -> list[DueJob]:
    """Every time up to `until` that each job missed, one by one; in order of time."""
    zone, since = _about(env, scope)
    return _ordered(
        DueJob(job, tick)
        for job in env.nights
        if (cron := env.config.timetable.cron(job)) is not None
        for tick in ticks_between(cron, zone, env.done_until(scope, job) or since, until)
    )


def nights(env: Env, scope: Scope, job: SleepJob, since: datetime) -> list[datetime]:
    """The times after `since` for which that job of the night was done."""
    zone, _ = _about(env, scope)
    cron, until = env.config.timetable.cron(job), env.done_until(scope, job)
    if cron is None or until is None:
        return []
    return list(ticks_between(cron, zone, since, until))


def off(env: Env) -> list[SleepJob]:
    """The jobs that the timetable has switched off."""
    return [job for job in env.nights if env.config.timetable.cron(job) is None]


def timetable(env: Env, scope: Scope, now: datetime) -> list[ScheduledJob]:
    """Every job in the order of one night."""
    zone, since = _about(env, scope)
    return [_scheduled(env, scope, job, zone, since, now) for job in SleepJob if job in env.nights]


def first(env: Env, scope: Scope, now: datetime) -> ScheduledJob | None:
    """The job that comes next."""
    coming = [one for one in timetable(env, scope, now) if one.next is not None]
    return min(coming, key=lambda one: one.due or one.next or now, default=None)


def _scheduled(
    env: Env, scope: Scope, job: SleepJob, zone: ZoneInfo, since: datetime, now: datetime
) -> ScheduledJob:
    expression, cron = env.config.timetable.expression(job), env.config.timetable.cron(job)
    done = env.done_until(scope, job)
    if cron is None:
        return ScheduledJob(job=job, expression=expression, done_until=done)
    last = last_tick(cron, zone, now)
    return ScheduledJob(
        job=job,
        expression=expression,
        done_until=done,
        due=last if last > (done or since) else None,
        next=next_tick(cron, zone, now),
    )


def _about(env: Env, scope: Scope) -> tuple[ZoneInfo, datetime]:
    user = env.registry.known(scope.user_id)
    return ZoneInfo(user.timezone), user.created_at


def _ordered(due_jobs: Iterable[DueJob]) -> list[DueJob]:
    return sorted(due_jobs, key=lambda one: (one.tick, _ORDER[one.job]))
