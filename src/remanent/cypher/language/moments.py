"""Dates, times and durations. Named time zones are not known: all times of the graph are UTC."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import partial
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.errors import BadQuery

_DURATION: Final = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>-?[\d.]+)Y)?(?:(?P<months>-?[\d.]+)M)?(?:(?P<weeks>-?[\d.]+)W)?"
    r"(?:(?P<days>-?[\d.]+)D)?(?:T(?:(?P<hours>-?[\d.]+)H)?(?:(?P<minutes>-?[\d.]+)M)?"
    r"(?:(?P<seconds>-?[\d.]+)S)?)?"
)
_OFFSET: Final = re.compile(r"([+-])(\d{2}):?(\d{2})?")
_MONTH: Final = re.compile(r"\d{4}-\d{2}")
_MICROS: Final = 1_000_000
_DAY_SECONDS: Final = 86_400
_MONTH_DAYS: Final = 30.436875  # the average, for ordering durations
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Duration:
    """Months, days and microseconds, which cannot be turned into one another."""

    months: int = 0
    days: int = 0
    micros: int = 0

    @property
    def rough_seconds(self) -> float:
        """How long it is about, for putting durations in order."""
        days = self.months * _MONTH_DAYS + self.days
        return days * _DAY_SECONDS + self.micros / _MICROS

    def times(self, factor: float) -> Duration:
        return _duration(
            {
                "months": self.months * factor,
                "days": self.days * factor,
                "microseconds": self.micros * factor,
            }
        )

    def plus(self, other: Duration, sign: int = 1) -> Duration:
        return Duration(
            self.months + sign * other.months,
            self.days + sign * other.days,
            self.micros + sign * other.micros,
        )

    def __str__(self) -> str:
        years, months = _divided(self.months, 12)
        seconds, micros = _divided(self.micros, _MICROS)
        hours, seconds = _divided(seconds, 3600)
        minutes, seconds = _divided(seconds, 60)
        exact = f"{seconds + micros / _MICROS:.6f}".rstrip("0").rstrip(".") if micros else seconds
        front = "".join(f"{n}{u}" for n, u in ((years, "Y"), (months, "M"), (self.days, "D")) if n)
        back = "".join(f"{n}{u}" for n, u in ((hours, "H"), (minutes, "M"), (exact, "S")) if n)
        return f"P{front}{'T' if back else ''}{back}" if front or back else "PT0S"


def _divided(number: int, by: int) -> tuple[int, int]:
    """Quotient and rest, both with the sign of the number."""
    sign = -1 if number < 0 else 1
    return sign * (abs(number) // by), sign * (abs(number) % by)


# -- reading ----------------------------------------------------------------------------------


def as_moment(value: Any) -> datetime | None:
    """The time a value says, or None."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.strip().partition("[")[0])
    except ValueError:
        day = as_date(value)
        return None if day is None else as_moment(day)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def as_date(value: Any) -> date | None:
    """The day a value says, or None."""
    if not isinstance(value, str):
        day = value.date() if isinstance(value, datetime) else value
        return day if isinstance(day, date) else None
    text = value.strip()
    try:
        if _MONTH.fullmatch(text):
            return date.fromisoformat(f"{text}-01")
        if len(text) == 4 and text.isdigit():
            return date(int(text), 1, 1)
        return datetime.fromisoformat(text).date() if "T" in text else date.fromisoformat(text)
    except ValueError:
        return None


def moment(value: Any, *, zoned: bool) -> datetime:
    """`datetime(value)` or `localdatetime(value)`."""
    parsed = _from_fields(value) if isinstance(value, Mapping) else as_moment(value)
    if parsed is None:
        raise BadQuery(f"{str(value)[:40]!r} is not a date and time")
    if not zoned:
        return parsed.replace(tzinfo=None)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def day(value: Any) -> date:
    """`date(value)`."""
    if isinstance(value, Mapping):
        return _from_fields(value).date()
    parsed = as_date(value)
    if parsed is None:
        raise BadQuery(f"{str(value)[:40]!r} is not a date")
    return parsed


def clock_time(value: Any, *, zoned: bool) -> time:
    """`time(value)` or `localtime(value)`."""
    if isinstance(value, datetime):
        parsed = value.timetz()
    elif isinstance(value, Mapping):
        parsed = _from_fields({"year": 1970, **value}).timetz()
    else:
        try:
            parsed = time.fromisoformat(str(value))
        except ValueError:
            raise BadQuery(f"{str(value)[:40]!r} is not a time of day") from None
    return parsed.replace(tzinfo=(parsed.tzinfo or UTC) if zoned else None)


def _from_fields(fields: Mapping[str, Any]) -> datetime:
    given = {str(name).lower(): value for name, value in fields.items()}
    zone = _zone(given.pop("timezone", "Z"))
    if "epochmillis" in given or "epochseconds" in given:
        return from_epoch(given.get("epochseconds", 0), millis=given.get("epochmillis", 0))
    start = as_moment(given.pop("datetime", None) or given.pop("date", None))
    parts = ("year", "month", "day", "hour", "minute", "second")
    base = [getattr(start, part) for part in parts] if start else [None, 1, 1, 0, 0, 0]
    values = [given.pop(part, old) for part, old in zip(parts, base, strict=True)]
    micros = given.pop("microsecond", 0) + given.pop("millisecond", 0) * 1000
    if given or values[0] is None:
        odd = ", ".join(sorted(given)) or "no year"
        raise BadQuery(f"a time cannot be made from {odd[:60]!r}")
    try:
        year, month, day, hour, minute, second = (int(one) for one in values)
        return datetime(year, month, day, hour, minute, second, int(micros), tzinfo=zone)
    except (ValueError, TypeError, OverflowError) as problem:
        raise BadQuery(f"there is no such time: {problem}") from None


def _zone(name: Any) -> tzinfo:
    if name in ("Z", "UTC", "z", "utc", "GMT"):
        return UTC
    match = _OFFSET.fullmatch(str(name))
    if match is None:
        raise BadQuery(f"time zone {str(name)[:40]!r} is not known here; write an offset: '+02:00'")
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    return timezone(timedelta(minutes=minutes if match[1] == "+" else -minutes))


def from_epoch(seconds: Any = 0, *, millis: Any = 0, nanos: Any = 0) -> datetime:
    """So long after 1970."""
    try:
        return _EPOCH + timedelta(seconds=seconds, milliseconds=millis, microseconds=nanos / 1000)
    except (OverflowError, TypeError, ValueError):
        raise BadQuery("there is no such time") from None


def duration(value: Any) -> Duration:
    """`duration(value)`: from ISO text or a map of units."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, Mapping):
        return _duration(value)
    match = _DURATION.fullmatch(str(value).strip())
    if match is None or not any(match.groupdict().values()):
        raise BadQuery(f"{str(value)[:40]!r} is not a duration; write 'P3D' or {{days: 3}}")
    given = {name: text for name, text in match.groupdict().items() if text and name != "sign"}
    try:
        made = _duration({name: float(text) for name, text in given.items()})
    except ValueError:
        raise BadQuery(f"{str(value)[:40]!r} is not a duration") from None
    return made.times(-1) if match["sign"] else made


_UNITS: Final = {
    "years": ("months", 12), "quarters": ("months", 3), "months": ("months", 1),
    "weeks": ("days", 7), "days": ("days", 1), "hours": ("micros", 3600 * _MICROS),
    "minutes": ("micros", 60 * _MICROS), "seconds": ("micros", _MICROS),
    "milliseconds": ("micros", 1000), "microseconds": ("micros", 1), "nanoseconds": ("micros", 0.001),
}  # fmt: skip


def _duration(units: Mapping[str, Any]) -> Duration:
    """What is not whole runs over into the next smaller part, as on Neo4j."""
    sums = {"months": 0.0, "days": 0.0, "micros": 0.0}
    for name, amount in units.items():
        part, factor = _UNITS.get(str(name).lower(), ("", 0))
        if not part or isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise BadQuery(f"a duration cannot be made from {str(name)[:40]!r}")
        sums[part] += amount * factor
    if max(map(abs, sums.values())) > 1e17:
        raise BadQuery("a duration cannot be so long")
    months = int(sums["months"])
    days_exact = sums["days"] + (sums["months"] - months) * _MONTH_DAYS
    days = int(days_exact)
    micros = sums["micros"] + (days_exact - days) * _DAY_SECONDS * _MICROS
    return Duration(months, days, round(micros))


# -- reckoning --------------------------------------------------------------------------------


def shifted(when: Any, by: Duration, sign: int = 1) -> Any:
    """The date or time that far away."""
    if isinstance(when, time):
        moved = datetime.combine(date(1970, 1, 2), when) + timedelta(microseconds=sign * by.micros)
        return moved.timetz()
    try:
        moved = _months_away(when, sign * by.months) + timedelta(days=sign * by.days)
        if isinstance(moved, datetime):
            return moved + timedelta(microseconds=sign * by.micros)
        return moved + timedelta(days=_divided(sign * by.micros, _DAY_SECONDS * _MICROS)[0])
    except (OverflowError, ValueError):
        raise BadQuery("a date has left the calendar") from None


def _months_away(when: Any, months: int) -> Any:
    if not months:
        return when
    count = when.year * 12 + when.month - 1 + months
    year, month = count // 12, count % 12 + 1
    last = calendar.monthrange(year, month)[1]
    return when.replace(year=year, month=month, day=min(when.day, last))


def between(first: Any, second: Any) -> Duration:
    """Whole months, then whole days, then the rest."""
    start, end = _pair(first, second)
    sign = 1
    months = (end.year - start.year) * 12 + end.month - start.month
    if start > end:
        sign = -1
    while months and sign * (end - _months_away(start, months)).total_seconds() < 0:
        months -= sign
    rest = end - _months_away(start, months)
    micros = rest // timedelta(microseconds=1)
    days, micros = _divided(micros, _DAY_SECONDS * _MICROS)
    return Duration(months, days, micros)


def duration_between(first: Any, second: Any, unit: str) -> Duration:
    """`duration.inMonths`, `inDays` and `inSeconds`."""
    if unit == "months":
        return Duration(months=between(first, second).months)
    start, end = _pair(first, second)
    micros = (end - start) // timedelta(microseconds=1)
    if unit == "days":
        return Duration(days=_divided(micros, _DAY_SECONDS * _MICROS)[0])
    return Duration(micros=micros)


def _pair(first: Any, second: Any) -> tuple[datetime, datetime]:
    start, end = as_moment(first), as_moment(second)
    if start is None or end is None:
        raise BadQuery("the time between two values needs two dates or times")
    zoned = (start.replace(tzinfo=start.tzinfo or UTC), end.replace(tzinfo=end.tzinfo or UTC))
    return zoned[0], zoned[1].astimezone(zoned[0].tzinfo)


_SMALLER: Final = {
    "year": ("month", "day", "hour", "minute", "second", "microsecond"),
    "quarter": ("day", "hour", "minute", "second", "microsecond"),
    "month": ("day", "hour", "minute", "second", "microsecond"),
    "week": ("hour", "minute", "second", "microsecond"),
    "day": ("hour", "minute", "second", "microsecond"),
    "hour": ("minute", "second", "microsecond"),
    "minute": ("second", "microsecond"),
    "second": ("microsecond",),
}
_FIRST: Final = frozenset({"month", "day"})


def truncated(unit: Any, when: datetime) -> datetime:
    """The beginning of the unit in which that time lies."""
    name = str(unit).lower()
    if name not in _SMALLER:
        raise BadQuery(f"{str(unit)[:40]!r} is not one of {', '.join(_SMALLER)}")
    if name == "week":
        when = when - timedelta(days=when.weekday())
    if name == "quarter":
        when = when.replace(day=1, month=(when.month - 1) // 3 * 3 + 1)
    whole: dict[str, Any] = {part: 1 if part in _FIRST else 0 for part in _SMALLER[name]}
    return when.replace(**whole)


# -- parts ------------------------------------------------------------------------------------


def part(value: Any, name: str) -> Any:
    """A component such as `.year` or `.days`; None where there is no such one."""
    low = name.lower()
    if isinstance(value, Duration):
        return _duration_part(value, low)
    if low in ("year", "month", "day", "hour", "minute", "second"):
        return getattr(value, low, None)
    if isinstance(value, datetime) and low in _CLOCKED:
        return _CLOCKED[low](value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, date) and low in _CALENDAR:
        return _CALENDAR[low](value)
    return None


_CALENDAR: Final[Mapping[str, Any]] = {
    "week": lambda one: one.isocalendar().week,
    "weekyear": lambda one: one.isocalendar().year,
    "dayofweek": lambda one: one.isoweekday(),
    "weekday": lambda one: one.isoweekday(),
    "ordinalday": lambda one: one.timetuple().tm_yday,
    "quarter": lambda one: (one.month - 1) // 3 + 1,
    "dayofquarter": lambda one: (
        (
            (one if type(one) is date else one.date())
            - date(one.year, (one.month - 1) // 3 * 3 + 1, 1)
        ).days
        + 1
    ),
}
_CLOCKED: Final[Mapping[str, Any]] = {
    "epochmillis": lambda one: (one - _EPOCH) // timedelta(milliseconds=1),
    "epochseconds": lambda one: (one - _EPOCH) // timedelta(seconds=1),
    "millisecond": lambda one: one.microsecond // 1000,
    "microsecond": lambda one: one.microsecond,
    "nanosecond": lambda one: one.microsecond * 1000,
    "timezone": lambda one: "Z" if one.tzinfo is UTC else one.strftime("%z"),
    "offset": lambda one: "Z" if one.utcoffset() == timedelta() else one.strftime("%z"),
}


def _duration_part(value: Duration, low: str) -> Any:
    seconds = _divided(value.micros, _MICROS)[0]
    parts = {
        "years": _divided(value.months, 12)[0],
        "quarters": _divided(value.months, 3)[0],
        "months": value.months,
        "monthsofyear": _divided(value.months, 12)[1],
        "weeks": _divided(value.days, 7)[0],
        "days": value.days,
        "daysofweek": _divided(value.days, 7)[1],
        "hours": _divided(seconds, 3600)[0],
        "minutes": _divided(seconds, 60)[0],
        "minutesofhour": _divided(_divided(seconds, 60)[0], 60)[1],
        "seconds": seconds,
        "secondsofminute": _divided(seconds, 60)[1],
        "milliseconds": _divided(value.micros, 1000)[0],
        "microseconds": value.micros,
    }
    return parts.get(low)


Timed = Callable[..., Any]  # the time at which the query is asked, then the arguments


def _constructor(make: Callable[[Any], Any]) -> Timed:
    """Now, or what the argument says; a map may name nothing but the time zone."""

    def call(now: datetime, value: Any = None) -> Any:
        if value is None:
            return make(now)
        if isinstance(value, Mapping) and set(value) <= {"timezone"}:
            zoned = moment({"year": 1970, **value}, zoned=True)
            return make(now.astimezone(zoned.tzinfo))
        return make(value)

    return call


def _truncated(make: Callable[[Any], Any]) -> Timed:
    def call(now: datetime, unit: Any, value: Any = None, fields: Any = None) -> Any:
        if fields:
            raise BadQuery("truncate takes no fields here: a unit and a time")
        when = now if value is None else as_moment(value)
        if when is None:
            raise BadQuery("truncate takes a unit and a date or time")
        return make(truncated(unit, when))

    return call


def _zoned(value: Any) -> Any:
    return moment(value, zoned=True)


def _local(value: Any) -> Any:
    return moment(value, zoned=False)


def _between(unit: str) -> Timed:
    return lambda _, first, second: duration_between(first, second, unit)


TIMED: Final[Mapping[str, tuple[int, int, Timed]]] = {
    "date": (0, 1, _constructor(day)),
    "datetime": (0, 1, _constructor(_zoned)),
    "localdatetime": (0, 1, _constructor(_local)),
    "time": (0, 1, _constructor(partial(clock_time, zoned=True))),
    "localtime": (0, 1, _constructor(partial(clock_time, zoned=False))),
    "date.truncate": (1, 3, _truncated(day)),
    "datetime.truncate": (1, 3, _truncated(_zoned)),
    "localdatetime.truncate": (1, 3, _truncated(_local)),
    "duration": (1, 1, lambda _, value: duration(value)),
    "duration.between": (2, 2, lambda _, first, second: between(first, second)),
    "duration.inmonths": (2, 2, _between("months")),
    "duration.indays": (2, 2, _between("days")),
    "duration.inseconds": (2, 2, _between("seconds")),
    "datetime.fromepoch": (1, 2, lambda _, at, nanos=0: from_epoch(at, nanos=nanos)),
    "datetime.fromepochmillis": (1, 1, lambda _, millis: from_epoch(millis=millis)),
    "timestamp": (0, 0, lambda now: part(now.astimezone(UTC), "epochMillis")),
    **{
        f"{name}.{way}": (0, 1, _constructor(make))
        for name, make in (("date", day), ("datetime", _zoned), ("localdatetime", _local))
        for way in ("transaction", "statement", "realtime")
    },
}  # fmt: skip
