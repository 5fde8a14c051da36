"""Scoring: how well every row of some matrices fits a question, in a few passes over arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.index import (
    Few,
    PassageFilter,
    Question,
    Vector,
    Weighed,
    Within,
)
from remanent.stores.engine.planes import Floats, Numbers
from remanent.stores.engine.planes import Rows as Places
from remanent.stores.engine.postings import Found, Having, Scale
from remanent.stores.engine.vectors import STEPS, Arrangement, Label

Values = NDArray[Any]  # of a signal, one for each place
Signals = Mapping[str, Values]

_MARGIN: Final = 1e-4  # more than a rough score can be off by, but for the slack of its cosines
_BY_MEANING: Final = ("dense", "part", "session_dense")
_PER_THREAD: Final = dict.fromkeys(("session", "session_dense"), np.float64)
_CELLS: Final = 1 << 18  # of words by places that are reckoned at once
_DECIMALS: Final = 9  # what is equal but for the order of a sum is equal


class Asking(NamedTuple):
    """A question, or a part of one: its stems, and its vector of length one."""

    stems: Sequence[str]
    unit: Vector | None


class _Fit(NamedTuple):
    """How well places, or threads, fit one asking: by their words, by how many of them, and by meaning."""

    words: Signals
    covered: Numbers
    meaning: _Meaning | None

    def signals(self) -> dict[str, Values]:
        return {**self.words, **(self.meaning.signals() if self.meaning else {})}

    def exact(self, places: Places, threads: Places) -> dict[str, Values]:
        """At these places, which are in these threads."""
        meant = self.meaning.exact(places, threads) if self.meaning else {}
        words = self.words.items()
        said = {name: all_[threads if name in _PER_THREAD else places] for name, all_ in words}
        return {**said, **meant}


class Weighing:
    """One question put to the rows of several shelves at once. What they are worth to it is reckoned once,
    however often the best are asked for."""

    def __init__(
        self,
        hot: Sequence[Arrangement],
        cold: Sequence[Arrangement],
        question: Question,
        asking: Callable[[str, Vector | None], Asking],
    ) -> None:
        """What it is asked by is parsed by `asking`, and only if there are rows to ask."""
        self._parts = [part for part in (*hot, *cold) if len(part)]
        self._cold_from = sum(map(len, hot))
        self._size = sum(map(len, self._parts))
        self._ends = np.cumsum([len(part) for part in self._parts])
        self._question, self._asking = question, asking

    def best(
        self,
        *,
        limit: int | Few,
        within: Within | None,
        passages: PassageFilter | None = None,
    ) -> list[Weighed]:
        """The best rows by the weighted sum of their signals; an entry on two shelves comes once."""
        few, limit = (limit, limit.of) if isinstance(limit, Few) else (None, limit)
        if not self._parts or limit <= 0:
            return []
        rough, margin, fits = self._weighed_roughly
        if within or passages is not None:
            rough = rough.copy()
        if within:
            inside = [part.shelf.inside(part.rows, within) for part in self._parts]
            rough[~_joined(inside)] = -np.inf
        if passages is not None:
            rough[~_joined([part.passing(passages) for part in self._parts])] = -np.inf
        places = self._head(rough, limit * len(self._parts), margin)
        threads = self.group[places]
        found = self._together([one.exact(places, threads) for one in fits])
        found |= {name: values[places] for name, values in self._apart.items()}
        exact = self._exact(found, places)
        score = np.sum(list(exact.values()), axis=0).round(_DECIMALS)
        if self._question.one_each:
            kept = self._one_each(places, score)
            places, score = places[kept], score[kept]
            exact = {name: values[kept] for name, values in exact.items()}
        best = _top(score, limit * len(self._parts))
        if few is not None and len(self._parts) == 1:  # what is on two is known by its key alone
            best = best[self._among(few, places[best], score[best])]
        exact = {name: values[best] for name, values in exact.items()}
        weighed: dict[str, Weighed] = {}
        for one in self._weighed(fits[0], places[best], score[best], exact):
            weighed.setdefault(one.key, one)
        return sorted(weighed.values(), key=lambda one: (-one.score, one.key))[:limit]

    def _among(self, few: Few, places: Places, score: Numbers) -> NDArray[np.bool_]:
        """Which of these places, so good, are given: to tell all about them is the dear part."""
        (part,) = self._parts
        among = part.shelf.named(part.rows[places], few.named)
        among[_top(score, few.first)] = True
        return among

    def _weighed(
        self, fit: _Fit, places: Places, score: Numbers, exact: Signals
    ) -> Iterator[Weighed]:
        names, labels, days = list(exact), list[Label](), list[float]()
        for part, end in zip(self._parts, self._ends.tolist(), strict=True):
            at = places[(places >= end - len(part)) & (places < end)] - (end - len(part))
            labels += part.shelf.labels_of(part.rows[at])  # places follow one another part by part
            days += part.days[at].tolist()
        rows = np.stack(list(exact.values()), axis=1).tolist() if names else []
        cosine = np.zeros(len(places)) if fit.meaning is None else fit.meaning.cosine(places)
        columns = (column.tolist() for column in (score, cosine, fit.covered[places]))
        for label, day, total, near, covered, row in zip(labels, days, *columns, rows, strict=True):
            yield Weighed(
                label.key,
                label.kind,
                label.owner_key,
                total,
                dict(zip(names, row, strict=True)),
                None if math.isnan(day) else date.fromordinal(int(day)),
                near,
                covered,
            )

    # -- signals ------------------------------------------------------------------------------

    @cached_property
    def _weighed_roughly(self) -> tuple[Floats, float, list[_Fit]]:
        """The rough scores of all, how far below the bar one may be of what is above it, and of what they are."""
        asked = [(self._question.text, self._question.vector), *self._question.also]
        fits = [self._fit(self._asking(*one)) for one in asked]
        signals = self._together([one.signals() for one in fits]) | self._apart
        rough = self._rough(signals)
        if self._question.vector is None:
            rough[signals["around"] <= 0] = -np.inf
        return rough, self._margin(fits), fits

    def _rough(self, signals: Signals) -> Floats:
        """The scores but for rounding, and for the slack of cosines."""
        rough = np.zeros(self._size, dtype=np.float32)
        threads = np.zeros(len(self.starts), dtype=np.float32)
        for name, values in signals.items():
            weight = self._question.weights.get(name)
            if weight:
                total = threads if name in _PER_THREAD else rough
                total += np.float32(weight) * values
        rough += threads[self.group]
        for marks in self._marked.values():
            for weight, (places, often) in marks:
                rough[places] += np.float32(weight) * often
        return rough

    def _margin(self, fits: Sequence[_Fit]) -> float:
        """How far below the bar a rough score may be of what is above it: both are off."""
        weight = sum(self._question.weights.get(name) or 0.0 for name in _BY_MEANING)
        slack = max((one.meaning.slack for one in fits if one.meaning), default=0.0)
        return _MARGIN + 2 * weight * slack

    def _head(self, rough: Floats, limit: int, margin: float) -> Places:
        """The places that may be among the best by their exact scores."""
        tops = np.maximum.reduceat(rough, self.starts) if self._question.one_each else rough
        values = tops[tops > -np.inf]  # dividing many that are equal takes long
        bar = -np.inf
        if len(values) > limit:
            bar = np.partition(values, len(values) - limit)[len(values) - limit] - margin
        places = np.flatnonzero(rough > bar)
        if tops is rough:
            return places
        return places[rough[places] >= tops[self.group[places]] - margin]  # the best of a thread

    def _exact(self, signals: Signals, places: Places) -> dict[str, Values]:
        """What each signal comes to at these places, by its weight."""
        weights = self._question.weights
        exact = {
            name: (weights[name] * values.astype(_PER_THREAD.get(name, values.dtype))).round(
                _DECIMALS
            )
            for name, values in signals.items()
            if weights.get(name)
        }
        total = np.zeros(self._size)
        for name, marks in self._marked.items():
            for weight, (having, often) in marks:
                total[having] += weight * often
            exact[name] = total[places]
            for _, (having, _) in marks:
                total[having] = 0.0
        return exact

    @cached_property
    def _marked(self) -> dict[str, list[tuple[float, Having]]]:
        """The marks that add to each further signal: how much, and where they are."""
        return {
            name: [(weight, self._having(mark, mark=True)) for mark, weight in marks.items()]
            for name, marks in self._question.marks.items()
        }

    def _having(self, word: str, *, mark: bool = False) -> Having:
        """The places that have this word, or mark, and how often."""
        found = [part.having(word, mark=mark) for part in self._parts]
        if len(found) == 1:
            return found[0]
        places = self._counted_on([one.places for one in found], of="rows")
        return Having(places, _joined([one.often for one in found]))

    def _together(self, fits: Sequence[dict[str, Values]]) -> dict[str, Values]:
        """The signals of a question that is also asked by others."""
        signals, *others = fits
        for name in signals if others else ():
            if name != "dense":
                share = self._question.also_share
                known = [one[name] for one in others if name in one] or [signals[name]]
                best = np.max(known, axis=0).astype(_PER_THREAD.get(name, signals[name].dtype))
                signals[name] = (1 - share) * signals[name] + share * best
        return signals

    def _fit(self, asking: Asking) -> _Fit:
        words, covered = self._words(asking.stems)
        meaning = None if asking.unit is None else _Meaning(self, self._parts, asking.unit)
        return _Fit(words, covered, meaning)

    def _words(self, stems: Sequence[str]) -> tuple[dict[str, Values], Numbers]:
        """BM25 of each row alone, with what is around it, and of its whole thread; and how much of the
        words, by their rarity, stands in it or around it."""
        parts, question = self._parts, self._question
        lent = [part.lent(question.aside, question.aside_share) for part in parts]
        own = Scale(_joined([part.lengths for part in parts]))
        around = Scale(_joined([one.around for one in lent]))
        whole = Scale(_joined([one.whole for one in lent]))
        shares = _joined([one.shares for one in lent])
        covered, most = np.zeros(self._size), 0.0
        room = max(1, _CELLS // max(1, self._size))
        for first in range(0, len(stems), room):
            some = [self._having(one) for one in stems[first : first + room]]
            found = Found.of(some)
            given = found.often * shares[found.places]
            nearby = self._around(found, given)
            rarities = own.add(found)
            around.add(nearby, rarities)
            np.add.at(covered, nearby.places, np.array(rarities)[nearby.words])
            whole.add(self._whole(found, given))
            for rarity in rarities:
                most += rarity
        if most:
            covered /= most
        signals = {
            "lexical": own.relative(),
            "around": around.relative(),
            "session": whole.relative(),
        }
        return signals, covered

    def _around(self, found: Found, lent: Floats) -> Found:
        """What places have themselves, and what those a few places before and after them lend."""
        total = np.zeros(found.asked * self._size, dtype=np.float32)
        at = found.words * self._size + found.places
        total[at] = found.often
        for step in STEPS:
            reaches = _joined([part.reaches[step] for part in self._parts])[found.places]
            total[at[reaches] + step] += lent[reaches]
        return Found.dense(total, found.asked)

    def _whole(self, found: Found, given: Floats) -> Found:
        """What the threads of these places come to."""
        threads = len(self.starts)
        total = np.zeros(found.asked * threads, dtype=np.float32)
        np.add.at(total, found.words * threads + self.group[found.places], given)
        return Found.dense(total, found.asked)

    @cached_property
    def _apart(self) -> dict[str, Values]:
        """What has to do with no word and no meaning."""
        question = self._question
        signals: dict[str, Values] = {}
        if question.today is not None and question.weights.get("recent"):
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
        if self._cold_from < self._size:
            signals["cold"] = (np.arange(self._size) >= self._cold_from).astype(np.float64)
        return signals

    # -- threads ------------------------------------------------------------------------------

    @cached_property
    def group(self) -> Places:
        """Of each place the number of its thread."""
        return self._counted_on([part.group for part in self._parts], of="starts")

    @cached_property
    def starts(self) -> Places:
        """The first place of each thread."""
        return self._counted_on([part.starts for part in self._parts], of="rows")

    def _counted_on(self, numbers: Sequence[Places], *, of: str) -> Places:
        """These of each part, counted on from the part before it."""
        sizes = [len(getattr(part, of)) for part in self._parts]
        begins = np.cumsum([0, *sizes[:-1]]).tolist()
        pairs = zip(numbers, begins, strict=True)
        return _joined([one + begin if begin else one for one, begin in pairs])

    # -- choice -------------------------------------------------------------------------------

    def _one_each(self, places: Places, score: Numbers) -> Places:
        """Of each thread the best of these places, by their numbers in the list."""
        order = np.lexsort((places, -score))
        _, first = np.unique(self.group[places][order], return_index=True)
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


class _Meaning:
    """How near every place is to a vector: roughly where there are many, then exactly where it counts."""

    def __init__(self, weighing: Weighing, parts: Sequence[Arrangement], unit: Vector) -> None:
        self._starts = weighing.starts
        self._parts, self._unit = parts, unit
        whole = [part.shelf.cosines(unit, part.rows) for part in parts]
        pairs = zip(parts, whole, strict=True)
        near = [part.shelf.pieces.nearest(unit, part.at, one) for part, one in pairs]
        all_meant = all(part.all_meant for part in parts)
        self._meant = None if all_meant else _joined([part.meant for part in parts])
        self._whole = self._near = _Level(_joined([one.values for one in whole]), self._meant)
        if any(part.shelf.pieces.chunks for part in parts):
            self._near = _Level(_joined([one.values for one in near]), self._meant)
        self._tops = np.maximum.reduceat(self._near.values, self._starts)  # the best of each thread
        self._slack = max(one.slack for one in near)

    @property
    def slack(self) -> float:
        """How far its signals may be off, at first."""
        return self._slack / min(self._whole.span, self._near.span)

    def signals(self) -> dict[str, Values]:
        """Cosines with their margins: the best is 1, an average one 0, and none below -1.

        What has no vector is neither like nor unlike anything.
        """
        whole = best = self._whole.scaled(self._whole.values)
        if self._near is not self._whole:
            best = self._near.scaled(self._near.values)
        return {"dense": whole, "part": best, "session_dense": self._near.scaled(self._tops)}

    def exact(self, places: Places, threads: Places) -> dict[str, Values]:
        """The same at these places, which are in these threads, exactly."""
        if self._slack:
            self._sharpen(places, np.flatnonzero(np.bincount(threads)))
        return {
            "dense": self._whole.scaled(self._whole.values[places]),
            "part": self._near.scaled(self._near.values[places]),
            "session_dense": self._near.scaled(self._tops[threads]),
        }

    def cosine(self, places: Places) -> Floats:
        """Those of the nearest meaning at these places, after `exact`."""
        values = self._near.values[places]
        return values if self._meant is None else np.where(self._meant[places], values, 0.0)

    def _sharpen(self, places: Places, threads: Places) -> None:
        """Put exact cosines where they count: at these places, and where the best of all and of their
        threads may be."""
        near, reach = self._near.values, 2 * self._slack
        sizes = np.append(self._starts, len(near))[threads + 1] - self._starts[threads]
        firsts = np.cumsum(sizes) - sizes
        inside = np.arange(sizes.sum()) + np.repeat(self._starts[threads] - firsts, sizes)
        nearest = near[inside] >= np.repeat(self._tops[threads] - reach, sizes)
        wanted = np.zeros(len(near), dtype=np.bool_)
        for level in {self._whole, self._near}:
            wanted |= level.values >= level.values.max() - reach
        wanted[inside[nearest]] = wanted[places] = True
        if self._meant is not None:
            wanted &= self._meant
        begin = 0
        for part in self._parts:
            chosen = np.flatnonzero(wanted[begin : begin + len(part)])
            chosen = chosen[np.argsort(part.rows[chosen])]
            rows = part.rows[chosen]
            exact = part.shelf.planes.exact(self._unit, rows)
            self._whole.values[begin + chosen] = exact
            if self._near is not self._whole:
                exact = part.shelf.pieces.exact(self._unit, rows, exact)
                self._near.values[begin + chosen] = exact
            begin += len(part)
        self._tops[threads] = np.maximum.reduceat(near[inside], firsts)


class _Level:
    """Cosines, and what is an average one and the best of those that are known; the others are average."""

    def __init__(self, values: Floats, meant: NDArray[np.bool_] | None) -> None:
        known = values if meant is None else values[meant]
        self.values = values
        self._middle = float(known.sum(dtype=np.float64)) / len(known) if len(known) else 0.0
        if meant is not None:
            self.values[~meant] = self._middle

    @property
    def span(self) -> float:
        return float(self.values.max()) - self._middle or 1.0

    def scaled(self, values: Floats) -> Values:
        scaled: Values = np.maximum(-1.0, (values - self._middle) / self.span)
        return scaled
