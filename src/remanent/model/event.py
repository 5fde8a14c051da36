"""Events: the immutable records of the ledger, and their shadow in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from remanent.model.keys import key_for
from remanent.model.node import Kind, Node

SOURCE_ADDED = "source.added"
REMEMBERED = "belief.remembered"
USER_REGISTERED = "user.registered"
ANCHOR_MERGED = "anchor.merged"
ANCHOR_SPLIT = "anchor.split"
ARTIFACT_PRODUCED = "artifact.produced"
CONSOLIDATED = "conversation.consolidated"
BELIEF_FORGOTTEN = "belief.forgotten"
BELIEFS_MERGED = "beliefs.merged"
BELIEFS_PRUNED = "beliefs.pruned"
BELIEF_SYNTHESIZED = "belief.synthesized"
SUBJECT_ASSIGNED = "belief.subject_assigned"
BELIEF_IMPORTED = "belief.imported"
CONTRADICTION_SETTLED = "beliefs.contradiction_settled"
ABBREVIATION_DEFINED = "abbreviation.defined"
ABBREVIATION_REMOVED = "abbreviation.removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened. `seq` is its position, given by the ledger (0: not appended yet)."""

    event_id: str
    user_id: str
    event_type: str
    payload: Mapping[str, Any]
    occurred_at: datetime
    recorded_at: datetime
    seq: int = 0
    team_id: str | None = None
    agent_id: str = ""
    session_id: str = ""
    parent_event_id: str | None = None
    importance_hint: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNode(Node):
    """An event as the graph sees it. Ids of events are unique per user, keys everywhere."""

    kind: ClassVar[Kind] = Kind.EVENT

    event_id: str
    event_type: str
    text: str
    occurred_at: datetime
    agent_id: str = ""
    session_id: str = ""
    summary: str = ""
    keywords: tuple[str, ...] = ()
    importance_score: float = 5.0
    payload: Mapping[str, Any] = field(default_factory=dict)


def event_key(user_id: str, event_id: str) -> str:
    """The key of the node that stands for one user's event."""
    return key_for(user_id, Kind.EVENT, event_id)
