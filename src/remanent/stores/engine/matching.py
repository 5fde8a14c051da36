"""Matching by words alone: BM25 as the full-text index of SQLite reckons it, over rows in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.node import Kind
from remanent.core.ports.index import Match, Within
from remanent.stores.engine.shut import Shut
from remanent.stores.engine.vectors import Label, VectorMatrix

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
_RARITY_OF_COMMON: Final = 1e-6  # of a word that half of all rows have
_BESIDE: Final = 2  # FTS5 counts the words for reader and kind with a row's own

Numbers = NDArray[np.float64]


def matching(
    shelves: Sequence[VectorMatrix],
    terms: Sequence[Sequence[str]],
    limit: int,
    *,
    kinds: Sequence[Kind],
    shut: Shut,
    within: Within | None,
) -> list[Match]:
    """The rows with any of the terms, each given by its stems, best first, ties in order of key."""
    parts = [_Words(shelf) for shelf in shelves]
    count = sum(len(part.lengths) for part in parts)
    middle = sum(float(part.lengths.sum()) for part in parts) / count if count else 1.0
    for term in terms:
        found = [part.frequency(term) for part in parts]
        having = sum(int(np.count_nonzero(one)) for one in found)
        rarity = math.log((count - having + 0.5) / (having + 0.5))
        for part, frequency in zip(parts, found, strict=True):
            part.add(frequency, rarity if rarity > 0 else _RARITY_OF_COMMON, middle)
    best = {
        label.key: (score, label)
        for part in parts
        for score, label in part.scored(kinds, shut, within)
    }
    first = sorted(best.values(), key=lambda one: (-one[0], one[1].id))[:limit]
    matches = [Match(label.key, label.kind, label.owner_key, score) for score, label in first]
    return sorted(matches, key=lambda match: (-match.score, match.key))


class _Words:
    """The words of one shelf, and what its rows come to."""

    def __init__(self, shelf: VectorMatrix) -> None:
        self._shelf = shelf
        self._alive = np.ones(shelf.count, dtype=np.bool_)
        self._alive[shelf.dead] = False
        self._scores = np.zeros(shelf.count)
        self._sizes = shelf.postings.lengths.astype(np.float64) + _BESIDE
        self.lengths = self._sizes[self._alive]

    def frequency(self, stems: Sequence[str]) -> Numbers:
        """How often each living row has all of these."""
        least: Numbers | None = None
        for stem in stems:
            rows, counts = self._shelf.postings.of(stem)
            frequency = np.zeros(self._shelf.count)
            frequency[rows] = counts
            least = frequency if least is None else np.minimum(least, frequency)
        return np.zeros(self._shelf.count) if least is None else least * self._alive

    def add(self, frequency: Numbers, rarity: float, middle: float) -> None:
        """What a word that is so rare adds to the rows that have it so often."""
        length = _SATURATION * (1 - _LENGTH + _LENGTH * self._sizes / middle)
        self._scores += rarity * (frequency * (_SATURATION + 1)) / (frequency + length)

    def scored(
        self, kinds: Sequence[Kind], shut: Shut, within: Within | None
    ) -> list[tuple[float, Label]]:
        """The rows that have any of the words and may be found."""
        rows = self._shelf.matching_rows(kinds, shut)
        rows = rows[self._scores[rows] > 0]
        if within:
            rows = self._shelf.inside(rows, within)
        labels = self._shelf.labels
        return [(float(self._scores[row]), labels[row]) for row in rows.tolist()]
