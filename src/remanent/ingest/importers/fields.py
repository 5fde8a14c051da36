"""Long JSON lists, one element at a time: an export of 500 MB is never in memory as a whole.

When something was, as far as files say.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.ingest.importers.box import Box, Member, Stream, Unreadable

CHUNK_BYTES: Final = 1 << 20
_MOST_ELEMENT: Final = 200_000_000  # characters of one element
_NEARLY_WHOLE: Final = 16  # an error this close to the end may be a word cut in two
_BLANK: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder()


def elements(box: Box, member: Member) -> Iterator[Any]:
    """The elements of a list, or the one thing that the member holds instead of a list.

    Raises `Unreadable` where the JSON breaks off; what stood before it has been given by then.
    """
    with box.open(member) as file:
        text = _Text(file)
        if text.peek() != "[":
            yield text.element(alone=True)
            return
        text.skip(1)
        while (following := text.peek()) and following != "]":
            yield text.element()
        if not following:
            raise Unreadable("the list breaks off: the file is cut short")


def first_object(box: Box, member: Member) -> Mapping[str, object]:
    """The first element that is an object, to see what kind of list this is; else nothing."""
    with suppress(Unreadable):
        for element in elements(box, member):
            if isinstance(element, dict):
                return element
    return {}


class _Text:
    """The text of a stream, as much of it as one element needs."""

    def __init__(self, file: Stream) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._held = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is neither blank nor a comma; nothing at the end."""
        while True:
            blank = _BLANK.match(self._held, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._held) or not self._more(CHUNK_BYTES):
                return self._held[self._at : self._at + 1]

    def skip(self, count: int) -> None:
        self._at += count

    def element(self, *, alone: bool = False) -> Any:
        """The next element, read as far as it goes."""
        size = CHUNK_BYTES
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
            except json.JSONDecodeError as problem:
                if self._is_wrong(problem) or not self._more(size):
                    raise Unreadable(f"is not JSON: {problem.msg}") from None
            except RecursionError:
                raise Unreadable("is not JSON we can read: nested too deeply") from None
            else:
                # A number may go on beyond what we hold; a bracket or quote has closed.
                if alone or end < len(self._held) or not self._more(size):
                    self._at = end
                    return value
            size *= 2  # so that a long element is not tried once for every chunk

    def _is_wrong(self, problem: json.JSONDecodeError) -> bool:
        """Wrong in itself, and not only cut off where our text ends."""
        if problem.msg.startswith("Unterminated string"):
            return False
        return problem.pos < len(self._held) - _NEARLY_WHOLE

    def _more(self, size: int) -> bool:
        if self._ended:
            return False
        if len(self._held) - self._at > _MOST_ELEMENT:
            raise Unreadable(f"an element has more than {_MOST_ELEMENT:,} characters")
        data = self._file.read(size)
        self._ended = not data
        try:
            text = self._decode.decode(data, final=self._ended)
        except UnicodeDecodeError:
            raise Unreadable("is not UTF-8 text") from None
        self._held, self._at = self._held[self._at :] + text, 0
        return not self._ended or bool(text)


_IN_NAME = re.compile(
    r"(?P<gmt>GMT)?(?<!\d)(?P<year>(?:19|20)\d\d)([-_.]?)(?P<month>0[1-9]|1[0-2])\3"
    r"(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[T _-]+(?:at )?(?P<hour>[01]\d|2[0-3])[-_.:h]?(?P<minute>[0-5]\d)(?:[-_.:]?[0-5]\d)?)?(?!\d)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """Reads dates as a person of `zone` means them; nothing that is imported lies after `now`."""

    zone: tzinfo
    now: datetime

    def first(self, *guesses: datetime | None) -> datetime | None:
        """The first guess that there is and that is not a plan."""
        return next((one for one in guesses if one is not None and one <= self.now), None)

    def iso(self, value: object) -> datetime | None:
        """An ISO date or date and time."""
        try:
            return self.aware(datetime.fromisoformat(str(value).strip()))
        except (ValueError, OverflowError):
            return None

    def seconds(self, value: object) -> datetime | None:
        """Seconds since 1970, as a number or as text."""
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            return None
        try:
            return datetime.fromtimestamp(float(value), UTC)
        except (ValueError, OverflowError, OSError):
            return None

    def in_name(self, name: str) -> datetime | None:
        """A date, and a time after it, in the name of a file: `2026-03-02 standup`, `GMT20260302-140500`."""
        match = _IN_NAME.search(name)
        if match is None:
            return None
        day = f"{match['year']}-{match['month']}-{match['day']}"
        clock = f"{match['hour'] or '00'}:{match['minute'] or '00'}"
        return self.iso(f"{day}T{clock}{'Z' if match['gmt'] else ''}")

    def aware(self, when: datetime) -> datetime:
        """In UTC; without an offset it was said in the user's zone."""
        return (when if when.tzinfo else when.replace(tzinfo=self.zone)).astimezone(UTC)
