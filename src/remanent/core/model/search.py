"""Searching: hits and why they are hits, the request of a search with its filters, the phrasings of a
question, and the rows of a Cypher query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, TypeVar

from remanent.core import checks
from remanent.core.dataclasses import dataclass, field, fields, replace
from remanent.core.model.belief import Authority, Belief, BeliefType
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, Sensitivity, SourceType
from remanent.errors import InvalidInput


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
    `contributed_by` is the id of whoever contributed it, where that was not the user. `cold` says that
    it was archived when it was found.
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
    cold: bool = False
    contributed_by: str | None = field(default=None, metadata={"sparse": True})


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
    def contributed_by(self) -> str | None:
        """Who gave it, where the user did not."""
        return self.belief.contributed_by

    @property
    def disputes(self) -> str | None:
        """The asserted belief that this inference speaks against."""
        return self.belief.disputes

    @property
    def statement(self) -> str:
        return self.belief.statement


# --- the request -------------------------------------------------------------------------------

TYPES: Final = tuple(
    dict.fromkeys(one.value for kind in (SourceType, ContentType, BeliefType) for one in kind)
)
Option = TypeVar("Option", bound=StrEnum)
Check = Callable[[str, Any], Any]  # takes the name of a field and its value


def _listed(field: str, values: object) -> Sequence[object]:
    if isinstance(values, str) or not isinstance(values, (Sequence, frozenset, set)):
        raise InvalidInput(field, f"must be a list, not {type(values).__name__}")
    return list(values)


def _choices(options: type[Option]) -> Check:
    """Each of the values is one of these options."""

    def check(field: str, values: object) -> tuple[Option, ...]:
        given = _listed(field, values)
        return tuple(dict.fromkeys(checks.choice(field, options, value) for value in given))

    return check


def _types(field: str, values: object) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(str(value) for value in _listed(field, values)))
    for value in given:
        if value not in TYPES:
            raise InvalidInput(field, f"{value!r} is not one of: {', '.join(TYPES)}")
    return given


def _person(field: str, value: object) -> str | None:
    """The name of a person as names are compared."""
    given = checks.identifier_or_none(field, value)
    if given is None:
        return None
    name = canonical_name(given)
    if not name:
        raise InvalidInput(field, f"{value!r} has no letter in it")
    return name


def _by(check: Check) -> Mapping[str, Check]:
    """The metadata of a filter: the check of its value."""
    return {"check": check}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilters:
    """The filters of a search, each with the check of its value; the defaults filter nothing out.

    These fields are the keywords of `search` and `why_not`.
    """

    kinds: Sequence[str | Kind] = field(default=(), metadata=_by(_choices(Kind)))
    since: datetime | None = field(default=None, metadata=_by(checks.point))
    until: datetime | None = field(default=None, metadata=_by(checks.point))
    types: Sequence[str] = field(default=(), metadata=_by(_types))
    team: str | None = field(default=None, metadata=_by(checks.identifier_or_none))
    speaker: str | None = field(default=None, metadata=_by(_person))
    not_speaker: str | None = field(default=None, metadata=_by(_person))
    anchor: str | None = field(default=None, metadata=_by(checks.identifier_or_none))
    states: Sequence[str | State] = field(default=(), metadata=_by(_choices(State)))
    sensitivity: Sequence[str | Sensitivity] = field(
        default=(), metadata=_by(_choices(Sensitivity))
    )
    include_archived: bool = field(default=False, metadata=_by(lambda _, value: bool(value)))
    as_of: datetime | None = field(default=None, metadata=_by(checks.point))
    known_at: datetime | None = field(default=None, metadata=_by(checks.point))

    def request(self, query: str) -> SearchRequest:
        """The request for `query` with these filters."""
        filters = {one.name: getattr(self, one.name) for one in fields(SearchFilters)}
        return SearchRequest(query=query, **filters)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(SearchFilters):
    """A query and its filters, and what the names in them stand for.

    `also` is what else the speaker is called, `not_also` what else the one who must not have said it
    is; `about` are the nodes that concern the anchor: itself, sources, beliefs and stories. `cold` lets
    archived sources pass.
    """

    query: str
    also: frozenset[str] = frozenset()
    not_also: frozenset[str] = frozenset()
    about: frozenset[str] | None = None
    cold: bool = False

    def checked(self, max_characters: int) -> SearchRequest:
        """The same request with every value as it is compared, or `InvalidInput` naming the first
        field that is wrong. Whether team and anchor exist is left to whoever can look."""
        query = checks.statement("query", self.query, max_characters)
        values = {
            one.name: one.metadata["check"](one.name, getattr(self, one.name))
            for one in fields(SearchFilters)
        }
        request = replace(self, query=query, **values)
        since, until = request.since, request.until
        if since is not None and until is not None and since > until:
            raise InvalidInput("since", f"{since.isoformat()} lies after until")
        return request

    @property
    def is_past(self) -> bool:
        """Whether it asks about another time than now."""
        return self.as_of is not None or self.known_at is not None

    @property
    def looks_cold(self) -> bool:
        """Whether archived sources are looked at in any case: they are asked for, or a time is."""
        times = (self.since, self.until, self.as_of, self.known_at)
        if self.states:
            return State.ARCHIVED in self.states
        return self.include_archived or any(one is not None for one in times)

    @property
    def narrows_sources(self) -> bool:
        """Whether some sources cannot answer, so that it pays to know beforehand which can."""
        given = (self.since, self.until, self.team, self.speaker, self.as_of, self.known_at)
        lists = (self.types, self.sensitivity, self.states)
        return any(value is not None for value in (*given, self.about)) or any(lists)


# --- questions in other words ------------------------------------------------------------------


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
