"""The index: finds by words and by meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any  # numpy takes longer to load than many a command

Within = Mapping[Kind, Collection[str]]  # of a kind named here, only what leads to these owners


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is findable about one node or passage. `owner_key` is the node it leads to; `marks` are
    words without blanks that a question may set a weight on, `day` is when it was said, and `parts`
    are the vectors of the parts of a long text."""

    key: str
    kind: Kind
    owner_key: str
    text: str
    vector: Vector | None
    readers: tuple[str, ...]
    team: str | None = None
    marks: frozenset[str] = frozenset()
    day: date | None = None
    parts: Sequence[Vector] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """One thing found. `score` is larger for better; only its order and ratios within one list count."""

    key: str
    kind: Kind
    owner_key: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What entries are weighed by: words, meaning, time and marks, each with how much it counts.

    `weights` are those of `lexical` (the words of the entry itself), `around` (with the two passages
    before and after it), `session` (with all passages of its source), `dense` (its meaning), `part`
    (the nearest meaning of its parts or the whole), `session_dense` (the nearest of all in its source),
    `recent` (its day is near `today`: a half after `fades_days`), `period` (its day lies in one of
    the `periods`, ends included) and `cold` (it is of an archived source). `marks` gives for each further signal the marks that add to it, and
    how much. With `one_each` only the best passage of a source is found.

    In `around` and `session`, what has the mark `aside` lends only `aside_share` of its words.

    A question that compares several things can be asked by each of them `also`: `also_share` of the
    signals of words and meaning, but for `dense`, is then that of the one that fits best.
    """

    text: str
    vector: Vector | None
    weights: Mapping[str, float]
    marks: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    today: date | None = None
    fades_days: float = 14.0
    periods: Sequence[tuple[date, date]] = ()
    aside: str = ""
    aside_share: float = 1.0
    one_each: bool = False
    also: Sequence[tuple[str, Vector | None]] = ()
    also_share: float = 0.5
    # What an index looked up for it, and for all that is made of it; and what it made of it itself.
    seen: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    made: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)


class PassageFilter(NamedTuple):
    """What a source or passage must be to be found: its days reach into `first` to `last`, ends
    included, and of a passage that `by` lets those through who said it: its speaker, or nobody."""

    first: date | None = None
    last: date | None = None
    by: Callable[[Sequence[str]], bool] | None = None


class Few(NamedTuple):
    """Of the best `of`, no more need be given than the `first` and those that are `named`: an entry by its
    key, or whatever leads to an owner. They are what they are among all."""

    of: int
    first: int
    named: Collection[str] = ()


class Weighed(NamedTuple):
    """One thing and its score, which is the sum of its signals.

    `cosine` is that of its nearest meaning, `covered` how much of the question's words, by their rarity,
    stands in it or around it, from 0 to 1: unlike signals they can be compared between questions.
    """

    key: str
    kind: Kind
    owner_key: str
    score: float
    signals: Mapping[str, float]
    day: date | None = None
    cosine: float = 0.0
    covered: float = 0.0


class Index(Protocol):
    def put(self, entries: Sequence[Entry]) -> None:
        """Make these findable at once, in the place of earlier entries with their keys.

        A vector of another length than the memory's is refused with `EmbedderError`.
        """

    def remove(self, keys: Sequence[str]) -> None:
        """Make these unfindable; unknown keys are no error."""

    def near(
        self,
        scope: Scope,
        vector: Vector,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
        least: float = -math.inf,
    ) -> list[Match]:
        """The nearest visible entries by cosine (exact), best first; ties in order of key. Archived
        sources and their passages are none of them, nor is what is less near than `least`.

        `within` is a filter before the limit, not after it: what lies deep is found as well.
        """

    def match(
        self,
        scope: Scope,
        text: str,
        *,
        kinds: Sequence[Kind],
        limit: int,
        within: Within | None = None,
        unmeant: bool = False,
    ) -> list[Match]:
        """Visible entries that share a stemmed word with `text`, by BM25, best first. Any text is a
        legal query: nothing in it is an operator. `within` as for `near`; of what is `unmeant`, those
        alone that have no vector."""

    def weigh(
        self,
        scope: Scope,
        question: Question,
        *,
        kinds: Sequence[Kind],
        limit: int | Few,
        within: Within | None = None,
        passages: PassageFilter | None = None,
        cold: bool = False,
    ) -> list[Weighed]:
        """The best visible entries by the sum of their signals, best first, ties in order of key.

        Words are stemmed and weighed by BM25 over the best one found, so that their margins stay;
        meaning is 1 for the nearest, 0 for an average entry, and at least -1. What has no day counts as
        an average one in `recent`. All that is visible and of these kinds is weighed, so neither `limit`
        nor `within` nor `passages` changes a score. Without a vector, only what shares a word, itself or around it, is
        found. Archived sources and their passages lie apart, and are weighed with the rest when `cold`.
        """

    def expect(self, scope: Scope) -> None:
        """The caller will ask as soon as one other thing has been read: where a journey costs more than what is
        read, what the answer starts from comes along with it. No promise is broken by not asking."""

    def cold_days(self, scope: Scope, question: Question | None = None) -> tuple[date, date] | None:
        """The first and the last day of the visible archived sources; None if there are none. Whoever has
        a `question` in hand says so: what was looked up for it need not be looked up again."""

    def vectors(self, scope: Scope, keys: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors of these visible entries."""
