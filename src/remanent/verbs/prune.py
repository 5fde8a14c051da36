"""Prune: beliefs of which next to nothing is left are let go (SPEC 5)."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.clock import Clock
from remanent.errors import InvalidInput
from remanent.model.belief import Belief
from remanent.model.event import BELIEFS_PRUNED
from remanent.model.scope import Scope
from remanent.model.upkeep import Faded, Pruning
from remanent.ports.atomic import Atomic
from remanent.ports.graph import Graph
from remanent.ports.ledger import Ledger
from remanent.rules import belief as rule
from remanent.rules import upkeep
from remanent.rules.belief import BeliefRules
from remanent.verbs.alike import Alike
from remanent.verbs.happening import happening
from remanent.verbs.trial import trial
from remanent.verbs.uphold import Uphold


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    alike: Alike
    graph: Graph
    ledger: Ledger
    uphold: Uphold
    atomic: Atomic
    clock: Clock
    rules: BeliefRules

    def __call__(
        self, scope: Scope, *, threshold: float | None = None, dry_run: bool = False
    ) -> Pruning:
        """Let go of what has less than `threshold` of effective confidence left."""
        below = self.rules.prune_below if threshold is None else _share("threshold", threshold)
        now = self.clock.now()
        pruned: list[Faded] = []
        changed: list[Belief] = []
        with trial(self.atomic, dry_run=dry_run):
            faded = upkeep.faded(self.alike.active(scope), now, below, self.rules)
            if faded:
                told = {"keys": [one.key for one, _ in faded], "threshold": below}
                self.ledger.append(happening(scope.user_id, BELIEFS_PRUNED, told, now=now))
            for belief, left in faded:
                reason = f"{left:.3f} of its confidence was left, less than {below:g}"
                gone = rule.pruned(belief, now, reason)
                self.graph.put(scope, gone)
                pruned.append(Faded(belief=gone, effective_confidence=left))
            if pruned:
                changed = self.uphold(scope, [one.belief for one in pruned])
        return Pruning(
            pruned=tuple(pruned), changed=tuple(changed), threshold=below, dry_run=dry_run
        )


def _share(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(field, f"{value!r} is not a number from 0 to 1")
    return float(value)
