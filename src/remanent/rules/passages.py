"""How a raw source falls into passages: turns, messages, paragraphs, none of them too long."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from remanent.model.source import ContentType, Passage

# "Maria Chen: good morning" or "[10:02] Tom: hi"; a speaker is one to four words without a verb's length.
_SPOKEN = re.compile(
    r"^\s*(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s+)?(?P<speaker>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,3}):\s+(?=\S)"
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+")
_NOT_SPEAKERS = frozenset(
    {"http", "https", "note", "notes", "todo", "ps", "re", "fwd", "subject", "date"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRules:
    """A passage longer than this is cut at the end of a sentence, so that it can be quoted."""

    max_characters: int = 1200


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a raw source, before anybody cleaned it.

    `start` and `end` count characters of the raw text; in a source given as turns or as a record,
    characters of the turns' texts laid end to end.
    """

    text: str
    start: int
    end: int
    speaker: str | None = None
    at: datetime | None = None
    ref: str | None = None


def cut(
    raw: str, *, is_json: bool, content_type: ContentType, rules: PassageRules
) -> tuple[Piece, ...]:
    """All pieces of a raw source in order; none is blank, and each is the raw text from start to end."""
    whole = _pieces(json.loads(raw)) if is_json else _read(raw, content_type)
    return tuple(part for piece in whole if piece.text.strip() for part in _halved(piece, rules))


def title_in(raw: str, *, is_json: bool) -> str:
    """The subject or title that a raw record carries, if any."""
    record = json.loads(raw) if is_json else None
    if not isinstance(record, dict):
        return ""
    return next((str(record[name]) for name in ("subject", "title") if record.get(name)), "")


def passages(source_key: str, pieces: Sequence[Piece], cleaned: Sequence[str]) -> list[Passage]:
    """Passages for the pieces that still say something once cleaned, numbered without gaps."""
    kept = [(piece, text) for piece, text in zip(pieces, cleaned, strict=True) if text.strip()]
    return [
        Passage(
            key=f"{source_key}#{number}",
            source_key=source_key,
            ordinal=number,
            text=text,
            speaker=piece.speaker,
            at=piece.at,
            start=piece.start,
            end=piece.end,
            ref=piece.ref,
        )
        for number, (piece, text) in enumerate(kept)
    ]


def _read(raw: str, content_type: ContentType) -> Iterator[Piece]:
    spoken = content_type in (ContentType.CONVERSATION, ContentType.MEETING)
    if spoken and any(_speaker(line) for line in raw.splitlines()):
        return _turns(raw)
    return _paragraphs(raw)


def _speaker(line: str) -> re.Match[str] | None:
    found = _SPOKEN.match(line)
    if found is None or found["speaker"].casefold() in _NOT_SPEAKERS:
        return None
    return found


def _turns(raw: str) -> Iterator[Piece]:
    """Lines that begin with a speaker open a turn; the lines after it belong to it."""
    speaker: str | None = None
    start = position = 0
    for line in raw.splitlines(keepends=True):
        found = _speaker(line)
        if found is not None:
            yield Piece(text=raw[start:position], start=start, end=position, speaker=speaker)
            speaker, start = found["speaker"], position + found.end()
        position += len(line)
    yield Piece(text=raw[start:position], start=start, end=position, speaker=speaker)


def _paragraphs(raw: str) -> Iterator[Piece]:
    start = 0
    for gap in _BLANK_LINE.finditer(raw):
        yield Piece(text=raw[start : gap.start()], start=start, end=gap.start())
        start = gap.end()
    yield Piece(text=raw[start:], start=start, end=len(raw))


def _pieces(record: Any) -> Iterator[Piece]:
    """Turns, a thread's messages or a record's body, as the shapes of SPEC 4 and seed 000 have them."""
    position = 0
    for said in _said(record):
        text = str(said.get("text") or said.get("body") or said.get("content") or "")
        yield Piece(
            text=text,
            start=position,
            end=position + len(text),
            speaker=_text_or_none(said.get("speaker") or said.get("user") or said.get("from")),
            at=_time(said.get("at") or said.get("ts") or said.get("date")),
            ref=_text_or_none(said.get("id") or said.get("ts")),
        )
        position += len(text)


def _said(record: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(record, list):
        return [one for one in record if isinstance(one, dict)]
    messages = record.get("messages") or record.get("turns")
    return _said(messages) if isinstance(messages, list) else [record]


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)


def _time(value: Any) -> datetime | None:
    """ISO text, or seconds since 1970 as chat exports write them; anything else says nothing."""
    try:
        if isinstance(value, (int, float)) or (isinstance(value, str) and _is_number(value)):
            return datetime.fromtimestamp(float(value), UTC)
        parsed = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _halved(piece: Piece, rules: PassageRules) -> Iterator[Piece]:
    """The piece itself, or, when it is too long, its sentences in groups that are not."""
    left = piece
    while len(left.text) > rules.max_characters:
        place = _break(left.text, rules.max_characters)
        yield _trimmed(replace(left, text=left.text[:place], end=left.start + place))
        left = replace(left, text=left.text[place:], start=left.start + place)
    if left.text.strip():
        yield _trimmed(left)


def _break(text: str, limit: int) -> int:
    """Where to cut: after the last sentence that fits, else the last word, else right there."""
    window = text[:limit]
    ends = [found.end() for found in _SENTENCE_END.finditer(window)]
    if ends and ends[-1] > limit // 4:
        return ends[-1]
    return max(window.rfind(" "), window.rfind("\n")) + 1 or limit


def _trimmed(piece: Piece) -> Piece:
    """Without the blanks around it, and with offsets to match."""
    lead = len(piece.text) - len(piece.text.lstrip())
    text = piece.text.strip()
    return replace(piece, text=text, start=piece.start + lead, end=piece.start + lead + len(text))
