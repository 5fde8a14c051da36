"""Vectors as every embedder gives them: one row a text, of one length, each of length 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remanent.errors import EmbedderError

_LONGEST = 20_000  # no embedder known gives more than some 4,000 numbers


def readable(text: str) -> str:
    """A text that every embedder takes: a blank one is refused by most servers, and half a surrogate
    has no UTF-8."""
    return text.encode("utf-8", "replace").decode() if text.strip() else "."


def shaped(rows: object, count: int, name: str) -> NDArray[np.float32]:
    """These rows as unit vectors, or `EmbedderError` that says what they are instead."""
    try:
        found = np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise EmbedderError(f"embedder {name}: its vectors are not numbers of one length") from None
    if found.ndim != 2 or len(found) != count:
        raise EmbedderError(f"embedder {name}: gave {_said(rows)} for {count} texts")
    if not 0 < found.shape[1] <= _LONGEST:
        raise EmbedderError(f"embedder {name}: its vectors have {found.shape[1]} numbers")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbedderError(f"embedder {name}: one of its vectors points nowhere")
    unit: NDArray[np.float32] = (found / lengths).astype(np.float32)
    return unit


def _said(rows: object) -> str:
    if isinstance(rows, Sequence | np.ndarray) and not isinstance(rows, str):
        return f"{len(rows)} vectors"
    return "no vectors"


class Length:
    """The length of an embedder's vectors: learned once, and insisted on from then on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._known: int | None = None

    @property
    def known(self) -> int | None:
        """None until it is learned."""
        return self._known

    def insist(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors; `EmbedderError` if they are of another length than those before them."""
        width = int(vectors.shape[1])
        if self._known is None:
            self._known = width
        if width != self._known:
            raise EmbedderError(
                f"embedder {self._name}: its vectors have {width} numbers now, and had {self._known}"
            )
        return vectors
