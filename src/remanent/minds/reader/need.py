"""Need head: how likely it is that a message calls for what a memory knows of its sender."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from remanent.core.blas import one_thread
from remanent.minds.reader.reading import load
from remanent.minds.reader.tokens import MOST_OF_PAIR, tokens
from remanent.weights.encoder import CLS, SEP, Floats, tokenizer
from remanent.weights.recent import RecentTexts
from remanent.weights.wordpiece import WordPiece

SHIFT: Final = 2.0
"""What is added to the head's log odds: the dev batch of messages divides best at minus as much."""
_RECENT: Final[RecentTexts[float]] = RecentTexts()
_HALF: Final = MOST_OF_PAIR // 2
_CUT: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


def need_chance(message: str, before: Sequence[str] = ()) -> float:
    """How likely, from 0 to 1, `message` calls for memory; the last two texts `before` it are read too.

    Of a long one the ends are read, and the likeliest counts: between them something was pasted.
    """
    return _RECENT.of(repr((message, *before[-2:])), partial(_chance, message, before))


def _chance(message: str, before: Sequence[str]) -> float:
    heads = load().heads
    with one_thread():
        weight, bias = heads["need.weight"][0], heads["need.bias"][0]
        odds = max(float(one.mean(0) @ weight + bias) for one in states_of(message, before))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds + SHIFT))))


def states_of(message: str, before: Sequence[str] = ()) -> list[Floats]:
    """The reader's states of a message, or of each of its ends."""
    tok = tokenizer()
    return load().states(_row(tok, text, before) for text in _ends(tok, message))


def _ends(tok: WordPiece, text: str) -> list[str]:
    """A message, or where it is long its first and last sentence and as much of both ends as is read."""
    offsets = tokens(tok, text)[2]
    if len(offsets) <= MOST_OF_PAIR:
        return [text]
    ends = [text[: offsets[_HALF][0]], text[offsets[-_HALF][0] :]]
    return [*ends, _CUT.split(ends[0].strip())[0], _CUT.split(ends[1].strip())[-1]]


def _row(tok: WordPiece, text: str, before: Sequence[str]) -> tuple[list[int], list[int]]:
    """Token numbers and kinds of a message after what was said before it, if anything was."""
    numbers, kinds, _ = tokens(tok, text)
    if not before:
        return [CLS, *numbers, SEP], [0, *kinds, 0]
    earlier, earlier_kinds, _ = tokens(tok, " ".join(before[-2:]))
    later = (4 + kind for kind in kinds)
    return [CLS, *earlier[:_HALF], SEP, *numbers, SEP], [0, *earlier_kinds[:_HALF], 0, *later, 4]
