"""Rounds: where each job of a user's nights stands, and which are due."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Round, SleepJob
from remanent.core.ports.queue import Queue
from remanent.core.ports.registry import Registry
from remanent.errors import UnknownUser
from remanent.jobs.rules.timetable import TimetableRules, last_tick, next_tick, ticks_between

_ORDER = {job: number for number, job in enumerate(SleepJob)}


class Turn(NamedTuple):
    """A job, and the time it is done for."""

    job: SleepJob
    tick: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The timetable in the user's zone. Nothing before a user was registered is ever due."""

    jobs: Collection[SleepJob]
    queue: Queue
    registry: Registry
    rules: TimetableRules

    def due(self, scope: Scope, now: datetime) -> list[Turn]:
        """Each job that missed a time, for the last one missed; in order of time."""
        table = self.table(scope, now)
        return _ordered(Turn(one.job, one.due) for one in table if one.due is not None)

    def missed(self, scope: Scope, until: datetime) -> list[Turn]:
        """Every time up to `until` that each job missed, one by one; in order of time."""
        zone, since = self._about(scope)
        return _ordered(
            Turn(job, tick)
            for job in self.jobs
            if (cron := self.rules.cron(job)) is not None
            for tick in ticks_between(
                cron, zone, self.queue.done_until(scope.user_id, job) or since, until
            )
        )

    def nights(self, scope: Scope, job: SleepJob, since: datetime) -> list[datetime]:
        """The times after `since` for which that job of the night was done."""
        zone, _ = self._about(scope)
        cron, until = self.rules.cron(job), self.queue.done_until(scope.user_id, job)
        if cron is None or until is None:
            return []
        return list(ticks_between(cron, zone, since, until))

    def off(self) -> list[SleepJob]:
        """The jobs that the timetable has switched off."""
        return [job for job in self.jobs if self.rules.cron(job) is None]

    def table(self, scope: Scope, now: datetime) -> list[Round]:
        """Every job in the order of one night."""
        zone, since = self._about(scope)
        return [self._round(scope, job, zone, since, now) for job in SleepJob if job in self.jobs]

    def first(self, scope: Scope, now: datetime) -> Round | None:
        """The job that comes next."""
        coming = [one for one in self.table(scope, now) if one.next is not None]
        return min(coming, key=lambda one: one.due or one.next or now, default=None)

    def _round(
        self, scope: Scope, job: SleepJob, zone: ZoneInfo, since: datetime, now: datetime
    ) -> Round:
        expression, cron = self.rules.expression(job), self.rules.cron(job)
        done = self.queue.done_until(scope.user_id, job)
        if cron is None:
            return Round(job=job, expression=expression, done_until=done)
        last = last_tick(cron, zone, now)
        return Round(
            job=job,
            expression=expression,
            done_until=done,
            due=last if last > (done or since) else None,
            next=next_tick(cron, zone, now),
        )

    def _about(self, scope: Scope) -> tuple[ZoneInfo, datetime]:
        user = self.registry.user(scope.user_id)
        if user is None:
            raise UnknownUser(scope.user_id)
        return ZoneInfo(user.timezone), user.created_at


def _ordered(turns: Iterable[Turn]) -> list[Turn]:
    return sorted(turns, key=lambda one: (one.tick, _ORDER[one.job]))
