"""Judge: how a later statement stands to one that is believed, when sure; in doubt it says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remanent.core.model.mind_types import Judgement
from remanent.minds.reader import heads
from remanent.minds.reader.labels import JUDGE
from remanent.minds.reader.reading import THRESHOLDS, Thresholds, load
from remanent.minds.reader.tokens import pair
from remanent.weights.encoder import Floats, tokenizer

DOUBT: Final = 0.4
"""Chance of an update from which on, short of the threshold, two statements are in dispute."""
_UPDATE, _SAME, _REFINE = (JUDGE.index(label) for label in ("update", "same", "refine"))


def judge(
    statement: str, believed: Sequence[str], thresholds: Thresholds = THRESHOLDS
) -> list[Judgement]:
    """How `statement`, said later, stands to each of `believed`."""
    return [decided(chances, thresholds) for chances in chances_of(statement, believed)]


def chances_of(
    statement: str, believed: Sequence[str], thresholds: Thresholds = THRESHOLDS
) -> list[Floats]:
    """The chances of each of the judge's labels, for each of `believed`."""
    model, tok = load(), tokenizer()
    rows = [pair(tok, old, statement) for old in believed]
    return [heads.judged(model.heads, one, thresholds.temperature) for one in model.states(rows)]


def decided(chances: Floats, thresholds: Thresholds = THRESHOLDS) -> Judgement:
    """What follows from the chances: an update or a repetition only when sure, else both stand."""
    if chances[_UPDATE] >= thresholds.update:
        return Judgement.CONTRADICTS
    if chances[_SAME] + chances[_REFINE] >= thresholds.same:
        return Judgement.SAME if chances[_SAME] >= chances[_REFINE] else Judgement.REFINES
    return Judgement.DOUBTFUL if chances[_UPDATE] >= DOUBT else Judgement.DIFFERENT
