"""Tidying raw pieces of text without adding a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remanent.core.model.source import ContentType

_SPOKEN = frozenset({ContentType.CONVERSATION, ContentType.MEETING})

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(r"[\u200b\u200e\u200f\u2060\ufeff]")
_BULLET = re.compile(r"^([ \t]*)[•‣◦·∙▪●○–—*+-][ \t]+", re.MULTILINE)
_INLINE_SPACE = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")

# "ER" in capitals is a place, "uh-huh" is an answer and "mm" a unit.
_FILLER = r"(?:[Uu]m+|[Uu]h+m*|[Ee]rm+|[Ee]r|[Hh]m+|[Mm]m{2,})(?![-'’\w])"
_FILLER_ASIDE = re.compile(rf",\s*{_FILLER}\s*(?:,|\.{{2,}}|…)")
_FILLER_PAUSED = re.compile(rf"(?<![\w'’-]){_FILLER}\s*(?:,|\.{{2,}}|…)\s*")
_FILLER_BARE = re.compile(rf"(?<![\w'’-]){_FILLER}\s*")
# Phrases that say nothing only when commas set them apart: "I mean it" and "you know him" stay.
_ASIDE = re.compile(r",\s*(?:you know|I mean|like|sort of|kind of)\s*,", re.IGNORECASE)
_OPENING_ASIDE = re.compile(r"(^|[.!?…]\s+)(?:you know|I mean)\s*,\s*", re.IGNORECASE)

_STUTTERED = (
    "i|i'm|i've|i'd|i'll|we|we're|you|you're|he|he's|she|she's|it|it's|they|they're|the|a|an|and|but"
    "|or|to|of|in|on|at|for|with|my|your|our|his|its|is|was|were|are|be|this|if|when|because|what"
)
_STUTTER = re.compile(rf"\b({_STUTTERED})(?:\s*(?:,|-|—|–|\.{{2,}}|…)?\s+\1\b)+", re.IGNORECASE)
_CUT_WORD = re.compile(r"\b([A-Za-z]{1,4})(?:-|—|–)\s+(?=\1[a-z']+)", re.IGNORECASE)
_FALSE_START = re.compile(
    r"\b((?:[A-Za-z'’]+\s+){1,4}[A-Za-z'’]+)\s*(?:,|-|—|–|\.{2,}|…)?\s+\1\b", re.IGNORECASE
)
_LOOSE_COMMA = re.compile(r"\s+([,.!?;:])")
_DOUBLE_COMMA = re.compile(r",(?:\s*,)+")
_OPENING_COMMA = re.compile(r"(^|[.!?…]\s+)[,;]\s*")
_DOUBLE_STOP = re.compile(r"([.!?])\s+\.(?!\.)")


def clean_pieces(pieces: Sequence[str], content_type: ContentType) -> list[str]:
    """Each piece without what transcription or typing left in it; empty if nothing is said."""
    if content_type in _SPOKEN:
        return [_fluent(piece) for piece in pieces]
    if content_type is ContentType.TEXT_NOTE:
        return [_BULLET.sub(r"\1- ", _without_stray_marks(piece)) for piece in pieces]
    return [_without_stray_marks(piece) for piece in pieces]


def _printable(text: str) -> str:
    return _INVISIBLE.sub("", _CONTROL.sub(" ", text))


def _without_stray_marks(text: str) -> str:
    text = _printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [_tidy_line(line) for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _tidy_line(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    body = _INLINE_SPACE.sub(" ", line).strip()
    return indent + body if body else ""


def _fluent(text: str) -> str:
    tidied = " ".join(_printable(text).split())
    fluent = _FILLER_ASIDE.sub(",", tidied)
    fluent = _FILLER_PAUSED.sub("", fluent)
    fluent = _FILLER_BARE.sub("", fluent)
    fluent = _ASIDE.sub(",", fluent)
    fluent = _OPENING_ASIDE.sub(r"\1", fluent)
    fluent = _CUT_WORD.sub("", fluent)
    fluent = _STUTTER.sub(r"\1", fluent)
    fluent = _FALSE_START.sub(r"\1", fluent)
    if fluent == tidied:
        return tidied
    fluent = _DOUBLE_COMMA.sub(",", _LOOSE_COMMA.sub(r"\1", fluent))
    fluent = _DOUBLE_STOP.sub(r"\1", _OPENING_COMMA.sub(r"\1", fluent)).strip()
    if not any(character.isalnum() for character in fluent):
        return ""
    return _capitalise(fluent) if tidied[:1].isupper() else fluent


def _capitalise(text: str) -> str:
    """The text with the first letter of each sentence in upper case."""
    first = text[:1].upper()
    text = first + text[1:] if len(first) == 1 else text  # "ß" has no capital of its own
    return re.sub(r"([.!?]\s+)([a-z])", lambda m: m.group(1) + m.group(2).upper(), text)
