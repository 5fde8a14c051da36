"""What every format is read into: pieces with their place in the raw text, and what it says of itself."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
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
            return replace(self, text=text, start=self.start + first, end=self.start + last)
        opening = max(0, bisect_right(self.stretches, first, key=_offset) - 1)
        closing = max(opening, bisect_right(self.stretches, max(first, last - 1), key=_offset) - 1)
        kept = self.stretches[opening : closing + 1]
        return replace(
            self,
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
    the relative times of a recording go.
    """

    pieces: tuple[Piece, ...]
    title: str = ""
    participants: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    started_at: datetime | None = None
    lasted: timedelta | None = None


def lines_of(text: str, base: int = 0) -> Iterator[Line]:
    """The lines of a text without their ends; of several blank ones in a row, the first."""
    position = base
    blank = False
    for whole in text.splitlines(keepends=True):
        line = whole.rstrip()
        if line or not blank:
            yield Line(line, position, position + len(line))
        blank = not line
        position += len(whole)


def laid(
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
    offset = 0
    for line in lines:
        stretch = Stretch(offset, len(line.text), line.start, line.end, line.at)
        if stretches and _goes_on(stretches[-1], stretch):
            last = stretches[-1]
            size = stretch.offset + stretch.size - last.offset
            stretch = Stretch(last.offset, size, last.start, stretch.end, last.at)
            stretches.pop()
        stretches.append(stretch)
        offset += len(line.text) + len(joined_by)
    return Piece(
        text=joined_by.join([line.text for line in lines]),
        start=stretches[0].start if stretches else 0,
        end=max((one.end for one in stretches), default=0),
        speaker=speaker,
        at=at,
        ref=ref,
        stretches=tuple(stretches),
    )


def _goes_on(one: Stretch, other: Stretch) -> bool:
    """Whether the other lies in the raw text just as far behind the one as in the piece."""
    return (
        one.size == one.end - one.start
        and other.size == other.end - other.start
        and other.start - one.start == other.offset - one.offset
        and other.at == one.at
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
    return tuple(dict.fromkeys(one.strip() for one in values if one.strip()))
