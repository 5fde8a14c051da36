"""Erase items: the records of programs that tell of what is erased.

Works inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from remanent.core.env import Env
from remanent.core.model.event import ITEM_DELETED, ITEM_PUT, Event
from remanent.core.model.scope import Scope
from remanent.core.records.item import Namespace
from remanent.erasure.past_nights import all_events

_Place = tuple[str, Namespace, str]


def erase_items(env: Env, scope: Scope, puts: Sequence[Event]) -> tuple[int, list[Event]]:
    """What these events put goes: how many records that were, and all events that went. A record
    that is there now goes with its past; of another, only the words that these events had."""
    if not puts:
        return 0, []
    there = {_place(one) for one in puts if _is_there(env, scope, one)}
    for room, namespace, key in there:
        env.stores.items.remove(scope, room, namespace, key)
    written = [one for one in all_events(env.ledger, scope) if one.event_type == ITEM_PUT]
    ids = {one.event_id for one in puts}
    gone = [one for one in written if one.event_id in ids or _place(one) in there]
    env.ledger.erase(scope, [one.event_id for one in gone])
    places = {_place(one) for one in gone}
    _forget_deletions(env, scope, places - {_place(one) for one in written if one not in gone})
    return len(there), gone


def _is_there(env: Env, scope: Scope, put: Event) -> bool:
    item = env.stores.items.item(scope, *_place(put))
    return item is not None and item.event_id == put.event_id


def _forget_deletions(env: Env, scope: Scope, places: set[_Place]) -> None:
    """That a record was taken away is not told where nothing tells that it was there."""
    for event in list(all_events(env.ledger, scope)):
        if event.event_type != ITEM_DELETED:
            continue
        told: list[Any] = event.payload["items"]
        left = [
            [path, key]
            for path, key in told
            if (str(event.payload["room"]), tuple(path), key) not in places
        ]
        if not left:
            env.ledger.erase(scope, [event.event_id])
        elif len(left) < len(told):
            fresh = {**event.payload, "items": left}
            env.ledger.amend(scope, replace(event, payload=fresh))


def _place(put: Event) -> _Place:
    return (str(put.payload["room"]), tuple(put.payload["namespace"]), str(put.payload["key"]))
