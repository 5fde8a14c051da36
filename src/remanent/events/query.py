"""Events: what happened, by recency, importance, relevance and affinity (SPEC 7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeGuard

from remanent import metrics
from remanent.beliefs.rules import belief as believing
from remanent.clock import Clock
from remanent.core import checks, lifecycle
from remanent.core.checks import IntakeRules
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode
from remanent.core.model.event_queries import EventHit, Inquiry, Wanted
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedding
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index, Vector
from remanent.core.ports.transaction import Atomic
from remanent.errors import EmbedderError
from remanent.events.rules import ranking as rule
from remanent.events.rules.ranking import EventRules, Weighed


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Weighs the newest events and those nearest in meaning. What is returned is strengthened."""

    graph: Graph
    index: Index
    embedder: Embedder
    atomic: Atomic
    clock: Clock
    rules: EventRules
    lifecycle: LifecycleRules
    intake: IntakeRules

    def __call__(self, scope: Scope, asked: Inquiry, *, limit: int) -> list[EventHit]:
        """The best `limit` events that fit, best first; of equals the newer, then in order of key."""
        asked, now = self._checked(asked), self.clock.now()
        vector = None if asked.query is None else self._vector(scope, asked.query)
        found = self._candidates(scope, asked.wanted, vector)
        weighed = self._weighed(scope, found, asked, vector, now)
        best = self._best(scope, found, weighed, limit)
        hits = [
            EventHit(
                event=found[key],
                score=rule.score(one, self.rules),
                signals=rule.signals(one, self.rules),
                parts=rule.explained(one, self.rules) if asked.explain else (),
            )
            for key, one in best
        ]
        for hit in hits:
            metrics.DECAY_SCORE.see(hit.score)
        if asked.touch:
            self._strengthen(scope, [one.key for one in hits], now)
        return hits

    def _checked(self, asked: Inquiry) -> Inquiry:
        """The question, or `InvalidInput` naming the field."""
        wanted, longest = asked.wanted, self.intake.max_statement_characters
        since, until = checks.aware("since", wanted.since), checks.aware("until", wanted.until)
        return replace(
            asked,
            query=None if asked.query is None else checks.statement("query", asked.query, longest),
            wanted=Wanted(
                session_id=_named("session_id", wanted.session_id),
                agent_id=_named("agent_id", wanted.agent_id),
                event_type=_named("event_type", wanted.event_type),
                since=since,
                until=until,
            ),
            current_session=_named("current_session", asked.current_session),
        )

    def _vector(self, scope: Scope, query: str) -> Vector | None:
        try:
            vector: Vector = embedding(self.embedder, scope, "events").embed([query])[0]
        except EmbedderError:  # then nothing is known of relevance
            return None
        return vector

    # -- candidates ---------------------------------------------------------------------------

    def _candidates(
        self, scope: Scope, wanted: Wanted, vector: Vector | None
    ) -> dict[str, EventNode]:
        newest = self.graph.happened(scope, wanted, limit=self.rules.pool)
        found = {one.key: one for one in newest}
        if vector is not None:
            near = self.index.near(scope, vector, kinds=(Kind.EVENT,), limit=self.rules.pool_near)
            more = self.graph.get_many(scope, [one.key for one in near if one.key not in found])
            found |= {key: one for key, one in more.items() if _fits(one, wanted)}
        return {key: one for key, one in found.items() if self._is_in_mind(scope, one)}

    def _is_in_mind(self, scope: Scope, event: EventNode) -> bool:
        """Not an episode of which all that was believed is forgotten."""
        if event.is_recorded:
            return True
        links = self.graph.links(scope, event.key, kinds=(LinkKind.SUPPORTS,), outward=True)
        nodes = self.graph.get_many(scope, [one.dst for one in links]).values() if links else ()
        beliefs = [one for one in nodes if isinstance(one, Belief)]
        return not beliefs or any(one.status is not BeliefStatus.FORGOTTEN for one in beliefs)

    # -- weighing -----------------------------------------------------------------------------

    def _weighed(
        self,
        scope: Scope,
        found: Mapping[str, EventNode],
        asked: Inquiry,
        vector: Vector | None,
        now: datetime,
    ) -> dict[str, Weighed]:
        alike = self._alike(scope, list(found), vector)
        return {
            key: Weighed(
                hours=rule.hours_since(one, now),
                accesses=one.life.access_count,
                importance=one.importance_score,
                relevance=alike.get(key),
                proximity=rule.proximity(
                    one,
                    user_id=scope.user_id,
                    current_session=asked.current_session,
                    now=now,
                    rules=self.rules,
                ),
            )
            for key, one in found.items()
        }

    def _alike(self, scope: Scope, keys: Sequence[str], vector: Vector | None) -> dict[str, float]:
        if vector is None or not keys:
            return {}
        scale = self.embedder.scale
        return {
            key: believing.similarity(float(vector @ own), scale)
            for key, own in self.index.vectors(scope, keys).items()
        }

    def _best(
        self,
        scope: Scope,
        found: Mapping[str, EventNode],
        weighed: Mapping[str, Weighed],
        limit: int,
    ) -> list[tuple[str, Weighed]]:
        """Shared entities are looked up only of those that they can still bring into the answer."""
        scores = {key: rule.score(one, self.rules) for key, one in weighed.items()}
        last = sorted(scores.values(), reverse=True)[:limit][-1:]
        least = (last[0] if len(scores) > limit else 0.0) - rule.overlap_most(self.rules)
        able = [key for key, score in scores.items() if score >= least]
        mine = self._entities(scope, self._recent(scope)) if able else frozenset()
        whole = {
            key: replace(
                weighed[key],
                overlap=rule.overlap(mine, self._entities(scope, [key])) if mine else 0.0,
            )
            for key in able
        }
        order = sorted(
            whole,
            key=lambda key: (
                -round(rule.score(whole[key], self.rules), 9),
                -found[key].occurred_at.timestamp(),
                key,
            ),
        )
        return [(key, whole[key]) for key in order[:limit]]

    def _recent(self, scope: Scope) -> list[str]:
        newest = self.graph.happened(scope, Wanted(), limit=self.rules.recent_events)
        return [one.key for one in newest]

    def _entities(self, scope: Scope, keys: Iterable[str]) -> frozenset[str]:
        return frozenset(
            link.dst
            for key in keys
            for link in self.graph.links(scope, key, kinds=(LinkKind.REFERENCES,), outward=True)
        )

    # -- access -------------------------------------------------------------------------------

    def _strengthen(self, scope: Scope, keys: Sequence[str], now: datetime) -> None:
        """One batch; each is read again, for another may have asked for it meanwhile."""
        with self.atomic():
            for node in self.graph.get_many(scope, keys).values():
                if isinstance(node, EventNode):
                    life = lifecycle.accessed(node.life, now, self.lifecycle)
                    stability = rule.stability(life.access_count, self.rules)
                    self.graph.put(scope, replace(node, life=life, stability=stability))


def _named(field: str, value: object) -> str | None:
    return None if value is None else checks.identifier(field, value)


def _fits(node: object, wanted: Wanted) -> TypeGuard[EventNode]:
    """What `Graph.happened` asks for, of an event that was found by its meaning."""
    if not isinstance(node, EventNode) or node.life.state is State.ARCHIVED:
        return False
    asked = (
        (wanted.session_id, node.session_id),
        (wanted.agent_id, node.agent_id),
        (wanted.event_type, node.event_type),
    )
    if any(one is not None and one != its for one, its in asked):
        return False
    since, until, at = wanted.since, wanted.until, node.occurred_at
    return (since is None or since <= at) and (until is None or at <= until)
