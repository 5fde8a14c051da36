"""A candidate: one thing that may answer a search, filled step by step until it becomes a hit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import Passage

Signals = Mapping[str, float]  # the parts of one score, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Whether a candidate still holds, and what superseded it.

    `holds` is None where that is not known or disputed. `says` are the keys of all beliefs and
    relationships it states, `after` of those that came in their place.
    """

    holds: bool | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    says: frozenset[str] = frozenset()
    after: tuple[str, ...] = ()


UNKNOWN = Validity()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One thing that may answer a search, with as much of it as is known so far.

    The ranking gives `entry` (the key in the index), `key` (the key in an answer), `kind`, `owner`,
    `score` and `signals`, and in `pool` the signals of all that were ranked together, by entry.
    The filter gives what was read: a relationship, or a node and perhaps a passage of it, as known
    at the time asked for. Last comes the validity; None means that it was not looked up yet.
    """

    entry: str
    key: str
    kind: Kind
    owner: str
    score: float = 0.0
    signals: Signals = field(default_factory=dict)
    pool: Mapping[str, Signals] = field(default_factory=dict)
    node: Node | None = None
    passage: Passage | None = None
    relationship: Relationship | None = None
    validity: Validity | None = None
