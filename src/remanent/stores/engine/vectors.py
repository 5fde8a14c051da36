"""Vectors in memory: one matrix for each reader's token, one row a text, searched exactly.

A `VectorMatrix` never changes for those who hold it: one that is brought up to date is a new shelf, which
shares the old one's memory where only rows were added. So a search needs no lock while it runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Match, PassageFilter, Vector, Within
from remanent.core.recent import Recent
from remanent.stores.engine.planes import Cosines, Floats, Numbers, Pieces, Planes, Rows
from remanent.stores.engine.postings import Having, Postings, Written


class Shut(NamedTuple):
    """The teams whose memories a caller does not see, and the sources, whatever their readers say."""

    left: frozenset[str] = frozenset()
    narrowed_to: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there may be such teams or sources at all."""
        return bool(self.left or self.hidden) or self.narrowed_to is not None

    def hides(self, team: str | None, owner_key: str) -> bool:
        """Whether what is this team's, or leads to that node, is not seen; what is of no team is."""
        if owner_key in self.hidden:
            return True
        if team is None:
            return False
        return team in self.left or self.narrowed_to not in (None, team)


def shut_to(scope: Scope) -> Shut:
    """What stays shut to the caller."""
    return Shut(frozenset(left_teams(scope)), scope.narrowed_to, scope.hidden)


def left_teams(scope: Scope) -> list[str]:
    """The teams whose memories the caller has lost: left, and not joined again."""
    return sorted(scope.left - scope.teams)


STEPS: Final = (1, -1, 2, -2)  # to the rows before and after that count as around
_MOST_ARRANGED: Final = 4  # of one shelf, by the kinds asked for
BUDGET_BYTES: Final = 512 * 1024 * 1024
_LABEL_BYTES: Final = 300  # about what the labels of a row take in Python
_LEAST_ROWS: Final = 64
_MARGIN: Final = 1e-4  # more than sums in float32 can be off by
KIND_CODES: Final = {kind: code for code, kind in enumerate(Kind)}


