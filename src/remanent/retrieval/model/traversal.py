"""What traverse hands back: whatever a walk from some memories reaches, and by which way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One edge of a way: from one memory to the next.

    `word` is a relationship's type or a link's kind; `backward` says that the edge points the other
    way; `relationship_key` is None for a link.
    """

    from_key: str
    to_key: str
    word: str
    backward: bool = False
    relationship_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One memory that was reached: its rank (all ranks sum to one), how many edges away it is, and
    the way by which most of the rank came. A seed is no edge away."""

    key: str
    kind: Kind
    title: str
    score: float
    distance: int
    path: tuple[Leg, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """The best of what was reached, best first; `titles` names every memory on the ways.

    `within_reach` counts all that was reached, returned or not.
    """

    seeds: tuple[str, ...]
    reached: tuple[Reached, ...]
    within_reach: int
    titles: dict[str, str]
    as_of: datetime | None = None
    known_at: datetime | None = None
    reason: str = ""
