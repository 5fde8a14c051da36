"""The request of a search: a query and its filters, as given and as checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.source import Sensitivity


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
