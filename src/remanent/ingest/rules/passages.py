"""How a raw source falls into passages: turns, messages, paragraphs, none of them too long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from remanent.core.model.source import ContentType, Passage
from remanent.ingest import formats
from remanent.ingest.formats import Piece
from remanent.ingest.formats.shape import Line, piece_of
from remanent.ingest.rules.sizes import PassageRules

__all__ = ["PassageRules", "Piece", "cut", "next_size", "passages", "slice_of"]

_MANY, _TINY = 200, 20  # so many pieces of so few characters each are no paragraphs and no turns
_WORD = 8  # characters: pieces that are a word each say nothing in their order either
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+")


T = TypeVar("T", Piece, Passage)


def slice_of(texts: Sequence[T], start: int, stop: float) -> tuple[list[T], int]:
    """Those of the texts, laid end to end, that begin from character `start` to before `stop`, and where
    the next one begins."""
    position, taken = 0, list[T]()
    for one in texts:
        if position >= stop:
            break
        if position >= start:
            taken.append(one)
        position += len(one.text)
    return taken, position


def next_size(size: int, took: timedelta, rules: PassageRules) -> int:
    """How many characters the next slice may have, if this one had so many and took so long."""
    most, took_too = rules.slice_characters, took.total_seconds() / rules.slice_seconds
    return most if took_too <= size / most else max(most // 10, int(size / took_too))


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
    pieces = _gathered(parsed.pieces, rules)
    return tuple(part for piece in pieces for part in _halved(piece, rules))


def _gathered(pieces: Sequence[Piece], rules: PassageRules) -> Sequence[Piece]:
    """The pieces; where there are many of hardly any words, neighbours of one voice are one: a letter on
    a line of its own is not worth a passage. Where each is a word, so is all that a voice said that day."""
    characters = sum(len(one.text) for one in pieces)
    if len(pieces) < _MANY or characters > _TINY * len(pieces):
        return pieces
    is_words = characters <= _WORD * len(pieces)
    gathered: list[list[Piece]] = []
    open_: dict[object, tuple[list[Piece], int]] = {}  # by voice: its run, and how long that is
    for one in pieces:
        voice = (one.speaker, one.at.date() if is_words and one.at else one.at, one.ref)
        run, size = open_.get(voice, ([], 0))
        size += len(one.text) + 2
        if not run or size > rules.max_characters // 2:
            run, size = [], len(one.text)
            gathered.append(run)
        run.append(one)
        if not is_words:
            open_.clear()
        open_[voice] = run, size
    return [_joined(run) if len(run) > 1 else run[0] for run in gathered]


def _joined(run: Sequence[Piece]) -> Piece:
    lines = [Line(one.text, one.start, one.end, one.at) for one in run]
    first = run[0]
    return piece_of(lines, joined_by="\n\n", speaker=first.speaker, at=first.at, ref=first.ref)


def passages(
    source_key: str, pieces: Sequence[Piece], cleaned: Sequence[str], *, first: int = 0
) -> list[Passage]:
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
        for number, (piece, text) in enumerate(kept, first)
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
