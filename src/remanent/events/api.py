"""Events' part of `UserMemory`: agents' events recorded and found, sessions ended, and their summaries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from remanent.core.checks import choice, identifier, limited
from remanent.core.later import later
from remanent.core.model.event import EventHit, EventRequest, Recorded
from remanent.core.model.story import Level, Summary
from remanent.core.ports.graph import Nodes
from remanent.core.user_handle import WHOLE, WRITES, UserHandle, takes_fields_of, verb
from remanent.errors import InvalidInput

if TYPE_CHECKING:
    from remanent.events import project, query, record
    from remanent.ingest import end_session
    from remanent.teams import audit
else:
    project = later("remanent.events.project")
    query = later("remanent.events.query")
    record = later("remanent.events.record")
    end_session = later("remanent.ingest.end_session")
    audit = later("remanent.teams.audit")


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
            return record.record_event(self.env, scope, _fields(event, beside))

    record_many = verb(lambda: record.record_many, WRITES)

    @takes_fields_of(EventRequest)
    def events(self, request: EventRequest) -> list[EventHit]:
        """What happened, by recency, importance, relevance to `query` and affinity, best first.

        Events of `current_session` come nearest to who asks. What is returned is strengthened, unless
        `touch` is False; with `explain` each tells the parts of its score.
        """
        return query.find_events(self.env, self.scope, request)

    end_session = verb(lambda: end_session.end_session, WHOLE)
    replay = verb(lambda: project.replay)
    advance = verb(lambda: project.advance, WRITES)
    lag = verb(lambda: project.lag)


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
        where = {
            "level": None if level is None else choice("level", Level, level),
            "session_id": None if session_id is None else identifier("session_id", session_id),
        }
        nodes = Nodes(Summary, where, ("-covers_to",), limit=limited(limit), own=True)
        return self.env.graph.select(self.scope, nodes)
