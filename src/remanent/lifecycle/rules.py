"""Value of a source: what it is worth keeping for, above all what it alone still tells.

Sources are taken in order of what each adds to those taken before it. A thing that is told for the
first time counts in full, a second witness for a tenth, and so on; so the last in this order are those
that nobody would miss. Of several that tell the same, the newest is the one to keep.

Co-occurrence counts too, for a mind does not read every sentence: one that brings two names together, or a
name and a figure, or either with the speaker, most likely tells something of them: "ask Ann about Atlas".
Small talk hardly ever does, and says the same of the same people again and again.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from remanent.core.dataclasses import dataclass
from remanent.core.model.lifecycle_reports import SourceFact, SourceFactKind, SourceFacts

_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]+)*[.!?]?")
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.\s")
_NAME = re.compile(r"(?<![\w@])[A-Z][\w'’&-]*\w(?: (?:[A-Z&][\w'’-]*|\d+)(?!\w))*")
_FIGURE = re.compile(r"(?<![\w.])\+?\d[\d ,.:/-]*\d|(?<![\w.])\d\b")
_SELF = re.compile(r"\b(?:I|me|my|mine|we|us|our)\b", re.IGNORECASE)
_NO_NAMES = frozenset({
    "i", "i'm", "i've", "i'll", "i'd", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday",
})  # fmt: skip
_OPENERS = frozenset(
    ["ask", "call", "tell", "please", "note", "on", "at", "in", "for", "from", "by", "to", "with", "my", "our",
     "the", "a", "this", "that", "when", "if", "as", "and", "but", "so", "yes", "no", "thanks", "hi", "hey"]
)  # fmt: skip
_MOST = 20
_FEWEST = 2


def hints(text: str) -> set[str]:
    """For each sentence that states something, what it names, as one string; twenty at most."""
    plain = _TITLE.sub(r"\1 ", text)
    names: set[str] = set()
    for sentence in _SENTENCE.findall(plain):
        if len(names) >= _MOST:
            break
        if not sentence.rstrip().endswith("?"):
            named = _named(sentence.strip())
            if len(named) >= _FEWEST:
                names.add(" ".join(sorted(named)))
    return names


def _named(sentence: str) -> set[str]:
    named = {name.casefold() for name in _names(sentence)}
    figures = _FIGURE.findall(_NAME.sub(" ", sentence))
    named |= {re.sub(r"\W", "", one) for one in figures}
    return named | ({"me"} if named and _SELF.search(sentence) else set())


def _names(sentence: str) -> Iterator[str]:
    """Words in capitals; the first of the sentence only with another one behind it."""
    for match in _NAME.finditer(sentence):
        name = re.sub(r"['’]s?$", "", match[0])
        parts = name.split()
        if match.start() == 0 and len(parts) == 1 and not match[0].endswith(("'s", "’s")):
            continue
        if match.start() == 0 and parts[0].lower() in _OPENERS:
            name = " ".join(parts[1:])
        if name.casefold() not in _NO_NAMES:
            yield name


_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthRules:
    """How much what a source tells counts, and how little all else about it does."""

    belief: float = 1.0  # times confidence and how much it matters
    small_importance: int = 3  # beliefs that matter no more than this count for next to nothing
    unasked: float = 0.25  # of that, for a belief that nobody ever asked for
    relationship: float = 0.5  # times confidence
    note: float = 0.05
    mention: float = 0.05
    hint: float = 0.4  # for what a sentence names together, read or not
    again: float = 0.1  # of that, for every other source taken before that tells the same
    older: float = 0.8  # of that, for whoever tells what a newer source tells as well
    salience: float = 0.02
    accessed: float = 0.2  # for many accesses; half of it for one
    recent: float = 0.02  # of today; halved every `recent_days`
    recent_days: float = 90.0


class SourceValue(NamedTuple):
    """A source in the order of worth. `alone` counts what none taken before it tells, `told` all that
    it tells and that still holds, `fallen` what no longer does; mentions and hints are no part of these."""

    key: str
    started_at: datetime
    worth: float
    alone: int
    told: int
    fallen: int
    is_kept: bool


_DEFAULTS = WorthRules()
_REAL = frozenset({SourceFactKind.BELIEF, SourceFactKind.RELATIONSHIP, SourceFactKind.NOTE})


def allowed(every: int, *, keep_sources: int, keep_share: float) -> int:
    """How many of all sources may stay."""
    most = every if keep_share >= 1.0 else math.ceil(keep_share * every - 1e-9)
    return min(most, keep_sources) if keep_sources > 0 else most


def ordered(
    tellings: Iterable[SourceFacts], now: datetime, rules: WorthRules = _DEFAULTS
) -> Iterator[SourceValue]:
    """All sources, the most worth keeping first: those that are pinned or not read yet; those that
    add most to what was told before; at last those of which nothing they said still holds."""
    crowd = _Crowd(now, rules)
    for one in tellings:
        crowd.add(one)
    yield from crowd.taken()


def why(one: SourceValue) -> str:
    """Why a source stands where it does, in words."""
    if one.is_kept:
        return "it is pinned, or not read yet"
    if one.fallen and not one.told:
        return f"nothing it said still holds ({_counted(one.fallen, 'thing')} superseded)"
    if not one.told:
        return "nothing was learned from it"
    if not one.alone:
        what = "all it tells" if one.told > 1 else "what it tells"
        return f"{what} is told by others as well ({_counted(one.told, 'thing')})"
    hold = "holds" if one.alone == 1 else "hold"
    return f"it alone tells {_counted(one.alone, 'thing')} that still {hold}"


class _Crowd:
    """All sources by number, with no more of each than the order needs.

    What only one source tells is added up at once; only what several tell has to be looked at again.
    """

    def __init__(self, now: datetime, rules: WorthRules) -> None:
        self._now = now
        self._rules = rules
        self._sources: list[tuple[str, datetime, bool, bool]] = []  # key, time, kept, superseded
        self._own: list[float] = []
        self._alone: list[int] = []
        self._numbers: list[tuple[int, int]] = []  # told and fallen
        self._first: dict[str, tuple[int, float, bool]] = {}  # whoever told a thing first
        self._shared: dict[int, list[tuple[str, float, bool]]] = {}
        self._times: dict[str, int] = {}
        self._newest: dict[str, datetime] = {}  # of what several tell, when it was told last

    def add(self, one: SourceFacts) -> None:
        number = len(self._sources)
        real = sum(statement.sort in _REAL for statement in one.told)
        kept = one.is_pinned or not one.is_settled
        self._sources.append((one.key, one.started_at, kept, bool(one.fallen and not real)))
        self._own.append(self._aside(one))
        self._alone.append(0)
        self._numbers.append((real, one.fallen))
        for statement in one.told:
            self._tell(number, statement)

    def _tell(self, number: int, fact: SourceFact) -> None:
        weight, is_real = self._weight(fact), fact.sort in _REAL
        thing = fact.thing
        if thing in self._times:
            self._share(number, thing, weight, is_real=is_real)
        elif thing in self._first:
            before, its, was_real = self._first.pop(thing)
            self._own[before] -= its
            self._alone[before] -= was_real
            self._times[thing] = 0
            self._share(before, thing, its, is_real=was_real)
            self._share(number, thing, weight, is_real=is_real)
        else:
            self._first[thing] = (number, weight, is_real)
            self._own[number] += weight
            self._alone[number] += is_real

    def _share(self, number: int, thing: str, weight: float, *, is_real: bool) -> None:
        self._shared.setdefault(number, []).append((thing, weight, is_real))
        at = self._sources[number][1]
        self._newest[thing] = max(at, self._newest.get(thing, at))

    def _weight(self, fact: SourceFact) -> float:
        rules = self._rules
        match fact.sort:
            case SourceFactKind.BELIEF:
                used = 1.0 if fact.was_asked_for else rules.unasked
                return rules.belief * used * fact.confidence * self._matters(fact.importance)
            case SourceFactKind.RELATIONSHIP:
                return rules.relationship * fact.confidence
            case SourceFactKind.NOTE:
                return rules.note
            case SourceFactKind.HINT:
                return rules.hint
            case _:
                return rules.mention

    def _matters(self, importance: float) -> float:
        """From a half to one for facts: two small ones are more to lose than a great one; a chore is
        hardly anything."""
        part = importance / 20.0
        return part if importance <= self._rules.small_importance else 0.5 + part

    def _aside(self, one: SourceFacts) -> float:
        """What it is worth whatever others tell."""
        rules = self._rules
        days = max(0.0, (self._now - one.started_at).total_seconds() / _DAY_S)
        recent = 0.5 ** (days / rules.recent_days) if rules.recent_days > 0 else 0.0
        used = one.access_count / (1.0 + one.access_count)
        return rules.salience * one.salience + rules.accessed * used + rules.recent * recent

    def taken(self) -> Iterator[SourceValue]:
        """One after the other, the one that adds most first; equals in order of key."""
        self._first.clear()
        by_rank: tuple[list[int], list[int], list[int]] = ([], [], [])
        for number, (_, _, kept, superseded) in enumerate(self._sources):
            by_rank[0 if kept else 2 if superseded else 1].append(number)
        for numbers in by_rank:
            yield from self._greedily(numbers)

    def _greedily(self, numbers: Sequence[int]) -> Iterator[SourceValue]:
        # What a source adds only shrinks while others are taken, so a stale figure is an upper bound:
        # whoever is still ahead of all others with a fresh one is the best there is.
        heap = [(-self._gain(one), self._sources[one][0], one) for one in numbers]
        heapq.heapify(heap)
        while heap:
            stale, key, number = heap[0]
            gain = self._gain(number)
            if gain < -stale:
                heapq.heapreplace(heap, (-gain, key, number))
                continue
            heapq.heappop(heap)
            yield self._take(number, gain)

    def _gain(self, number: int) -> float:
        again, times = self._rules.again, self._times
        shared = self._shared.get(number, ())
        at = self._sources[number][1]
        added = math.fsum(
            w * again ** times[thing] * (1.0 if at >= self._newest[thing] else self._rules.older)
            for thing, w, _ in shared
        )
        return round(self._own[number] + added, 9)  # in whatever order it was added up

    def _take(self, number: int, gain: float) -> SourceValue:
        key, started_at, kept, _ = self._sources[number]
        alone = self._alone[number]
        for thing, _, is_real in self._shared.get(number, ()):
            alone += is_real and not self._times[thing]
            self._times[thing] += 1
        derived, fallen = self._numbers[number]
        return SourceValue(key, started_at, gain, alone, derived, fallen, kept)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
