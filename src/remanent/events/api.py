"""Events' part of `UserMemory`: agents' events recorded and found, sessions ended, and their summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from remanent.core.checks import choice, identifier, limited
from remanent.core.model.event import EndedSession, Event, EventHit, EventRequest, Lag, Recorded
from remanent.core.model.story import Level, Summary, SummaryQuery
from remanent.core.records.export import Position
from remanent.core.user_handle import UserHandle, takes_fields_of
from remanent.errors import InvalidInput
from remanent.events import project
from remanent.events.query import find_events
from remanent.events.record import record_event, record_many
from remanent.ingest.end_session import end_session
from remanent.teams import audit


class EventsApi(UserHandle):
    """The verbs about agents' events."""

    def record(  # noqa: PLR0913 - SPEC 2 lists them
        self,
        event: str | Mapping[str, Any],
        payload: Mapping[str, Any] | None = None,
        *,
        agent_id: str = "",
        session_id: str = "",
        parent_event_id: str | None = None,
        occurred_at: datetime | str | None = None,
        event_id: str | None = None,
        importance_hint: int | None = None,
        team: str | None = None,
        shared: bool = False,
    ) -> Recorded:
        """Append one event; it is on the disk when it comes back, and in the graph after `work`.

        `event` is its type, like "tool.called", or a record with the fields of SPEC's Event; what
        the record leaves out may be said beside it. `shared`: with the primary team. An `event_id` that is there already changes nothing.
        """
        beside = {
            "payload": payload,
            "agent_id": agent_id or None,
            "session_id": session_id or None,
            "parent_event_id": parent_event_id,
            "occurred_at": occurred_at,
            "event_id": event_id,
            "importance_hint": importance_hint,
            "team_id": team,
            "shared": shared or None,
        }
        scope = self._write_scope
        with audit.audited(self.env, scope, "event.record", team_id=team):
            return record_event(self.env, scope, _fields(event, beside))

    def record_many(self, events: Iterable[Mapping[str, Any]]) -> list[Recorded]:
        """Append many events in their order, all in one write or none."""
        return record_many(self.env, self._write_scope, events)

    @takes_fields_of(EventRequest)
    def events(self, request: EventRequest) -> list[EventHit]:
        """What happened, by recency, importance, relevance to `query` and affinity, best first.

        Events of `current_session` come nearest to who asks. What is returned is strengthened, unless
        `touch` is False; with `explain` each tells the parts of its score.
        """
        return find_events(self.env, self.scope, request)

    def end_session(self, session_id: str, *, agent_id: str = "") -> EndedSession:
        """End a session: what was said in it becomes one source, each turn with its event's id.

        `agent_id` is needed only where several agents have a session of that id. Twice is once.
        """
        return end_session(self.env, self._full_scope, session_id, agent_id=agent_id)

    def replay(
        self, after: int | None = None, *, consumer: str | None = None, limit: int = 100
    ) -> list[Event]:
        """What agents recorded beyond the position `after`, in the order of the ledger.

        A `consumer` of your own naming goes on where `advance` has last put it, unless `after` says
        otherwise. Each event has its position, `seq`; what this returns is not strengthened.
        """
        return project.replay(self.env, self.scope, after, consumer, limited(limit))

    def advance(self, consumer: str, seq: int) -> Position:
        """Let a consumer of your own naming have handled the ledger up to `seq`; it never goes back.
        Where it stands now comes back."""
        return project.advance(self.env, self._write_scope, consumer, seq)

    def lag(self) -> Lag:
        """How far projection and enrichment are behind what was recorded."""
        return project.lag(self.env, self.scope)


def _fields(event: object, beside: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an event, from its record and from what was said beside it."""
    given: dict[str, Any] = {name: value for name, value in beside.items() if value is not None}
    if isinstance(event, str):
        return {"event_type": event, **given}
    if not isinstance(event, Mapping):
        raise InvalidInput("event", f"must be a type or a record, not {type(event).__name__}")
    twice = sorted(name for name in given if event.get(name) is not None)
    if twice:
        raise InvalidInput(twice[0], "is said twice: in the record and beside it")
    return {**event, **given}


class SummariesApi(UserHandle):
    """The verbs about summaries of events."""

    def summaries(
        self, level: str | Level | None = None, session_id: str | None = None, limit: int = 50
    ) -> list[Summary]:
        """Summaries of events, those that reach furthest first.

        `level` is episode, session or agent; `session_id` narrows it to one session. `read` of a
        summary's key shows what it stands for.
        """
        query = SummaryQuery(
            level=None if level is None else choice("level", Level, level),
            session_id=None if session_id is None else identifier("session_id", session_id),
        )
        return self.env.graph.summaries(self.scope, query, limit=limited(limit))
