"""Pin: what must stay, stays, until somebody says otherwise (SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.core import lifecycle
from remanent.core.lookup import Lived, Own, kind_of
from remanent.core.model.anchor import Person
from remanent.core.model.event import MEMORY_PINNED, Event
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.core.model.lifecycle_reports import Living
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    own: Own
    ledger: Ledger
    atomic: Atomic
    clock: Clock

    def __call__(self, scope: Scope, key: str, *, forever: bool = True) -> Living:
        """Keep one memory for ever, or with `forever=False` let it fade again from now on."""
        now = self.clock.now()
        with self.atomic(durable=True):
            thing = self.own(scope, key)
            _insist_pinnable(thing, forever=forever)
            if (thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER) is forever:
                return self.own.live(scope, thing, thing.life)
            told = {"key": thing.key, "forever": forever, "at": now.isoformat()}
            event = happening(scope.user_id, MEMORY_PINNED, told, now=now)
            self.ledger.append(event)
            return self.own.live(scope, thing, self._life(thing, now, forever=forever))

    def apply(self, scope: Scope, event: Event) -> None:
        """Do again what such an event tells, where what it is about is there."""
        thing = self.own.at(scope, event.payload["key"])
        forever = bool(event.payload["forever"])
        if thing is None or (thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER) is forever:
            return
        at = datetime.fromisoformat(event.payload["at"])
        self.own.live(scope, thing, self._life(thing, at, forever=forever))

    def _life(self, thing: Lived, at: datetime, *, forever: bool) -> Lifecycle:
        if forever:
            return lifecycle.pinned(thing.life, at, self.own.rules)
        return lifecycle.unpinned(thing.life, at)


def _insist_pinnable(thing: Lived, *, forever: bool) -> None:
    if kind_of(thing) is Kind.BELIEF:
        raise InvalidInput(
            "key", "it is a belief: being recalled and remembered again keeps it, not a pin"
        )
    if isinstance(thing, Person) and thing.is_owner and not forever:
        raise InvalidInput("key", "the owner of this memory is always kept")
