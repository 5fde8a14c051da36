"""Scoring: how well every row of some matrices fits a question, in a few passes over arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.node import Kind
from remanent.core.ports.index import Match, Question, Vector, Weighed, Within
from remanent.stores.engine.vectors import Label, Shut, VectorMatrix

Floats = NDArray[np.float32]
Numbers = NDArray[np.float64]

_SATURATION: Final = 1.2  # of BM25: how soon a repeated word counts no more
_LENGTH: Final = 0.4  # of BM25: how much a long text is held against it
_REACH: Final = 2  # rows before and after that count as around
_MOST_ARRANGED: Final = 4  # of one shelf, by the kinds asked for
_DECIMALS: Final = 9  # what is equal but for the order of a sum is equal


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
        written = shelf.postings
        thread, place = written.thread[rows], written.place[rows]
        order = np.lexsort((place, thread))
        self.rows = rows[order]
        self.thread = thread[order]
        self.lengths: Floats = written.lengths[self.rows]
        self.days: Floats = written.days[self.rows]
        self.meant = shelf.meant[self.rows]
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

    def frequency(self, word: str, *, mark: bool = False) -> Floats:
        """How often each row has this word, or mark."""
        rows, counts = self.shelf.postings.of(word, mark=mark)
        per_row = np.zeros(len(self), dtype=np.float32)
        places = self.at[rows]
        there = places >= 0
        per_row[places[there]] = counts[there]
        return per_row

    def around(self, own: Floats, lent: Floats) -> Floats:
        """Each row's own value, and what those a few places before and after it in its thread lend."""
        total = own.copy()
        for step, same in enumerate(self._same, start=1):
            total[step:] += lent[:-step] * same
            total[:-step] += lent[step:] * same
        return total

    def whole(self, values: Floats) -> Floats:
        """The sum over each thread."""
        return cast(Floats, np.add.reduceat(values, self.starts))

    @cached_property
    def _same(self) -> list[NDArray[np.bool_]]:
        steps = range(1, min(_REACH, len(self) - 1) + 1)
        return [np.equal(self.thread[step:], self.thread[:-step]) for step in steps]

    def cosines(self, unit: Vector) -> Floats:
        """Not the `@` of a BLAS, for the reasons `VectorMatrix.nearest` gives."""
        matrix = self.shelf.matrix[: self.shelf.count]
        if 3 * len(self.rows) < self.shelf.count:
            return cast(Floats, np.einsum("ij,j->i", matrix[self.rows], unit))
        return cast(Floats, np.einsum("ij,j->i", matrix, unit)[self.rows])


class Asking(NamedTuple):
    """A question, or a part of one: its stems, and its vector of length one."""

    stems: Sequence[str]
    unit: Vector | None


