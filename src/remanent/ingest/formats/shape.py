"""What every format is read into: pieces with their place in the raw text, and what it says of itself.

Times as sources write them: dates, seconds since 1970, and how far into a recording.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import accumulate, repeat
from operator import add
from typing import NamedTuple

from remanent.core.dataclasses import dataclass

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Line(NamedTuple):
    """Some words as they are to be read, and the stretch of the raw text that they were taken from."""

    text: str
    start: int
    end: int
    at: datetime | None = None


class Stretch(NamedTuple):
    """From character `offset` on, `size` characters of a piece come from `start` to `end` of the raw."""

    offset: int
    size: int
    start: int
    end: int
    at: datetime | None

    def first(self, offset: int) -> int:
        """Where in the raw text the piece's character `offset` is, as near as can be said."""
        inside = min(max(offset - self.offset, 0), self.size)
        return self.start + inside if self.size == self.end - self.start else self.start

    def last(self, offset: int) -> int:
        inside = min(max(offset - self.offset, 0), self.size)
        return self.start + inside if self.size == self.end - self.start else self.end


class Piece(NamedTuple):
    """A stretch of a raw source, before anybody cleaned it.

    `start` and `end` count characters of the raw text; in a source given as turns or as a record,
    characters of its texts laid end to end, as they were given. A piece without `stretches` is the
    raw text from start to end; one with them was put together from these.
    """

    text: str
    start: int
    end: int
    speaker: str | None = None
    at: datetime | None = None
    ref: str | None = None
    stretches: tuple[Stretch, ...] = ()

    def part(self, first: int, last: int) -> Piece:
        """The piece's characters from `first` to `last`, with the place and time of just these."""
        text = self.text[first:last]
        if not self.stretches:
            return self._replace(text=text, start=self.start + first, end=self.start + last)
        opening = max(0, bisect_right(self.stretches, first, key=_offset) - 1)
        closing = max(opening, bisect_right(self.stretches, max(first, last - 1), key=_offset) - 1)
        kept = self.stretches[opening : closing + 1]
        return self._replace(
            text=text,
            start=kept[0].first(first),
            end=kept[-1].last(last),
            at=kept[0].at or self.at,
            stretches=tuple(Stretch(one.offset - first, *one[1:]) for one in kept),
        )


def _offset(stretch: Stretch) -> int:
    return stretch.offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A source as its format has it: what was said, and what stands around it.

    `participants` are names and addresses as written, not users of this memory. `lasted` is how far
    the relative times of a recording go. What a note says of its subject, which is its title: `about`
    is of what sort it is, `aliases` are its other names.
    """

    pieces: tuple[Piece, ...]
    title: str = ""
    participants: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    about: str = ""
    started_at: datetime | None = None
    lasted: timedelta | None = None


def lines_of(text: str, base: int = 0) -> list[Line]:
    """The lines of a text without their ends; of several blank ones in a row, the first."""
    wholes = text.splitlines(keepends=True)
    texts = [one.rstrip() for one in wholes]
    starts = list(accumulate(map(len, wholes), initial=base))
    ends = map(add, starts, map(len, texts))
    # By the tuple itself: a text of a letter a line has millions of them.
    lines = list(map(tuple.__new__, repeat(Line), zip(texts, starts, ends, repeat(None))))
    if "" not in texts:
        return lines
    return [
        line for before, line in zip(("x", *texts[:-1]), lines, strict=True) if before or line.text
    ]


def piece_of(
    lines: Iterable[Line],
    *,
    joined_by: str = "\n",
    speaker: str | None = None,
    at: datetime | None = None,
    ref: str | None = None,
) -> Piece:
    """One piece made of lines, which remembers where each came from."""
    lines = list(lines)
    stretches: list[Stretch] = []
    offset = first = last = start = end = 0
    gap: int | None = (
        None  # from a place in the piece to that in the raw text, if one leads to the other
    )
    when: datetime | None = None
    between = len(joined_by)
    for text, line_start, line_end, line_at in lines:
        size = len(text)
        is_plain = size == line_end - line_start
        if not (offset and is_plain and line_start - offset == gap and line_at == when):
            if offset:
                stretches.append(Stretch(first, last - first, start, end, when))
            first, start, when = offset, line_start, line_at
            gap = start - first if is_plain else None
        end, last = line_end, offset + size
        offset = last + between
    if lines:
        stretches.append(Stretch(first, last - first, start, end, when))
    return Piece(
        text=joined_by.join([line.text for line in lines]),
        start=stretches[0].start if stretches else 0,
        end=max((one.end for one in stretches), default=0),
        speaker=speaker,
        at=at,
        ref=ref,
        stretches=tuple(stretches),
    )


def trimmed(lines: Sequence[Line]) -> list[Line]:
    """Without the blank lines at both ends."""
    first, last = 0, len(lines)
    while first < last and not lines[first].text.strip():
        first += 1
    while last > first and not lines[last - 1].text.strip():
        last -= 1
    return list(lines[first:last])


def storable(text: str) -> str:
    """Without NUL and halves of characters, which an encoding inside the text may have hidden."""
    return _UNSTORABLE.sub("", text)


def unescaped(text: str) -> str:
    """With `&amp;` and its like as the characters they stand for."""
    if "&" not in text:
        return text
    try:
        return storable(html.unescape(text))
    except ValueError:  # a number of thousands of digits
        return text


def distinct(values: Iterable[str]) -> tuple[str, ...]:
    """The values that say something, each once, in order."""
    return tuple(dict.fromkeys(said for one in dict.fromkeys(values) if (said := one.strip())))


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
        parsed = _moment(value)
        if parsed is None:
            return None
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
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
    match = _STAMP.fullmatch(stamp.strip())
    if match is None or match["half"]:
        return None
    part = float(f"0.{match['part']}") if match["part"] else 0.0
    hours, minutes, seconds = (int(match[name] or 0) for name in ("hours", "minutes", "seconds"))
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


def _gap(match: re.Match[str], *, of_a_day: bool) -> timedelta:
    hours, minutes, seconds = match["hours"], int(match["minutes"]), int(match["seconds"])
    if hours is None and of_a_day:
        gap = timedelta(hours=minutes, minutes=seconds)
    else:
        gap = timedelta(hours=int(hours or 0), minutes=minutes, seconds=seconds)
    if match["half"]:
        gap = gap % timedelta(hours=12) + timedelta(hours=12 * (match["half"] in "pP"))
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
