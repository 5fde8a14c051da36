"""Vectors in memory: one matrix for each reader's token, one row a text, searched exactly.

A `VectorMatrix` never changes for those who hold it: one that is brought up to date is a new shelf, which
shares the old one's memory where only rows were added. So a search needs no lock while it runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Match, PassageFilter, Vector, Within
from remanent.stores.engine.planes import Cosines, Floats, Numbers, Pieces, Planes, Rows, are_few
from remanent.stores.engine.postings import Having, Numbered, Postings, Written


class Shut(NamedTuple):
    """The teams whose memories a caller does not see, and the sources, whatever their readers say."""

    left: frozenset[str] = frozenset()
    narrowed_to: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there may be such teams or sources at all."""
        return bool(self.left or self.hidden) or self.narrowed_to is not None

    def hides(self, team: str | None) -> bool:
        """Whether what is this team's is not seen; what is of no team is."""
        return team is not None and (team in self.left or self.narrowed_to not in (None, team))


def shut_to(scope: Scope) -> Shut:
    """What stays shut to the caller."""
    return Shut(scope.lost, scope.narrowed_to, scope.hidden)


STEPS: Final = (1, -1, 2, -2)  # to the rows before and after that count as around
_MOST_ARRANGED: Final = 5  # of one shelf, by the kinds asked for, and its vectors; and questions
_KEY_BYTES: Final = 16  # about what the key of a row takes in Python: most have none
_LEAST_ROWS: Final = 64
_MARGIN: Final = 1e-4  # more than sums in float32 can be off by
_KINDS: Final = list(Kind)
KIND_CODES: Final = {kind: code for code, kind in enumerate(_KINDS)}
# Without gaps: they are written to files, and would hold what memory held before.
_COLUMNS: Final = {"id": "i8", "owner": "i4", "team": "i4", "kind": "i1", "meant": "?"}
LABELLED: Final = np.dtype(list(_COLUMNS.items()))


