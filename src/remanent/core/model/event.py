"""Events: the immutable records of the ledger, their shadow in the graph, how they are asked for, and what
decides whether a node stays there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Final

from remanent.core.dataclasses import KW_ONLY, dataclass, field
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind, Node, own_and_team
from remanent.core.model.search import RecallPart

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
MEMORY_CORRECTED = "memory.corrected"
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
SOURCE_ACCEPTED = "source.accepted"
SOURCE_DECLINED = "source.declined"
SOURCE_HIDDEN = "source.hidden"
SOURCE_SHOWN = "source.shown"
USER_BLOCKED = "user.blocked"
USER_UNBLOCKED = "user.unblocked"

# What we append ourselves; an agent's events have other types.
RESERVED: Final = frozenset(
    value for name, value in tuple(globals().items()) if name.isupper() and isinstance(value, str)
)

# What somebody says about others' sources and about who names them, in the order of the ledgers' index.
# Consumers of a user's events, by whose positions the stores go as well.
PROJECTION: Final = "projection"
ENRICHMENT: Final = "enrichment"
CONSENTS: Final = (
    SOURCE_ACCEPTED, SOURCE_DECLINED, SOURCE_HIDDEN, SOURCE_SHOWN, USER_BLOCKED, USER_UNBLOCKED,
)  # fmt: skip


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
    team_id: str | None = None

    @property
    def readers(self) -> tuple[str, ...]:
        return own_and_team(self.user_id, self.team_id)

    @property
    def is_recorded(self) -> bool:
        """Whether an agent recorded it; else it is an episode of our own, such as a statement to remember."""
        return self.event_type not in RESERVED


def event_key(user_id: str, event_id: str) -> str:
    """The key of the node that stands for one user's event."""
    return key_for(user_id, Kind.EVENT, event_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The event as the ledger holds it. `is_new` is False where its id was there before: then this is
    the one that stands, and nothing was written."""

    event: Event
    is_new: bool = True

    @property
    def event_id(self) -> str:
        return self.event.event_id

    @property
    def seq(self) -> int:
        """Its position in the ledger."""
        return self.event.seq

    @property
    def key(self) -> str:
        """The key of its node, once it is in the graph."""
        return event_key(self.event.user_id, self.event.event_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEvents:
    """What a consumer of the ledger has yet to handle: how many events, and since when."""

    events: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """How far a stage is behind: `seconds` is how long the oldest event has been waiting."""

    events: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """How far the stages that make events into memory are behind what was recorded."""

    projection: Behind = field(default_factory=Behind)
    enrichment: Behind = field(default_factory=Behind)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Which events: None means any. `until` is inclusive; `shared`: also what others gave to a team."""

    session_id: str | None = None
    agent_id: str | None = None
    event_type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class EventRequest:
    """A question about events: without a query, what matters most now."""

    query: str | None = None
    _: KW_ONLY
    limit: int = 10
    session_id: str | None = None
    agent_id: str | None = None
    event_type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    current_session: str | None = None
    explain: bool = False
    touch: bool = True

    @property
    def wanted(self) -> EventQuery:
        """Which events it is about."""
        return EventQuery(
            session_id=self.session_id,
            agent_id=self.agent_id,
            event_type=self.event_type,
            since=self.since,
            until=self.until,
            shared=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventHit:
    """An event in its place: `signals` are the points of its score, `parts` explain them when asked."""

    event: EventNode
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[RecallPart, ...] = ()

    @property
    def key(self) -> str:
        return self.event.key

    @property
    def text(self) -> str:
        """What it says in short."""
        return self.event.summary or self.event.text or self.event.event_type

    @property
    def at(self) -> datetime:
        return self.event.occurred_at


class SessionOutcome(StrEnum):
    """What became of a session that ended."""

    KEPT = "kept"  # its transcript is a source now
    KNOWN = "known"  # it was ended before; nothing changed
    SILENT = "silent"  # it has no message: nothing to make a source of


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    """A session that ended, and the source its transcript became.

    `messages` are those in the source; `later` came after it was made, and are not in it.
    """

    outcome: SessionOutcome
    session_id: str
    agent_id: str = ""
    source_key: str | None = None
    messages: int = 0
    later: int = 0


class Tier(StrEnum):
    """By age, nearest first (SPEC 7); `rules.tiers` says where each ends."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """What forgetting asks about one event's node.

    `born` is the later of when it occurred and when it was recorded: an old story told today is near.
    `raised` is the part of `importance` that its place in the graph has added; `children` are the most
    events it is known to have caused, `references` and `similar` its links as they are. `is_told`: a
    Summary stands for it; `is_enriched`: its importance is more than the one all begin with.
    """

    key: str
    event_id: str
    born: datetime
    importance: float
    raised: float = 0.0
    access_count: int = 0
    is_pinned: bool = False
    children: int = 0
    known_children: int = 0
    references: int = 0
    similar: int = 0
    is_told: bool = False
    is_enriched: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsummarizedSession:
    """A session with so many events that no Summary stands for yet."""

    agent_id: str
    session_id: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedReferences:
    """Two events of different sessions that reference the same anchors: how many, and by how many
    events the rarest of those is referenced."""

    key: str
    other: str
    count: int
    rarest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenEvent:
    """An event whose node has left the graph; the ledger has it under its id, and the summary of
    that key stands for it."""

    key: str
    event_id: str
    summary_key: str
