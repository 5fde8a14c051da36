"""History: what a belief replaced, what replaced it, and on whose word."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.beliefs.query import Believed
from remanent.beliefs.rules import as_of
from remanent.core.event_lookup import Recount
from remanent.core.model.belief import Belief, Change
from remanent.core.model.node import Kind
from remanent.core.model.page import Chapter, History, Occurrence, title_of
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.read import every


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrace:
    graph: Graph
    believed: Believed
    recount: Recount

    def __call__(self, scope: Scope, key: str) -> History:
        """The whole chain of supersession that a belief is part of, oldest first: each belief with
        its changes, the words behind them, and the episodes."""
        asked = self.believed.belief(scope, key)
        every_one = every(self.graph, scope, Kind.BELIEF)
        known = [one for one in every_one if isinstance(one, Belief)]
        return History(
            key=asked.key,
            chapters=tuple(self._chapter(scope, one) for one in as_of.chain(asked.key, known)),
        )

    def _chapter(self, scope: Scope, belief: Belief) -> Chapter:
        return Chapter(
            belief=belief,
            occurrences=tuple(self._occurrence(scope, change) for change in belief.changes),
            evidence=tuple(self.believed.evidence(scope, belief)),
        )

    def _occurrence(self, scope: Scope, change: Change) -> Occurrence:
        return Occurrence(change=change, words=self._words(scope, change.by))

    def _words(self, scope: Scope, by: str | None) -> str:
        """Of the belief, the episode or the relationship that brought a change about."""
        if by is None:
            return ""
        node = self.graph.get(scope, by)
        if node is not None:
            return title_of(node)
        relationship = self.graph.relationship(scope, by)
        if relationship is not None:
            return relationship.description
        return self.recount.words(scope, by)