class Weighing:
    """One question put to the rows of several shelves at once."""

    def __init__(
        self, hot: Sequence[Arrangement], cold: Sequence[Arrangement], question: Question
    ) -> None:
        self._parts = [part for part in (*hot, *cold) if len(part)]
        self._cold_from = sum(map(len, hot))
        self._question = question
        self._cosine = self._covered = np.zeros(self._cold_from + sum(map(len, cold)))

    def best(
        self, askings: Sequence[Asking], *, limit: int, within: Within | None
    ) -> list[Weighed]:
        """The best rows by the weighted sum of their signals; an entry on two shelves comes once.

        The first of `askings` is the question itself, the others are what else it is asked by.
        """
        if not self._parts or limit <= 0:
            return []
        signals = self._signals(askings)
        score = np.round(np.sum(list(signals.values()), axis=0), _DECIMALS)
        allowed = self._allowed(within)
        if askings[0].unit is None:
            allowed &= signals["around"] > 0
        places = np.flatnonzero(allowed)
        if self._question.one_each:
            places = self._one_each(places, score)
        weighed: dict[str, Weighed] = {}
        for place in _top(places, score, limit * len(self._parts)):
            one = self._weighed(place, float(score[place]), signals)
            weighed.setdefault(one.key, one)
        return sorted(weighed.values(), key=lambda one: (-one.score, one.key))[:limit]

    def _weighed(self, place: int, score: float, signals: Mapping[str, Numbers]) -> Weighed:
        ends = np.cumsum([len(part) for part in self._parts])
        number = int(np.searchsorted(ends, place, side="right"))
        part = self._parts[number]
        at = place - int(ends[number]) + len(part)
        label, day = part.label(at), float(part.days[at])
        return Weighed(
            key=label.key,
            kind=label.kind,
            owner_key=label.owner_key,
            score=score,
            signals={name: float(values[place]) for name, values in signals.items()},
            day=None if math.isnan(day) else date.fromordinal(int(day)),
            cosine=float(self._cosine[place]),
            covered=float(self._covered[place]),
        )

    # -- signals ------------------------------------------------------------------------------

    def _signals(self, askings: Sequence[Asking]) -> dict[str, Numbers]:
        weights = self._question.weights
        others = [self._query_signals(one) for one in askings[1:]]
        signals = self._query_signals(askings[0])  # last: its cosines and words are those told
        for name in signals if others else ():
            if name != "dense":
                share = self._question.also_share
                best = np.max(
                    [one[name] for one in others if name in one] or [signals[name]], axis=0
                )
                signals[name] = (1 - share) * signals[name] + share * best
        signals |= self._time()
        if self._cold_from < len(self._covered):
            cold = np.arange(len(self._covered)) >= self._cold_from
            signals["cold"] = cold.astype(np.float64)
        signals = {
            name: np.round(weights[name] * values, _DECIMALS)
            for name, values in signals.items()
            if weights.get(name)
        }
        for name, marks in self._question.marks.items():
            signals[name] = self._marked(marks)
        return signals

    def _query_signals(self, asking: Asking) -> dict[str, Numbers]:
        signals = self._words(asking.stems)
        return signals if asking.unit is None else signals | self._meaning(asking.unit)

    def _words(self, stems: Sequence[str]) -> dict[str, Numbers]:
        """BM25 of each row alone, with what is around it, and of its whole thread."""
        parts = self._parts
        lent = [self._aside_shares(part) for part in parts]
        own = _Scale([part.lengths for part in parts])
        around = _Scale(
            [p.around(p.lengths, p.lengths * n) for p, n in zip(parts, lent, strict=True)]
        )
        whole = _Scale([p.whole(p.lengths * n) for p, n in zip(parts, lent, strict=True)])
        covered, most = np.zeros_like(self._covered), 0.0
        for stem in stems:
            frequencies = [part.frequency(stem) for part in parts]
            rarity = own.rarity_of(frequencies)
            most += rarity
            if any(one.any() for one in frequencies):
                given = [
                    frequency * share for frequency, share in zip(frequencies, lent, strict=True)
                ]
                own.add(frequencies, rarity)
                triples = zip(parts, frequencies, given, strict=True)
                nearby = [part.around(one, its) for part, one, its in triples]
                around.add(nearby, rarity)
                covered += rarity * (np.concatenate(nearby) > 0)
                threads = [part.whole(one) for part, one in zip(parts, given, strict=True)]
                whole.add(threads, whole.rarity_of(threads))
        self._covered = covered / most if most else covered
        return {
            "lexical": np.concatenate(own.relative()),
            "around": np.concatenate(around.relative()),
            "session": self._per_row(whole.relative()),
        }

    def _aside_shares(self, part: Arrangement) -> Floats:
        question = self._question
        if not question.aside:
            return np.ones(len(part), dtype=np.float32)
        return 1 - (1 - np.float32(question.aside_share)) * part.frequency(
            question.aside, mark=True
        )

    def _meaning(self, unit: Vector) -> dict[str, Numbers]:
        cosines = [part.cosines(unit) for part in self._parts]
        nearest = [
            part.shelf.pieces.nearest(unit, part.at, values)
            for part, values in zip(self._parts, cosines, strict=True)
        ]
        self._cosine = np.concatenate(nearest)
        whole, best = self._rescaled(cosines), self._rescaled(nearest)
        tops = [
            np.maximum.reduceat(values, part.starts)
            for part, values in zip(self._parts, best, strict=True)
        ]
        return {
            "dense": np.concatenate(whole),
            "part": np.concatenate(best),
            "session_dense": self._per_row(tops),
        }

    def _rescaled(self, cosines: Sequence[Floats]) -> list[Floats]:
        """Cosines with their margins: the best is 1, an average one 0, and none below -1.

        What has no vector is neither like nor unlike anything.
        """
        meant = np.concatenate([part.meant for part in self._parts])
        known = np.concatenate(cosines)[meant]
        if not len(known):
            return [np.zeros_like(values) for values in cosines]
        middle, top = float(np.mean(known, dtype=np.float64)), float(known.max())
        span = top - middle or 1.0
        return [
            np.where(part.meant, np.maximum(-1.0, (values - middle) / span), 0.0)
            for part, values in zip(self._parts, cosines, strict=True)
        ]

    def _time(self) -> dict[str, Numbers]:
        question = self._question
        days = np.concatenate([part.days for part in self._parts]).astype(np.float64)
        signals: dict[str, Numbers] = {}
        if question.today is not None:
            away = np.abs(days - question.today.toordinal())
            near = 1 / (1 + away / question.fades_days)
            known = near[~np.isnan(near)]
            middle = float(known.mean()) if len(known) else 0.0
            signals["recent"] = np.where(np.isnan(near), middle, near)
        if question.periods:
            inside = np.zeros(len(days), dtype=np.bool_)
            for first, last in question.periods:
                inside |= (days >= first.toordinal()) & (days <= last.toordinal())
            signals["period"] = inside.astype(np.float64)
        return signals

    def _marked(self, marks: Mapping[str, float]) -> Numbers:
        total = np.zeros(sum(len(part) for part in self._parts))
        for mark, weight in marks.items():
            having = [part.frequency(mark, mark=True) for part in self._parts]
            total += weight * np.concatenate(having)
        return total

    def _per_row(self, threads: Sequence[Floats]) -> Numbers:
        """What holds for a thread, for every row of it."""
        parts = zip(self._parts, threads, strict=True)
        return np.concatenate([values[part.group] for part, values in parts]).astype(np.float64)

    # -- choice -------------------------------------------------------------------------------

    def _allowed(self, within: Within | None) -> NDArray[np.bool_]:
        """What may be found; all of a thread is of one kind and leads to one owner."""
        if not within:
            return np.ones(sum(len(part) for part in self._parts), dtype=np.bool_)
        owners = {kind: frozenset(keys) for kind, keys in within.items()}
        allowed = []
        for part in self._parts:
            firsts = [part.label(place) for place in part.starts.tolist()]
            inside = [owners.get(one.kind, (one.owner_key,)) for one in firsts]
            kept = [one.owner_key in named for one, named in zip(firsts, inside, strict=True)]
            allowed.append(np.array(kept, dtype=np.bool_)[part.group])
        return np.concatenate(allowed)

    def _one_each(self, places: NDArray[np.intp], score: Numbers) -> NDArray[np.intp]:
        """Of each thread the best place."""
        offsets = np.cumsum([0, *(len(part.starts) for part in self._parts)])
        groups = np.concatenate(
            [part.group + offset for part, offset in zip(self._parts, offsets, strict=False)]
        )
        order = places[np.lexsort((places, -score[places]))]
        _, first = np.unique(groups[order], return_index=True)
        return order[first]


