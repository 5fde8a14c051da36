"""All stores of a memory as the bootstrap opens them: what it asks of them beyond the ports."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import Self

from remanent.core.dataclasses import dataclass
from remanent.core.env import Stores
from remanent.core.ports.admin import Shadow


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedStores(Stores):
    """Stores that can be had for other vectors, and a second time beside themselves."""

    @abstractmethod
    def with_embedder(self, name: str, dimensions: int | Callable[[], int]) -> Self:
        """The same stores, whose vectors are another embedder's from now on."""

    def follow(self, mend: Callable[[str, int, int], object]) -> None:
        """Where a ledger may be ahead of its graph, apply with `mend` a user's events beyond the first number,
        up to the second: now, and whenever somebody writes."""

    @abstractmethod
    def open_shadow(
        self, *, mind_name: str, embedder_name: str, dimensions: int, now: datetime
    ) -> tuple[OpenedStores, Shadow]:
        """The stores of the graph that is derived beside the one in use, and what ties it to that."""

    @abstractmethod
    def discard_shadow(self) -> bool:
        """Take away what an earlier rebuild left; False if there is nothing."""
