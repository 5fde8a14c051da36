"""Times as sources write them: dates, seconds since 1970, and how far into a recording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# A number below this is no date: seconds from the beginning of a recording (115 days are enough).
_MOST_RELATIVE_SECONDS = 10_000_000
_LEAST_MILLISECONDS = 100_000_000_000
# A recording that begins after this hour does not count from zero: its stamps are times of a day.
_FIRST_HOUR_OF_A_DAY = 6

STAMP = r"(?:\d{1,3}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_STAMP = re.compile(
    r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,3}):(?P<seconds>\d{2})(?:[.,](?P<part>\d{1,3}))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)


def moment(value: object) -> datetime | None:
    """ISO text, seconds or milliseconds since 1970, or a date of RFC 5322; else it says nothing."""
    try:
        found = _moment(value)
        if found is None:
            return None
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError, OSError):
        return None


def within(value: object, started_at: datetime | None) -> datetime | None:
    """A moment, or one so many seconds, or a stamp like 01:02:03, after `started_at`."""
    gap = gap_of(value)
    return moment(value) if gap is None else later(started_at, gap)


def gap_of(value: object) -> timedelta | None:
    """How far into the recording, if that is what the value says."""
    seconds = _number(value)
    if seconds is not None:
        relative = 0 <= seconds < _MOST_RELATIVE_SECONDS
        return timedelta(seconds=seconds) if relative else None
    return elapsed(value) if isinstance(value, str) and len(value) < 20 else None


def elapsed(stamp: str) -> timedelta | None:
    """`01:02:03.500`, `01:02:03,5` or `02:03` as a length of time."""
    found = _STAMP.fullmatch(stamp.strip())
    if found is None or found["half"]:
        return None
    part = float(f"0.{found['part']}") if found["part"] else 0.0
    hours, minutes, seconds = (int(found[name] or 0) for name in ("hours", "minutes", "seconds"))
    return timedelta(hours=hours, minutes=minutes, seconds=seconds + part)


def later(start: datetime | None, gap: timedelta | None) -> datetime | None:
    """`gap` after `start`, if both are known and the calendar reaches that far."""
    if start is None or gap is None:
        return None
    try:
        return start + gap
    except OverflowError:
        return None


def since_start(stamps: Sequence[str | None]) -> list[timedelta | None]:
    """How far into the recording each stamp of a transcript is.

    Stamps that begin early count from the beginning of the recording. Stamps that begin at ten
    o'clock are times of a day, in a zone nobody told us; then the first one is the beginning.
    """
    read = [None if one is None else _STAMP.fullmatch(one.strip()) for one in stamps]
    known = [one for one in read if one is not None]
    if not known:
        return [None for _ in stamps]
    of_a_day = _clock_without_seconds(known)
    gaps = [None if one is None else _gap(one, of_a_day=of_a_day) for one in read]
    first = next(one for one in gaps if one is not None)
    if not known[0]["half"] and first < timedelta(hours=_FIRST_HOUR_OF_A_DAY):
        return gaps
    return [None if one is None else (one - first) % timedelta(days=1) for one in gaps]


def _clock_without_seconds(stamps: Sequence[re.Match[str]]) -> bool:
    """Whether 10:02 means two past ten; in 00:10 and in 48:10 it means minutes and seconds."""
    if any(one["half"] for one in stamps):
        return True
    short = [int(one["minutes"]) for one in stamps if one["hours"] is None]
    return len(short) == len(stamps) and short[0] >= _FIRST_HOUR_OF_A_DAY and max(short) < 24


def _gap(found: re.Match[str], *, of_a_day: bool) -> timedelta:
    hours, minutes, seconds = found["hours"], int(found["minutes"]), int(found["seconds"])
    if hours is None and of_a_day:
        gap = timedelta(hours=minutes, minutes=seconds)
    else:
        gap = timedelta(hours=int(hours or 0), minutes=minutes, seconds=seconds)
    if found["half"]:
        gap = gap % timedelta(hours=12) + timedelta(hours=12 * (found["half"] in "pP"))
    return gap


def _moment(value: object) -> datetime | None:
    seconds = _number(value)
    if seconds is not None:
        if seconds >= _LEAST_MILLISECONDS:
            seconds /= 1000
        return datetime.fromtimestamp(seconds, UTC)
    if isinstance(value, datetime):
        return value
    text = str(value).strip() if isinstance(value, str) else ""
    if not text or len(text) > 100:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return parsedate_to_datetime(text)


def _number(value: object) -> float | None:
    """A number, or text that is one; eight digits are a date."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if abs(value) < 1e15 else None
    text = value.strip() if isinstance(value, str) and len(value) < 30 else ""
    a_number = text.isascii() and text.replace(".", "", 1).isdigit()
    return float(text) if a_number and not (len(text) == 8 and text.isdigit()) else None
