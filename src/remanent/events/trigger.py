"""Reflecting: when much has happened since the last time, it is gone over at once (SPEC 7)."""

from __future__ import annotations

from datetime import datetime

from remanent.core.env import Env
from remanent.core.model.event import EVENTS_RECONSOLIDATED
from remanent.core.model.job import Job, JobKind
from remanent.core.model.scope import Scope
from remanent.core.new_event import new_event
from remanent.events.apply import REFLECTION

CONSUMER = "reflection"  # its position in the ledger is the entry of the last reflection


def trigger_reconsolidation(env: Env, scope: Scope) -> bool:
    """Promise a re-consolidation if the importance since the last one sums past the threshold.

    Asked after events were enriched. The trigger is an entry of the ledger, and the sum begins
    anew with it.
    """
    now = env.clock.now()
    with env.atomic(durable=True):
        total = env.graph.importance_since(scope, last(env, scope))
        if total <= env.config.episodes.reflect_above:
            return False
        told = {"what": REFLECTION, "at": now.isoformat(), "importance": round(total, 3)}
        event, _ = env.ledger.append(new_event(scope.user_id, EVENTS_RECONSOLIDATED, told, now=now))
        env.ledger.advance(scope, CONSUMER, event.seq)
        env.queue.enqueue(reflection_job(scope, now))
    return True


def last(env: Env, scope: Scope) -> datetime | None:
    """When the importance was last summed up, or None."""
    seq = env.ledger.position(scope, CONSUMER)
    found = env.ledger.replay(scope, after=seq - 1, limit=1) if seq else ()
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
