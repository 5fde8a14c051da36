"""Timetable, retries and rate limits.

Each job of the night is due by a cron expression, read in the user's time zone (SPEC 6, 7). When clocks go
forward, what falls into the hour that is skipped happens once, as that hour ends; when they go back, what
falls into the hour that comes twice happens in the first of the two. A job that failed is retried with
exponential backoff, then parked as a dead letter (SPEC 4). A server lets each caller ask so much, and so often.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final, NamedTuple

from remanent.core.dataclasses import dataclass, fields
from remanent.core.model.sleep import SleepJob
from remanent.errors import ConfigError

OFF: Final = ("", "off")
_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)
# No day that comes at all is further off: a 29 February of a given weekday, over a turn of the century.
_FURTHEST_DAYS: Final = 41 * 366
_MOST_DAYS: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableRules:
    """One expression for each job: minute, hour, day of month, month, day of week; "" or "off" is never."""

    reconsolidate: str = "0 */6 * * *"
    fade: str = "0 1 * * *"
    promote_macros: str = "0 2 * * SUN"
    refresh_macros: str = "30 2 * * SUN"
    describe: str = "45 2 * * *"
    promote: str = "0 3 * * *"
    refresh: str = "30 3 * * *"
    expire: str = "0 4 * * *"
    distil: str = "30 4 * * *"
    upkeep: str = "0 5 * * *"

    def __post_init__(self) -> None:
        """A bad expression is told when the settings are read, not in the night."""
        for one in fields(self):
            self.cron(SleepJob(one.name))

    def expression(self, job: SleepJob) -> str:
        """What the settings say of that job."""
        return str(getattr(self, job.value))

    def cron(self, job: SleepJob) -> Cron | None:
        """When that job is due; None when it is switched off."""
        text = self.expression(job).strip()
        return None if text.lower() in OFF else parse_cron(text, f"timetable.{job.value}")

    def night_of(self, job: SleepJob, zone: tzinfo, at: datetime) -> datetime:
        """When the night of that job began that `at` lies in, in UTC."""
        return night_of(self.cron(job), zone, at)


class _Field(NamedTuple):
    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()  # the first of them stands for `least`


_MONTHS: Final = (
    "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
)  # fmt: skip
_WEEK: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_WEEKDAY: Final = _Field("day of week", 0, 7, _WEEK)  # 7 is Sunday as well
_FIELDS: Final = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _WEEKDAY,
)


@dataclass(frozen=True, slots=True)
class Cron:
    """The minutes of local time that an expression names.

    As everywhere with cron, a day counts if the day of the month or that of the week does, where the
    expression restricts both.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    def has_day(self, day: date) -> bool:
        """Whether there is a tick on that day."""
        if day.month not in self.months:
            return False
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return of_month or of_week if self.either else of_month and of_week

    @property
    def times(self) -> list[time]:
        """The times of day, in order."""
        return [
            time(hour, minute) for hour in sorted(self.hours) for minute in sorted(self.minutes)
        ]


def next_tick(cron: Cron, zone: tzinfo, after: datetime) -> datetime:
    """The first tick later than `after`, in UTC."""
    start = after.astimezone(zone).replace(tzinfo=None)
    ticks = (_instant(one, zone) for one in _onward(cron, start))
    return next(tick for tick in ticks if tick > after)


def last_tick(cron: Cron, zone: tzinfo, now: datetime) -> datetime:
    """The latest tick that has come: at `now` or before, in UTC."""
    local = now.astimezone(zone)
    start = local.replace(tzinfo=None)
    if local.fold:  # what is later by the clock may have come an hour ago
        start += (local.replace(fold=0).utcoffset() or timedelta()) - (
            local.utcoffset() or timedelta()
        )
    ticks = (_instant(one, zone) for one in _back(cron, start))
    return next(tick for tick in ticks if tick <= now)


def night_of(cron: Cron | None, zone: tzinfo, at: datetime) -> datetime:
    """When the night began that `at` lies in, in UTC: with the last tick, or at midnight if that was
    later. What a limit allows in a night is allowed anew from then on."""
    midnight = _instant(datetime.combine(at.astimezone(zone).date(), time()), zone)
    return midnight if cron is None else max(midnight, last_tick(cron, zone, at))


def ticks_between(cron: Cron, zone: tzinfo, after: datetime, until: datetime) -> Iterator[datetime]:
    """Every tick later than `after`, up to and with `until`, in order."""
    tick = next_tick(cron, zone, after)
    while tick <= until:
        yield tick
        tick = next_tick(cron, zone, tick)


def _onward(cron: Cron, start: datetime) -> Iterator[datetime]:
    """Local times from `start`'s minute on."""
    start, times = start.replace(second=0, microsecond=0), cron.times
    for number in range(_FURTHEST_DAYS):
        day = start.date() + number * _DAY
        if cron.has_day(day):
            moments = (datetime.combine(day, one) for one in times)
            yield from (one for one in moments if one >= start)


def _back(cron: Cron, start: datetime) -> Iterator[datetime]:
    """Local times from `start` backwards."""
    times = cron.times[::-1]
    for number in range(_FURTHEST_DAYS):
        day = start.date() - number * _DAY
        if cron.has_day(day):
            moments = (datetime.combine(day, one) for one in times)
            yield from (one for one in moments if one <= start)


