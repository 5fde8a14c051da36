"""Stow: items are written to the ledger and kept beside the graph (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from remanent.core.env import Env
from remanent.core.model.event import ITEM_DELETED, ITEM_PUT, Event
from remanent.core.model.scope import Scope
from remanent.core.ports.records import Vectors
from remanent.core.records.item import Item, Put
from remanent.items import rules as rule

EXPIRED = "its time was up"


def write_items(
    env: Env,
    scope: Scope,
    room: str,
    puts: Sequence[Put],
    *,
    lens: str = "",
    vectors: Sequence[Vectors | None] = (),
) -> None:
    """Do all of these or none, in order. `vectors` are those of each value through `lens`; a value
    without is seen when it is first looked for."""
    wishes = [rule.checked(one) for one in puts]
    seen = [*vectors, *[None] * (len(wishes) - len(vectors))]
    with env.atomic(durable=True):
        for wish, item_vectors in zip(wishes, seen, strict=True):
            if wish.value is None:
                _delete(env, scope, room, [(wish.namespace, wish.key)])
                continue
            item = _put(env, scope, _append_event(env, scope, room, wish))
            if item_vectors is not None:
                env.stores.items.put_vectors(scope, item, lens, item_vectors)


def sweep(env: Env, scope: Scope, room: str) -> int:
    """Take away what has expired; how many items that were."""
    now = env.clock.now()
    if not env.stores.items.expired(scope, room, now):
        return 0
    with env.atomic(durable=True):
        gone = [(one.namespace, one.key) for one in env.stores.items.expired(scope, room, now)]
        _delete(env, scope, room, gone, why=EXPIRED)
    return len(gone)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more."""
    with env.atomic():
        if event.event_type == ITEM_PUT:
            _put(env, scope, event)
        else:
            _remove(env, scope, event.payload)


def _append_event(env: Env, scope: Scope, room: str, wish: Put) -> Event:
    payload = {
        "room": room,
        "namespace": list(wish.namespace),
        "key": wish.key,
        "value": wish.value,
        "paths": None if wish.paths is None else list(wish.paths),
        "ttl_minutes": wish.ttl_minutes,
    }
    return env.append(scope, ITEM_PUT, payload)


def _put(env: Env, scope: Scope, event: Event) -> Item:
    payload, now = event.payload, event.recorded_at
    room, namespace, key = payload["room"], tuple(payload["namespace"]), payload["key"]
    before = env.stores.items.item(scope, room, namespace, key)
    ttl = payload["ttl_minutes"]
    item = Item(
        user_id=scope.user_id,
        room=room,
        namespace=namespace,
        key=key,
        value=payload["value"],
        event_id=event.event_id,
        created_at=now if before is None else before.created_at,
        updated_at=now,
        paths=None if payload["paths"] is None else tuple(payload["paths"]),
        ttl_minutes=ttl,
        expires_at=None if ttl is None else now + timedelta(minutes=ttl),
    )
    env.stores.items.put(scope, item)
    return item


def _delete(
    env: Env,
    scope: Scope,
    room: str,
    places: Sequence[tuple[tuple[str, ...], str]],
    *,
    why: str = "",
) -> None:
    there = [one for one in places if env.stores.items.item(scope, room, *one) is not None]
    if not there:
        return
    payload = {"room": room, "items": [[list(path), key] for path, key in there], "why": why}
    env.append(scope, ITEM_DELETED, payload)
    _remove(env, scope, payload)


def _remove(env: Env, scope: Scope, payload: Mapping[str, Any]) -> None:
    for path, key in payload["items"]:
        env.stores.items.remove(scope, payload["room"], tuple(path), key)
