"""Requests: what the verbs of retrieval take, as the caller gave it. Their fields are the keywords of
the methods of `UserMemory`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from typing import Any

from remanent.core.model.search import Mode, SearchFilters
from remanent.retrieval.model.exploration import RelationshipFilters

Queries = str | Sequence[str | Mapping[str, Any]] | None
Before = Sequence[str | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SearchArguments(SearchFilters):
    """A query with its filters, and how the hits are wanted.

    `after` is the cursor of the hit to go on behind; with `touch` finding may leave a trace.
    """

    query: str
    limit: int = 10
    _: KW_ONLY
    explain: bool = False
    after: str | None = None
    touch: bool = True
    mode: str | Mode = Mode.FAST


@dataclass(frozen=True, slots=True)
class WhyNotArguments(SearchFilters):
    """The memory that is missed, and the search that should have returned it."""

    key: str
    query: str
    limit: int = 10


@dataclass(frozen=True, slots=True)
class ExploreRequest:
    """What an exploration looks for, not checked yet."""

    queries: Queries = None
    text_matches: str | Sequence[str] = ()
    relationship_filters: Mapping[str, Any] | RelationshipFilters | None = None
    granularity: int = 1
    _: KW_ONLY
    multi_query: bool = False
    mode: str = "fast"
    weights: Mapping[str, float] | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    return_explanations: bool = False
    touch: bool = True


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a context is wanted for, not checked yet.

    `before` is the conversation so far; `count` counts tokens the caller's way (None: our way).
    """

    message: str
    budget: int = 1500
    _: KW_ONLY
    before: Before = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    touch: bool = True
    count: Callable[[str], int] | None = None
