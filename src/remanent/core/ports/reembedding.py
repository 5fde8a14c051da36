"""Renewal: new vectors for a whole index, made beside those in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from remanent.core.ports.index import Vector
from remanent.core.records.embedding import Due, Embedding

Made = tuple[Due, Vector | None, Sequence[Vector]]  # the vector of an entry, and those of its parts


class ReembeddingStore(Protocol):
    """Works for a whole memory and all its users; each entry says whose it is."""

    def state(self) -> Embedding | None:
        """Which embedder made the vectors in use, which one is to come, and how far it is; None where
        there is no vector yet and none is to come."""
        ...

    def aim(self, embedder: str, dimensions: int) -> None:
        """Begin the way to another embedder, or go on with it; what was made on the way to yet another
        one is dropped."""
        ...

    def give_up(self) -> bool:
        """Drop all that was made on the way; False if there is nothing."""
        ...

    def waiting(self, after: int, limit: int) -> list[Due]:
        """The next entries without a new vector, in order of number, from beyond `after`."""
        ...

    def keep(self, made: Sequence[Made]) -> int:
        """Keep these new vectors beside those in use; how many. An entry that was written again since
        still waits. A vector of another length than the aim's is refused with `EmbedderError`."""
        ...

    def switch(self) -> bool:
        """Put all new vectors in the place of the old ones, in one transaction; False, and no change,
        while an entry waits."""
        ...
