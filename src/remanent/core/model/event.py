"""Events: the immutable records of the ledger, and their shadow in the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind, Node

SOURCE_ADDED = "source.added"
SOURCE_PROCESSED = "source.processed"
SOURCE_EXTRACTED = "source.extracted"
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
MEMORY_PINNED = "memory.pinned"
MEMORY_ARCHIVED = "memory.archived"
MEMORY_RESTORED = "memory.restored"
STORYLINE_OPENED = "storyline.opened"
STORYLINE_CLOSED = "storyline.closed"
STORYLINE_RETOLD = "storyline.retold"
MACRO_OPENED = "macro.opened"
MACRO_RETOLD = "macro.retold"
DESCRIBED = "memory.described"
NOTES_EXPIRED = "notes.expired"
SOURCES_DISTILLED = "sources.distilled"
EVENTS_ENRICHED = "events.enriched"
EVENTS_RECONSOLIDATED = "events.reconsolidated"
SESSION_ENDED = "session.ended"
SOURCE_UNDONE = "source.undone"
SOURCE_ERASED = "source.erased"
BELIEF_RESTATED = "belief.restated"
ITEM_PUT = "item.put"
ITEM_DELETED = "item.deleted"

# What we append ourselves; an agent's events have other types.
RESERVED: Final = frozenset(
    value for name, value in tuple(globals().items()) if name.isupper() and isinstance(value, str)
)


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
    parent_event_id: str | None = None
    raised: float = 0.0  # the part of the score that its place in the graph has added
    known_children: int = 0  # the most events that were seen to be caused by it
    stability: float = 168.0  # hours; SPEC 7 calls it S
    is_enriched: bool = False
    payload: Mapping[str, Any] = field(default_factory=dict)
    seq: int = 0  # in the ledger; 0 of an episode that its own verb made into a node
    importance_hint: int | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether an agent recorded it; else it is an episode of our own, such as a statement to
        remember."""
        return self.event_type not in RESERVED


def event_key(user_id: str, event_id: str) -> str:
    """The key of the node that stands for one user's event."""
    return key_for(user_id, Kind.EVENT, event_id)
