"""End of a session: what was said in it becomes one source, through the one door (SPEC 4).

Event and source are one durable write. A session ends once: again, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from remanent.core import checks
from remanent.core import event_text as telling
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import session_events
from remanent.core.model.event import RESERVED, SESSION_ENDED, EndedSession, Event, SessionOutcome
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.scope import Scope
from remanent.core.new_event import new_event
from remanent.errors import InvalidInput
from remanent.ingest.add import add_source
from remanent.ingest.rules.request import AddRequest

_LONGEST_ORIGIN: Final = 500


def end_session(env: Env, scope: Scope, session_id: str, *, agent_id: str = "") -> EndedSession:
    """End a session: what was said in it becomes one source, each turn with its event's id.

    `agent_id` is needed only where several agents have a session of that id. Twice is once.
    """
    session = checks.identifier("session_id", session_id)
    events = _events(env, scope, session, agent_id and checks.identifier("agent_id", agent_id))
    agent = events[0].agent_id
    messages = [one for one in events if telling.is_message(one.event_type, one.payload)]
    ended_id = key_for(scope.user_id, "session", agent, session)
    with env.atomic(durable=True):
        known = env.ledger.event(scope, ended_id)
        if known is not None:
            return _ended_session(known, messages)
        if any(telling.is_trimmed(one.payload) for one in events):
            raise InvalidInput("session_id", f"what was said in {session!r} has left the ledger")
        source = _source(env, scope, session, agent, messages) if messages else None
        event = _event(env, scope, ended_id, events, messages, source)
        env.ledger.append(event)
    outcome = SessionOutcome.KEPT if messages else SessionOutcome.SILENT
    return replace(_ended_session(event, []), outcome=outcome)


def _events(env: Env, scope: Scope, session_id: str, agent_id: str) -> list[Event]:
    events = [
        one
        for one in session_events(env, scope, session_id)
        if one.event_type not in RESERVED and agent_id in ("", one.agent_id)
    ]
    if not events:
        whose = f" of {agent_id!r}" if agent_id else ""
        raise InvalidInput("session_id", f"nothing was recorded in a session {session_id!r}{whose}")
    agents = sorted({one.agent_id for one in events})
    if len(agents) > 1:
        names = ", ".join(repr(one) for one in agents)
        raise InvalidInput("agent_id", f"say whose session {session_id!r} it is: {names}")
    return events


def _source(
    env: Env, scope: Scope, session_id: str, agent_id: str, messages: Sequence[Event]
) -> str:
    teams = {one.team_id for one in messages}
    request = AddRequest(
        content=[_turn(one) for one in messages],
        type="conversation",
        started_at=messages[0].occurred_at,
        ended_at=messages[-1].occurred_at,
        # What was not all said for a team stays the user's own.
        team=next(iter(teams)) if len(teams) == 1 else None,
        origin_id=_origin(session_id, agent_id),
    )
    return add_source(env, scope, request)


def _event(
    env: Env,
    scope: Scope,
    event_id: str,
    events: Sequence[Event],
    messages: Sequence[Event],
    source_key: str | None,
) -> Event:
    last = max(events, key=lambda one: one.seq)
    event = new_event(
        scope.user_id,
        SESSION_ENDED,
        {"source_key": source_key, "messages": len(messages), "up_to_seq": last.seq},
        now=env.clock.now(),
        occurred_at=events[-1].occurred_at,
        event_id=event_id,
    )
    return replace(event, agent_id=last.agent_id, session_id=last.session_id)


def _turn(event: Event) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "text": telling.said_in(event.payload),
        "at": event.occurred_at,
        "id": event.event_id,
    }
    speaker = telling.speaker_of(event.event_type, event.payload)
    return turn if speaker is None else {**turn, "speaker": speaker}


def _origin(session_id: str, agent_id: str) -> str:
    """The session's id; agents may number their sessions alike."""
    origin = f"{agent_id}/{session_id}" if agent_id else session_id
    return origin if len(origin) <= _LONGEST_ORIGIN else content_hash(origin)


def _ended_session(event: Event, messages: Sequence[Event]) -> EndedSession:
    """What the ledger says of a session that ended; `messages` are those that it has by now."""
    up_to = int(event.payload["up_to_seq"])
    return EndedSession(
        outcome=SessionOutcome.KNOWN,
        session_id=event.session_id,
        agent_id=event.agent_id,
        source_key=event.payload["source_key"],
        messages=int(event.payload["messages"]),
        later=sum(one.seq > up_to for one in messages),
    )
