"""Record: an agent's event enters the ledger, and the graph hears of it later (SPEC 2).

The event and the promise to project it are one durable write; nobody waits for the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core import visibility
from remanent.core.env import Env
from remanent.core.model.event import PROJECTION, Event, Recorded
from remanent.core.model.job import JobKind, new_job
from remanent.core.model.scope import Scope
from remanent.core.new_event import new_event
from remanent.errors import Forbidden, InvalidInput
from remanent.events.rules import request as recording
from remanent.events.rules.request import EventDraft
from remanent.teams.teams import primary_team


def record_event(env: Env, scope: Scope, given: Mapping[str, Any]) -> Recorded:
    """The event as the ledger has it; an id that was used before changes nothing."""
    (recorded,) = _written(env, scope, [_checked(env, scope, given)])
    return recorded


def record_many(env: Env, scope: Scope, events: Iterable[Mapping[str, Any]]) -> list[Recorded]:
    """Append many events in their order, all in one write or none."""
    if isinstance(events, (str, bytes, Mapping)) or not isinstance(events, Iterable):
        raise InvalidInput("events", "must be a list of events")
    drafts = [
        _checked(env, scope, one, where=f"events[{number}].") for number, one in enumerate(events)
    ]
    return _written(env, scope, drafts) if drafts else []


def _checked(env: Env, scope: Scope, given: object, *, where: str = "") -> EventDraft:
    if isinstance(given, Mapping) and "shared" in given:
        fields = {name: one for name, one in given.items() if name != "shared"}
        if given["shared"]:
            named = fields.pop("team", None) or fields.get("team_id")
            fields["team_id"] = primary_team(env, scope, named)
        given = fields
    draft = recording.checked(
        given,
        now=env.clock.now(),
        rules=env.config.intake,
        longest=env.config.events.max_payload_characters,
        where=where,
    )
    if not visibility.may_contribute(scope, draft.team_id):
        raise Forbidden(f"team: {scope.user_id!r} is not a member of {draft.team_id!r}")
    return draft


def _written(env: Env, scope: Scope, drafts: Sequence[EventDraft]) -> list[Recorded]:
    now = env.clock.now()
    with env.atomic(scope, durable=True):
        recorded = [_appended(env, _event(scope, draft, now)) for draft in drafts]
        if any(one.is_new for one in recorded):
            # The position is part of the key: while a job that began there is at work, it moves on before the
            # job ends, so that what is recorded meanwhile gets a job of its own.
            position, user_id = env.graph.position(scope, PROJECTION), scope.user_id
            env.queue.enqueue(new_job(JobKind.PROJECT, user_id, now, user_id, position))
    return recorded


def _appended(env: Env, event: Event) -> Recorded:
    stored, is_new = env.ledger.append(event)
    if stored.event_type != event.event_type:
        raise InvalidInput(
            "event_id", f"{event.event_id!r} is another event, of type {stored.event_type!r}"
        )
    return Recorded(event=stored, is_new=is_new)


def _event(scope: Scope, draft: EventDraft, now: datetime) -> Event:
    return new_event(
        scope.user_id,
        draft.event_type,
        draft.payload,
        now=now,
        occurred_at=draft.occurred_at,
        event_id=draft.event_id,
        team_id=draft.team_id,
        agent_id=draft.agent_id,
        session_id=draft.session_id,
        parent_event_id=draft.parent_event_id,
        importance_hint=draft.importance_hint,
    )
