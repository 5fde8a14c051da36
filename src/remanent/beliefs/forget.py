"""Forget: one belief is put out of mind on request; its trail stays (SPEC 5)."""

from __future__ import annotations

from remanent.beliefs.model import Forgetting
from remanent.beliefs.query import own_belief, still_active
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_FORGOTTEN, Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import effective_at
from remanent.errors import InvalidInput

UNASKED = "forgotten on request"
_LONGEST_REASON = 1000


def forget_belief(
    env: Env, scope: Scope, key: str, reason: str = "", *, dry_run: bool = False
) -> Forgetting:
    """Put one belief out of mind, for good; `key` may be the beginning of one. Its trail stays."""
    why = checks.plain("reason", reason).strip() or UNASKED
    if len(why) > _LONGEST_REASON:
        raise InvalidInput("reason", f"is longer than {_LONGEST_REASON:,} characters")
    with env.transaction(dry_run=dry_run):
        belief = own_belief(env, scope, key)
        if belief.status is BeliefStatus.FORGOTTEN:
            return Forgetting(belief=belief, dry_run=dry_run)
        if belief.status is not BeliefStatus.ACTIVE:
            problem = f"the belief {key!r} is {belief.status.value} already, and that is final"
            raise InvalidInput("key", problem)
        payload = {"key": belief.key, "reason": why}
        event = env.append(scope, BELIEF_FORGOTTEN, payload)
        gone, changed = _forgotten(env, scope, event, belief)
    return Forgetting(belief=gone, forgotten=(gone,), changed=tuple(changed), dry_run=dry_run)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what the event tells of once more; what is not there, or ended otherwise, stays so."""
    with env.atomic():
        for belief in still_active(env, scope, [str(event.payload["key"])]):
            _forgotten(env, scope, event, belief)


def _forgotten(env: Env, scope: Scope, event: Event, belief: Belief) -> tuple[Belief, list[Belief]]:
    at = effective_at(event)
    gone = rule.forgotten(belief, at, str(event.payload["reason"]))
    env.graph.put(scope, gone)
    return gone, retract_dependents(env, scope, [gone], at=at)
