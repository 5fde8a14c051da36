"""The functions about dates and times, and what the language calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from remanent.cypher.language import moments
from remanent.errors import BadQuery

Timed = Callable[..., Any]  # the time at which the query is asked, then the arguments


def _constructor(make: Callable[[Any], Any]) -> Timed:
    """Now, or what the argument says; a map may name nothing but the time zone."""

    def call(now: datetime, value: Any = None) -> Any:
        if value is None:
            return make(now)
        if isinstance(value, Mapping) and set(value) <= {"timezone"}:
            zoned = moments.moment({"year": 1970, **value}, zoned=True)
            return make(now.astimezone(zoned.tzinfo))
        return make(value)

    return call


def _truncated(make: Callable[[Any], Any]) -> Timed:
    def call(now: datetime, unit: Any, value: Any = None, fields: Any = None) -> Any:
        if fields:
            raise BadQuery("truncate takes no fields here: a unit and a time")
        when = now if value is None else moments.as_moment(value)
        if when is None:
            raise BadQuery("truncate takes a unit and a date or time")
        return make(moments.truncated(unit, when))

    return call


def _zoned(value: Any) -> Any:
    return moments.moment(value, zoned=True)


def _local(value: Any) -> Any:
    return moments.moment(value, zoned=False)


def _between(unit: str) -> Timed:
    return lambda _, first, second: moments.duration_between(first, second, unit)


TIMED: Final[Mapping[str, tuple[int, int, Timed]]] = {
    "date": (0, 1, _constructor(moments.day)),
    "datetime": (0, 1, _constructor(_zoned)),
    "localdatetime": (0, 1, _constructor(_local)),
    "time": (0, 1, _constructor(partial(moments.clock_time, zoned=True))),
    "localtime": (0, 1, _constructor(partial(moments.clock_time, zoned=False))),
    "date.truncate": (1, 3, _truncated(moments.day)),
    "datetime.truncate": (1, 3, _truncated(_zoned)),
    "localdatetime.truncate": (1, 3, _truncated(_local)),
    "duration": (1, 1, lambda _, value: moments.duration(value)),
    "duration.between": (2, 2, lambda _, first, second: moments.between(first, second)),
    "duration.inmonths": (2, 2, _between("months")),
    "duration.indays": (2, 2, _between("days")),
    "duration.inseconds": (2, 2, _between("seconds")),
    "datetime.fromepoch": (1, 2, lambda _, at, nanos=0: moments.from_epoch(at, nanos=nanos)),
    "datetime.fromepochmillis": (1, 1, lambda _, millis: moments.from_epoch(millis=millis)),
    "timestamp": (0, 0, lambda now: moments.part(now.astimezone(UTC), "epochMillis")),
    **{
        f"{name}.{way}": (0, 1, _constructor(make))
        for name, make in (("date", moments.day), ("datetime", _zoned), ("localdatetime", _local))
        for way in ("transaction", "statement", "realtime")
    },
}  # fmt: skip
