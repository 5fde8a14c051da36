"""Times as people say them ("in March", "three weeks ago", "since 2019"), against the day they are said."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Final

from remanent.core.dataclasses import dataclass
from remanent.core.passage_features import MONTHS, WEEKDAYS
from remanent.core.regex import regex

_COUNTED: Final = "a one two three four five six seven eight nine ten eleven twelve"
_COUNTS: Final = {word: place or 1 for place, word in enumerate(_COUNTED.split())} | {"an": 1}
_PAIRS: Final = ("a couple of", "a couple")
_MONTH: Final = "|".join(
    [*MONTHS, *(f"{one[:3]}\\b\\.?" for one in MONTHS if one != "may"), "sept"]
)
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:19|20)\d\d"
_DATE: Final = (
    rf"{_YEAR}-\d\d-\d\d|(?:the )?{_DAY}(?: of)? (?:{_MONTH})(?:,? {_YEAR})?"
    rf"|(?:{_MONTH}) (?:the )?{_DAY}(?:,? {_YEAR})?"
)
_PART: Final = r"(?:early|late|mid)[ -]"
_AGO: Final = rf"(?:\d{{1,3}}|{'|'.join([*_PAIRS, *_COUNTS])}) (?:day|week|month|year)s? ago"
_PERIOD: Final = (
    rf"(?:{_PART})?(?:{_MONTH})(?: (?:of )?{_YEAR})?|(?:early |late )?{_YEAR}"
    rf"|the (?:beginning|start) of (?:(?:{_MONTH})(?: {_YEAR})?|{_YEAR}|the year|this year)"
    rf"|the (?:middle|end) of (?:{_MONTH})(?: {_YEAR})?"
)
_LAST: Final = rf"last (?:week|month|year|{'|'.join(WEEKDAYS)}|(?:{_MONTH}))"
_NEAR: Final = r"yesterday|today|this (?:morning|afternoon|evening)"
_NEXT: Final = rf"tomorrow|next (?:week|month|year|{'|'.join(WEEKDAYS)}|(?:{_MONTH}))"
_WHEN: Final = rf"{_DATE}|{_AGO}|{_PERIOD}|{_LAST}|{_NEAR}"
PHRASE: Final = (
    rf"(?:ever )?since (?:back in )?(?:{_WHEN})"
    rf"|(?:as of|as from|from|starting|beginning|effective)(?: on| in)? (?:{_NEXT}|{_WHEN}|{'|'.join(WEEKDAYS)})"
    rf"(?: on(?:wards?)?)?"
    rf"|(?:way )?back in (?:{_PERIOD})|at the (?:middle|end) of (?:{_MONTH})(?: {_YEAR})?|(?:already )?in (?:{_PERIOD})|at (?:the (?:beginning|start) of (?:{_MONTH}|{_YEAR}|the year|this year))"
    rf"|on (?:{_DATE})|on (?:{'|'.join(WEEKDAYS)})|(?:about |around |some )?(?:{_AGO})|{_LAST}|{_NEAR}"
)
"""A pattern for all of them, with the word that ties them in."""


class CalendarWord(Enum):
    """Whether a time says when something happened, since when it is so, or from when on."""

    AT = "at"
    SINCE = "since"
    FROM = "from"


@dataclass(frozen=True, slots=True)
class Time:
    at: datetime
    mark: CalendarWord


def read(phrase: str, said_at: datetime) -> Time | None:
    """The time that the phrase means when it is said at `said_at`, in whose zone days begin.

    Without a word that points ahead it is the last one on or before that day, and never later.
    """
    low = " ".join(phrase.casefold().split())
    mark, rest = _marked(low)
    try:
        day = _day(rest, said_at.date(), ahead=mark is CalendarWord.FROM)
    except (ValueError, OverflowError):
        return None
    if day is None or (mark is not CalendarWord.FROM and day > said_at.date()):
        return None
    return Time(datetime.combine(day, time(), said_at.tzinfo), mark)


_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SPAN: Final = regex(
    rf"\b(?:(?P<date>{_DATE})"
    rf"|(?P<month>{_MONTH}),? (?:of )?(?P<month_year>{_YEAR})"
    rf"|(?:last|this|in|in the|during the|of) (?P<season>{'|'.join(_SEASONS)})(?: (?:of )?(?P<season_year>{_YEAR}))?"
    rf"|(?:in|during|of|throughout) (?P<year>{_YEAR}))\b"
)


def spans(text: str, today: date) -> list[tuple[date, date]]:
    """The days that a text names, first and last: of a date, of a month with its year, of a season, of
    a year. What names no year is the last one that has begun."""
    low = " ".join(text.casefold().split())
    found = []
    for match in _SPAN.finditer(low):
        try:
            span = _span(match, today)
        except (ValueError, OverflowError):
            continue
        found += [] if span is None else [span]
    return found


def without_spans(text: str) -> str:
    """The text, in lower case, without the days that it names."""
    return _SPAN.sub(" ", " ".join(text.casefold().split()))


def _span(match: re.Match[str], today: date) -> tuple[date, date] | None:
    if match["date"]:
        day = _dated(match["date"].removeprefix("the "), today, ahead=False)
        return None if day is None else (day, day)
    if match["year"]:
        return date(int(match["year"]), 1, 1), date(int(match["year"]), 12, 31)
    if match["month"]:
        first = date(int(match["month_year"]), _month_in(match["month"]) or 1, 1)
        return first, _months(first, 1) - timedelta(days=1)
    first = date(int(match["season_year"] or today.year), _SEASONS[match["season"]], 1)
    if not match["season_year"] and first > today:
        first = first.replace(year=first.year - 1)
    if match[0].startswith("last ") and today < _months(first, 3):
        first = first.replace(year=first.year - 1)  # it is that season now
    return first, _months(first, 3) - timedelta(days=1)


def _marked(low: str) -> tuple[CalendarWord, str]:
    low = re.sub(r"^(?:already|about|around|some|ever|way) ", "", low)
    if (match := re.match(r"since (?:back in )?", low)) is not None:
        return CalendarWord.SINCE, low[match.end() :]
    start = re.match(r"(?:as of|as from|from|starting|beginning|effective)(?: on| in)? ", low)
    if start is not None:
        return CalendarWord.FROM, re.sub(r" on(?:wards?)?$", "", low[start.end() :])
    return CalendarWord.AT, re.sub(r"^(?:back in|in|on|at) ", "", low)


def _day(low: str, today: date, *, ahead: bool) -> date | None:
    return (
        _near(low, today)
        or _weekday(low, today, ahead=ahead)
        or _ago(low, today)
        or _dated(low, today, ahead=ahead)
        or _period(low, today, ahead=ahead)
    )


def _near(low: str, today: date) -> date | None:
    week = today - timedelta(days=today.weekday())
    return {
        "yesterday": today - timedelta(days=1),
        "today": today,
        "this morning": today,
        "this afternoon": today,
        "this evening": today,
        "tomorrow": today + timedelta(days=1),
        "last week": week - timedelta(days=7),
        "next week": week + timedelta(days=7),
        "last month": _months(today.replace(day=1), -1),
        "next month": _months(today.replace(day=1), 1),
        "last year": date(today.year - 1, 1, 1),
        "next year": date(today.year + 1, 1, 1),
    }.get(low)


def _weekday(low: str, today: date, *, ahead: bool) -> date | None:
    side, _, name = low.rpartition(" ")
    if name not in WEEKDAYS or side not in ("", "last", "next"):
        return None
    back = (today.weekday() - WEEKDAYS.index(name)) % 7
    if side == "next" or (ahead and not side):
        return today + timedelta(days=7 - back)
    return today - timedelta(days=back or (7 if side == "last" else 0))


def _ago(low: str, today: date) -> date | None:
    match = re.fullmatch(r"(.+) (day|week|month|year)s? ago", low)
    if match is None:
        return None
    count = 2 if match[1] in _PAIRS else _COUNTS.get(match[1]) or int(match[1])
    if match[2] in ("day", "week"):
        return today - timedelta(days=count * (7 if match[2] == "week" else 1))
    return _months(today, -count * (12 if match[2] == "year" else 1))


def _dated(low: str, today: date, *, ahead: bool) -> date | None:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", low):
        return date.fromisoformat(low)
    numbers = [int(one) for one in re.findall(r"\d+", low)]
    month = _month_in(low)
    days = [one for one in numbers if 0 < one < 32]
    if month is None or len(days) != 1:
        return None
    years = [one for one in numbers if one > 1000]
    if years:
        return date(years[0], month, days[0])
    return _nearest(month, days[0], today, ahead=ahead)


def _period(low: str, today: date, *, ahead: bool) -> date | None:
    numbers = [int(one) for one in re.findall(r"\d+", low)]
    if any(one < 1000 for one in numbers):
        return None  # a day that there is not
    month, late = _month_in(low), low.startswith(("late", "the end"))
    if month is None:
        if low.endswith(("the year", "this year")):
            return date(today.year, 1, 1)
        return date(numbers[0], 10 if late else 1, 1) if numbers else None
    day = 21 if late else 11 if low.startswith(("mid", "the middle")) else 1
    if numbers:
        return date(numbers[0], month, day)
    if low.startswith("last ") and month == today.month:
        return date(today.year - 1, month, day)
    return _nearest(month, day, today, ahead=ahead or low.startswith("next "))


def _nearest(month: int, day: int, today: date, *, ahead: bool) -> date | None:
    """The last such day on or before today, or with `ahead` the next on or after it; leap days wait."""
    for step in range(9):
        try:
            day_found = date(today.year + (step if ahead else -step), month, day)
        except ValueError:
            continue
        if day_found >= today if ahead else day_found <= today:
            return day_found
    return None


def _month_in(low: str) -> int | None:
    for word in re.findall(r"[a-z]+", low):
        for number, name in enumerate(MONTHS, 1):
            if word == name or (word == name[:3]) or (word == "sept" and number == 9):
                return number
    return None


def _months(day: date, count: int) -> date:
    """So many months later, or earlier; the last day of a month that has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            if not 1 <= year <= 9999:
                raise
    raise ValueError(day)
