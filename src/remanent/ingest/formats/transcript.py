"""Transcripts as people keep them: "Speaker: text", with or without times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.ingest.formats.shape import STAMP, Line, Parsed, Piece, distinct, later, since_start

_NAME = r"[^\W\d_][\w.'’-]{0,40}(?: [\w.'’-]{1,40}){0,3}"
_BEFORE = rf"[\[(]?(?P<before>{STAMP})[\])]?"
_AFTER = rf"[\[(]?(?P<after>{STAMP})[\])]?"
# "Maria Chen: good morning", "[10:02] Tom: hi", "Tom (00:10:02): hi", "**Tom:** hi", ">> TOM: hi".
_SPOKEN = re.compile(
    rf"\s*(?:{_BEFORE}[ \t]+)?(?:>{{2,3}}[ \t]*)?\*{{0,2}}(?P<speaker>{_NAME})"
    rf"(?: \([^()\d]{{1,40}}\))?(?:[ \t]{{1,4}}{_AFTER})?(?::\*{{0,2}}|\*\*:)\s+(?=\S)"
)
# "Maria Chen  0:03" or "Maria Chen [10:02 AM]" alone on a line; what she said follows.
_HEADED = re.compile(rf"\s*(?P<speaker>{_NAME})(?:[ \t]{{1,8}}|[ \t]?[-–|,][ \t]?){_AFTER}\s*")
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
_PARTICLES = frozenset(
    {
        *("af", "al", "bin", "da", "dal", "de", "del", "den", "der", "di", "do", "dos", "du", "el"),
        *("i", "la", "le", "of", "og", "the", "till", "und", "van", "von", "y"),
    }
)
_NOT_FIRST_NAMES = frozenset(
    {
        *("a", "an", "and", "but", "for", "he", "here", "how", "i", "if", "in", "it", "my", "on"),
        *("one", "our", "she", "so", "that", "the", "there", "they", "this", "to", "we", "what"),
        *("who", "why", "you", "your"),
    }
)


@dataclass(frozen=True, slots=True)
class _Opening:
    """Where a turn begins: after this many characters of the line, said by whom and when."""

    speaker: str
    stamp: str | None
    length: int


def has_speakers(raw: str) -> bool:
    """Whether any line opens a turn."""
    return any(opened is not None for _, opened in _openings(raw))


def read(raw: str, started_at: datetime | None) -> Parsed:
    """Lines that begin with a speaker open a turn; the lines after it belong to it."""
    turns = list(_turns(raw))
    gaps = since_start([stamp for _, stamp in turns])
    pieces = tuple(
        Piece(text=one.text, start=one.start, end=one.end, speaker=one.speaker,
              at=later(started_at, gap))
        for (one, _), gap in zip(turns, gaps, strict=True)
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


def _turns(raw: str) -> Iterator[tuple[Piece, str | None]]:
    """Each turn, text as in the raw, with the stamp it was opened by."""
    speaker: str | None = None
    stamp: str | None = None
    start = position = 0
    for line, opened in _openings(raw):
        position = line.start
        if opened is not None:
            yield _turn(raw, start, position, speaker), stamp
            speaker, stamp, start = opened.speaker, opened.stamp, position + opened.length
    yield _turn(raw, start, len(raw), speaker), stamp


def _turn(raw: str, start: int, end: int, speaker: str | None) -> Piece:
    return Piece(text=raw[start:end], start=start, end=end, speaker=speaker)


def _openings(raw: str) -> Iterator[tuple[Line, _Opening | None]]:
    """Every line, with the turn that it opens."""
    lines = list(_whole_lines(raw))
    headings = _headings(lines)
    for number, line in enumerate(lines):
        yield line, _speaker_line(line.text) or headings.get(number)


def _whole_lines(raw: str) -> Iterator[Line]:
    position = 0
    for whole in raw.splitlines(keepends=True):
        yield Line(whole, position, position + len(whole))
        position += len(whole)


def _speaker_line(line: str) -> _Opening | None:
    match = _SPOKEN.match(line)
    if match is None or not _is_name(match["speaker"]):
        return None
    return _Opening(match["speaker"], match["before"] or match["after"], match.end())


def _is_name(words: str) -> bool:
    """A name of several words is written large; `Tom said` and `one more thing` are none."""
    if words.casefold() in _NOT_SPEAKERS:
        return False
    first, *others = words.split(" ")
    if others and first.casefold() in _NOT_FIRST_NAMES:
        return False
    small = [one for one in others if one[0].islower() and one not in _PARTICLES]
    return not small and (not others or not first[0].islower() or first == "speaker")


def _headings(lines: Sequence[Line]) -> dict[int, _Opening]:
    """Lines of a name and a time with words under them; a single one may be anything."""
    openings: dict[int, _Opening] = {}
    for number, line in enumerate(lines[:-1]):
        heading = _heading(line.text)
        under = lines[number + 1].text
        if heading is not None and under.strip() and _heading(under) is None:
            openings[number] = heading
    return openings if len(openings) > 1 else {}


def _heading(line: str) -> _Opening | None:
    if len(line) > _MOST_HEADING_CHARACTERS:
        return None
    match = _HEADED.fullmatch(line)
    if match is None or not _is_name(match["speaker"]):
        return None
    return _Opening(match["speaker"], match["after"], len(line))
