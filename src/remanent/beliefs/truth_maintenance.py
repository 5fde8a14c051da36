"""Uphold: when beliefs have ended, everything that hung on them is put right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.beliefs.end_edges import Closing
from remanent.beliefs.redact_summaries import Withhold
from remanent.beliefs.rules import truth
from remanent.beliefs.rules.belief import BeliefRules
from remanent.clock import Clock
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Uphold:
    """Called inside the transaction in which beliefs stopped being active, after they were put."""

    graph: Graph
    index: Index
    closing: Closing
    clock: Clock
    rules: BeliefRules

    def __call__(
        self, scope: Scope, ended: Sequence[Belief], *, at: datetime | None = None
    ) -> list[Belief]:
        """Fall or doubt for what was inferred from them, closed edges for what they told, and no
        place among what is held true; the inferences that changed, which bear the moment `at`
        (default: now). Twice changes nothing more."""
        changed = self._inferences(scope, [one.key for one in ended], at or self.clock.now())
        fallen = [one for one in changed if one.status is not BeliefStatus.ACTIVE]
        self._out_of_mind(scope, [*ended, *fallen])
        self.closing(scope, ended)
        return changed

    def _out_of_mind(self, scope: Scope, ended: Sequence[Belief]) -> None:
        """What was invalidated or pruned is found only in the past; what was forgotten, nowhere."""
        gone = [one for one in ended if one.status is BeliefStatus.FORGOTTEN]
        past = [
            one for one in ended if one.status in (BeliefStatus.INVALIDATED, BeliefStatus.PRUNED)
        ]
        vectors = self.index.vectors(scope, [one.key for one in past])
        self.index.put(
            [
                Entry(
                    key=one.key,
                    kind=Kind.PAST_BELIEF,
                    owner_key=one.key,
                    text=one.statement,
                    vector=vectors.get(one.key),
                    readers=one.readers,
                )
                for one in past
            ]
        )
        told = [key for one in gone for key in self._told_only_this(scope, one)]
        self.index.remove([*(one.key for one in gone), *told])
        withhold = Withhold(graph=self.graph, index=self.index)
        for one in gone:
            withhold(scope, one)

    def _told_only_this(self, scope: Scope, belief: Belief) -> list[str]:
        """Remembered episodes that speak for nothing but forgotten beliefs: out of mind with them."""
        links = self.graph.links(scope, belief.key, kinds=(LinkKind.SUPPORTS,), outward=False)
        episodes = self.graph.get_many(scope, sorted({link.src for link in links}))
        return [
            key
            for key, node in sorted(episodes.items())
            if isinstance(node, EventNode) and self._is_forgotten(scope, key)
        ]

    def _is_forgotten(self, scope: Scope, episode_key: str) -> bool:
        links = self.graph.links(scope, episode_key, kinds=(LinkKind.SUPPORTS,), outward=True)
        beliefs = self.graph.get_many(scope, [link.dst for link in links]).values()
        return all(
            isinstance(one, Belief) and one.status is BeliefStatus.FORGOTTEN for one in beliefs
        )

    def _inferences(self, scope: Scope, keys: Sequence[str], now: datetime) -> list[Belief]:
        """Truth maintenance: carry out what `rules.truth` decides about all that is affected."""
        inferred = self._inferred(scope, keys)
        if not inferred:
            return []
        beliefs = self._grounds(scope, [*keys, *inferred])
        changed = []
        for decided in truth.consequences(beliefs, self.rules):
            cause = beliefs.get(decided.by)
            because = "" if cause is None else cause.statement
            belief = truth.carried_out(beliefs[decided.key], decided, now, because)
            self.graph.put(scope, belief)
            changed.append(belief)
        return changed

    def _inferred(self, scope: Scope, keys: Iterable[str]) -> list[str]:
        """The beliefs drawn from these, however indirectly."""
        pending, found = list(keys), dict[str, None]()
        while pending:
            links = self.graph.links(
                scope, pending.pop(), kinds=(LinkKind.DERIVED_FROM,), outward=False
            )
            fresh = [link.src for link in links if link.src not in found]
            found |= dict.fromkeys(fresh)
            pending += fresh
        return list(found)

    def _grounds(self, scope: Scope, keys: Iterable[str]) -> dict[str, Belief]:
        """These and all that they rest on, down to what was asserted."""
        found: dict[str, Belief] = {}
        pending, seen = set(keys), set[str]()
        while pending:
            nodes = self.graph.get_many(scope, sorted(pending)).values()
            fresh = {one.key: one for one in nodes if isinstance(one, Belief)}
            found |= fresh
            seen |= pending
            below = {key for one in fresh.values() for key in one.derived_from}
            below |= {one.superseded_by for one in fresh.values() if one.superseded_by is not None}
            pending = below - seen
        return found
