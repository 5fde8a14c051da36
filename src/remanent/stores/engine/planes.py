"""Vectors in two planes of whole numbers: a coarse one, by which all rows are compared, and a fine one, by
which those that count are compared exactly. Both take three bytes a number, and the first but one.

Also the further vectors of a row, those of the parts of a long text.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import dataclass
from remanent.stores.engine.postings import stacked
from remanent.weights.encoder import session

Floats = NDArray[np.float32]
Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]

_FEW: Final = 1024  # rows that are compared exactly at once
_COARSE: Final = 127
_ZERO: Final = 128  # of the coarse plane, whose numbers have no sign
_FINE: Final = 65534  # steps of the fine plane in one of the coarse
_DEVIATIONS: Final = 8 / 12**0.5  # of a sum of roundings: none of a million rows is off by more


def are_few(rows: int) -> bool:
    return rows <= _FEW


class Cosines(NamedTuple):
    """Those of all rows, each off by less than `slack`."""

    values: Floats
    slack: float

    @staticmethod
    def of(vectors: Floats, unit: Floats) -> Cosines:
        return Cosines(np.einsum("ij,j->i", vectors, unit), 0.0)


class Planes(NamedTuple):
    """Rows of length one, or of zeros. There may be room for more rows than there are."""

    coarse: NDArray[np.uint8]
    fine: NDArray[np.int16]
    scale: Floats

    @staticmethod
    def room(rows: int, dimensions: int) -> Planes:
        """For so many rows, which are yet to be put there."""
        shape = rows, dimensions
        scale = np.empty(rows, dtype=np.float32)
        return Planes(np.empty(shape, dtype=np.uint8), np.empty(shape, dtype=np.int16), scale)

    @staticmethod
    def of(vectors: Floats) -> Planes:
        """These vectors, which are not kept."""
        scale = np.abs(vectors).max(axis=1, initial=0.0) / np.float32(_COARSE)
        scale = np.where(scale == 0, np.float32(1), scale)
        scaled = vectors / scale[:, None]
        coarse = np.rint(scaled)
        fine = np.rint((scaled - coarse) * np.float32(_FINE))
        return Planes((coarse + _ZERO).astype(np.uint8), fine.astype(np.int16), scale)

    @property
    def size_bytes(self) -> int:
        return sum(plane.nbytes for plane in self)

    def select(self, rows: Any) -> Planes:
        """These rows alone, in memory of their own unless a slice is asked for."""
        return Planes(*(plane[rows] for plane in self))

    def put(self, start: int, others: Planes) -> None:
        """The rows of others from this one on."""
        end = start + len(others.scale)
        self.coarse[start:end] = others.coarse
        self.fine[start:end] = others.fine
        self.scale[start:end] = others.scale

    def vectors(self) -> Floats:
        whole = self.coarse.astype(np.float32)
        whole -= _ZERO
        whole += self.fine * np.float32(1 / _FINE)
        whole *= self.scale[:, None]
        return whole

    def exact(self, unit: Floats, rows: Rows) -> Numbers:
        """The cosines of a few rows."""
        # Not the `@` of a BLAS: it starts threads that cost more than they give at this size, and
        # rounds equal rows unequally, by where in the matrix they lie.
        chosen = self.select(rows).vectors().astype(np.float64)
        cosines: Numbers = np.einsum("ij,j->i", chosen, unit.astype(np.float64))
        return cosines

    def cosines(self, unit: Floats, rows: Any = slice(None)) -> Cosines:
        """Of a few rows the exact ones, of many what the coarse plane tells."""
        scale = self.scale[rows]
        if are_few(len(scale)):
            return Cosines.of(self.select(rows).vectors(), unit)
        asked = Planes.of(unit[np.newaxis])
        coarse = asked.coarse[0].astype(np.int16) - _ZERO
        rest = np.rint(asked.fine[0] / (_FINE / 2 / _COARSE))
        columns = np.stack([coarse, rest], axis=1).astype(np.int8)
        (sums,) = _product().run(None, {"rows": self.coarse[rows], "columns": columns})
        steps = (sums - _ZERO * columns.sum(axis=0, dtype=np.int32)).astype(np.float32)
        values = steps[:, 0] + steps[:, 1] / np.float32(2 * _COARSE)
        values *= scale
        values *= asked.scale[0]
        most = min(_DEVIATIONS, float(np.abs(unit).sum()) / 2)
        return Cosines(values, float(scale.max()) * most)


@functools.cache
def _product() -> Any:
    """What multiplies a matrix of bytes with a few columns: the processor has an instruction for that,
    which numpy does not know."""
    return session(Path(__file__).with_name("product.onnx").read_bytes())


class _Chunk(NamedTuple):
    rows: Rows
    planes: Planes


class Chunk(_Chunk):
    """Vectors, and of each the row it belongs to. They do not change, so what few come to is kept."""

    @functools.cached_property
    def _vectors(self) -> Floats | None:
        return self.planes.vectors() if are_few(len(self.rows)) else None

    def cosines(self, unit: Floats) -> Cosines:
        kept = self._vectors
        return self.planes.cosines(unit) if kept is None else Cosines.of(kept, unit)

    @staticmethod
    def joined(chunks: Sequence[Chunk]) -> Chunk:
        """These as one, in their order."""
        rows, planes = zip(*chunks, strict=True)
        return Chunk(np.concatenate(rows), Planes(*map(np.concatenate, zip(*planes, strict=True))))


@dataclass(frozen=True, slots=True)
class Pieces:
    """Unchanging: what grows is another one that shares the chunks. Rows are in order."""

    chunks: tuple[Chunk, ...] = ()

    def grown(self, vectors: Iterable[tuple[int, Floats]]) -> Pieces:
        """The same with these vectors, of length one, of later rows."""
        more = [(row, matrix) for row, matrix in vectors if len(matrix)]
        if not more:
            return self
        rows = [number for row, matrix in more for number in repeat(row, len(matrix))]
        planes = Planes.of(np.concatenate([one for _, one in more]))
        return self.joined(Chunk(np.array(rows, dtype=np.intp), planes))

    def joined(self, chunk: Chunk) -> Pieces:
        """The same with this chunk, of later rows."""
        return Pieces(stacked(self.chunks, chunk)) if len(chunk.rows) else self

    def select(self, rows: Rows, count: int) -> Pieces:
        """Those of these rows, of so many, under their new numbers."""
        moved = np.full(count, -1, dtype=np.intp)
        moved[rows] = np.arange(len(rows))
        kept = []
        for chunk in self.chunks:
            places = moved[chunk.rows]
            kept.append(Chunk(places[places >= 0], chunk.planes.select(places >= 0)))
        return Pieces(tuple(chunk for chunk in kept if len(chunk.rows)))

    def nearest(self, unit: Floats, at: Rows, whole: Cosines) -> Cosines:
        """The cosines, each raised to that of its row's nearest piece; `at` gives rows their place."""
        best, slack = whole.values.copy() if self.chunks else whole.values, whole.slack
        for chunk in self.chunks:
            places = at[chunk.rows]
            there = places >= 0
            found = chunk.cosines(unit)
            np.maximum.at(best, places[there], found.values[there])
            slack = max(slack, found.slack)
        return Cosines(best, slack)

    def exact(self, unit: Floats, rows: Rows, whole: Numbers) -> Numbers:
        """The same of these rows alone, which are in order, and exactly."""
        best = whole.copy()
        for chunk in self.chunks if len(rows) else ():
            places = np.searchsorted(rows, chunk.rows)
            mine = np.flatnonzero(rows[np.minimum(places, len(rows) - 1)] == chunk.rows)
            np.maximum.at(best, places[mine], chunk.planes.exact(unit, mine))
        return best

    @property
    def size_bytes(self) -> int:
        return sum(chunk.planes.size_bytes + chunk.rows.nbytes for chunk in self.chunks)
