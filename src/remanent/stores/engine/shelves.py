"""Shelves: the matrices in use, kept at hand."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from remanent.core.recent import Recent

if TYPE_CHECKING:
    from remanent.stores.engine.vectors import VectorMatrix

    _Matrices = Recent[str, VectorMatrix]
else:
    _Matrices = Recent

BUDGET_BYTES: Final = 512 * 1024 * 1024


class Shelves(_Matrices):
    """The shelves in use, by their bytes; never one that shows what is not committed."""

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        super().__init__(budget_bytes)
        self._locks: dict[str, threading.Lock] = {}

    def lock(self, token: str) -> threading.Lock:
        """Held by whoever brings this token's shelf up to date, so that only one does."""
        with self._guard:
            return self._locks.setdefault(token, threading.Lock())
