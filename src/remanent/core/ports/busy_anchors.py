"""Storied: what nightly promotion has to know of a user's anchors."""

from __future__ import annotations

from typing import Protocol

from remanent.core.model.anchor import Anchor
from remanent.core.model.scope import Scope


class BusyAnchors(Protocol):
    """Part of the graph: only ever the caller's own nodes."""

    def busy_anchors(
        self, scope: Scope, *, sources: float, days: int, limit: int = 1000, after: str = ""
    ) -> list[Anchor]:
        """The caller's own anchors, not archived and not the owner, that so many sources mention on so
        many days, of which none has an open storyline and each was mentioned since its last one
        closed; in order of key, from beyond the key `after`."""
        ...
