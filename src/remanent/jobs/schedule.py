"""Schedule: where each job of a user's nights stands, and which are due.

The timetable in the user's zone. Nothing before a user was registered is ever due.

Quota: what the limit of a job still lets it do in one night (SPEC 6, 7).

Kept beside the ledger, one number for each limit: a second run of a night and one after a crash
go on where the first stopped, and the next night begins anew.

Run of one job of the night for one user: its time, its quota, its progress and its report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from remanent.core.env import Env, Share
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, Round, SleepJob
from remanent.core.model.story import Story
from remanent.core.new_event import new_event
from remanent.core.ports.ledger import Ledger
from remanent.errors import UnknownUser
from remanent.jobs.rules import last_tick, next_tick, night_of, ticks_between

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
        for tick in ticks_between(
            cron, zone, env.queue.done_until(scope.user_id, job) or since, until
        )
    )


def nights(env: Env, scope: Scope, job: SleepJob, since: datetime) -> list[datetime]:
    """The times after `since` for which that job of the night was done."""
    zone, _ = _about(env, scope)
    cron, until = env.config.timetable.cron(job), env.queue.done_until(scope.user_id, job)
    if cron is None or until is None:
        return []
    return list(ticks_between(cron, zone, since, until))


def off(env: Env) -> list[SleepJob]:
    """The jobs that the timetable has switched off."""
    return [job for job in env.nights if env.config.timetable.cron(job) is None]


def timetable(env: Env, scope: Scope, now: datetime) -> list[Round]:
    """Every job in the order of one night."""
    zone, since = _about(env, scope)
    return [_round(env, scope, job, zone, since, now) for job in SleepJob if job in env.nights]


def first(env: Env, scope: Scope, now: datetime) -> Round | None:
    """The job that comes next."""
    coming = [one for one in timetable(env, scope, now) if one.next is not None]
    return min(coming, key=lambda one: one.due or one.next or now, default=None)


def _round(
    env: Env, scope: Scope, job: SleepJob, zone: ZoneInfo, since: datetime, now: datetime
) -> Round:
    expression, cron = env.config.timetable.expression(job), env.config.timetable.cron(job)
    done = env.queue.done_until(scope.user_id, job)
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


def _about(env: Env, scope: Scope) -> tuple[ZoneInfo, datetime]:
    user = env.registry.user(scope.user_id)
    if user is None:
        raise UnknownUser(scope.user_id)
    return ZoneInfo(user.timezone), user.created_at


def _ordered(found: Iterable[DueJob]) -> list[DueJob]:
    return sorted(found, key=lambda one: (one.tick, _ORDER[one.job]))


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE: Final = timedelta(minutes=1)
_NIGHT: Final = 1 << 32  # a place is the minute in which a night began, and what was done in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """Quota of one job in one night. What was done counts for the last night begun: going back in time gives
    nobody more than that."""

    ledger: Ledger
    scope: Scope
    mark: str
    begun: int
    most: int

    @property
    def left(self) -> int:
        """How much more may be done."""
        return max(0, self.most - self._done[1])

    def take(self, count: int) -> None:
        """So much was done: called in the transaction that does it."""
        begun, done = self._done
        self.ledger.advance(self.scope, self.mark, begun * _NIGHT + min(done + count, _NIGHT - 1))

    @property
    def _done(self) -> tuple[int, int]:
        begun, done = divmod(self.ledger.position(self.scope, self.mark), _NIGHT)
        return (begun, done) if begun >= self.begun else (self.begun, 0)


def quota_of(
    env: Env, scope: Scope, job: SleepJob, at: datetime, most: int, *, of: str = ""
) -> Quota:
    """Up to `most` of something in the night of `job` that `at` lies in."""
    user = env.registry.user(scope.user_id)
    zone = ZoneInfo("UTC" if user is None else user.timezone)
    begun = (night_of(env.config.timetable.cron(job), zone, at) - _EPOCH) // _MINUTE
    mark = f"sleep.{job.value}.{of}" if of else f"sleep.{job.value}"
    return Quota(ledger=env.ledger, scope=scope, mark=mark, begun=max(0, begun), most=max(0, most))


MOST_LISTED = 1000
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class JobRun:
    """One job, done for one user at one time. `left` is what its quota puts off to the next night."""

    env: Env
    scope: Scope
    job: SleepJob
    at: datetime
    quota: Quota
    share: Share | None = None
    left: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    def each(self, chosen: Sequence[T]) -> Iterator[T]:
        """One after another; after each, how far the job is."""
        for done, one in enumerate(chosen, 1):
            yield one
            self.tell(done / len(chosen))

    def tell(self, part: float) -> None:
        """Say that so much of the job, from 0 to 1, lies behind us."""
        if self.share is not None:
            self.share(part)

    def event(self, kind: str, payload: Mapping[str, Any]) -> Event:
        """What the job decided, as the ledger is told of it."""
        user_id, now = self.scope.user_id, self.env.clock.now()
        return new_event(user_id, kind, payload, now=now, occurred_at=self.at)

    def note(self, what: str, story: Story, why: str) -> None:
        """One more story to which that was done."""
        self.counts[what] += 1
        if len(self.changes) < MOST_LISTED:
            self.changes.append(Change(what=what, key=story.key, name=story.name, why=why))

    @property
    def report(self) -> Rest:
        """What the job did."""
        return Rest(
            job=self.job,
            at=self.at,
            counts=dict(self.counts),
            changes=tuple(self.changes),
            left=self.left,
        )


def run_of(
    env: Env, scope: Scope, job: SleepJob, at: datetime, most: int, *, share: Share | None
) -> JobRun:
    """The run of a job at `at`, which may do up to `most` in one night."""
    quota = quota_of(env, scope, job, at, most)
    return JobRun(env=env, scope=scope, job=job, at=at, quota=quota, share=share)
