"""Prune: beliefs of which next to nothing is left are let go (SPEC 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from remanent.beliefs import compare
from remanent.beliefs.model import FadedBelief, Pruning
from remanent.beliefs.query import still_active
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import maintenance
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.belief import Belief
from remanent.core.model.event import BELIEFS_PRUNED, Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at


def prune_beliefs(
    env: Env,
    scope: Scope,
    *,
    threshold: float | None = None,
    dry_run: bool = False,
    at: datetime | None = None,
    spared: Callable[[Belief], bool] | None = None,
) -> Pruning:
    """Let go of what has less than `threshold` of effective confidence left at `at` (now), and is not `spared`."""
    below = (
        env.config.belief.prune_below if threshold is None else checks.share("threshold", threshold)
    )
    when = at or env.clock.now()
    pruned: list[FadedBelief] = []
    changed: list[Belief] = []
    with env.transaction(dry_run=dry_run):
        held = compare.iterate_active(env, scope)
        candidates = held if spared is None else [one for one in held if not spared(one)]
        faded = maintenance.faded(candidates, when, below, env.config.belief)
        if faded:
            payload = {
                "keys": [one.key for one, _ in faded],
                "left": [left for _, left in faded],
                "threshold": below,
                "at": when.isoformat(),
            }
            event = env.append(scope, BELIEFS_PRUNED, payload)
            pruned, changed = _pruned(env, scope, event, faded)
    return Pruning(pruned=tuple(pruned), changed=tuple(changed), threshold=below, dry_run=dry_run)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more, to those of its beliefs that still stand."""
    at, keys = effective_at(event), [str(key) for key in event.payload["keys"]]
    with env.atomic():
        left = dict(zip(keys, event.payload.get("left", ()), strict=False))
        faded = [
            (one, left.get(one.key, rule.effective_confidence(one, at, env.config.belief)))
            for one in still_active(env, scope, keys)
        ]
        _pruned(env, scope, event, faded)


def _pruned(
    env: Env, scope: Scope, event: Event, faded: Sequence[tuple[Belief, float]]
) -> tuple[list[FadedBelief], list[Belief]]:
    at, below = effective_at(event), float(event.payload["threshold"])
    pruned: list[FadedBelief] = []
    for belief, left in faded:
        reason = f"{left:.3f} of its confidence was left, less than {below:g}"
        gone = rule.pruned(belief, max(at, belief.updated_at), reason)
        env.graph.put(scope, gone)
        pruned.append(FadedBelief(belief=gone, effective_confidence=left))
    return pruned, retract_dependents(env, scope, [one.belief for one in pruned], at=at)
