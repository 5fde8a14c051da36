"""Reflecting: when much has happened since the last time, it is gone over at once (SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from remanent.clock import Clock
from remanent.core.model.event import EVENTS_RECONSOLIDATED
from remanent.core.model.job import Job, JobKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.transaction import Atomic
from remanent.events.apply import REFLECTION
from remanent.events.rules.episodes import EpisodeRules

CONSUMER = "reflection"  # its position in the ledger is the entry of the last reflection


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflecting:
    graph: Graph
    ledger: Ledger
    queue: Queue
    atomic: Atomic
    clock: Clock
    rules: EpisodeRules

    def __call__(self, scope: Scope) -> bool:
        """Promise a re-consolidation if the importance since the last one sums past the threshold.

        Asked after events were enriched. The trigger is an entry of the ledger, and the sum begins
        anew with it.
        """
        now = self.clock.now()
        with self.atomic(durable=True):
            total = self.graph.importance_since(scope, self.last(scope))
            if total <= self.rules.reflect_above:
                return False
            told = {"what": REFLECTION, "at": now.isoformat(), "importance": round(total, 3)}
            event, _ = self.ledger.append(
                happening(scope.user_id, EVENTS_RECONSOLIDATED, told, now=now)
            )
            self.ledger.advance(scope, CONSUMER, event.seq)
            self.queue.enqueue(reflection_job(scope, now))
        return True

    def last(self, scope: Scope) -> datetime | None:
        """When the importance was last summed up, or None."""
        seq = self.ledger.position(scope, CONSUMER)
        found = self.ledger.replay(scope, after=seq - 1, limit=1) if seq else ()
        return next((event.recorded_at for event in found), None)


def reflection_job(scope: Scope, now: datetime) -> Job:
    """The promise to go over what happened up to now; one at a time is enough."""
    return Job(
        key=f"reconsolidate:{scope.user_id}",
        kind=JobKind.RECONSOLIDATE,
        user_id=scope.user_id,
        payload={"at": now.isoformat()},
        created_at=now,
        run_at=now,
    )
