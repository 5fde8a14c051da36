"""Vitals: how a store is doing, and how much is in it. Numbers and times, and nobody's words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remanent.core.records.health import Census, Health


class HealthStore(Protocol):
    def health(self) -> Health:
        """Examine the store as far as is possible while others use it; what it finds is no error."""
        ...

    def schema(self) -> tuple[int, int]:
        """The number of the schema that the store has, and the newest that this version knows."""
        ...

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        """Count what is there, of all users together, from one moment."""
        ...
