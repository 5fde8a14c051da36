"""How a raw source falls into passages: turns, messages, paragraphs, none of them too long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.core.model.source import ContentType, Passage
from remanent.ingest import formats
from remanent.ingest.formats import Piece

__all__ = ["PassageRules", "Piece", "cut", "passages"]

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRules:
    """A passage longer than this is cut at the end of a sentence, so that it can be quoted."""

    max_characters: int = 1200


def cut(
    raw: str,
    *,
    is_json: bool,
    content_type: ContentType,
    rules: PassageRules,
    started_at: datetime | None = None,
) -> tuple[Piece, ...]:
    """All pieces of a raw source in order; none is blank, none too long.

    A paragraph or a turn of plain text is the raw text from its start to its end. Where reading
    changes the words (subtitles, letters, marks of a chat, links), start and end delimit the raw
    stretch that holds them.
    """
    parsed = formats.read(raw, is_json=is_json, content_type=content_type, started_at=started_at)
    return tuple(part for piece in parsed.pieces for part in _halved(piece, rules))


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


def _halved(piece: Piece, rules: PassageRules) -> Iterator[Piece]:
    """The piece itself, or, when it is too long, its sentences in groups that are not."""
    if not piece.text.strip():
        return
    start = 0
    while start < len(piece.text):
        window = piece.text[start : start + rules.max_characters]
        fits = start + rules.max_characters >= len(piece.text)
        length = len(window) if fits else _break(window)
        text = window[:length]
        if text.strip():
            lead = len(text) - len(text.lstrip())
            yield piece.part(start + lead, start + len(text.rstrip()))
        start += length


def _break(window: str) -> int:
    """Where to cut: after the last sentence that fits, else the last line, the last word, right there."""
    least = len(window) // 4
    ends = [found.end() for found in _SENTENCE_END.finditer(window)]
    if ends and ends[-1] > least:
        return ends[-1]
    line = window.rfind("\n") + 1
    return line if line > least else max(window.rfind(" ") + 1, line) or len(window)
