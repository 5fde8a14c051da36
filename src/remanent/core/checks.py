"""Checks of single values: each gives the value back as it is kept, or `InvalidInput` naming the field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from remanent.core.dataclasses import dataclass
from remanent.errors import InvalidInput

Choice = TypeVar("Choice", bound=StrEnum)
MOST_HITS = 1000
MOST_DEEDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeRules:
    """How much may come in at once, and how far our clock and the caller's may differ."""

    max_characters: int = 20_000_000
    max_statement_characters: int = 20_000
    future_tolerance_minutes: float = 10.0


def statement(field: str, text: object, limit: int) -> str:
    """Text that says something, is not too long and can be stored."""
    value = plain(field, text)
    if not value.strip():
        raise InvalidInput(field, "is empty")
    if len(value) > limit:
        raise InvalidInput(
            field, f"has {len(value):,} characters; at most {limit:,} are taken at once"
        )
    return value


def ends_of(text: str, most: int) -> str:
    """The text, or where it is longer its head and its tail: whoever pastes a log asks before or after it."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n{text[1 - half :]}"


def plain(field: str, text: object) -> str:
    """A string without NUL and without halves of characters."""
    if not isinstance(text, str):
        raise InvalidInput(field, f"must be text, not {type(text).__name__}")
    if "\x00" in text:
        raise InvalidInput(field, f"has a NUL character at position {text.index(chr(0))}")
    return unbroken(field, text)


def unbroken(field: str, text: str) -> str:
    """A string without halves of characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        raise InvalidInput(
            field, f"is not valid Unicode text at position {problem.start}"
        ) from None
    return text


def identifier(field: str, value: object) -> str:
    """A name that things are filed under: short, visible, on one line."""
    text = plain(field, value)
    if not text or text != text.strip() or len(text) > 500 or re.search(r"[\x00-\x1f\x7f]", text):
        raise InvalidInput(
            field, "must be 1 to 500 visible characters without leading or trailing blanks"
        )
    return text


def identifier_or_none(field: str, value: object) -> str | None:
    """The same, where nothing may be named."""
    return None if value is None else identifier(field, value)


def moment(field: str, value: object, now: datetime, rules: IntakeRules) -> datetime:
    """An aware time that is not in the future, in UTC."""
    given = _with_zone(field, value)
    if given > now + timedelta(minutes=rules.future_tolerance_minutes):
        raise InvalidInput(
            field, f"{given.isoformat()} is in the future (now is {now.isoformat()})"
        )
    return _in_utc(field, given)


def point(field: str, value: object) -> datetime | None:
    """A point in time that says its zone, in UTC; it may lie in the future."""
    return None if value is None else _in_utc(field, _with_zone(field, value))


def _with_zone(field: str, value: object) -> datetime:
    if not isinstance(value, datetime):
        raise InvalidInput(field, f"must be a datetime, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise InvalidInput(
            field, f"{value.isoformat()} has no time zone; add one, for example tzinfo=UTC"
        )
    return value


def _in_utc(field: str, value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, f"{value.isoformat()} is out of range") from None


def only_one(key: str, keys: Sequence[str]) -> str | None:
    """The key that was meant by its beginning, of those that begin so, if there is any."""
    if len(keys) > 1:
        raise InvalidInput("key", f"{key!r} could be any of {', '.join(keys)}")
    return keys[0] if keys else None


def choice(field: str, options: type[Choice], value: object) -> Choice:
    """One of a closed list."""
    try:
        return options(str(value))
    except ValueError:
        known = ", ".join(one.value for one in options)
        raise InvalidInput(field, f"{value!r} is not one of: {known}") from None


def timezone(field: str, name: str) -> str:
    """The name of a time zone that exists."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(field, f"{name!r} is not a time zone; try Europe/Oslo or UTC") from None
    return name


def whole(field: str, value: object, least: int, most: int | None = None, of: str = "") -> int:
    """A whole number within bounds, `of` what they count."""
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if not fits or (most is not None and value > most):  # type: ignore[operator]
        bounds = f"from {least} up" if most is None else f"from {least} to {most}"
        raise InvalidInput(field, f"{value!r} is not a whole number {of}{bounds}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def share(field: str, value: object) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(field, f"{value!r} is not a number from 0 to 1")
    return float(value)


def from_iso(field: str, value: object) -> object:
    """A time where ISO text was given for one; anything else as it is."""
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise InvalidInput(field, f"{value!r} is not an ISO date and time") from None


def limited(value: object) -> int:
    """How many to hand back, as asked."""
    return whole("limit", value, 1, MOST_HITS)


def paging(after: object, limit: object) -> None:
    """Where to begin and how many to hand back, as whole numbers that can be."""
    whole("after", after, 0)
    whole("limit", limit, 1, MOST_DEEDS)
