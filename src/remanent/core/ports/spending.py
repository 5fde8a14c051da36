"""Spending: what a paid mind cost, kept for whom it worked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.spending import Spent


class Spending(Protocol):
    """One row for each user, day, job, task and model; what is spent is added to it."""

    def spend(self, spent: Spent) -> None:
        """Add this to its row. Two who spend at once are both counted."""
        ...

    def spent(self, scope: Scope, since: date | None = None) -> Sequence[Spent]:
        """This caller's rows from that day on, in order of day, job, task and model."""
        ...

    def spent_by_all(self) -> Sequence[Spent]:
        """What everybody spent together, for each task and model; it names no user, day or job."""
        ...