def _instant(local: datetime, zone: tzinfo) -> datetime:
    """When it is so late there: the first time of two, and what never is when clocks go forward."""
    first = local.replace(tzinfo=zone).astimezone(UTC)
    if first.astimezone(zone).replace(tzinfo=None) == local:
        return first
    before, after = local.replace(tzinfo=zone, fold=1).astimezone(UTC), first
    offset = after.astimezone(zone).utcoffset()
    while after - before > _SECOND:  # between these two the clocks go forward
        middle = before + (after - before) // 2
        if middle.astimezone(zone).utcoffset() == offset:
            after = middle
        else:
            before = middle
    return after.replace(microsecond=0)


@lru_cache(maxsize=256)
def parse_cron(text: str, setting: str) -> Cron:
    """The expression in five fields; a `ConfigError` names the setting and what is wrong."""
    parts = text.upper().split()
    if len(parts) != len(_FIELDS):
        raise ConfigError(
            setting,
            f"{text!r} has {len(parts)} fields, not five: minute hour day-of-month month day-of-week,"
            ' as "0 3 * * *"; "off" switches the job off',
        )
    try:
        minutes, hours, days, months, week = map(_values, _FIELDS, parts)
    except ValueError as problem:
        raise ConfigError(setting, f"{text!r}: {problem}") from None
    either = not parts[2].startswith("*") and not parts[4].startswith("*")
    if not either and not any(min(days) <= _MOST_DAYS[month - 1] for month in months):
        raise ConfigError(setting, f"{text!r}: that day never comes")
    return Cron(minutes, hours, days, months, frozenset(one % 7 for one in week), either)


def _values(field: _Field, text: str) -> frozenset[int]:
    return frozenset(value for part in text.split(",") for value in _part(field, part))


def _part(field: _Field, text: str) -> range:
    """`*`, `3`, `1-5`, and each of them with a step: `*/6`, `8-18/2`, `5/15`."""
    reach, slash, step = text.partition("/")
    every = _number(field, step, f"the step of {field.name}") if slash else 1
    if every < 1:
        raise ValueError(f"the step of {field.name} must be 1 or more")
    if reach == "*":
        return range(field.least, field.most + 1, every)
    first, dash, last = reach.partition("-")
    low = _value(field, first)
    high = _value(field, last) if dash else field.most if slash else low
    if field is _WEEKDAY and dash and high == 0 < low:
        high = 7  # SAT-SUN
    if high < low:
        raise ValueError(f"{field.name} {reach} runs backwards")
    return range(low, high + 1, every)


def _value(field: _Field, text: str) -> int:
    if text in field.names:
        return field.names.index(text) + field.least
    value = _number(field, text, field.name)
    if not field.least <= value <= field.most:
        raise ValueError(f"{field.name} {text} is not from {field.least} to {field.most}")
    return value


def _number(field: _Field, text: str, what: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    named = f", or one of {', '.join(field.names)}" if field.names else ""
    raise ValueError(f"{what} {text!r} is not a number{named}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRules:
    """How patient the queue is; SPEC 4 asks for backoff and parking and leaves the figures to us."""

    max_attempts: int = 5
    base_seconds: float = 2.0
    factor: float = 2.0
    cap_seconds: float = 600.0
    jitter_share: float = 0.2
    lease_seconds: float = 120.0


_DEFAULTS = JobRules()


def after_failure(attempts: int, jitter: float, rules: JobRules = _DEFAULTS) -> timedelta | None:
    """How long to wait after the failure of attempt number `attempts`, counted from 1; None: it is set
    aside, until someone retries it by hand.

    `jitter`, from 0 to 1, is the caller's throw of the dice: it shortens the wait by up to
    `jitter_share`, so that jobs that failed together do not all come back together.
    """
    if attempts >= rules.max_attempts:
        return None
    seconds = rules.base_seconds
    for _ in range(attempts - 1):
        seconds = min(rules.cap_seconds, seconds * rules.factor)
    spread = 1.0 - rules.jitter_share * min(1.0, max(0.0, jitter))
    return timedelta(seconds=min(rules.cap_seconds, seconds) * spread)


_MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRules:
    """The limits of the HTTP server. `origins` are those whose pages may ask, with commas between;
    `mcp_groups` the tools that agents get beside the usual ones, or "all"."""

    body_bytes: int = 10_000_000
    requests_per_minute: float = 600.0  # of one key; 0: as many as come
    burst: int = 120  # at once, after a rest
    request_seconds: float = 60.0  # then work and sleep that were asked for end between two jobs
    heartbeat_seconds: float = 15.0  # between two signs of life on a stream
    idempotency_hours: float = 24.0
    origins: str = ""
    mcp_groups: str = ""

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """`origins`, one by one."""
        return tuple(one.strip() for one in self.origins.split(",") if one.strip())


@dataclass(frozen=True, slots=True)
class Bucket:
    """What one caller may still ask: so many tokens, as they stood at that time."""

    tokens: float
    at: datetime


def take_from_bucket(
    bucket: Bucket | None, now: datetime, rules: ServerRules
) -> tuple[Bucket, float]:
    """The bucket after one more request, and how many seconds that request comes too early (0: it may
    come now). Whoever comes too early takes nothing."""
    full = max(1.0, float(rules.burst))
    each_second = rules.requests_per_minute / _MINUTE
    if each_second <= 0:
        return Bucket(full, now), 0.0
    if bucket is None:
        bucket = Bucket(full, now)
    passed = max(0.0, (now - bucket.at).total_seconds())  # clocks are set back at times
    tokens = min(full, bucket.tokens + passed * each_second)
    if tokens < 1.0:
        return Bucket(tokens, now), (1.0 - tokens) / each_second
    return Bucket(tokens - 1.0, now), 0.0
