"""Retired: what a memory's embedder was, when it is no more. It has no vector to give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import Scale, TextKind
from remanent.errors import EmbedderError


class Retired:
    """An embedder in name alone: search goes by words until the memory has gone over to another."""

    scale: Scale = ((0.0, 0.0), (1.0, 1.0))
    is_local: bool = True

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - it has none of either
    ) -> NDArray[np.float32]:
        """Nothing for nothing; else `EmbedderError`."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        raise EmbedderError(f"embedder {self.name}: is no more; without one named ours takes over")
