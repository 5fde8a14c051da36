"""Dates and times of day as one writes them, brought to one form."""

from __future__ import annotations

import re

from remanent.minds.offline.lexicon import words

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_MONTH = "|".join([*(f"{name[:3]}\\.?(?!\\w)|{name}" for name in _MONTHS), "sept"])
_DAY_MONTH = re.compile(
    rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b", re.IGNORECASE
)
_MONTH_DAY = re.compile(rf"\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)", re.IGNORECASE)
_HOURS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_HOUR = "|".join([*_HOURS, r"\d{1,2}"])
_PAST = re.compile(rf"\b(half past|quarter past|quarter to) ({_HOUR})\b", re.IGNORECASE)
_CLOCK = re.compile(
    rf"\b({_HOUR})(?::(\d\d))?(?: ?o'clock)?"
    r" ?(a\.?m\.?(?!\w)|p\.?m\.?(?!\w)|in the (?:morning|afternoon|evening)|at night)",
    re.IGNORECASE,
)
_AT_HOUR = re.compile(
    rf"\b(at|until|from|by) ({_HOUR})(?: o'clock)?(?=$|[.,;!]| (?:every|on|each))", re.IGNORECASE
)
_TIME = re.compile(r"^(\d{1,2}):(\d\d)$")
_NUMBERS = ("zero", *_HOURS)
_ROUND = words(
    "fifteen twenty thirty forty fifty sixty seventy eighty ninety hundred noon midnight"
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY = re.compile(
    rf"\bevery ({'|'.join(_WEEKDAYS)})\b(?! (?:morning|afternoon|evening))", re.IGNORECASE
)


def with_plain_moments(text: str) -> str:
    """The text with "May 4", "15:00" and "on Mondays" for whatever stands for them."""
    text = _DAY_MONTH.sub(lambda found: f"{_month(found[2])} {int(found[1])}", text)
    text = _MONTH_DAY.sub(lambda found: f"{_month(found[1])} {int(found[2])}", text)
    text = _PAST.sub(_past, text)
    text = _CLOCK.sub(_clock, text)
    text = _AT_HOUR.sub(lambda found: f"{found[1]} {_hour(found[2])}:00", text)
    return _EVERY.sub(lambda found: f"on {found[1].title()}s", text)


def same_time(one: str, other: str) -> bool:
    """True for equal clock times; 9:00 may be 21:00 where nobody said which."""
    first, second = _TIME.match(one), _TIME.match(other)
    if first is None or second is None:
        return one == other
    hours = int(first[1]), int(second[1])
    return first[2] == second[2] and (hours[0] == hours[1] or abs(hours[0] - hours[1]) == 12)


def is_time(word: str) -> bool:
    """True for a clock time in our form."""
    return _TIME.match(word) is not None


def figure(word: str) -> str:
    """A number in digits, a clock time, a weekday or a month as it is; nothing for other words."""
    if word in _NUMBERS:
        return str(_NUMBERS.index(word))
    named = is_month(word) or word in _WEEKDAYS or word in _ROUND
    return word if named or any(c.isdigit() for c in word) else ""


def is_month(word: str) -> bool:
    return word.lower() in _MONTHS


def is_weekday(word: str) -> bool:
    return word.lower().removesuffix("s") in _WEEKDAYS


def _month(written: str) -> str:
    short = written.lower()[:3]
    return next(name for name in _MONTHS if name.startswith(short)).title()


def _hour(written: str) -> int:
    return _HOURS.index(written.lower()) + 1 if written.lower() in _HOURS else int(written)


def _past(found: re.Match[str]) -> str:
    hour, before = _hour(found[2]), found[1].lower()
    if before == "quarter to":
        return f"{(hour - 1) or 12}:45"
    return f"{hour}:{'30' if before.startswith('half') else '15'}"


def _clock(found: re.Match[str]) -> str:
    hour, minutes, half = _hour(found[1]) % 12, found[2] or "00", found[3].lower()
    late = half.startswith("p") or "afternoon" in half or "evening" in half
    if "night" in half:
        late = hour >= 6
    return f"{hour + 12 * late}:{minutes}"
