"""Pin: a memory stays until somebody unpins it. Touch: one that was returned was accessed, and is
strengthened (SPEC 7)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from remanent.core import lifecycle, read
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.anchor import Person
from remanent.core.model.belief import Belief, BeliefStatus, Change, ChangeKind
from remanent.core.model.event import MEMORY_PINNED, Event
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.model.scope import Scope
from remanent.core.read import Lived, if_writable, look_up_own
from remanent.errors import InvalidInput


def pin_memory(env: Env, scope: Scope, key: str, *, forever: bool = True) -> LifecycleReport:
    """Keep a memory or relationship for ever; with `forever=False` it fades again from now on.

    What was archived comes back. A belief is then held on the user's word: it does not fade.
    """
    now = env.clock.now()
    with env.atomic(durable=True):
        thing = look_up_own(env, scope, key)
        _insist_pinnable(thing, forever=forever)
        if (thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER) is forever:
            return read.set_lifecycle(env, scope, thing, thing.life)
        payload = {"key": thing.key, "forever": forever, "at": now.isoformat()}
        env.append(scope, MEMORY_PINNED, payload, now=now)
        return _set(env, scope, thing, now, forever=forever)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do again what such an event tells, where what it is about is there."""
    thing = read.at(env, scope, event.payload["key"])
    forever = bool(event.payload["forever"])
    if thing is None or (thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER) is forever:
        return
    _set(env, scope, thing, datetime.fromisoformat(event.payload["at"]), forever=forever)


def _set(env: Env, scope: Scope, thing: Lived, at: datetime, *, forever: bool) -> LifecycleReport:
    if forever:
        life = lifecycle.pinned(thing.life, at, env.config.lifecycle)
    else:
        life = lifecycle.unpinned(thing.life, at)
    if isinstance(thing, Belief) and thing.status is BeliefStatus.ACTIVE:
        # It is the user's word, which confirms the belief: what is left of it counts from then on.
        said = "kept for ever" if forever else "kept until now; it fades again"
        change = Change(kind=ChangeKind.PINNED, recorded_at=at, reason=f"by hand: {said}")
        latest = max(at, thing.updated_at)
        env.graph.put(scope, replace(thing, updated_at=latest, changes=(*thing.changes, change)))
    return read.set_lifecycle(env, scope, thing, life)


def _insist_pinnable(thing: Lived, *, forever: bool) -> None:
    if isinstance(thing, Belief) and thing.status is not BeliefStatus.ACTIVE and forever:
        raise InvalidInput("key", f"this belief is {thing.status.value}, and that is final")
    if isinstance(thing, Person) and thing.is_owner and not forever:
        raise InvalidInput("key", "the owner of this memory is always kept")


def record_access(env: Env, scope: Scope, keys: Sequence[str]) -> int:
    """Record one access to each of these nodes and relationships, all in one batch; how many.

    Another's memory fades by its owner's use alone, and is left as it is.
    """
    now = env.clock.now()

    def accessed_now(life: Lifecycle) -> Lifecycle:
        return lifecycle.accessed(life, now, env.config.lifecycle)

    with if_writable():
        return env.graph.touch(scope, keys, accessed_now) if keys else 0
    return 0


def touch_memory(env: Env, scope: Scope, key: str) -> LifecycleReport:
    """Count one access to a memory or relationship, as if it had been asked for just now."""
    with env.atomic():
        thing = read.look_up_own(env, scope, key)
        life = lifecycle.accessed(thing.life, env.clock.now(), env.config.lifecycle)
        return replace(read.set_lifecycle(env, scope, thing, life), changed=True)
