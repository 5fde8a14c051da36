"""The index: finds by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remanent.model.node import Kind
from remanent.model.scope import Scope

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is findable about one node or passage. `owner_key` is the node it leads to."""

    key: str
    kind: Kind
    owner_key: str
    text: str
    vector: Vector | None
    readers: tuple[str, ...]
    team: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """One thing found. `score` is larger for better; only its order and ratios within one list count."""

    key: str
    kind: Kind
    owner_key: str
    score: float


class Index(Protocol):
    def put(self, entries: Sequence[Entry]) -> None:
        """Make these findable at once, in the place of earlier entries with their keys.

        A vector of another length than the memory's is refused with `EmbedderError`.
        """
        ...

    def remove(self, keys: Sequence[str]) -> None:
        """Make these unfindable; unknown keys are no error."""
        ...

    def near(
        self, scope: Scope, vector: Vector, *, kinds: Sequence[Kind], limit: int
    ) -> list[Match]:
        """The nearest visible entries by cosine (exact), best first; ties in order of key."""
        ...

    def match(self, scope: Scope, text: str, *, kinds: Sequence[Kind], limit: int) -> list[Match]:
        """Visible entries that share a stemmed word with `text`, by BM25, best first. Any text is a
        legal query: nothing in it is an operator."""
        ...

    def vectors(self, scope: Scope, keys: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors of these visible entries."""
        ...
