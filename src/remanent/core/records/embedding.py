"""Embedding: which embedder a memory has, and how far it is on the way to another."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """`towards` is the embedder that takes the place of `embedder` once all entries, `done` of `total`,
    have a vector of it; None: there is no other in sight."""

    embedder: str
    towards: str | None = None
    done: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return 1.0 if self.total <= 0 else min(1.0, self.done / self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An entry of the index that has no new vector yet. `stamp` tells whether it was written again
    since; `user_id` is whose node it leads to, None if that is gone."""

    number: int
    key: str
    kind: Kind
    owner_key: str
    user_id: str | None
    stamp: str
