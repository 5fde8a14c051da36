"""Beliefs: statements held true, with the episodes behind them and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from remanent.model.node import Kind, Node

OWNER = "owner"


class BeliefType(StrEnum):
    FACTUAL = "factual"
    PREFERENCE = "preference"
    PROCEDURAL = "procedural"
    ARCHITECTURAL = "architectural"
    META = "meta"
    INSIGHT = "insight"  # written by older systems; recalled at half weight


class BeliefStatus(StrEnum):
    """All but `active` are final."""

    ACTIVE = "active"
    INVALIDATED = "invalidated"
    FORGOTTEN = "forgotten"
    PRUNED = "pruned"


class ChangeKind(StrEnum):
    CREATED = "created"
    REINFORCED = "reinforced"
    WEAKENED = "weakened"
    INVALIDATED = "invalidated"
    FORGOTTEN = "forgotten"
    PRUNED = "pruned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """One episode that speaks for a belief, in the words it used."""

    event_id: str
    statement: str
    at: datetime
    source_key: str | None = None
    passage_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What happened to a belief, when, and why."""

    kind: ChangeKind
    recorded_at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief(Node):
    """One statement held true from `since` until `until`."""

    kind: ClassVar[Kind] = Kind.BELIEF

    statement: str
    type: BeliefType = BeliefType.FACTUAL
    subject: str = OWNER
    confidence: float = 0.6
    stability: float = 1.0
    importance: int = 5
    status: BeliefStatus = BeliefStatus.ACTIVE
    since: datetime
    until: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    supports: tuple[Support, ...] = ()
    changes: tuple[Change, ...] = ()

    def held_at(self, moment: datetime) -> bool:
        """True from `since` up to, not including, `until`."""
        return self.since <= moment and (self.until is None or moment < self.until)
