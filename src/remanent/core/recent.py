"""What was used last, within bounds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps what was put or asked for last; the longest unused goes when all of it weighs more than
    `most`. Threads may share it, and all of it can be lost at any time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._total = 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._guard = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """What was last put there."""
        with self._guard:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: K, value: V, *, weight: int = 1) -> None:
        """Keep it; the last one stays, whatever it weighs."""
        with self._guard:
            _, before = self._kept.pop(key, (None, 0))
            self._kept[key] = value, weight
            self._total += weight - before
            while len(self._kept) > 1 and self._total > self._most:
                self._total -= self._kept.popitem(last=False)[1][1]

    def made(self, key: K, make: Callable[[], V], *, weight: int = 1) -> V:
        """What is kept there, or else what `make` gives, kept from now on; two who ask at once may both make it."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept, weight=weight)
        return kept

    def clear(self) -> None:
        """Keep nothing."""
        with self._guard:
            self._kept.clear()
            self._total = 0
