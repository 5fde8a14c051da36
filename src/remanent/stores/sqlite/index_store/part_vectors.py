"""Further vectors of rows: those of the parts of a long text, beside the one of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class _Chunk(NamedTuple):
    rows: NDArray[np.intp]  # of each vector, the row it belongs to
    matrix: Floats


@dataclass(frozen=True, slots=True)
class Pieces:
    """Unchanging: what grows is another one that shares the chunks. A chunk is never smaller than the
    one after it, so there are few, and adding is cheap."""

    chunks: tuple[_Chunk, ...] = ()

    def grown(self, found: Iterable[tuple[int, Floats]]) -> Pieces:
        """The same with these vectors, of length one, of later rows."""
        more = [(row, matrix) for row, matrix in found if len(matrix)]
        if not more:
            return self
        rows = [number for row, matrix in more for number in repeat(row, len(matrix))]
        new = _Chunk(np.array(rows, dtype=np.intp), np.concatenate([one for _, one in more]))
        chunks = [*self.chunks, new]
        while len(chunks) > 1 and len(chunks[-1].rows) >= len(chunks[-2].rows):
            last, before = chunks.pop(), chunks.pop()
            rows_of = np.concatenate([before.rows, last.rows])
            chunks.append(_Chunk(rows_of, np.concatenate([before.matrix, last.matrix])))
        return Pieces(tuple(chunks))

    def kept(self, rows: Sequence[int], count: int) -> Pieces:
        """Those of these rows, of so many, under their new numbers."""
        moved = np.full(count, -1, dtype=np.intp)
        moved[np.array(rows, dtype=np.intp)] = np.arange(len(rows))
        kept = []
        for chunk in self.chunks:
            places = moved[chunk.rows]
            kept.append(_Chunk(places[places >= 0], chunk.matrix[places >= 0]))
        return Pieces(tuple(chunk for chunk in kept if len(chunk.rows)))

    def nearest(self, unit: Floats, at: NDArray[np.intp], cosines: Floats) -> Floats:
        """The cosines, each raised to that of its row's nearest piece; `at` gives rows their place."""
        best = cosines.copy()
        for chunk in self.chunks:
            places = at[chunk.rows]
            there = places >= 0
            np.maximum.at(best, places[there], np.einsum("ij,j->i", chunk.matrix, unit)[there])
        return best

    @property
    def size_bytes(self) -> int:
        return sum(chunk.matrix.nbytes + chunk.rows.nbytes for chunk in self.chunks)
