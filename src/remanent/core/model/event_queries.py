"""Recording: what agents' events are asked by, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from remanent.core.model.event import Event, EventNode, event_key
from remanent.core.model.hit import RecallPart


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
    """Which events: None means any. `until` is inclusive."""

    session_id: str | None = None
    agent_id: str | None = None
    event_type: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRequest:
    """A question about events: without a query, what matters most now."""

    query: str | None = None
    wanted: EventQuery = field(default_factory=EventQuery)
    current_session: str | None = None
    explain: bool = False
    touch: bool = True


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