class Label(NamedTuple):
    """What a row of the matrix stands for."""

    id: int
    key: str
    kind: Kind
    owner_key: str
    team: str | None

    def written(
        self, words: str, marks: str, day: int | None, ended_at: str | None, speaker: str | None
    ) -> Written:
        """Passages of one source follow one another by the number in their key; all else is alone."""
        last = day
        if ended_at is not None and day is not None:
            last = max(day, datetime.fromisoformat(ended_at).astimezone(UTC).toordinal())
        number, told = self.key.rpartition("#")[2], (day, last, speaker or "")
        if self.kind is Kind.PASSAGE and number.isdecimal():
            return Written(words, marks, self.owner_key, int(number), *told)
        return Written(words, marks, f"{self.key} ", 0, *told)


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """All that one token may read, as of one version. Rows have length one, or are zero where an
    entry has no vector: those are not `meant`.

    `planes` and `keys` may hold more than `count` rows: what lies beyond belongs to newer shelves. A
    passage that is called by its source and its place has no key here: most have none.
    `dead` are the rows that newer ones have replaced.
    """

    version: int
    count: int
    planes: Planes
    keys: list[str | None]
    labels: NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=LABELLED))
    owners: Numbered = field(default_factory=Numbered)
    teams: Numbered = field(default_factory=Numbered)
    postings: Postings = field(default_factory=Postings)
    pieces: Pieces = field(default_factory=Pieces)
    dead: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    arranged: dict[object, Any] = field(default_factory=dict, init=False)  # what others made of it
    asked: dict[bytes, Cosines] = field(default_factory=dict, init=False)  # by the last questions

    @staticmethod
    def empty(dimensions: int) -> VectorMatrix:
        """Before anything was loaded."""
        return VectorMatrix(0, 0, Planes.room(0, dimensions), [])

    @property
    def size_bytes(self) -> int:
        """About how much memory it takes."""
        planes, rows = self.planes.select(slice(self.count)), self.labels.nbytes
        rows += _KEY_BYTES * self.count + 4 * planes.coarse.size * are_few(self.count)
        return planes.size_bytes + self.pieces.size_bytes + self.postings.size_bytes + rows

    def labels_of(self, rows: Rows) -> list[Label]:
        """What these rows stand for."""
        owners, teams, columns = self.owners.names, self.teams.names, self.labels[rows].tolist()
        keys = [self.keys[row] for row in rows.tolist()]
        places = self.postings.about["place"][rows].tolist()
        return [
            Label(
                number, key or f"{owners[owner]}#{place}", _KINDS[kind], owners[owner], teams[team]
            )
            for key, place, (number, owner, team, kind, _) in zip(
                keys, places, columns, strict=True
            )
        ]

    def named(self, rows: Rows, names: Collection[str]) -> NDArray[np.bool_]:
        """Which of these rows have one of these names as their key, or lead to it."""
        if not names:
            return np.zeros(len(rows), dtype=np.bool_)
        parted = [name.rpartition("#") for name in names]
        numbered = [(owner, int(place)) for owner, _, place in parted if place.isdecimal()]
        spots = {(self.owners[owner], place) for owner, place in numbered if owner in self.owners}
        owners, all_of = self.labels["owner"][rows].tolist(), set(self.owners.known(names))
        places = self.postings.about["place"][rows].tolist()
        named = [
            spot in spots or spot[0] in all_of or self.keys[row] in names
            for row, spot in zip(rows.tolist(), zip(owners, places, strict=True), strict=True)
        ]
        return np.array(named, dtype=np.bool_)

    def select(self, ids: Iterable[int]) -> VectorMatrix:
        """The same without the rows that are not among `ids`, and without the dead ones."""
        wanted = np.isin(self.labels["id"], np.fromiter(ids, dtype=np.int64))
        wanted[self.dead] = False
        rows = np.flatnonzero(wanted)
        return replace(
            self,
            count=len(rows),
            planes=self.planes.select(rows),
            keys=[self.keys[row] for row in rows.tolist()],
            labels=self.labels[rows],
            postings=self.postings.select(rows),
            pieces=self.pieces.select(rows, self.count),
            dead=rows[:0],
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
    ) -> VectorMatrix:
        """The shelf of a later `version`, in which these rows are new or in place of older ones.

        A row of zeros among the vectors stands for an entry that has none; `parts` are the further
        vectors of each, or nothing at all.

        A row is never overwritten, for somebody may be reading it: the new one is added at the end,
        the old one is dead, and when many are, all that live move to a shelf of their own. A private
        shelf shares no memory with this one, so that dropping it leaves no trace.
        """
        # Keys beyond our own mean that another shelf grew from this one: that memory is taken.
        shelf = self
        if private or len(self.keys) != self.count:
            planes = self.planes.select(np.arange(self.count))
            shelf = replace(self, planes=planes, keys=self.keys[: self.count])
        shelf = shelf.resized(version, self.count + len(labels))
        shelf.planes.put(self.count, Planes.of(vectors))
        shelf.keys.extend(
            None if label.key == f"{label.owner_key}#{said.place}" else label.key
            for label, said in zip(labels, written, strict=True)
        )
        rows = [
            (one.id, self.owners[one.owner_key], self.teams[one.team], KIND_CODES[one.kind], meant)
            for one, meant in zip(labels, np.any(vectors, axis=1).tolist(), strict=True)
        ]
        added = np.array(rows, dtype=LABELLED)
        gone = np.isin(self.labels["id"], added["id"])
        gone[self.dead] = True
        shelf = replace(
            shelf,
            labels=np.concatenate([self.labels.view("u1"), added.view("u1")]).view(LABELLED),
            postings=self.postings.grown(written),
            pieces=self.pieces.grown(enumerate(parts, start=self.count)),
            dead=np.flatnonzero(gone),
        )
        if len(shelf.dead) > max(_LEAST_ROWS, shelf.count // 4):
            return shelf.select(shelf.labels["id"].tolist())
        return shelf

    def resized(self, version: int, count: int) -> VectorMatrix:
        """The same under another version, with `count` rows, of which the last are yet to be filled."""
        planes, rows = self.planes, max(_LEAST_ROWS, len(self.planes.scale))
        if count > len(planes.scale):
            while rows < count:
                rows *= 2
            planes = Planes.room(rows, planes.coarse.shape[1])
            planes.put(0, self.planes.select(slice(self.count)))
        return replace(self, version=version, count=count, planes=planes)

    def nearest(
        self,
        unit: Vector,
        limit: int,
        kinds: Sequence[Kind],
        shut: Shut,
        within: Within | None = None,
        least: float = -np.inf,
    ) -> list[Match]:
        """The best rows by cosine, best first, ties in order of key; no kinds means all."""
        rows = self.matching_rows(kinds, shut, meant=True)
        if within:
            rows = rows[self.inside(rows, within)]
        if not len(rows) or limit <= 0:
            return []
        rough, slack = self.cosines(unit, rows)
        bar = least - slack - _MARGIN
        if len(rough) > limit:
            last = np.partition(rough, len(rough) - limit)[len(rough) - limit]
            bar = max(bar, last - 2 * slack - _MARGIN)
        rows = rows[rough >= bar]
        exact = self.planes.exact(unit, rows)
        if len(exact) > limit:  # ties with the last of them included
            least = max(least, np.partition(exact, len(exact) - limit)[len(exact) - limit])
        rows, exact = rows[exact >= least], exact[exact >= least]
        matches = [
            Match(label.key, label.kind, label.owner_key, score)
            for label, score in zip(self.labels_of(rows), exact.tolist(), strict=True)
        ]
        return sorted(matches, key=lambda match: (-match.score, match.key))[:limit]

    def cosines(self, unit: Vector, rows: Rows) -> Cosines:
        """Those of some rows: a few are dearer to reach one by one, and cheaper in all. What one question
        is compared with is often asked for piece by piece: one pass over all rows serves them."""
        if are_few(self.count):
            vectors = self.arranged.get("vectors")
            if vectors is None:
                vectors = self.arranged["vectors"] = self.planes.select(slice(self.count)).vectors()
            return Cosines(Cosines.of(vectors, unit).values[rows], 0.0)
        asked = unit.tobytes()
        known = self.asked.get(asked)
        apart = are_few(len(rows)) or (known is None and 8 * len(rows) < self.count)
        if apart and 3 * len(rows) < self.count:
            return self.planes.cosines(unit, rows)
        if known is None:
            known = self.planes.cosines(unit, slice(self.count))
            if len(self.asked) >= _MOST_ARRANGED:
                self.asked.clear()
            self.asked[asked] = known
        return Cosines(known.values[rows], known.slack)

    def matching_rows(
        self, kinds: Sequence[Kind], shut: Shut, *, meant: bool | None = None
    ) -> NDArray[np.intp]:
        """The living rows of these kinds (none: of all), of no team that is shut; `meant`: with a vector, or not."""
        asked = np.array([not kinds or kind in kinds for kind in _KINDS], dtype=np.bool_)
        wanted = asked[self.labels["kind"]]
        wanted[self.dead] = False
        if meant is not None:
            wanted &= self.labels["meant"] == meant
        if shut.any:
            teams = np.array([shut.hides(team) for team in self.teams.names], dtype=np.bool_)
            hidden = np.isin(self.labels["owner"], self.owners.known(shut.hidden))
            wanted &= ~(hidden | teams[self.labels["team"]])
        return np.flatnonzero(wanted)

    def inside(self, rows: NDArray[np.intp], within: Within) -> NDArray[np.bool_]:
        """Which of the rows lead to the owners named for their kind, if any are."""
        owners, kinds = self.labels["owner"][rows], self.labels["kind"][rows]
        inside = np.ones(len(rows), dtype=np.bool_)
        for kind, keys in within.items():
            numbers = self.owners.known(keys)  # before they are counted: a newer shelf may add some
            named = np.zeros(len(self.owners), dtype=np.bool_)
            named[numbers] = True
            inside &= named[owners] | (kinds != KIND_CODES[kind])
        return inside


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
        self.lengths: Floats = about["length"][self.rows]
        self.days: Floats = about["day"][self.rows]
        self.meant: NDArray[np.bool_] = shelf.labels["meant"][self.rows]
        self.all_meant = bool(self.meant.all())
        self._holds_all = len(rows) == shelf.count
        self._lent: dict[tuple[str, float], Lent] = {}
        self._marks: dict[str, Having] = {}  # they are few, and all questions ask for them
        self._recent: tuple[object, Numbers] = (None, self.days.astype(np.float64))
        self.at = np.full(shelf.count, -1, dtype=np.intp)  # of each row, its place in here
        self.at[self.rows] = np.arange(len(rows))
        begins = np.diff(thread[order], prepend=-1) != 0
        self.starts = np.flatnonzero(begins)
        self.group = np.cumsum(begins) - 1
        self.reaches = {step: self._reaches(step) for step in STEPS}

    def __len__(self) -> int:
        return len(self.rows)

    def _reaches(self, step: int) -> NDArray[np.bool_]:
        """Of which places those so many steps on are of the same thread."""
        to = np.arange(len(self)) + step
        same: NDArray[np.bool_] = self.group.take(to, mode="clip") == self.group
        same &= (to >= 0) & (to < len(self))
        return same

    def having(self, word: str, *, mark: bool = False) -> Having:
        """The places that have this word, or mark, and how often."""
        if mark and word in self._marks:
            return self._marks[word]
        rows, counts = self.shelf.postings.of(word, mark=mark)
        places = self.at[rows]
        there = slice(None) if self._holds_all else places >= 0
        found = Having(places[there], counts[there])
        return self._marks.setdefault(word, found) if mark else found

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
            for step, reaches in self.reaches.items():
                around[np.flatnonzero(reaches) + step] += given[reaches]
            whole = np.add.reduceat(given, self.starts)
            self._lent[aside, share] = Lent(shares, around, whole)
        return self._lent[aside, share]

    def recent(self, today: int, fades_days: float) -> Numbers:
        """How near each row's day is to this one, from 0 to 1; what has no day is not a number."""
        if self._recent[0] != (today, fades_days):
            away = np.abs(self.days.astype(np.float64) - today)
            self._recent = (today, fades_days), 1 / (1 + away / fades_days)
        return self._recent[1]

    def passing(self, passages: PassageFilter) -> NDArray[np.bool_]:
        """The rows that may be found; what is neither source nor passage is not asked."""
        written, kinds = self.shelf.postings, self.shelf.labels["kind"][self.rows]
        passage = kinds == KIND_CODES[Kind.PASSAGE]
        outside = np.zeros(len(self), dtype=np.bool_)
        if passages.last is not None:
            outside |= self.days > passages.last.toordinal()
        if passages.first is not None:
            outside |= written.about["last"][self.rows] < passages.first.toordinal()
        outside &= passage | (kinds == KIND_CODES[Kind.SOURCE])
        if passages.by is not None:
            heard = [passages.by((name,) if name else ()) for name in written.speakers.names]
            speaker = written.about["speaker"][self.rows]
            outside |= passage & ~np.array(heard, dtype=np.bool_)[speaker]
        return ~outside


class Lent(NamedTuple):
    """The share of its words that each row lends, the lengths of what is around it and of its thread."""

    shares: Floats
    around: Floats
    whole: Floats


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length one; a row of zeros stays as it is, near to nothing."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
