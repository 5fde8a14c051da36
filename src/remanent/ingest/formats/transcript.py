"""Transcripts as people keep them: "Speaker: text", with or without times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache

from remanent.core.dataclasses import dataclass
from remanent.core.regex import regex
from remanent.core.word_lists import word_lists
from remanent.ingest.formats.shape import STAMP, Parsed, Piece, distinct, later, since_start

_NAME = r"[^\W\d_][\w.'’-]{0,40}(?: [\w.'’-]{1,40}){0,3}"
_BEFORE = rf"[\[(]?(?P<before>{STAMP})[\])]?"
_AFTER = rf"[\[(]?(?P<after>{STAMP})[\])]?"
# "Maria Chen: good morning", "[10:02] Tom: hi", "Tom (00:10:02): hi", "**Tom:** hi", ">> TOM: hi".
_SPOKEN = regex(
    rf"\s*(?:{_BEFORE}[ \t]+)?(?:>{{2,3}}[ \t]*)?\*{{0,2}}(?P<speaker>{_NAME})"
    rf"(?: \([^()\d]{{1,40}}\))?(?:[ \t]{{1,4}}{_AFTER})?(?::\*{{0,2}}|\*\*:)\s+(?=\S)"
)
# "Maria Chen  0:03" or "Maria Chen [10:02 AM]" alone on a line; what she said follows.
_HEADED = regex(rf"\s*(?P<speaker>{_NAME})(?:[ \t]{{1,8}}|[ \t]?[-–|,][ \t]?){_AFTER}\s*")
_MOST_HEADING_CHARACTERS = 200
_NOT_SPEAKERS = frozenset(
    {
        *("http", "https", "note", "notes", "todo", "ps", "p.s.", "re", "fwd", "fw", "subject"),
        *("date", "time", "from", "to", "cc", "sent", "agenda", "attendees", "participants"),
        *("present", "action", "actions", "action item", "action items", "decision", "decisions"),
        *("summary", "topic", "topics", "location", "where", "when", "warning", "fyi", "nb"),
        *("next steps", "update", "example", "e.g.", "i.e.", "title"),
    }
)
_LISTS = word_lists(__package__)
_PARTICLES = _LISTS["name_particles"]
_NOT_FIRST_NAMES = _LISTS["not_first_names"]


@dataclass(frozen=True, slots=True)
class _Opening:
    """Where a turn begins: after this many characters of the line, said by whom and when."""

    speaker: str
    stamp: str | None
    length: int


def read(raw: str, started_at: datetime | None) -> Parsed | None:
    """Lines that begin with a speaker open a turn; the lines after it belong to it. None if none does."""
    turns = [(0, _Opening("", None, 0)), *_turns(raw)]
    if len(turns) == 1:
        return None
    gaps = since_start([opened.stamp for _, opened in turns])
    ends = [*(start for start, _ in turns[1:]), len(raw)]
    pieces = tuple(
        Piece(text=raw[start + opened.length : end], start=start + opened.length, end=end,
              speaker=opened.speaker or None, at=later(started_at, gap))
        for (start, opened), end, gap in zip(turns, ends, gaps, strict=True)
    )  # fmt: skip
    return Parsed(
        pieces=pieces,
        participants=distinct(one.speaker or "" for one in pieces),
        lasted=max((gap for gap in gaps if gap is not None), default=None),
    )


def speaker_in(line: str) -> tuple[str, int] | None:
    """Who speaks, if the line begins with that, and where the words begin."""
    opening = _speaker_line(line)
    return None if opening is None else (opening.speaker, opening.length)


def _turns(raw: str) -> Iterator[tuple[int, _Opening]]:
    """Where each turn begins, and how."""
    lines = raw.splitlines(keepends=True)
    headings = _headings(lines)
    position = 0
    for number, line in enumerate(lines):
        opened = _speaker_line(line) or headings.get(number)
        if opened is not None:
            yield position, opened
        position += len(line)


def _speaker_line(line: str) -> _Opening | None:
    match = _SPOKEN.match(line)
    if match is None or not _is_name(match["speaker"]):
        return None
    return _Opening(match["speaker"], match["before"] or match["after"], match.end())


@lru_cache(1000)
def _is_name(words: str) -> bool:
    """A name of several words is written large; `Tom said` and `one more thing` are none."""
    if words.casefold() in _NOT_SPEAKERS:
        return False
    first, *others = words.split(" ")
    if others and first.casefold() in _NOT_FIRST_NAMES:
        return False
    small = [one for one in others if one[0].islower() and one not in _PARTICLES]
    return not small and (not others or not first[0].islower() or first == "speaker")


def _headings(lines: Sequence[str]) -> dict[int, _Opening]:
    """Lines of a name and a time with words under them; a single one may be anything."""
    openings: dict[int, _Opening] = {}
    heading = None
    for number, under in enumerate(lines, -1):
        below = _heading(under)
        if heading is not None and below is None and under.strip():
            openings[number] = heading
        heading = below
    return openings if len(openings) > 1 else {}


def _heading(line: str) -> _Opening | None:
    if len(line) > _MOST_HEADING_CHARACTERS:
        return None
    match = _HEADED.fullmatch(line)
    if match is None or not _is_name(match["speaker"]):
        return None
    return _Opening(match["speaker"], match["after"], len(line))
