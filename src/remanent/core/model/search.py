"""What search and recall hand back.

The request of a search: a query and its filters, as given and as checked.

Asking: whether a message needs memory, and the ways to put a question to it.

What a query gives back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from remanent.core.model.belief import Authority, Belief
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.source import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a score: how much, and the how many best it is by that alone."""

    name: str
    words: str
    value: float
    rank: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something stands where it stands in an answer, or why it is not in it.

    `rank` counts from 1 among all that pass the filters; `parts` are those of its score, `against`
    those of the last hit that was returned in its stead; `state` is how it is with the memory itself.
    """

    key: str
    reason: str
    returned: bool
    rank: int | None = None
    score: float | None = None
    parts: tuple[Part, ...] = ()
    against: tuple[Part, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One line of an answer: what was found, how well it fits, and where it was said.

    `source_key` is the source it can be read in, `ref` the caller's own id of the turn; `signals`
    are the parts of the score. `holds` says whether it is still so (None: not known, or disputed);
    `superseded_by` and `superseded_at` name what came in its place, and when. `cursor` is where to go on.
    """

    key: str
    kind: Kind
    text: str
    score: float
    source_key: str | None = None
    ref: str | None = None
    at: datetime | None = None
    speaker: str | None = None
    title: str = ""
    signals: Mapping[str, float] = field(default_factory=dict)
    holds: bool | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    cursor: str = ""
    explanation: Explanation | None = None


class Hits(list[Hit]):
    """Hits, best first. `reason` says why there are none; `next` is where the next page begins."""

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        reason: str = "",
        next: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(hits)
        self.reason = reason
        self.next = next


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPart:
    """One part of a score: `points` are its value by its weight, `said` tells it in words."""

    name: str
    value: float
    weight: float
    points: float
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A belief that came to mind, and how strongly.

    `parts` explain the score, when asked; `through` is the belief whose neighbour brought it.
    """

    belief: Belief
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[RecallPart, ...] = ()
    through: str | None = None

    @property
    def authority(self) -> Authority:
        """Who says so."""
        return self.belief.authority

    @property
    def disputes(self) -> str | None:
        """The asserted belief that this inference speaks against."""
        return self.belief.disputes

    @property
    def statement(self) -> str:
        return self.belief.statement


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSearchRequest:
    """A query and its filters as the caller gave them, not checked yet."""

    query: str
    kinds: Sequence[str | Kind] = ()
    since: datetime | None = None
    until: datetime | None = None
    types: Sequence[str] = ()
    team: str | None = None
    speaker: str | None = None
    not_speaker: str | None = None
    anchor: str | None = None
    states: Sequence[str | State] = ()
    sensitivity: Sequence[str | Sensitivity] = ()
    include_archived: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search request that was checked. No value means no such filter.

    `speaker` is a canonical name and `also` what else that person is called; so are `not_speaker`, who
    must not have said it, and `not_also`. `about` are the nodes
    that concern the anchor asked for: itself, sources, beliefs and stories.
    """

    query: str
    kinds: tuple[Kind, ...]
    since: datetime | None = None
    until: datetime | None = None
    types: frozenset[str] = frozenset()
    team: str | None = None
    speaker: str | None = None
    also: frozenset[str] = frozenset()
    not_speaker: str | None = None
    not_also: frozenset[str] = frozenset()
    anchor: str | None = None
    about: frozenset[str] | None = None
    states: frozenset[State] = frozenset()
    sensitivity: frozenset[Sensitivity] = frozenset()
    include_archived: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def is_past(self) -> bool:
        """Whether it asks about another time than now."""
        return self.as_of is not None or self.known_at is not None

    @property
    def wakes_archived(self) -> bool:
        """Whether archived memories are looked through, which counts as access (SPEC 12.11)."""
        return self.include_archived or State.ARCHIVED in self.states

    @property
    def narrows_sources(self) -> bool:
        """Whether some sources cannot answer, so that it pays to know beforehand which can."""
        given = (self.since, self.until, self.team, self.speaker, self.as_of, self.known_at)
        lists = (self.types, self.sensitivity, self.states)
        return any(one is not None for one in given) or any(lists) or self.about is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Whether a message can only be answered well out of memory, and why, in words.

    `is_sure` is False where the signs are weak or pull both ways.
    """

    needs_search: bool
    reasons: tuple[str, ...] = ()
    is_sure: bool = True


class Mode(StrEnum):
    """How much a search may cost: one phrasing, or several."""

    FAST = "fast"
    DEEP = "deep"


class Way(StrEnum):
    """How a phrasing came about."""

    ASKED = "asked"  # the words of the caller
    FOLLOWED = "followed"  # what the conversation left out is filled in
    EXPANDED = "expanded"  # abbreviations are written out
    REWORDED = "reworded"  # the same question in other words
    STEP_BACK = "step_back"  # a wider question


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasing:
    text: str
    way: Way


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrasings:
    """One question in all the ways it is put. The first one is what the caller meant, said in full."""

    query: str
    phrasings: tuple[Phrasing, ...]

    @property
    def best(self) -> str:
        """The one to search by when there is time for one only."""
        return self.phrasings[0].text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rephrased:
    """Other words for a question, best first, and a wider question (empty: there is none)."""

    phrasings: tuple[str, ...] = ()
    step_back: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abbreviation:
    """A short form and what it stands for; `is_learned` out of a source, not set by the user."""

    short: str
    long: str
    is_learned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A table of plain JSON values.

    `truncated` when there was more than was asked for; `notices` say what the query asked for and
    can never be there.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    notices: tuple[str, ...] = ()

    @property
    def records(self) -> list[dict[str, Any]]:
        """Each row as a map of its columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
