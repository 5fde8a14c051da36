"""Stow: items are written to the ledger and kept beside the graph (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from remanent.core.env import Env
from remanent.core.model.event import ITEM_DELETED, ITEM_PUT, Event
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.ports.records import Select
from remanent.core.records.item import Item, ItemVector, Namespace, Put
from remanent.items import rules as rule

EXPIRED = "its time was up"
Vectors = Mapping[str, Vector]  # by the path of the text that each was made from


def write_items(
    env: Env,
    scope: Scope,
    room: str,
    puts: Sequence[Put],
    *,
    lens: str = "",
    vectors: Sequence[Vectors | None] = (),
) -> None:
    """Keep or take away all of these, or none. They are on the disk when this returns. `vectors` are those
    of each value through `lens`; a value without is seen when it is first looked for."""
    wishes = [rule.checked(one) for one in puts]
    seen = [*vectors, *[None] * (len(wishes) - len(vectors))]
    with env.atomic(durable=True):
        for wish, item_vectors in zip(wishes, seen, strict=True):
            if wish.value is None:
                _delete(env, scope, room, [(wish.namespace, wish.key)])
                continue
            item = _put(env, scope, _append_event(env, scope, room, wish))
            if item_vectors is not None:
                keep_vectors(env, scope, item, lens, item_vectors)


def sweep(env: Env, scope: Scope, room: str) -> int:
    """Take away what has expired; how many items that were."""
    now = env.clock.now()
    expired = Select(Item, {"room": room, "expires_at <=": now}, ("namespace", "key"))
    if not env.records.find(scope, expired):
        return 0
    with env.atomic(durable=True):
        gone = [(one.namespace, one.key) for one in env.records.find(scope, expired)]
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
    before = env.records.get(scope, Item, room, namespace, key)
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
    remove(env, scope, room, namespace, key)  # with its vectors, and its place among the newest
    env.records.put(scope, item)
    return item


def keep_vectors(env: Env, scope: Scope, item: Item, lens: str, vectors: Vectors) -> None:
    """Keep the vectors by which a lens sees this item, in the place of earlier ones; with none it is
    known to have no text. An item that was written anew meanwhile gets none."""
    seen = {"user_id": scope.user_id, "event_id": item.event_id, "lens": lens}
    with env.atomic():
        if not env.records.find(scope, Select(Item, {"event_id": item.event_id}, limit=1)):
            return
        env.records.delete(scope, Select(ItemVector, seen))
        for path, vector in (vectors or {"": np.zeros(0, dtype=np.float32)}).items():
            blob = np.asarray(vector, dtype="<f4").tobytes()
            env.records.put(scope, ItemVector(**seen, path=path, vector=blob))


def _delete(
    env: Env,
    scope: Scope,
    room: str,
    places: Sequence[tuple[tuple[str, ...], str]],
    *,
    why: str = "",
) -> None:
    there = [one for one in places if env.records.get(scope, Item, room, *one) is not None]
    if not there:
        return
    payload = {"room": room, "items": [[list(path), key] for path, key in there], "why": why}
    env.append(scope, ITEM_DELETED, payload)
    _remove(env, scope, payload)


def _remove(env: Env, scope: Scope, payload: Mapping[str, Any]) -> None:
    for path, key in payload["items"]:
        remove(env, scope, payload["room"], tuple(path), key)


def remove(env: Env, scope: Scope, room: str, namespace: Namespace, key: str) -> None:
    """Take the item there away, with its vectors."""
    there = {"room": room, "namespace": namespace, "key": key}
    env.records.delete(scope, Select(Item, there))
