"""Stow: items are written to the ledger and kept beside the graph (SPEC 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from remanent.clock import Clock
from remanent.core.model.event import ITEM_DELETED, ITEM_PUT, Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.items import Items, Vectors
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.core.records.item import Item, Put
from remanent.items import rules as rule

EXPIRED = "its time was up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stow:
    items: Items
    ledger: Ledger
    atomic: Atomic
    clock: Clock

    def __call__(
        self,
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
        with self.atomic(durable=True):
            for wish, found in zip(wishes, seen, strict=True):
                if wish.value is None:
                    self._delete(scope, room, [(wish.namespace, wish.key)])
                    continue
                item = self._put(scope, self._told(scope, room, wish))
                if found is not None:
                    self.items.see(scope, item, lens, found)

    def sweep(self, scope: Scope, room: str) -> int:
        """Take away what has expired; how many items that were."""
        now = self.clock.now()
        if not self.items.expired(scope, room, now):
            return 0
        with self.atomic(durable=True):
            gone = [(one.namespace, one.key) for one in self.items.expired(scope, room, now)]
            self._delete(scope, room, gone, why=EXPIRED)
        return len(gone)

    def apply(self, scope: Scope, event: Event) -> None:
        """Do what the event tells of once more."""
        with self.atomic():
            if event.event_type == ITEM_PUT:
                self._put(scope, event)
            else:
                self._remove(scope, event.payload)

    def _told(self, scope: Scope, room: str, wish: Put) -> Event:
        told = {
            "room": room,
            "namespace": list(wish.namespace),
            "key": wish.key,
            "value": wish.value,
            "paths": None if wish.paths is None else list(wish.paths),
            "ttl_minutes": wish.ttl_minutes,
        }
        event = happening(scope.user_id, ITEM_PUT, told, now=self.clock.now())
        return self.ledger.append(event)[0]

    def _put(self, scope: Scope, event: Event) -> Item:
        told, now = event.payload, event.recorded_at
        room, namespace, key = told["room"], tuple(told["namespace"]), told["key"]
        before = self.items.item(scope, room, namespace, key)
        ttl = told["ttl_minutes"]
        item = Item(
            user_id=scope.user_id,
            room=room,
            namespace=namespace,
            key=key,
            value=told["value"],
            event_id=event.event_id,
            created_at=now if before is None else before.created_at,
            updated_at=now,
            paths=None if told["paths"] is None else tuple(told["paths"]),
            ttl_minutes=ttl,
            expires_at=None if ttl is None else now + timedelta(minutes=ttl),
        )
        self.items.put(scope, item)
        return item

    def _delete(
        self,
        scope: Scope,
        room: str,
        places: Sequence[tuple[tuple[str, ...], str]],
        *,
        why: str = "",
    ) -> None:
        there = [one for one in places if self.items.item(scope, room, *one) is not None]
        if not there:
            return
        told = {"room": room, "items": [[list(path), key] for path, key in there], "why": why}
        self.ledger.append(happening(scope.user_id, ITEM_DELETED, told, now=self.clock.now()))
        self._remove(scope, told)

    def _remove(self, scope: Scope, told: Mapping[str, Any]) -> None:
        for path, key in told["items"]:
            self.items.remove(scope, told["room"], tuple(path), key)
