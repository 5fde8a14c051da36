"""Atomic: all or nothing, for what one store keeps."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol


class Atomic(Protocol):
    def __call__(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """A block whose writes all happen or none; inside another such block it joins that one.

        With `durable` they are on the disk when the block has ended; otherwise a power cut (not a
        killed process) may take back the last few, which a replay restores.
        """
        ...
