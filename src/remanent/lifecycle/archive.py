"""Archive: memories are archived and restored, by hand or by a night's decision (SPEC 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from remanent.core import checks, lifecycle, read
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.anchor import Person
from remanent.core.model.event import MEMORY_ARCHIVED, MEMORY_RESTORED, Event
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.read import Lived, kind_of, look_up_own
from remanent.errors import InvalidInput

_LONGEST_REASON = 1000


def archive(env: Env, scope: Scope, key: str, reason: str = "") -> LifecycleReport:
    """Take a memory or relationship out of default search; its key still leads to it.

    What is pinned has to be unpinned first; a belief is forgotten instead, by `forget`.
    """
    why = checks.plain("reason", reason).strip()
    if len(why) > _LONGEST_REASON:
        raise InvalidInput("reason", f"is longer than {_LONGEST_REASON:,} characters")
    now = env.clock.now()
    with env.atomic(durable=True):
        thing = look_up_own(env, scope, key)
        _insist_archivable(thing)
        if thing.life.state is State.ARCHIVED:
            return read.set_lifecycle(env, scope, thing, thing.life)
        _append_event(env, scope, [thing.key], now, why or "archived on request")
        return read.set_lifecycle(env, scope, thing, _archived(env, thing, now))


def put_away(env: Env, scope: Scope, keys: Sequence[str], at: datetime, reason: str) -> None:
    """Archive all these of the caller's own as of `at`, in one go: all of them or none."""
    with env.atomic(durable=True):
        apply(env, scope, _append_event(env, scope, keys, at, reason))


def restore(env: Env, scope: Scope, key: str) -> LifecycleReport:
    """Call an archived memory or relationship back. It counts as an access."""
    now = env.clock.now()
    with env.atomic(durable=True):
        thing = look_up_own(env, scope, key)
        _insist_restorable(env, scope, thing)
        if thing.life.state is not State.ARCHIVED:
            return read.set_lifecycle(env, scope, thing, thing.life)
        payload = {"key": thing.key, "at": now.isoformat()}
        env.append(scope, MEMORY_RESTORED, payload, now=now)
        return read.set_lifecycle(env, scope, thing, _restored(env, thing, now))


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do again what an event of archiving or restoring tells, where what it is about is there."""
    at = datetime.fromisoformat(event.payload["at"])
    restores = event.event_type == MEMORY_RESTORED
    keys = [event.payload["key"]] if restores else event.payload["keys"]
    lived = partial(_restored, env) if restores else partial(_archived, env)
    for thing in read.by_keys(env, scope, keys):
        if (thing.life.state is State.ARCHIVED) is restores:
            read.set_life(env, scope, thing.key, lived(thing, at))


def _append_event(env: Env, scope: Scope, keys: Sequence[str], at: datetime, reason: str) -> Event:
    payload = {"keys": list(keys), "at": at.isoformat(), "reason": reason}
    return env.append(scope, MEMORY_ARCHIVED, payload, occurred_at=at)


def _archived(env: Env, thing: Lived, at: datetime) -> Lifecycle:
    return replace(read.faded(env, thing, thing.life, at), state=State.ARCHIVED)


def _restored(env: Env, thing: Lived, at: datetime) -> Lifecycle:
    return lifecycle.restored(read.faded(env, thing, thing.life, at), at, env.config.lifecycle)


def _insist_restorable(env: Env, scope: Scope, thing: Lived) -> None:
    merged = env.graph.links(scope, thing.key, kinds=(LinkKind.SAME_AS,), outward=True)
    if merged and thing.life.state is State.ARCHIVED:
        raise InvalidInput("key", f"it was merged into {merged[0].dst}; split takes it back")


def _insist_archivable(thing: Lived) -> None:
    if isinstance(thing, Person) and thing.is_owner:
        raise InvalidInput("key", "the owner of this memory cannot be archived")
    if kind_of(thing) is Kind.BELIEF:
        raise InvalidInput("key", "it is a belief; forget puts a belief out of mind")
    if thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        raise InvalidInput("key", "it is pinned; unpin it first")
