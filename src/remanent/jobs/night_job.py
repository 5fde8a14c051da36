"""Rest: the shape that every job of the night has."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Rest

Share = Callable[[float], None]


class NightJob(Protocol):
    """One job for one user. Run again for the same time it finds nothing to do; killed half-way and
    run again it ends where it would have ended."""

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Do what is due at `at`, and tell `share` how far it is (0 to 1)."""
        ...
