"""Asking: whether a message needs memory, and the ways to put a question to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Whether a message can only be answered well out of memory, and why, in words.

    `is_sure` is False where the signs are weak or pull both ways.
    """

    needs_search: bool
    reasons: tuple[str, ...] = ()
    is_sure: bool = True


class Mode(StrEnum):
    """How much a search may cost: one phrasing, or several."""

    FAST = "fast"
    DEEP = "deep"


class Way(StrEnum):
    """How a phrasing came about."""

    ASKED = "asked"  # the words of the caller
    FOLLOWED = "followed"  # what the conversation left out is filled in
    EXPANDED = "expanded"  # abbreviations are written out
    REWORDED = "reworded"  # the same question in other words
    STEP_BACK = "step_back"  # a wider question


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    text: str
    way: Way


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasings:
    """One question in all the ways it is put. The first one is what the caller meant, said in full."""

    query: str
    phrasings: tuple[Phrasing, ...]

    @property
    def best(self) -> str:
        """The one to search by when there is time for one only."""
        return self.phrasings[0].text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rephrased:
    """Other words for a question, best first, and a wider question (empty: there is none)."""

    phrasings: tuple[str, ...] = ()
    step_back: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abbreviation:
    """A short form and what it stands for; `is_learned` out of a source, not set by the user."""

    short: str
    long: str
    is_learned: bool = False
