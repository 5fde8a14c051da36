"""Ingest: the one door through which sources enter (SPEC 4, phase 0).

Validates, then writes event, raw content, source and job in one durable transaction. The first write
and a replay of the ledger make the source from the event by the same function.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from remanent.core import event_lookup, tombstones, visibility
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.index_entries import words_entry
from remanent.core.model.codec import from_record
from remanent.core.model.event import SOURCE_ADDED, Event
from remanent.core.model.job import Job, JobKind, new_job
from remanent.core.model.keys import time_ordered
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, RawSource, Source
from remanent.core.read import by_natural
from remanent.errors import Forbidden
from remanent.ingest.rules import request as intake
from remanent.ingest.rules.request import AddRequest, CheckedSource


def add_source(env: Env, scope: Scope, request: AddRequest) -> str:
    """Keep the source and promise its processing; its key once it is on the disk."""
    checked = check_request(env, scope, request)
    with env.atomic(scope, durable=True):
        return known_source(env, scope, checked) or write_new(env, scope, checked)


def check_request(env: Env, scope: Scope, request: AddRequest) -> CheckedSource:
    """The request, checked; `InvalidInput` or `Forbidden` when it cannot be taken."""
    now = env.clock.now()
    if request.context is None and request.team in scope.teams:
        team = env.registry.team(str(request.team))
        request = replace(request, context=None if team is None else team.context)
    checked = intake.checked(request, user_id=scope.user_id, now=now, rules=env.config.intake)
    if not visibility.may_contribute(scope, checked.team_id):
        raise Forbidden(f"team: {scope.user_id!r} is not a member of {checked.team_id!r}")
    return checked


def _accepted(env: Env, scope: Scope, checked: CheckedSource) -> tuple[str, ...] | None:
    """Those named who read it at once: whoever shares a team with the contributor, and does not block
    them. All others are asked first; of an id that nobody has, nothing can be told from that."""
    others = [one for one in checked.participants if one != scope.user_id]
    if not others:
        return None
    return tuple(
        one
        for one in others
        if any(
            place.left_at is None and place.team_id in scope.teams
            for place in env.registry.memberships(one)
        )
        and scope.user_id not in env.registry.consents(one).blocked_now
    )


def known_source(env: Env, scope: Scope, checked: CheckedSource) -> str | None:
    """The key of the source that this one repeats, by origin or by content."""
    key = checked.source_key
    if key in env.graph.keys_beginning(scope, key, limit=1, own=True):
        return key  # theirs, even where they have left the team that holds it
    same = by_natural(env.graph, scope, Kind.SOURCE, checked.digest)
    return None if same is None else same.key


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Make the source that the event tells of once more, if it is not here."""
    key = str(event.payload["source_key"])
    raw = env.ledger.raw(scope, key)
    if raw is not None and env.graph.get(scope, key) is None:
        content_type = ContentType(event.payload["content_type"])
        provenance, words = intake.provenance(raw.content, content_type, is_json=raw.is_json)
        source = source_of(scope, event, provenance)
        env.graph.put(scope, source)
        env.index.put([words_entry(source, f"{source.title} {words}")])


def source_of(scope: Scope, event: Event, provenance: Mapping[str, Any]) -> Source:
    """The source that a `source.added` event tells of; `provenance` is read from its raw content, and what
    the caller said of it comes first."""
    fields = dict(event.payload)
    said = fields.pop("came_by", None) or {}
    ready = {
        "key": fields.pop("source_key"),
        "content_hash": fields.pop("digest"),
        "user_id": scope.user_id,
        "team_id": event.team_id,
        "created_at": event.recorded_at,
        "updated_at": event.recorded_at,
        "event_id": event.event_id,
        "provenance": {**provenance, **said},
    }
    return from_record(Source, fields, ready=ready)


def write_new(env: Env, scope: Scope, checked: CheckedSource) -> str:
    """The same of a source that is known to be new, inside a transaction."""
    key, now, accepted = checked.source_key, env.clock.now(), _accepted(env, scope, checked)
    checked = checked if accepted is None else replace(checked, accepted=accepted)
    event = Event(
        event_id=time_ordered(now, os.urandom(10)),
        user_id=scope.user_id,
        team_id=checked.team_id,
        event_type=SOURCE_ADDED,
        payload=intake.payload(checked),
        occurred_at=checked.started_at,
        recorded_at=now,
    )
    raw = RawSource(
        key=key,
        user_id=scope.user_id,
        content=checked.raw,
        is_json=checked.is_json,
        recorded_at=now,
    )
    env.ledger.append(event, raw)
    env.queue.enqueue(process_job(scope.user_id, key, now))
    _answered_before(env, scope, key)
    source = source_of(scope, event, checked.provenance)
    env.graph.put(scope, source)
    # When all its passages are there, they take the place of the words.
    env.index.put([words_entry(source, f"{source.title} {checked.words}")])
    return key


def _answered_before(env: Env, scope: Scope, key: str) -> None:
    """Let those who hid or declined the source before it was erased hide or decline it still."""
    erased = event_lookup.tombstones(env, scope)
    if erased:
        secret = env.secret()
        for mark in tombstones.marks_of(erased, secret, scope.user_id, [key]):
            env.ledger.change_consents([mark], key)


def process_job(user_id: str, source_key: str, now: datetime) -> Job:
    """The promise to process one source."""
    return new_job(JobKind.PROCESS, user_id, now, source_key, source_key=source_key)
