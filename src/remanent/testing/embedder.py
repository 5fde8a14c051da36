"""A hashing embedder without weights: words that two texts share make them alike."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remanent.core.ports.embedder import TextKind

_DIMENSIONS: Final = 64


class HashEmbedder:
    """Counts words into hashed places. The same in every process and on every machine."""

    @property
    def name(self) -> str:
        """What it is, down to the weights: two embedders of one name give the same vectors."""
        return f"hash-{_DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return _DIMENSIONS

    @property
    def scale(self) -> tuple[tuple[float, float], ...]:
        """A cosine means what it says."""
        return ((0.0, 0.0), (1.0, 1.0))

    @property
    def is_local(self) -> bool:
        """Nothing leaves this process."""
        return True

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - words are words
    ) -> NDArray[np.float32]:
        """One unit vector per text, in order. The same text gives the same vector, of either kind."""
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.casefold()) or [text]:
                vectors[row, _place(word)] += 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit


def _place(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % _DIMENSIONS
