"""Shelve: memories are archived and called back, by hand or by a night's decision (SPEC 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.clock import Clock
from remanent.core import checks, lifecycle
from remanent.core.lookup import Lived, Own, confidence_of, is_episodic, kind_of
from remanent.core.model.anchor import Person
from remanent.core.model.event import MEMORY_ARCHIVED, MEMORY_RESTORED, Event
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.lifecycle_reports import Living
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import InvalidInput

_LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelve:
    own: Own
    ledger: Ledger
    atomic: Atomic
    clock: Clock

    def archive(self, scope: Scope, key: str, *, reason: str = "") -> Living:
        """Take one memory out of default search; it stays readable by its key."""
        why = checks.plain("reason", reason).strip()
        if len(why) > _LONGEST_REASON:
            raise InvalidInput("reason", f"is longer than {_LONGEST_REASON:,} characters")
        now = self.clock.now()
        with self.atomic(durable=True):
            thing = self.own(scope, key)
            _insist_archivable(thing)
            if thing.life.state is State.ARCHIVED:
                return self.own.live(scope, thing, thing.life)
            self._tell(scope, [thing.key], now, why or "archived on request")
            return self.own.live(scope, thing, self._archived(thing, now))

    def put_away(self, scope: Scope, keys: Sequence[str], at: datetime, reason: str) -> None:
        """Archive all these of the caller's own as of `at`, in one go: all of them or none."""
        with self.atomic(durable=True):
            self.apply(scope, self._tell(scope, keys, at, reason))

    def restore(self, scope: Scope, key: str) -> Living:
        """Call one memory back from the archive. It counts as an access, and stays for a while."""
        now = self.clock.now()
        with self.atomic(durable=True):
            thing = self.own(scope, key)
            self._insist_restorable(scope, thing)
            if thing.life.state is not State.ARCHIVED:
                return self.own.live(scope, thing, thing.life)
            told = {"key": thing.key, "at": now.isoformat()}
            self.ledger.append(happening(scope.user_id, MEMORY_RESTORED, told, now=now))
            return self.own.live(scope, thing, self._restored(thing, now))

    def apply(self, scope: Scope, event: Event) -> None:
        """Do again what an event of archiving or restoring tells, where what it is about is there."""
        at = datetime.fromisoformat(event.payload["at"])
        restores = event.event_type == MEMORY_RESTORED
        keys = [event.payload["key"]] if restores else event.payload["keys"]
        lived = self._restored if restores else self._archived
        lives = {
            thing.key: lived(thing, at)
            for thing in self.own.these(scope, keys)
            if (thing.life.state is State.ARCHIVED) is restores
        }
        self.own.graph.relive(scope, lives)

    def _tell(self, scope: Scope, keys: Sequence[str], at: datetime, reason: str) -> Event:
        told = {"keys": list(keys), "at": at.isoformat(), "reason": reason}
        event = happening(
            scope.user_id, MEMORY_ARCHIVED, told, now=self.clock.now(), occurred_at=at
        )
        self.ledger.append(event)
        return event

    def _faded(self, thing: Lived, at: datetime) -> Lifecycle:
        """Its life up to then: in the archive another rate holds."""
        return lifecycle.faded(
            thing.life,
            confidence=confidence_of(thing),
            created_at=thing.created_at,
            now=at,
            episodic=is_episodic(thing),
            rules=self.own.rules_of(thing),
        )

    def _archived(self, thing: Lived, at: datetime) -> Lifecycle:
        return replace(self._faded(thing, at), state=State.ARCHIVED)

    def _restored(self, thing: Lived, at: datetime) -> Lifecycle:
        return lifecycle.restored(self._faded(thing, at), at, self.own.rules)

    def _insist_restorable(self, scope: Scope, thing: Lived) -> None:
        merged = self.own.graph.links(scope, thing.key, kinds=(LinkKind.SAME_AS,), outward=True)
        if merged and thing.life.state is State.ARCHIVED:
            raise InvalidInput("key", f"it was merged into {merged[0].dst}; split takes it back")


def _insist_archivable(thing: Lived) -> None:
    if isinstance(thing, Person) and thing.is_owner:
        raise InvalidInput("key", "the owner of this memory cannot be archived")
    if kind_of(thing) is Kind.BELIEF:
        raise InvalidInput("key", "it is a belief; forget puts a belief out of mind")
    if thing.life.ttl_policy is TtlPolicy.KEEP_FOREVER:
        raise InvalidInput("key", "it is pinned; unpin it first")