def _top(places: NDArray[np.intp], score: Numbers, limit: int) -> list[int]:
    """The best places and all that tie with the last of them."""
    if len(places) > limit:
        values = score[places]
        bar = np.partition(values, len(values) - limit)[len(values) - limit]
        places = places[values >= bar]
    return [int(place) for place in places]


class _Scale:
    """BM25 at one scale: of rows, of what is around them, or of whole threads."""

    def __init__(self, lengths: Sequence[Floats]) -> None:
        self._count = sum(len(one) for one in lengths)
        middle = float(np.mean(np.concatenate(lengths), dtype=np.float64)) or 1.0
        self._lengths = [
            (_SATURATION * (1 - _LENGTH + _LENGTH * one / middle)).astype(np.float32)
            for one in lengths
        ]
        self._sums = [np.zeros(len(one), dtype=np.float32) for one in lengths]

    def rarity_of(self, frequencies: Sequence[Floats]) -> float:
        """How rare a word is at this scale that the parts have so often."""
        having = sum(int(np.count_nonzero(one)) for one in frequencies)
        return math.log(1 + (self._count - having + 0.5) / (having + 0.5))

    def add(self, frequencies: Sequence[Floats], rarity: float) -> None:
        """Add a word that the parts have so often, and that is so rare."""
        gain = np.float32(rarity * (_SATURATION + 1))
        for total, frequency, length in zip(self._sums, frequencies, self._lengths, strict=True):
            total += gain * frequency / (frequency + length)

    def relative(self) -> list[Floats]:
        """Over the best: zero stays zero, for a word not there is not a word half there."""
        top = max(float(one.max()) for one in self._sums)
        return [one / np.float32(top) if top > 0 else one for one in self._sums]


# Matching by words alone: BM25 as the full-text index of SQLite reckons it.
_MATCH_SATURATION: Final = 1.2
_MATCH_LENGTH: Final = 0.75
_RARITY_OF_COMMON: Final = 1e-6  # of a word that half of all rows have
_BESIDE: Final = 2  # FTS5 counts the words for reader and kind with a row's own


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
        length = _MATCH_SATURATION * (1 - _MATCH_LENGTH + _MATCH_LENGTH * self._sizes / middle)
        self._scores += rarity * (frequency * (_MATCH_SATURATION + 1)) / (frequency + length)

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
