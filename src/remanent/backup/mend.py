"""Mend: where the ledger lies on a server of its own, a crash may leave it ahead of the graph; what it tells
is then applied, by the functions of a rebuild."""

from __future__ import annotations

from remanent.backup.rebuild import scope_at
from remanent.clock import ReplayClock
from remanent.core.env import Apply, Env
from remanent.core.model.scope import Scope


def apply_events(
    env: Env, user_id: str, after: int, to: int, *, recorded: Apply | None = None
) -> None:
    """Apply the user's events beyond `after`, up to `to`, each at the time it was recorded. What agents
    recorded is projected by a job, which was promised with it, or by `recorded`."""
    for event in env.ledger.replay(Scope(user_id=user_id), after=after, before=to + 1):
        apply = env.routes.get(event.event_type, recorded)
        if apply is not None:
            scope = scope_at(env.registry, user_id, event.recorded_at, before=event.seq)
            apply(env.at(ReplayClock(event.recorded_at)), scope, event)
