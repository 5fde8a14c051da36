"""Scoring: how well every row of some matrices fits a question, in a few passes over arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.node import Kind
from remanent.core.ports.index import Match, PassageFilter, Question, Vector, Weighed, Within
from remanent.stores.engine.vectors import (
    KIND_CODES,
    Arrangement,
    Floats,
    Label,
    Numbers,
    Shut,
    VectorMatrix,
)

Places = NDArray[np.intp]

_SATURATION: Final = 1.2  # of BM25: how soon a repeated word counts no more
_LENGTH: Final = 0.4  # of BM25: how much a long text is held against it
_MARGIN: Final = 1e-4  # more than a rough score can be off by
_PER_THREAD: Final = dict.fromkeys(("session", "session_dense"), np.float64)
_DECIMALS: Final = 9  # what is equal but for the order of a sum is equal


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
        self._marks: dict[str, Floats] = {}

    def best(
        self,
        askings: Sequence[Asking],
        *,
        limit: int,
        within: Within | None,
        passages: PassageFilter | None = None,
    ) -> list[Weighed]:
        """The best rows by the weighted sum of their signals; an entry on two shelves comes once.

        The first of `askings` is the question itself, the others are what else it is asked by.
        """
        if not self._parts or limit <= 0:
            return []
        signals = self._signals(askings)
        rough = self._rough(signals)
        if within:
            rough[~self._allowed(within)] = -np.inf
        if passages is not None:
            rough[~_joined([part.passing(passages) for part in self._parts])] = -np.inf
        if askings[0].unit is None:
            rough[signals["around"] <= 0] = -np.inf
        places = self._head(rough, limit * len(self._parts))
        exact = self._exact(signals, places)
        score = np.round(np.sum(list(exact.values()), axis=0), _DECIMALS)
        if self._question.one_each:
            kept = self._one_each(places, score)
            places, score = places[kept], score[kept]
            exact = {name: values[kept] for name, values in exact.items()}
        best = _top(score, limit * len(self._parts))
        weighed: dict[str, Weighed] = {}
        for one in self._weighed(places[best], score[best], exact, best):
            weighed.setdefault(one.key, one)
        return sorted(weighed.values(), key=lambda one: (-one.score, one.key))[:limit]

    def _weighed(
        self, places: Places, score: Numbers, exact: Mapping[str, Numbers], best: Places
    ) -> Iterator[Weighed]:
        names = list(exact)
        rows = np.stack([exact[name][best] for name in names], axis=1).tolist() if names else []
        ends = np.cumsum([len(part) for part in self._parts])
        numbers = np.searchsorted(ends, places, side="right").tolist()
        columns = (places, score, self._cosine[places], self._covered[places])
        told = zip(*(column.tolist() for column in columns), strict=True)
        for (place, total, cosine, covered), number, row in zip(told, numbers, rows, strict=True):
            part = self._parts[number]
            at = place - int(ends[number]) + len(part)
            label, day = part.label(at), float(part.days[at])
            yield Weighed(
                key=label.key,
                kind=label.kind,
                owner_key=label.owner_key,
                score=total,
                signals=dict(zip(names, row, strict=True)),
                day=None if math.isnan(day) else date.fromordinal(int(day)),
                cosine=cosine,
                covered=covered,
            )

    # -- signals ------------------------------------------------------------------------------

    def _rough(self, signals: Mapping[str, Numbers]) -> Floats:
        """The scores but for rounding."""
        rough = np.zeros(len(self._covered), dtype=np.float32)
        for name, values in signals.items():
            rough += np.float32(self._question.weights.get(name) or 0.0) * values
        for marks in self._question.marks.values():
            for mark, weight in marks.items():
                rough += np.float32(weight) * self._having(mark)
        return rough

    def _head(self, rough: Floats, limit: int) -> Places:
        """The places that may be among the best by their exact scores."""
        values = rough
        if self._question.one_each:
            offset, tops = 0, []
            for part in self._parts:
                tops.append(np.maximum.reduceat(rough[offset : offset + len(part)], part.starts))
                offset += len(part)
            values = np.concatenate(tops)
        bar = -np.inf
        if len(values) > limit:
            bar = np.partition(values, len(values) - limit)[len(values) - limit] - _MARGIN
        return np.flatnonzero(rough > bar)

    def _exact(self, signals: Mapping[str, Numbers], places: Places) -> dict[str, Numbers]:
        """What each signal comes to at these places, by its weight."""
        weights = self._question.weights
        exact = {
            name: np.round(
                weights[name] * values[places].astype(_PER_THREAD.get(name, values.dtype)),
                _DECIMALS,
            )
            for name, values in signals.items()
            if weights.get(name)
        }
        for name, marks in self._question.marks.items():
            exact[name] = np.zeros(len(places))
            for mark, weight in marks.items():
                exact[name] += weight * self._having(mark)[places]
        return exact

    def _having(self, mark: str) -> Floats:
        """How often each place has this mark."""
        if mark not in self._marks:
            found = [part.frequency(mark, mark=True) for part in self._parts]
            self._marks[mark] = _joined(found)
        return self._marks[mark]

    def _signals(self, askings: Sequence[Asking]) -> dict[str, Numbers]:
        others = [self._query_signals(one) for one in askings[1:]]
        signals = self._query_signals(askings[0])  # last: its cosines and words are those told
        for name in signals if others else ():
            if name != "dense":
                share = self._question.also_share
                known = [one[name] for one in others if name in one] or [signals[name]]
                best = np.max(known, axis=0).astype(_PER_THREAD.get(name, signals[name].dtype))
                signals[name] = (1 - share) * signals[name] + share * best
        signals |= self._time()
        if self._cold_from < len(self._covered):
            cold = np.arange(len(self._covered)) >= self._cold_from
            signals["cold"] = cold.astype(np.float64)
        return signals

    def _query_signals(self, asking: Asking) -> dict[str, Numbers]:
        signals = self._words(asking.stems)
        return signals if asking.unit is None else signals | self._meaning(asking.unit)

    def _words(self, stems: Sequence[str]) -> dict[str, Numbers]:
        """BM25 of each row alone, with what is around it, and of its whole thread."""
        parts, question = self._parts, self._question
        lent = [part.lent(question.aside, question.aside_share) for part in parts]
        own = _Scale([part.lengths for part in parts])
        around = _Scale([one.around for one in lent])
        whole = _Scale([one.whole for one in lent])
        self._covered, most = np.zeros_like(self._covered), 0.0
        for stem in stems:
            frequencies = [part.frequency(stem) for part in parts]
            rarity = own.add(frequencies)
            most += rarity
            if any(one.any() for one in frequencies):
                given = [one * its.shares for one, its in zip(frequencies, lent, strict=True)]
                triples = zip(parts, frequencies, given, strict=True)
                nearby = [part.around(one, its) for part, one, its in triples]
                around.add(nearby, rarity)
                self._covered[_joined(nearby) > 0] += rarity
                whole.add([part.whole(one) for part, one in zip(parts, given, strict=True)])
        if most:
            self._covered /= most
        return {
            "lexical": _joined(own.relative()),
            "around": _joined(around.relative()),
            "session": self._per_row(whole.relative()),
        }

    def _meaning(self, unit: Vector) -> dict[str, Numbers]:
        cosines = [part.cosines(unit) for part in self._parts]
        nearest = [
            part.shelf.pieces.nearest(unit, part.at, values)
            for part, values in zip(self._parts, cosines, strict=True)
        ]
        self._cosine = _joined(nearest)
        whole = best = self._rescaled(cosines)
        if any(one is not other for one, other in zip(cosines, nearest, strict=True)):
            best = self._rescaled(nearest)
        tops = [
            np.maximum.reduceat(values, part.starts)
            for part, values in zip(self._parts, best, strict=True)
        ]
        return {
            "dense": _joined(whole),
            "part": _joined(best),
            "session_dense": self._per_row(tops),
        }

    def _rescaled(self, cosines: Sequence[Floats]) -> list[Floats]:
        """Cosines with their margins: the best is 1, an average one 0, and none below -1.

        What has no vector is neither like nor unlike anything.
        """
        parts = list(zip(self._parts, cosines, strict=True))
        known = _joined([one if part.all_meant else one[part.meant] for part, one in parts])
        if not len(known):
            return [np.zeros_like(values) for values in cosines]
        middle, top = float(np.mean(known, dtype=np.float64)), float(known.max())
        span = top - middle or 1.0
        scaled = [np.maximum(-1.0, (values - middle) / span) for values in cosines]
        return [
            values if part.all_meant else np.where(part.meant, values, 0.0)
            for part, values in zip(self._parts, scaled, strict=True)
        ]

    def _time(self) -> dict[str, Numbers]:
        question = self._question
        signals: dict[str, Numbers] = {}
        if question.today is not None:
            today = question.today.toordinal()
            near = _joined([part.recent(today, question.fades_days) for part in self._parts])
            unknown = np.isnan(near)
            if unknown.any():
                middle = 0.0 if unknown.all() else float(near[~unknown].mean())
                near = np.where(unknown, middle, near)
            signals["recent"] = near
        if question.periods:
            days = _joined([part.days for part in self._parts])
            inside = np.zeros(len(days), dtype=np.bool_)
            for first, last in question.periods:
                inside |= (days >= first.toordinal()) & (days <= last.toordinal())
            signals["period"] = inside.astype(np.float64)
        return signals

    def _per_row(self, threads: Sequence[Floats]) -> Numbers:
        """What holds for a thread, for every row of it."""
        parts = zip(self._parts, threads, strict=True)
        return _joined([values[part.group] for part, values in parts])

    # -- choice -------------------------------------------------------------------------------

    def _allowed(self, within: Within) -> NDArray[np.bool_]:
        """What may be found; all of a thread is of one kind and leads to one owner."""
        allowed = []
        for part in self._parts:
            kinds, owners = part.owners
            kept = np.ones(len(kinds), dtype=np.bool_)
            for kind, keys in within.items():
                named = frozenset(keys)
                theirs = np.flatnonzero(kinds == KIND_CODES[kind])
                kept[theirs] = [owners[place] in named for place in theirs.tolist()]
            allowed.append(kept[part.group])
        return _joined(allowed)

    def _one_each(self, places: Places, score: Numbers) -> Places:
        """Of each thread the best of these places, by their numbers in the list."""
        offsets = np.cumsum([0, *(len(part.starts) for part in self._parts)])
        groups = _joined(
            [part.group + offset for part, offset in zip(self._parts, offsets, strict=False)]
        )[places]
        order = np.lexsort((places, -score))
        _, first = np.unique(groups[order], return_index=True)
        return order[first]


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One after the other; most have but one, which need not be copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _top(score: Numbers, limit: int) -> Places:
    """The places of the best and of all that tie with the last of them."""
    if len(score) <= limit:
        return np.arange(len(score))
    bar = np.partition(score, len(score) - limit)[len(score) - limit]
    return np.flatnonzero(score >= bar)


class _Scale:
    """BM25 at one scale: of rows, of what is around them, or of whole threads."""

    def __init__(self, lengths: Sequence[Floats]) -> None:
        self._count = sum(len(one) for one in lengths)
        self._lengths = lengths
        self._middle = float(np.mean(_joined(lengths), dtype=np.float64)) or 1.0
        self._sums = [np.zeros(len(one), dtype=np.float32) for one in lengths]

    def add(self, frequencies: Sequence[Floats], rarity: float | None = None) -> float:
        """Add a word that the parts have so often; gives how rare it is, here where nothing is said."""
        having = [np.flatnonzero(one) for one in frequencies]
        if rarity is None:
            count = sum(map(len, having))
            rarity = math.log(1 + (self._count - count + 0.5) / (count + 0.5))
        gain = np.float32(rarity * (_SATURATION + 1))
        parts = zip(self._sums, frequencies, self._lengths, having, strict=True)
        for total, frequency, lengths, places in parts:
            often = frequency[places]
            length = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[places] / self._middle)
            total[places] += gain * often / (often + length)
        return rarity

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