class Label(NamedTuple):
    """What a row of the matrix stands for."""

    id: int
    key: str
    kind: Kind
    owner_key: str
    team: str | None


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """All that one token may read, as of one version. Rows have length one, or are zero where an
    entry has no vector: those are not `meant`.

    `planes`, `kinds`, `meant`, `labels` and `places` may hold more than `count` rows: what lies
    beyond belongs to newer shelves. `dead` are the rows that newer ones have replaced.
    """

    version: int
    count: int
    planes: Planes
    kinds: NDArray[np.int8]
    meant: NDArray[np.bool_]
    labels: list[Label]
    places: dict[int, int]
    postings: Postings = field(default_factory=Postings)
    pieces: Pieces = field(default_factory=Pieces)
    dead: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    arranged: dict[object, Any] = field(default_factory=dict, init=False)  # what others made of it

    @staticmethod
    def empty(dimensions: int) -> VectorMatrix:
        """Before anything was loaded."""
        planes = Planes.room(0, dimensions)
        return VectorMatrix(
            0, 0, planes, np.empty(0, dtype=np.int8), np.empty(0, dtype=np.bool_), [], {}
        )

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        words = self.postings.size_bytes + self.pieces.size_bytes
        return self.planes.size_bytes + _LABEL_BYTES * len(self.labels) + words

    def select(self, ids: Iterable[int]) -> VectorMatrix:
        """The same without the rows that are not among `ids`, and without the dead ones."""
        wanted = set(ids)
        rows = [
            row
            for row, label in enumerate(self.labels[: self.count])
            if label.id in wanted and self.places.get(label.id) == row
        ]
        labels = [self.labels[row] for row in rows]
        places = {label.id: row for row, label in enumerate(labels)}
        return VectorMatrix(
            self.version,
            len(rows),
            self.planes.select(rows),
            self.kinds[rows],
            self.meant[rows],
            labels,
            places,
            self.postings.select(rows),
            self.pieces.select(rows, self.count),
        )

    def renewed(
        self,
        version: int,
        labels: Sequence[Label],
        vectors: Vector,
        written: Sequence[Written],
        *,
        private: bool,
        parts: Sequence[Vector] = (),
        more: bool = False,
    ) -> VectorMatrix:
        """The shelf of a later `version`, in which these rows are new or in place of older ones.

        A row of zeros among the vectors stands for an entry that has none; `parts` are the further
        vectors of each, or nothing at all. With `more` others follow at once.

        A row is never overwritten, for somebody may be reading it: the new one is added at the end,
        the old one is dead, and when many are, all that live move to a shelf of their own. A private
        shelf shares no memory with this one, so that dropping it leaves no trace.
        """
        replaced = [row for label in labels if (row := self._place(label.id)) is not None]
        # Labels beyond our own mean that another shelf grew from this one: that memory is taken.
        grows = len(self.labels) == self.count and not private
        shelf = (self if grows else self._copied()).resized(version, self.count + len(labels))
        shelf.planes.put(self.count, Planes.of(vectors))
        shelf.kinds[self.count : shelf.count] = [KIND_CODES[label.kind] for label in labels]
        shelf.meant[self.count : shelf.count] = vectors.any(axis=1)
        shelf.labels.extend(labels)
        shelf.places.update({label.id: self.count + n for n, label in enumerate(labels)})
        shelf = replace(
            shelf,
            postings=self.postings.grown(written, more=more),
            pieces=self.pieces.grown(enumerate(parts, start=self.count)),
            dead=np.union1d(self.dead, np.array(replaced, dtype=np.intp)),
        )
        if len(shelf.dead) > max(_LEAST_ROWS, shelf.count // 4):
            return shelf.select(list(shelf.places))
        return shelf

    def _place(self, entry_id: int) -> int | None:
        row = self.places.get(entry_id)
        return row if row is not None and row < self.count else None

    def _copied(self) -> VectorMatrix:
        labels = self.labels[: self.count]
        places = {label.id: row for row, label in enumerate(labels)}  # the last row of an id lives
        return VectorMatrix(
            self.version,
            self.count,
            self.planes.select(np.arange(self.count)),
            self.kinds[: self.count].copy(),
            self.meant[: self.count].copy(),
            labels,
            places,
            self.postings,
            self.pieces,
            self.dead,
        )

    def resized(self, version: int, count: int) -> VectorMatrix:
        """The same under another version, with `count` rows, of which the last are yet to be filled."""
        planes, kinds, meant = self.planes, self.kinds, self.meant
        if count > len(kinds):
            rows = max(_LEAST_ROWS, len(kinds))
            while rows < count:
                rows *= 2
            planes = Planes.room(rows, planes.coarse.shape[1])
            kinds, meant = np.empty(rows, dtype=np.int8), np.empty(rows, dtype=np.bool_)
            planes.put(0, self.planes.select(slice(self.count)))
            kinds[: self.count] = self.kinds[: self.count]
            meant[: self.count] = self.meant[: self.count]
        return replace(self, version=version, count=count, planes=planes, kinds=kinds, meant=meant)

    def nearest(
        self,
        unit: Vector,
        limit: int,
        *,
        kinds: Sequence[Kind],
        shut: Shut,
        within: Within | None = None,
    ) -> list[Match]:
        """The best rows by cosine, best first, ties in order of key; no kinds means all."""
        rows = self.matching_rows(kinds, shut)
        rows = rows[self.meant[rows]]
        if within:
            rows = self.inside(rows, within)
        if not len(rows) or limit <= 0:
            return []
        rough, slack = self.cosines(unit, rows)
        if len(rough) > limit:
            bar = np.partition(rough, len(rough) - limit)[len(rough) - limit]
            rows = rows[rough >= bar - 2 * slack - _MARGIN]
        exact = self.planes.exact(unit, rows)
        matches = [
            Match(label.key, label.kind, label.owner_key, float(score))
            for label, score in zip((self.labels[row] for row in rows), exact, strict=True)
        ]
        return sorted(matches, key=lambda match: (-match.score, match.key))[:limit]

    def cosines(self, unit: Vector, rows: Rows) -> Cosines:
        """Those of some rows: a few are dearer to reach one by one, and cheaper in all."""
        if 3 * len(rows) < self.count:
            return self.planes.cosines(unit, rows)
        values, slack = self.planes.cosines(unit, slice(self.count))
        return Cosines(values[rows], slack)

    def matching_rows(self, kinds: Sequence[Kind], shut: Shut) -> NDArray[np.intp]:
        """The living rows of these kinds (none: of all) that are of no team that is shut."""
        wanted = np.ones(self.count, dtype=np.bool_)
        if kinds:
            wanted = np.isin(self.kinds[: self.count], [KIND_CODES[kind] for kind in kinds])
        wanted[self.dead] = False
        rows = np.flatnonzero(wanted)
        if shut.any:
            labels = self.labels
            allowed = [
                row
                for row in rows.tolist()
                if not shut.hides(labels[row].team, labels[row].owner_key)
            ]
            rows = np.array(allowed, dtype=np.intp)
        return rows

    def inside(self, rows: NDArray[np.intp], within: Within) -> NDArray[np.intp]:
        """Those of the rows that lead to the owners named for their kind, if any are."""
        owners = {kind: frozenset(keys) for kind, keys in within.items()}
        labels = self.labels
        inside = [
            row
            for row in rows.tolist()
            if (named := owners.get(labels[row].kind)) is None or labels[row].owner_key in named
        ]
        return np.array(inside, dtype=np.intp)


def arranged(shelf: VectorMatrix, kinds: Sequence[Kind], shut: Shut) -> Arrangement:
    """The arrangement of a shelf, made once for all questions about the same kinds."""
    name = (frozenset(kinds), shut)
    made = shelf.arranged.get(name)
    if made is None:
        if len(shelf.arranged) >= _MOST_ARRANGED:
            shelf.arranged.clear()
        made = shelf.arranged[name] = Arrangement(shelf, kinds, shut)
    return cast(Arrangement, made)


class Arrangement:
    """The rows of one shelf that may be found, in threads: passages of one source in their order,
    and everything else alone."""

    def __init__(self, shelf: VectorMatrix, kinds: Sequence[Kind], shut: Shut) -> None:
        self.shelf = shelf
        rows = shelf.matching_rows(kinds, shut)
        about = shelf.postings.about
        thread, place = about["thread"][rows], about["place"][rows]
        order = np.lexsort((place, thread))
        self.rows = rows[order]
        self.thread = thread[order]
        self.lengths: Floats = about["length"][self.rows]
        self.days: Floats = about["day"][self.rows]
        self.meant = shelf.meant[self.rows]
        self.all_meant = bool(self.meant.all())
        self._holds_all = len(rows) == shelf.count
        self._lent: dict[tuple[str, float], Lent] = {}
        self._recent: tuple[object, Numbers] = (None, self.days.astype(np.float64))
        self.at = np.full(shelf.count, -1, dtype=np.intp)  # of each row, its place in here
        self.at[self.rows] = np.arange(len(rows))
        begins = np.diff(self.thread, prepend=-1) != 0
        self.starts = np.flatnonzero(begins)
        self.group = np.cumsum(begins) - 1

    def __len__(self) -> int:
        return len(self.rows)

    def label(self, place: int) -> Label:
        """What stands at this place."""
        return self.shelf.labels[int(self.rows[place])]

    def having(self, word: str, *, mark: bool = False) -> Having:
        """The places that have this word, or mark, and how often."""
        rows, counts = self.shelf.postings.of(word, mark=mark)
        places = self.at[rows]
        if self._holds_all:
            return Having(places, counts)
        there = places >= 0
        return Having(places[there], counts[there])

    def lent(self, aside: str, share: float) -> Lent:
        """What rows lend to what is around them when those with the mark `aside` lend but a share, and
        the lengths that come of it; reckoned once, for all questions ask it."""
        if (aside, share) not in self._lent:
            shares = np.ones_like(self.lengths)
            if aside:
                places, often = self.having(aside, mark=True)
                shares[places] = 1 - (1 - np.float32(share)) * often
            given = self.lengths * shares
            around = self.lengths.copy()
            for step in STEPS:
                here, there = (
                    slice(max(step, 0), len(self) + min(step, 0)),
                    slice(max(-step, 0), len(self) + min(-step, 0)),
                )
                around[here] += given[there] * (self.thread[here] == self.thread[there])
            whole = np.add.reduceat(given, self.starts)
            self._lent[aside, share] = Lent(shares, around, whole)
        return self._lent[aside, share]

    def recent(self, today: int, fades_days: float) -> Numbers:
        """How near each row's day is to this one, from 0 to 1; what has no day is not a number."""
        if self._recent[0] != (today, fades_days):
            away = np.abs(self.days.astype(np.float64) - today)
            self._recent = (today, fades_days), 1 / (1 + away / fades_days)
        return self._recent[1]

    @cached_property
    def owners(self) -> tuple[NDArray[np.int8], list[str]]:
        """Of each thread its kind and the node it leads to: all of a thread has the same."""
        firsts = self.rows[self.starts]
        labels = self.shelf.labels
        return self.shelf.kinds[firsts], [labels[row].owner_key for row in firsts.tolist()]

    def passing(self, passages: PassageFilter) -> NDArray[np.bool_]:
        """The rows that may be found; what is neither source nor passage is not asked."""
        written, kinds = self.shelf.postings, self.shelf.kinds[self.rows]
        passage = kinds == KIND_CODES[Kind.PASSAGE]
        outside = np.zeros(len(self), dtype=np.bool_)
        if passages.last is not None:
            outside |= self.days > passages.last.toordinal()
        if passages.first is not None:
            outside |= written.about["last"][self.rows] < passages.first.toordinal()
        outside &= passage | (kinds == KIND_CODES[Kind.SOURCE])
        if passages.by is not None:
            heard = [passages.by((name,) if name else ()) for name in list(written.speakers)]
            speaker = written.about["speaker"][self.rows]
            outside |= passage & ~np.array(heard, dtype=np.bool_)[speaker]
        return ~outside


class Lent(NamedTuple):
    """The share of its words that each row lends, the lengths of what is around it and of its thread."""

    shares: Floats
    around: Floats
    whole: Floats


class Shelves(Recent[str, VectorMatrix]):
    """The shelves in use, by their bytes; never one that shows what is not committed."""

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        super().__init__(budget_bytes)
        self._locks: dict[str, threading.Lock] = {}

    def lock(self, token: str) -> threading.Lock:
        """Held by whoever brings this token's shelf up to date, so that only one does."""
        with self._guard:
            return self._locks.setdefault(token, threading.Lock())


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length one; a row of zeros stays as it is, near to nothing."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
