"""Tools: what an agent may do while it reads one source for one user, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from remanent.core.model.anchor import Anchor, Lifetime


class Tools(Protocol):
    """Bound to the anchors of one source: no call can name another user, source or anchor.

    Whatever is not right is an `InvalidInput` that names the argument; an agent may read it and try
    again. What was asked for twice is done once.
    """

    @property
    def anchors(self) -> Sequence[Anchor]:
        """Whom the agent may write about, the owner among them."""
        ...

    def add_note_to_person(self, name: str, content: str, lifetime: Lifetime) -> None:
        """Note something about that person."""
        ...

    def add_note_to_concept(self, name: str, content: str, lifetime: Lifetime) -> None:
        """Note something about that concept."""
        ...

    def add_note_to_entity(self, name: str, content: str, lifetime: Lifetime) -> None:
        """Note something about that entity."""
        ...

    def create_relationship(  # noqa: PLR0913 - the fields of a relationship (SPEC 3)
        self,
        src: str,
        dst: str,
        relationship_type: str,
        description: str,
        *,
        attitude: int = 3,
        proximity: int = 3,
        confidence: float = 0.7,
        ended: bool = False,
        single: bool = False,
    ) -> None:
        """Say how two of the anchors stand to each other."""
        ...

    def add_note_to_relationship(
        self, src: str, dst: str, relationship_type: str, content: str
    ) -> None:
        """Say more of a relationship that was created before."""
        ...
