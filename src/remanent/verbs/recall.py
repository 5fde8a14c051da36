"""Recall: the beliefs that come to mind (SPEC 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remanent.clock import Clock
from remanent.errors import EmbedderError
from remanent.model.belief import OWNER, Belief, BeliefStatus, BeliefType
from remanent.model.hit import Recollection
from remanent.model.keys import canonical_name
from remanent.model.node import Kind
from remanent.model.relationship import LinkKind
from remanent.model.scope import Scope
from remanent.ports.atomic import Atomic
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.index import Index
from remanent.rules import belief as rule
from remanent.rules import intake, ranking
from remanent.rules.belief import BeliefRules, RecallParts
from remanent.rules.intake import IntakeRules
from remanent.rules.lifecycle import LifecycleRules

# Beliefs weighed in one recall: far more than are returned, so that importance and subject can lift one.
POOL = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    graph: Graph
    index: Index
    embedder: Embedder
    atomic: Atomic
    clock: Clock
    rules: BeliefRules
    lifecycle: LifecycleRules
    intake: IntakeRules

    def __call__(self, scope: Scope, query: str, *, limit: int) -> list[Recollection]:
        """The strongest beliefs and the neighbours of the top three; each returned is strengthened."""
        words = intake.statement("query", query, self.intake.max_statement_characters)
        near = self._similarities(scope, words)
        nodes = self.graph.get_many(scope, list(near))
        aliases = self._aliases(scope)
        found = [
            self._weighed(words, node, near[node.key], aliases)
            for node in nodes.values()
            if isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE
        ]
        best = _best(found, limit)
        best = _best([*best, *self._neighbours(scope, best)], limit)
        self._strengthen(scope, best)
        return best

    def _similarities(self, scope: Scope, query: str) -> dict[str, float]:
        """Similarity to the query by meaning; by words when there is no embedding to be had."""
        try:
            vector = self.embedder.embed([query])[0]
        except EmbedderError:
            matches = self.index.match(scope, query, kinds=(Kind.BELIEF,), limit=POOL)
            return ranking.normalised({match.key: match.score for match in matches})
        scale = self.embedder.scale
        matches = self.index.near(scope, vector, kinds=(Kind.BELIEF,), limit=POOL)
        similar = {match.key: rule.similarity(match.score, scale) for match in matches}
        return {key: value for key, value in similar.items() if value >= self.rules.cosine_from}

    def _aliases(self, scope: Scope) -> dict[str, tuple[str, ...]]:
        """Other names of the people that beliefs may be about, by subject."""
        names: dict[str, tuple[str, ...]] = {}
        for name in self.graph.names(scope):
            called = (name.name, *name.aliases)
            subject = OWNER if name.is_owner else canonical_name(name.name)
            names[subject] = called
        return names

    def _weighed(
        self, query: str, belief: Belief, cosine: float, aliases: Mapping[str, Sequence[str]]
    ) -> Recollection:
        known = aliases.get(belief.subject) or aliases.get(canonical_name(belief.subject)) or ()
        signals = rule.recall_signals(
            RecallParts(
                cosine=cosine,
                importance=belief.importance,
                days_since_access=rule.days_since_access(belief, self.clock.now()),
                stability=belief.stability,
                subject_match=rule.subject_matches(query, belief.subject, known),
                is_insight=belief.type is BeliefType.INSIGHT,
            ),
            self.rules,
        )
        return Recollection(belief=belief, score=sum(signals.values()), signals=signals)

    def _neighbours(self, scope: Scope, best: Sequence[Recollection]) -> list[Recollection]:
        found: dict[str, Recollection] = {}
        for parent in best[: self.rules.neighbours_of_top]:
            score = parent.score * self.rules.neighbour_factor
            for key in self._linked(scope, parent.belief.key):
                belief = self.graph.get(scope, key)
                if isinstance(belief, Belief) and belief.status is BeliefStatus.ACTIVE:
                    kept = found.get(key)
                    if kept is None or kept.score < score:
                        signals = {"neighbour": score}
                        found[key] = Recollection(belief=belief, score=score, signals=signals)
        return list(found.values())

    def _linked(self, scope: Scope, key: str) -> list[str]:
        links = self.graph.links(scope, key, kinds=(LinkKind.NEIGHBOUR,))
        return [link.dst if link.src == key else link.src for link in links]

    def _strengthen(self, scope: Scope, best: Sequence[Recollection]) -> None:
        """One batch; each belief is read again, for another may have settled on it meanwhile."""
        now = self.clock.now()
        with self.atomic():
            nodes = self.graph.get_many(scope, [one.belief.key for one in best])
            for node in nodes.values():
                if isinstance(node, Belief):
                    strengthened = rule.recalled(node, now, self.rules, self.lifecycle)
                    self.graph.put(scope, strengthened)


def _best(found: Sequence[Recollection], limit: int) -> list[Recollection]:
    """Best first, each belief once at its best; ties in order of key."""
    ranked = sorted(found, key=lambda one: (-one.score, one.belief.key))
    once = {one.belief.key: one for one in reversed(ranked)}
    return [one for one in ranked if once[one.belief.key] is one][:limit]
