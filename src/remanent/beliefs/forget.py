"""Forget: one belief is put out of mind on request; its trail stays (SPEC 5)."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.beliefs.model import Forgetting
from remanent.beliefs.query import Believed
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.truth_maintenance import Uphold
from remanent.clock import Clock
from remanent.core import checks
from remanent.core.dry_run import trial
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import BELIEF_FORGOTTEN, Event
from remanent.core.model.scope import Scope
from remanent.core.new_event import happening, told_at
from remanent.core.ports.graph import Graph
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.errors import InvalidInput

UNASKED = "forgotten on request"
_LONGEST_REASON = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    believed: Believed
    graph: Graph
    ledger: Ledger
    uphold: Uphold
    atomic: Atomic
    clock: Clock

    def __call__(
        self, scope: Scope, key: str, *, reason: str = "", dry_run: bool = False
    ) -> Forgetting:
        """Forget the belief of that key, or the one key that begins so. Forgetting is final."""
        why = checks.plain("reason", reason).strip() or UNASKED
        if len(why) > _LONGEST_REASON:
            raise InvalidInput("reason", f"is longer than {_LONGEST_REASON:,} characters")
        now = self.clock.now()
        whole = self.believed.belief(scope, checks.plain("key", key)).key
        with trial(self.atomic, dry_run=dry_run):
            belief = self._belief(scope, whole, key)
            if belief.status is BeliefStatus.FORGOTTEN:
                return Forgetting(belief=belief, dry_run=dry_run)
            told = {"key": belief.key, "reason": why}
            event, _ = self.ledger.append(happening(scope.user_id, BELIEF_FORGOTTEN, told, now=now))
            gone, changed = self._forgotten(scope, event, belief)
        return Forgetting(belief=gone, forgotten=(gone,), changed=tuple(changed), dry_run=dry_run)

    def apply(self, scope: Scope, event: Event) -> None:
        """Do what the event tells of once more; what is not there, or ended otherwise, stays so."""
        with self.atomic():
            belief = self.graph.get(scope, str(event.payload["key"]))
            if isinstance(belief, Belief) and belief.status is BeliefStatus.ACTIVE:
                self._forgotten(scope, event, belief)

    def _forgotten(self, scope: Scope, event: Event, belief: Belief) -> tuple[Belief, list[Belief]]:
        at = told_at(event)
        gone = rule.forgotten(belief, at, str(event.payload["reason"]))
        self.graph.put(scope, gone)
        return gone, self.uphold(scope, [gone], at=at)

    def _belief(self, scope: Scope, whole: str, key: str) -> Belief:
        node = self.graph.get(scope, whole)
        if not isinstance(node, Belief) or node.user_id != scope.user_id:
            raise InvalidInput("key", f"{key!r} is not a belief")
        if node.status in (BeliefStatus.INVALIDATED, BeliefStatus.PRUNED):
            raise InvalidInput(
                "key", f"the belief {key!r} is {node.status.value} already, and that is final"
            )
        return node
