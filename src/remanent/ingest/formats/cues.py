"""Subtitles: WebVTT and SubRip, their cues gathered into turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from remanent.core.dataclasses import dataclass, field
from remanent.errors import InvalidInput
from remanent.ingest.formats.shape import (
    Line,
    Parsed,
    Piece,
    distinct,
    elapsed,
    later,
    lines_of,
    piece_of,
    unescaped,
)
from remanent.ingest.formats.transcript import speaker_in

_CLOCK = r"(?:\d{1,4}:)?\d{1,3}:\d{1,2}(?:[.,]\d{1,3})?"
_TIMING = re.compile(rf"\s*(?P<start>{_CLOCK})\s*-{{1,2}}>\s*(?P<end>{_CLOCK})?")
_ARROW = re.compile(r"\s*[\d:.,]{1,20}\S{0,20}\s*-->")
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,60})?[ \t]+(?P<speaker>[^<>]{1,200})>|</v>")
_TAG = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_TO_SKIP = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_SUBRIP = re.compile(rf"\s*(?:\d{{1,9}}[ \t]*\r?\n\s*)?{_CLOCK}\s*-->\s*{_CLOCK}")
_LONGEST_PAUSE = timedelta(seconds=30)
_BLINK = timedelta(milliseconds=100)


@dataclass(slots=True)
class _Cue:
    start: timedelta | None
    end: timedelta | None
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Turn:
    speaker: str | None
    lines: list[Line]
    start: timedelta | None
    until: timedelta | None


def looks_like(raw: str) -> bool:
    """Whether a text is a file of subtitles, by its first lines."""
    head = raw[:1000].removeprefix("\ufeff").lstrip()
    return re.match(r"WEBVTT(?:\s|$)", head) is not None or _SUBRIP.match(head) is not None


def read(raw: str, started_at: datetime | None) -> Parsed:
    """Consecutive cues of one speaker are one turn, unless half a minute of silence parts them."""
    cues = list(_without_echoes(_cues(lines_of(raw))))
    if not cues:
        raise InvalidInput("content", "looks like subtitles, but no cue in it could be read")
    turns = list(_turns(cues, started_at))
    ends = [gap for one in cues for gap in (one.start, one.end) if gap is not None]
    pieces = tuple(_piece(one, started_at) for one in turns)
    return Parsed(
        pieces=pieces,
        participants=distinct(one.speaker or "" for one in pieces),
        lasted=max(ends, default=None),
    )


def _cues(lines: Iterable[Line]) -> Iterator[_Cue]:
    """Cues with their lines. What is malformed costs its time, not its words."""
    cue = header = _Cue(None, None)
    for line in _without_remarks(lines):
        timing = _TIMING.match(line.text) or _ARROW.match(line.text)
        if timing is None:
            cue.lines.append(line)
            continue
        if cue is not header:
            yield _without_number(cue)
        cue = _opened(timing)
    if cue is not header:
        yield _without_number(cue, last=True)


def _without_remarks(lines: Iterable[Line]) -> Iterator[Line]:
    """Without the blocks that are notes and styles; the blank line before them stays."""
    skipping = False
    fresh = True
    for line in lines:
        if not line.text:
            skipping = False
        elif fresh and _TO_SKIP.match(line.text):
            skipping = True
        fresh = not line.text
        if not skipping:
            yield line


def _opened(timing: re.Match[str]) -> _Cue:
    named = timing.groupdict()
    start, end = named.get("start"), named.get("end")
    return _Cue(
        start=None if start is None else elapsed(start), end=None if end is None else elapsed(end)
    )


def _without_number(cue: _Cue, *, last: bool = False) -> _Cue:
    """Without the name of the next cue, which stands between a blank line and its time."""
    lines = cue.lines
    if not last and lines and lines[-1].text:
        named_after_a_blank = len(lines) > 1 and not lines[-2].text
        if named_after_a_blank or lines[-1].text.strip().isdecimal():
            lines = lines[:-1]
    cue.lines = [one for one in lines if one.text]
    return cue


def _without_echoes(cues: Iterable[_Cue]) -> Iterator[_Cue]:
    """Captions that roll say each line twice: once as it comes, once above the next."""
    before = ""
    for cue in cues:
        if cue.lines:
            echo = _words(cue.lines[0].text) == before != ""
            last = _words(cue.lines[-1].text)
            if echo and (len(cue.lines) > 1 or _is_blink(cue)):
                cue.lines = cue.lines[1:]
            before = last
        yield cue


def _is_blink(cue: _Cue) -> bool:
    return cue.start is not None and cue.end is not None and cue.end - cue.start < _BLINK


def _turns(cues: Iterable[_Cue], started_at: datetime | None) -> Iterator[_Turn]:
    turn: _Turn | None = None
    for speaker, line, cue in _attributed(list(cues)):
        if turn is None or turn.speaker != speaker or _paused(turn, cue):
            if turn is not None:
                yield turn
            turn = _Turn(speaker, [], cue.start, cue.end)
        turn.lines.append(line._replace(at=later(started_at, cue.start)))
        turn.until = cue.end or cue.start or turn.until
    if turn is not None:
        yield turn


def _paused(turn: _Turn, cue: _Cue) -> bool:
    if turn.until is None or cue.start is None:
        return False
    return cue.start - turn.until > _LONGEST_PAUSE


def _attributed(cues: Sequence[_Cue]) -> Iterator[tuple[str | None, Line, _Cue]]:
    """Every line with its speaker.

    `<v Name>` holds to the end of its cue. Where there is none of these, "Name: ..." holds until
    another name comes, as the programs that write so name a speaker only once.
    """
    voiced = any("<v" in line.text for cue in cues for line in cue.lines)
    speaker: str | None = None
    for cue in cues:
        speaker = None if voiced else speaker
        for line in cue.lines:
            read_as = _voices if voiced else _named
            for teller, spoken_line in read_as(line, speaker):
                speaker = teller
                yield speaker, spoken_line, cue


def _voices(line: Line, speaker: str | None) -> Iterator[tuple[str | None, Line]]:
    """The stretches of a line between its voice tags; the last speaker goes on if none closes."""
    position = 0
    for tag in _VOICE.finditer(line.text):
        yield from _voiced(line, position, tag.start(), speaker)
        speaker = unescaped(tag["speaker"] or "").strip() or None
        position = tag.end()
    yield from _voiced(line, position, len(line.text), speaker)


def _voiced(
    line: Line, start: int, end: int, speaker: str | None
) -> Iterator[tuple[str | None, Line]]:
    text = _words(line.text[start:end])
    if text:
        yield speaker, Line(text, line.start + start, line.start + end)


def _named(line: Line, speaker: str | None) -> Iterator[tuple[str | None, Line]]:
    text = _words(line.text)
    named = speaker_in(text.removeprefix("- "))
    if named is not None:
        speaker, text = named[0], text.removeprefix("- ")[named[1] :]
    if text:
        yield speaker, Line(text, line.start, line.end)


def _words(text: str) -> str:
    return " ".join(unescaped(_TAG.sub("", text)).split())


def _piece(turn: _Turn, started_at: datetime | None) -> Piece:
    at = later(started_at, turn.start)
    return piece_of(turn.lines, joined_by=" ", speaker=turn.speaker, at=at)
