"""The embedder: text to vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from remanent.core.model.mind_types import OnBehalf


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """What it is, down to the weights: two embedders of one name give the same vectors."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def scale(self) -> tuple[tuple[float, float], ...]:
        """Points (cosine, similarity) that give its cosines the meaning the belief rules speak of."""

    @property
    def is_local(self) -> bool:
        """Whether no word it is given leaves this machine. What comes from a source of high
        sensitivity is given to no other."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector per text, in order. The same text gives the same vector; `EmbedderError`
        when there is none to be had."""


@runtime_checkable
class Paid(Protocol):
    """What an embedder has besides when it is paid for; one that costs nothing needs none of it."""

    def on(self, errand: OnBehalf) -> Embedder:
        """This embedder at work for one user: what it is given is counted there, and held back by that
        user's budget."""
