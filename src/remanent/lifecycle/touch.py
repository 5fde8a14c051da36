"""Touch: what was returned was called on, and lives on the stronger (SPEC 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.clock import Clock
from remanent.core import lifecycle
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    graph: Graph
    clock: Clock
    rules: LifecycleRules

    def __call__(self, scope: Scope, keys: Sequence[str]) -> int:
        """Record one access to each of these nodes and relationships, all in one batch; how many.

        Another's memory fades by its owner's use alone, and is left as it is.
        """
        now = self.clock.now()

        def lived(life: Lifecycle) -> Lifecycle:
            return lifecycle.accessed(life, now, self.rules)

        return self.graph.touch(scope, keys, lived) if keys else 0
