"""Ingest: the one door through which sources enter (SPEC 4, phase 0).

Validates, then writes event, raw content, source and job in one durable transaction.
"""

from __future__ import annotations

import os
from datetime import datetime

from remanent.core import visibility
from remanent.core.env import Env
from remanent.core.model.event import SOURCE_ADDED, Event
from remanent.core.model.job import Job, JobKind
from remanent.core.model.keys import key_for, time_ordered
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import (
    ContentType,
    ContextType,
    RawSource,
    Sensitivity,
    Source,
    SourceType,
)
from remanent.errors import Forbidden
from remanent.ingest.rules import request as intake
from remanent.ingest.rules.request import Draft, Offer


def add_source(env: Env, scope: Scope, offer: Offer) -> str:
    """Keep the source and promise its processing; its key once it is on the disk."""
    draft = check_offer(env, scope, offer)
    key = key_of(scope, draft)
    with env.atomic(durable=True):
        known = known_source(env, scope, key, draft)
        if known is not None:
            return known
        _write(env, scope, key, draft, env.clock.now())
    return key


def check_offer(env: Env, scope: Scope, offer: Offer) -> Draft:
    """The offer, checked; `InvalidInput` or `Forbidden` when it cannot be taken."""
    now = env.clock.now()
    draft = intake.checked(offer, user_id=scope.user_id, now=now, rules=env.config.intake)
    if not visibility.may_contribute(scope, draft.team_id):
        raise Forbidden(f"team: {scope.user_id!r} is not a member of {draft.team_id!r}")
    return draft


def known_source(env: Env, scope: Scope, key: str, draft: Draft) -> str | None:
    """The key of the source that this one repeats, by origin or by content."""
    if key in env.graph.own_keys_beginning(scope, key, limit=1):
        return key  # theirs, even where they have left the team that holds it
    same = env.graph.natural(scope, Kind.SOURCE, draft.digest)
    return None if same is None else same.key


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Make the source that the event tells of once more, if it is not here."""
    key = str(event.payload["source_key"])
    raw = env.ledger.raw(scope, key)
    if raw is not None and env.graph.get(scope, key) is None:
        env.graph.put(scope, _source(scope, key, _told(event, raw), event))


def _write(env: Env, scope: Scope, key: str, draft: Draft, now: datetime) -> None:
    event = _event(scope, key, draft, now)
    env.ledger.append(event)
    env.ledger.keep_raw(
        RawSource(
            key=key,
            user_id=scope.user_id,
            content=draft.raw,
            is_json=draft.is_json,
            recorded_at=now,
        )
    )
    env.graph.put(scope, _source(scope, key, draft, event))
    env.queue.enqueue(process_job(scope.user_id, key, now))


def process_job(user_id: str, source_key: str, now: datetime) -> Job:
    """The promise to process one source."""
    return Job(
        key=f"process:{source_key}",
        kind=JobKind.PROCESS,
        user_id=user_id,
        payload={"source_key": source_key},
        created_at=now,
        run_at=now,
    )


def key_of(scope: Scope, draft: Draft) -> str:
    """The key the draft is kept under: by its origin where it has one, else by its content."""
    if draft.origin_id is not None:
        return key_for(scope.user_id, Kind.SOURCE, "origin", draft.origin_id)
    return key_for(scope.user_id, Kind.SOURCE, "content", draft.digest)


def _event(scope: Scope, key: str, draft: Draft, now: datetime) -> Event:
    """All that is needed, beside the raw content, to make the source again."""
    return Event(
        event_id=time_ordered(now, os.urandom(10)),
        user_id=scope.user_id,
        team_id=draft.team_id,
        event_type=SOURCE_ADDED,
        payload={
            "source_key": key,
            "source_type": draft.source_type.value,
            "content_type": draft.content_type.value,
            "context_type": draft.context_type.value,
            "digest": draft.digest,
            "started_at": draft.started_at.isoformat(),
            "ended_at": None if draft.ended_at is None else draft.ended_at.isoformat(),
            "participants": list(draft.participants),
            "origin_id": draft.origin_id,
            "sensitivity": draft.sensitivity.value,
            "title": draft.title,
        },
        occurred_at=draft.started_at,
        recorded_at=now,
    )


def _told(event: Event, raw: RawSource) -> Draft:
    """The draft that `_event` wrote down."""
    told = event.payload
    ended, content_type = told["ended_at"], ContentType(told["content_type"])
    return Draft(
        raw=raw.content,
        is_json=raw.is_json,
        digest=told["digest"],
        source_type=SourceType(told["source_type"]),
        content_type=content_type,
        context_type=ContextType(told["context_type"]),
        started_at=datetime.fromisoformat(told["started_at"]),
        ended_at=None if ended is None else datetime.fromisoformat(ended),
        participants=tuple(told["participants"]),
        team_id=event.team_id,
        origin_id=told["origin_id"],
        sensitivity=Sensitivity(told["sensitivity"]),
        title=told["title"],
        provenance=intake.provenance(raw.content, content_type, is_json=raw.is_json),
    )


def _source(scope: Scope, key: str, draft: Draft, event: Event) -> Source:
    return Source(
        key=key,
        user_id=scope.user_id,
        created_at=event.recorded_at,
        updated_at=event.recorded_at,
        source_type=draft.source_type,
        content_type=draft.content_type,
        context_type=draft.context_type,
        event_id=event.event_id,
        content_hash=draft.digest,
        participants=draft.participants,
        started_at=draft.started_at,
        ended_at=draft.ended_at,
        team_id=draft.team_id,
        origin_id=draft.origin_id,
        provenance=draft.provenance,
        title=draft.title,
        sensitivity=draft.sensitivity,
    )
