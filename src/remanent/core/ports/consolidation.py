"""The part of the graph that is about consolidation: what has new notes, what expired, what wore off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.worn_sources import WornSource, WornSourceQuery


class ConsolidationQueries(Protocol):
    """Only ever the caller's own."""

    def dirty(
        self, scope: Scope, *, limit: int = 1000, accessed_since: datetime | None = None
    ) -> tuple[list[str], int]:
        """Keys of the anchors and relationships that are dirty, or have notes and no description, those
        with most notes first, then in order of key; and how many there are. Where given, only those
        called on since then."""
        ...

    def expired(self, scope: Scope, at: datetime, *, limit: int = 1000) -> dict[str, int]:
        """How many notes expired at or before `at` on each anchor and relationship that has any and
        that `dirty` does not tell of, in order of key."""
        ...

    def expire(self, scope: Scope, keys: Sequence[str], at: datetime) -> int:
        """Take away the notes on these that expired at or before `at`; how many."""
        ...

    def worn(
        self, scope: Scope, wear: WornSourceQuery, *, limit: int = 1000
    ) -> tuple[list[WornSource], int]:
        """Extracted sources in order of time, then key, that are neither archived nor kept forever nor
        part of an open storyline, as far as `wear` asks for them; and how many worn ones there are."""
        ...

    def changed(
        self, scope: Scope, kind: Kind, after: datetime, *, limit: int = 1000
    ) -> list[Node]:
        """Nodes of a kind with an `updated_at` later than `after`, in its order, then by key; as many
        more than `limit` as share the last one's."""
        ...
