"""Unite: beliefs that say the same become one (SPEC 5, merge duplicates)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.clock import Clock
from remanent.model.belief import Belief, BeliefStatus
from remanent.model.event import BELIEFS_MERGED
from remanent.model.relationship import Link, LinkKind
from remanent.model.scope import Scope
from remanent.model.upkeep import Cluster, Union, Unions
from remanent.ports.atomic import Atomic
from remanent.ports.graph import Graph
from remanent.ports.ledger import Ledger
from remanent.rules import upkeep
from remanent.rules.belief import BeliefRules
from remanent.verbs.alike import Progress
from remanent.verbs.happening import happening
from remanent.verbs.reflect import Reflect
from remanent.verbs.trial import trial
from remanent.verbs.uphold import Uphold


@dataclass(frozen=True, slots=True, kw_only=True)
class Unite:
    """The mind is asked first; what it called the same is read again before it is touched."""

    reflect: Reflect
    graph: Graph
    ledger: Ledger
    uphold: Uphold
    atomic: Atomic
    clock: Clock
    rules: BeliefRules

    def __call__(
        self, scope: Scope, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Unions:
        """One belief for each cluster of duplicates, with all that spoke for the others."""
        found = self.reflect(scope, progress=progress)
        merged: list[Union] = []
        changed: dict[str, Belief] = {}
        with trial(self.atomic, dry_run=dry_run):
            for cluster in found.duplicates:
                union = self._unite(scope, cluster, self.clock.now())
                if union is not None:
                    merged.append(union)
                    changed |= {one.key: one for one in self.uphold(scope, union.losers)}
        return Unions(
            merged=tuple(merged),
            changed=tuple(changed.values()),
            compared=found.compared,
            dry_run=dry_run,
        )

    def _unite(self, scope: Scope, cluster: Cluster, now: datetime) -> Union | None:
        beliefs = self._still_so(scope, cluster)
        if len(beliefs) < 2:
            return None
        first, *others = upkeep.winner_first(beliefs, now, self.rules)
        winner, losers = upkeep.merged(first, others, now, self.rules)
        told = {
            "winner": winner.key,
            "losers": [one.key for one in losers],
            "similarity": cluster.similarity,
        }
        self.ledger.append(happening(scope.user_id, BELIEFS_MERGED, told, now=now))
        for one in (winner, *losers):
            self.graph.put(scope, one)
        self._move_episodes(scope, winner, losers)
        self._rest_on(scope, winner, first, now)
        return Union(winner=winner, losers=tuple(losers))

    def _still_so(self, scope: Scope, cluster: Cluster) -> list[Belief]:
        """Those that stand and say what they said when the mind was asked."""
        said = {one.key: one.statement for one in cluster.beliefs}
        nodes = self.graph.get_many(scope, list(said))
        return [
            node
            for node in nodes.values()
            if isinstance(node, Belief)
            and node.status is BeliefStatus.ACTIVE
            and node.statement == said[node.key]
        ]

    def _move_episodes(self, scope: Scope, winner: Belief, losers: Sequence[Belief]) -> None:
        """An episode that comes again finds the one that speaks for it now."""
        for loser in losers:
            links = self.graph.links(scope, loser.key, kinds=(LinkKind.SUPPORTS,), outward=False)
            for link in links:
                self.graph.unlink(scope, link)
                self.graph.link(scope, replace(link, dst=winner.key))

    def _rest_on(self, scope: Scope, winner: Belief, before: Belief, now: datetime) -> None:
        """Where inferences were merged, the one that stays rests on what the others rested on."""
        for key in winner.derived_from:
            if key not in before.derived_from and self.graph.get(scope, key) is not None:
                self.graph.link(
                    scope,
                    Link(
                        user_id=scope.user_id,
                        kind=LinkKind.DERIVED_FROM,
                        src=winner.key,
                        dst=key,
                        created_at=now,
                    ),
                )
