"""Expire: notes past their time are taken away, once the description tells what they said (SPEC 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.core.index_entries import Findable, Stale
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import NOTES_EXPIRED, Event
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.new_event import happening, told_at
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.jobs.night_job import Share
from remanent.sleep.descriptions import MOST_TOLD

_BATCH = 100  # anchors and relationships of one transaction
_PAGE = 10_000  # of which the store tells at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire:
    """A note on something that is still to be described stays until it was."""

    graph: Graph
    index: Index
    ledger: Ledger
    findable: Findable
    atomic: Atomic
    clock: Clock

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Take away what has expired by `at`."""
        counts: Counter[str] = Counter()
        changes: list[Change] = []
        while found := self.graph.expired(scope, at, limit=_PAGE):
            keys = list(found)
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                counts["expired"] += self._expire(scope, at, {key: found[key] for key in batch})
                changes += self._changes(scope, found, batch[: MOST_TOLD - len(changes)])
                if share is not None:
                    share(min(1.0, (start + _BATCH) / len(keys)))
        return Rest(job=SleepJob.EXPIRE, at=at, counts=dict(counts), changes=tuple(changes))

    def apply(self, scope: Scope, event: Event) -> None:
        """Take away once more what the event says had expired."""
        at, keys = told_at(event), [str(key) for key in event.payload["on"]]
        stale = self._stale(scope, at, keys)
        entries = self._entries(scope, stale)
        with self.atomic():
            self._take_away(scope, at, keys, stale, entries)

    def _expire(self, scope: Scope, at: datetime, found: dict[str, int]) -> int:
        keys = list(found)
        stale = self._stale(scope, at, keys)
        entries = self._entries(scope, stale)
        with self.atomic(durable=True):
            payload = {"at": at.isoformat(), "notes": sum(found.values()), "on": found}
            self.ledger.append(
                happening(
                    scope.user_id, NOTES_EXPIRED, payload, now=self.clock.now(), occurred_at=at
                )
            )
            return self._take_away(scope, at, keys, stale, entries)

    def _stale(self, scope: Scope, at: datetime, keys: Sequence[str]) -> list[Stale]:
        """What these are to be found by without the notes that go."""
        return [
            *self.findable.stale_anchors(scope, self.graph, keys, at=at),
            *self.findable.stale_relationships(scope, self.graph, keys, at=at),
        ]

    def _entries(self, scope: Scope, stale: Sequence[Stale]) -> list[Entry]:
        return self.findable.entries(scope, [line for line, _ in stale]) if stale else []

    def _take_away(
        self,
        scope: Scope,
        at: datetime,
        keys: Sequence[str],
        stale: Sequence[Stale],
        entries: Sequence[Entry],
    ) -> int:
        gone = self.graph.expire(scope, keys, at)
        # Whoever wrote a note meanwhile makes it findable too, by what it says then.
        now = {line.key: line.text for line, _ in self._stale(scope, at, keys)}
        same = [
            (mark, entry)
            for (line, mark), entry in zip(stale, entries, strict=True)
            if now.get(line.key) == line.text
        ]
        for mark, _ in same:
            mark()
        self.index.put([entry for _, entry in same])
        return gone

    def _changes(self, scope: Scope, found: dict[str, int], keys: Sequence[str]) -> list[Change]:
        nodes = self.graph.get_many(scope, keys)
        return [
            Change(what="expired", key=key, name=name, why=_why(found[key]))
            for key in keys
            for node in [nodes.get(key)]
            for name in [node.name if isinstance(node, Anchor) else "a relationship"]
        ]


def _why(count: int) -> str:
    return "1 note was past its time" if count == 1 else f"{count} notes were past their time"
