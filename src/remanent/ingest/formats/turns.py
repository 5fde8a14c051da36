"""Turns as programs keep them: lists of records, one thing said in each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from remanent.errors import InvalidInput
from remanent.ingest.formats.shape import (
    Line,
    Parsed,
    Piece,
    distinct,
    gap_of,
    lines_of,
    piece_of,
    storable,
    within,
)

_LISTS = ("messages", "turns", "utterances", "segments", "entries", "transcript")
_TEXTS = ("text", "body", "content", "message", "transcript")
_SPEAKERS = ("speaker", "user", "from", "author", "name", "role")
_TIMES = ("at", "ts", "date", "timestamp", "start", "start_time", "time")

Said = Mapping[str, Any]


def listed(record: Said) -> list[Said] | None:
    """The messages or turns that a record holds, if it holds any."""
    for name in _LISTS:
        inner = record.get(name)
        if isinstance(inner, list):
            return [one for one in inner if isinstance(one, Mapping)]
    return None


def text_of(turn: Said) -> str:
    """What was said; of a text in parts, the parts."""
    for name in _TEXTS:
        value = turn.get(name)
        if isinstance(value, str) and value:
            return storable(value)
        if isinstance(value, list):
            return storable("\n".join(filter(None, map(_part, value))))
    return ""


def name_of(value: Any) -> str | None:
    """A name given as text, as a number or as a record with a name in it."""
    if isinstance(value, Mapping):
        names = (value.get(key) for key in ("name", "real_name", "display_name", "email", "id"))
        return next((found for one in names if (found := name_of(one)) is not None), None)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    return storable(str(value)).strip() or None


def time_in(turn: Said) -> Any:
    """The first of its times."""
    return next((turn[name] for name in _TIMES if turn.get(name) is not None), None)


def read(turns: Sequence[Said], started_at: datetime | None) -> Parsed:
    """One piece a turn. Segments of a recording without ids are joined while one person speaks."""
    pieces: list[Piece] = []
    position = 0
    for turn in turns:
        text = text_of(turn)
        pieces.append(_piece(turn, Line(text, position, position + len(text)), started_at))
        position += len(text)
    return _parsed(turns, pieces)


def read_lines(raw: str, started_at: datetime | None) -> Parsed | None:
    """JSON, one record a line; None if no line is one. A line that is torn is left out."""
    turns: list[Said] = []
    pieces: list[Piece] = []
    for line in lines_of(
        raw.removeprefix("\ufeff"), base=len(raw) - len(raw.removeprefix("\ufeff"))
    ):
        record = _record(line.text)
        if record is not None:
            turns.append(record)
            pieces.append(_piece(record, Line(text_of(record), line.start, line.end), started_at))
        elif not turns and line.text:
            return None
    return _parsed(turns, pieces) if any(one.text for one in pieces) else None


def _record(line: str) -> Said | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _parsed(turns: Sequence[Said], pieces: Sequence[Piece]) -> Parsed:
    if turns and not any(_has_text(one) for one in turns):
        raise InvalidInput("content", f"has no {', '.join(_TEXTS[:-1])} or {_LISTS[0]} to read")
    joined = tuple(_joined(turns, pieces))
    gaps = [gap for one in turns if (gap := gap_of(time_in(one))) is not None]
    dated = [
        piece.at
        for one, piece in zip(turns, pieces, strict=True)
        if piece.at is not None and gap_of(time_in(one)) is None
    ]
    return Parsed(
        pieces=joined,
        participants=distinct(one.speaker or "" for one in joined),
        started_at=min(dated, default=None),
        lasted=max(gaps, default=None),
    )


def _has_text(turn: Said) -> bool:
    return any(isinstance(turn.get(name), (str, list)) for name in _TEXTS)


def _piece(turn: Said, line: Line, started_at: datetime | None) -> Piece:
    speaker = next((turn[name] for name in _SPEAKERS if turn.get(name) is not None), None)
    ref = turn.get("id") if turn.get("id") is not None else turn.get("ts")
    return piece_of(
        [line],
        speaker=name_of(speaker),
        at=within(time_in(turn), started_at),
        ref=name_of(str(ref) if isinstance(ref, float) else ref),
    )


def _joined(turns: Sequence[Said], pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbouring segments of one speaker as one piece; turns with an id or a date stay alone."""
    numbered = list(enumerate(zip(turns, pieces, strict=True)))

    def together(item: tuple[int, tuple[Said, Piece]]) -> tuple[int, str | None]:
        number, (one, piece) = item
        segment = piece.ref is None and gap_of(time_in(one)) is not None
        return (-1 if segment else number, piece.speaker)

    for _, group in groupby(numbered, key=together):
        members = [piece for _, (_, piece) in group]
        yield members[0] if len(members) == 1 else _merged(members)


def _merged(members: Sequence[Piece]) -> Piece:
    lines = [Line(one.text.strip(), one.start, one.end, one.at) for one in members]
    first = members[0]
    return piece_of(lines, joined_by=" ", speaker=first.speaker, at=first.at)


def _part(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("text") or "")
    return value if isinstance(value, str) else ""
