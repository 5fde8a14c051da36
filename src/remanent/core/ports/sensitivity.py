"""Discreet: what must not leave this machine."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from remanent.core.model.scope import Scope


class SensitivityQueries(Protocol):
    """Part of the graph: which of its texts hold words of a source of high sensitivity."""

    def private(self, scope: Scope, keys: Collection[str]) -> frozenset[str]:
        """Those of these visible nodes, and of the caller's own relationships, that are of high
        sensitivity or may hold words of what is: an anchor that such a source mentions or has a note
        on, a belief that it speaks for or that was drawn from such a belief, a relationship that it
        asserts or has a note on, a storyline that includes it or is about such an anchor, a macro over
        such a storyline, and what was produced from it."""
        ...
