"""The shadow: a second graph beside the one in use, derived from the same ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from remanent.core.model.event import Event
from remanent.core.model.mind_types import Extraction
from remanent.core.records.rebuild import Comparison, Pending


class Shadow(Protocol):
    """Works for a whole memory and all its users; each event names whose it is."""

    def waiting(self, limit: int) -> list[Event]:
        """The next events of anyone that were not lived through yet, in the order of the ledger."""
        ...

    def count(self) -> tuple[int, int]:
        """How many events were lived through, and how many there are."""
        ...

    def take(self, event: Event) -> None:
        """Enter the event into the shadow's ledger, with its place, its raw source and its user."""
        ...

    def passed(self, event: Event) -> None:
        """Remember that all up to this event was lived through."""
        ...

    def untold(self, until: datetime | None, limit: int) -> list[Pending]:
        """Steps of sources that no event tells of, taken before `until` (None: ever), not yet taken
        here, oldest first."""
        ...

    def told(self, step: Pending) -> None:
        """Remember that this step was taken."""
        ...

    def was_enriched(self, event: Event) -> bool:
        """Whether an agent's event was enriched without an event that tells when."""
        ...

    def begun(self) -> list[tuple[str, Extraction]]:
        """Extractions that are under way in the memory in use, with whose they are."""
        ...

    def half_enriched(self) -> list[tuple[str, int, int]]:
        """Whose agents' events are being enriched there now, from which place to which."""
        ...

    def compare(self, samples: int) -> Comparison:
        """What differs between the graph in use and the shadow; up to so many examples a sort."""
        ...

    def switch(self, catch_up: Callable[[], None]) -> None:
        """Keep all writers out, call `catch_up`, and put the shadow in the place of the graph, in one
        transaction: lives and dates of what did not change are kept. Then the shadow is gone."""
        ...

    def discard(self) -> None:
        """Take the shadow away with all that it left on the disk."""
        ...

    def close(self) -> None:
        """Let go of it; whoever rebuilds next, with the same mind and embedder, goes on with it."""
        ...
