"""Passage features: what shows on the face of a passage, so that a question can set a weight on it.

A question about a time wants a passage that names one, a question about a number one that counts.
Who only asks seldom answers; among people, that is, for whoever talks to an assistant tells by asking.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

TIMED: Final = "timed"
COUNTED: Final = "counted"
ASKING: Final = "asking"
ONLY_ASKING: Final = "only-asking"
DIRECTING: Final = "directing"
ASSISTANT: Final = "assistant"
SHORT: Final = "short"

_YEAR: Final = (
    "january february march april may june july august september october november december"
)
MONTHS: Final = tuple(_YEAR.split())
_LEAST_PART: Final = 30  # characters
_LEAST_TAIL: Final = 15
_MOST_SHORT: Final = 15  # words
_ASSISTANTS: Final = frozenset({
    "assistant", "ai", "bot", "chatbot", "agent", "model", "chatgpt", "claude", "gemini", "copilot",
})  # fmt: skip
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPANS: Final = ("day", "week", "weekend", "month", "year", "morning", "evening", *WEEKDAYS)
_TIMES: Final = frozenset({
    "yesterday", "today", "tomorrow", "tonight", "last", "next", "ago", "recently", "since", "soon",
    *_SPANS, *(f"{one}s" for one in _SPANS), *MONTHS,
})  # fmt: skip
_NUMBERS: Final = frozenset({
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "dozen", "couple",
    "first", "second", "third", "once", "twice", "half",
})  # fmt: skip
_FIGURE = re.compile(r"[\d$]")
_YEAR_FIGURE = re.compile(r"\d{4}")
_WORD = re.compile(r"\w+")
_DIRECTING: Final = frozenset({"always", "never", "from", "whenever", "when", "prefer", "rather"})
_DIRECTION = re.compile(
    r"^\W*(?:please\s+)?(?:always|never|from now on|whenever)\b|\bwhen(?:ever)? i ask\b|\bi prefer\b"
    r"|\bi(?:'d|’d| would) rather\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def is_assistant(speaker: str | None) -> bool:
    """Whether a program speaks, as far as its name tells."""
    return speaker is not None and speaker.strip().casefold() in _ASSISTANTS


def marks(text: str, *, speaker: str | None, at: datetime | None, among_people: bool) -> set[str]:
    """All marks of a passage said then; `among_people` when no program takes part in the talk."""
    dates = ("%Y", "-%m", "%Y-%m", "-%m-%d", "%Y-%m-%d")
    features = set() if at is None else {at.strftime(one) for one in dates}
    # Each word once, and no pattern tried at each: a text may be a letter a line.
    words = set(_WORD.findall(text.casefold()))
    has_figures = _FIGURE.search(text) is not None
    if words & _TIMES or (has_figures and any(map(_YEAR_FIGURE.fullmatch, words))):
        features.add(TIMED)
    if has_figures or words & _NUMBERS:
        features.add(COUNTED)
    if len(text.split()) <= _MOST_SHORT:
        features.add(SHORT)
    if is_assistant(speaker):
        return features | {ASSISTANT}
    if words & _DIRECTING and _DIRECTION.search(text):
        features.add(DIRECTING)
    return features | _question_features(text) if among_people else features


def _question_features(text: str) -> set[str]:
    """Whether at least half of its sentences are questions, and whether all are."""
    sentences = [one for one in _SENTENCE_END.split(text.strip()) if one]
    questions = sum(one.endswith("?") for one in sentences)
    if not questions or 2 * questions < len(sentences):
        return set()
    return {ASKING, ONLY_ASKING} if questions == len(sentences) else {ASKING}


def parts(text: str, *, least_words: int = 40, most: int = 4) -> list[str]:
    """A long text in a few parts, cut between sentences; a short one, or a single sentence, has none.

    Who says several things at once is found by each of them.
    """
    if len(text.split()) < least_words:
        return []
    pieces: list[str] = []
    for sentence in _SENTENCE_END.split(text.strip()):
        if pieces and (len(pieces[-1]) < _LEAST_PART or len(sentence) < _LEAST_TAIL):
            pieces[-1] = f"{pieces[-1]} {sentence}"
        elif sentence:
            pieces.append(sentence)
    return pieces[:most] if len(pieces) > 1 else []
