"""Matching by words alone: BM25 as FTS5 reckons it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from remanent.core.ports.index import Match, Within
from remanent.stores.engine.planes import Numbers
from remanent.stores.engine.planes import Rows as Places
from remanent.stores.engine.vectors import Label, VectorMatrix

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
_RARITY_OF_COMMON: Final = 1e-6  # of a word that half of all rows have
_BESIDE: Final = 2  # FTS5 counts the words for reader and kind with a row's own


def matching(
    parts: Sequence[Words], terms: Iterable[Sequence[str]], limit: int, within: Within | None
) -> list[Match]:
    """The rows with any of the terms, each given by its stems, best first, ties in order of key."""
    count = sum(len(part.lengths) for part in parts)
    middle = sum(float(part.lengths.sum()) for part in parts) / count if count else 1.0
    for term in terms if count else ():
        found = [part.frequency(term) for part in parts]
        having = sum(int(np.count_nonzero(one)) for one in found)
        rarity = math.log((count - having + 0.5) / (having + 0.5))
        for part, frequency in zip(parts, found, strict=True):
            part.add(frequency, rarity if rarity > 0 else _RARITY_OF_COMMON, middle)
    best = {
        label.key: (score, label) for part in parts for score, label in part.scored(limit, within)
    }
    first = sorted(best.values(), key=lambda one: (-one[0], one[1].id))[:limit]
    matches = [Match(label.key, label.kind, label.owner_key, score) for score, label in first]
    return sorted(matches, key=lambda match: (-match.score, match.key))


class Words:
    """The words of one shelf, and what its rows come to, of which these may be found."""

    def __init__(self, shelf: VectorMatrix, rows: Places) -> None:
        self._shelf, self._rows = shelf, rows
        self._alive = np.ones(shelf.count, dtype=np.bool_)
        self._alive[shelf.dead] = False
        self._scores = np.zeros(shelf.count)
        self._sizes = shelf.postings.about["length"].astype(np.float64) + _BESIDE
        self.lengths = self._sizes[self._alive]

    def frequency(self, stems: Sequence[str]) -> Numbers:
        """How often each living row has all of these."""
        often = np.zeros((max(len(stems), 1), self._shelf.count))
        for frequency, stem in zip(often, stems, strict=False):
            rows, counts = self._shelf.postings.of(stem)
            frequency[rows] = counts
        least: Numbers = often.min(axis=0)
        return least * self._alive

    def add(self, frequency: Numbers, rarity: float, middle: float) -> None:
        """What a word that is so rare adds to the rows that have it so often."""
        length = _SATURATION * (1 - _LENGTH + _LENGTH * self._sizes / middle)
        self._scores += rarity * (frequency * (_SATURATION + 1)) / (frequency + length)

    def scored(self, limit: int, within: Within | None) -> list[tuple[float, Label]]:
        """The best rows that have any of the words and may be found."""
        rows = self._rows[self._scores[self._rows] > 0]
        if within:
            rows = rows[self._shelf.inside(rows, within)]
        order = np.lexsort((self._shelf.labels["id"][rows], -self._scores[rows]))
        best = rows[order[:limit]]
        return list(zip(self._scores[best].tolist(), self._shelf.labels_of(best), strict=True))
