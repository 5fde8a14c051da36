"""Cypher: questions in a query language, over what one caller may see and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.scope import Scope
from remanent.core.model.search import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query with its parameters (plain JSON values), asked at `now` about now or about `as_of`; with
    `known_at`, of the graph as it was recorded by then."""

    text: str
    now: datetime
    parameters: Mapping[str, Any] = field(default_factory=dict)
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one answer may cost: rows handed back, seconds, and megabytes beside the graph itself."""

    rows: int = 1000
    seconds: float = 5.0
    megabytes: int = 512


class Cypher(Protocol):
    def query(self, scope: Scope, question: Question, *, bounds: Bounds) -> Rows:
        """The answer from the nodes and edges that the caller may see; no other can change it.

        Nothing is written, whatever the query says: `BadQuery` if it cannot be read,
        `ForbiddenQuery` if it asks for more than reading, `QueryLimit` if it would cost more than
        `bounds`. Rows beyond the bound are cut off, and the answer says so.
        """
