"""Recall: the beliefs that come to mind (SPEC 5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeGuard

from remanent.beliefs.rules import as_of, edge_match
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import explain as recalling
from remanent.beliefs.rules.as_of import NOW, When
from remanent.beliefs.rules.belief import BeliefRules, RecallParts
from remanent.clock import Clock
from remanent.core import checks, normalise
from remanent.core.checks import IntakeRules
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.belief import OWNER, Belief, BeliefStatus, BeliefType
from remanent.core.model.hit import RecallPart, Recollection
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import embedding, kept_from
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index, Vector
from remanent.core.ports.transaction import Atomic
from remanent.errors import EmbedderError

# Beliefs weighed in one recall: far more than are returned, so that importance and subject can lift one.
POOL = 500
CATCH_UP = 32  # beliefs made without an embedding that one recall embeds
ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The query, how alike beliefs are to it, whom it names, and from when it looks."""

    near: Mapping[str, float]
    by_words: bool
    query: str
    names: Collection[str]
    now: datetime


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

    def __call__(
        self,
        scope: Scope,
        query: str,
        *,
        limit: int,
        explain: bool = False,
        touch: bool = True,
        when: When = NOW,
    ) -> list[Recollection]:
        """The strongest beliefs and the neighbours of the top three; each returned is strengthened,
        unless `touch` is False or `when` lies in the past: then they are those held at the time.
        With `explain` each tells the parts of its score."""
        words = checks.statement("query", query, self.intake.max_statement_characters)
        touch = touch and when.is_now
        asked, held = self._considered(scope, words, when, keep=touch)
        named = self._named(asked, {node.subject for node in held})
        found = [
            self._weighed(asked, node, is_named=named[node.subject], explain=explain)
            for node in held
        ]
        best = _best(found, limit)
        best = _best([*best, *self._neighbours(scope, best, when, explain=explain)], limit)
        if touch:
            self._strengthen(scope, best)
        return best

    def _considered(
        self, scope: Scope, query: str, when: When, *, keep: bool
    ) -> tuple[_Asked, list[Belief]]:
        """The query and the beliefs to weigh. What came later than the time asked about takes no
        place in the pool from what was held then: it grows until it has its fill, or all there is."""
        pool = POOL
        while True:
            asked = self._asked(scope, query, when, pool, keep=keep)
            held = self._held(scope, list(asked.near), when)
            if when.is_now or len(held) >= POOL or len(asked.near) < pool:
                return asked, held
            pool *= 4

    def _held(self, scope: Scope, keys: Sequence[str], when: When) -> list[Belief]:
        """Those of these that are held true; of the past, as they were held then."""
        nodes = self.graph.get_many(scope, keys).values()
        then = (as_of.held(one, when, self.rules) for one in nodes if isinstance(one, Belief))
        return [one for one in then if one is not None]

    def _asked(self, scope: Scope, query: str, when: When, pool: int, *, keep: bool) -> _Asked:
        """Similarity to the query by meaning; by words when there is no embedding to be had."""
        names, by_words = self._names_in(scope, query), False
        try:
            vector = embedding(self.embedder, scope, "recall").embed([query])[0]
            matches = self.index.near(scope, vector, kinds=_kinds(when), limit=pool)
            cosines = {match.key: match.score for match in matches}
            for key, late in self._caught_up(scope, query, when, keep=keep).items():
                cosines[key] = float(vector @ late)
            near = self._similar(cosines) | self._by_words(scope, query, when, pool)
        except EmbedderError:
            matches = self.index.match(scope, query, kinds=_kinds(when), limit=pool)
            near = normalise.normalised({match.key: match.score for match in matches})
            by_words = True
        now = when.as_of or when.known_at or self.clock.now()
        return _Asked(near=near, by_words=by_words, query=query, names=names, now=now)

    def _similar(self, cosines: Mapping[str, float]) -> dict[str, float]:
        scale = self.embedder.scale
        similar = {key: rule.similarity(cosine, scale) for key, cosine in cosines.items()}
        return {key: value for key, value in similar.items() if value >= self.rules.cosine_from}

    def _by_words(self, scope: Scope, query: str, when: When, pool: int) -> dict[str, float]:
        """What no embedder elsewhere may see has no meaning to go by: its words have to do."""
        if self.embedder.is_local:
            return {}
        matches = self.index.match(scope, query, kinds=_kinds(when), limit=pool)
        kept = kept_from(self.embedder, scope, self.graph, [one.key for one in matches])
        kept -= self.index.vectors(scope, sorted(kept)).keys()
        scores = normalise.normalised({one.key: one.score for one in matches})
        return {key: score for key, score in scores.items() if key in kept}

    def _caught_up(self, scope: Scope, query: str, when: When, *, keep: bool) -> dict[str, Vector]:
        """Beliefs with words of the query that were made when there was no embedder: embedded now."""
        matches = self.index.match(scope, query, kinds=_kinds(when), limit=CATCH_UP)
        keys = [match.key for match in matches]
        missing = sorted(set(keys) - self.index.vectors(scope, keys).keys())
        held = self._held(scope, missing, when) if missing else []
        kept = kept_from(self.embedder, scope, self.graph, [one.key for one in held])
        late = sorted((one for one in held if one.key not in kept), key=lambda one: one.key)
        if not late:
            return {}
        hand = embedding(self.embedder, scope, "recall")
        vectors = hand.embed([one.statement for one in late])
        if keep:
            self._index(scope, dict(zip([one.key for one in late], vectors, strict=True)))
        return {one.key: vector for one, vector in zip(late, vectors, strict=True)}

    def _index(self, scope: Scope, vectors: Mapping[str, Vector]) -> None:
        """Read again inside the transaction: one that has ended meanwhile stays out."""
        with self.atomic():
            nodes = self.graph.get_many(scope, list(vectors))
            self.index.put(
                [
                    Entry(
                        key=one.key,
                        kind=Kind.BELIEF,
                        owner_key=one.key,
                        text=one.statement,
                        vector=vectors[one.key],
                        readers=one.readers,
                    )
                    for one in nodes.values()
                    if _is_held(one)
                ]
            )

    def _names_in(self, scope: Scope, query: str) -> frozenset[str]:
        """All that whoever the query names is called; the owner is `owner`."""
        words = set(canonical_name(query).split("-"))
        found: set[str] = set()
        for kind in ANCHORS:
            for one in self.graph.named(scope, kind, words):
                called = (one.name, *one.aliases)
                if edge_match.is_named(query, called):
                    found |= {OWNER} if one.is_owner else {canonical_name(name) for name in called}
        return frozenset(found)

    def _named(self, asked: _Asked, subjects: Collection[str]) -> dict[str, bool]:
        """Which of these subjects the query names, under whatever name."""
        return {
            subject: rule.subject_matches(asked.query, subject)
            or (subject if subject == OWNER else canonical_name(subject)) in asked.names
            for subject in subjects
        }

    def _weighed(
        self, asked: _Asked, belief: Belief, *, is_named: bool, explain: bool
    ) -> Recollection:
        accessed = recalling.as_accessed(belief, asked.now)
        parts = RecallParts(
            cosine=asked.near[belief.key],
            importance=belief.importance,
            days_since_access=rule.days_since_access(accessed, asked.now),
            stability=belief.stability,
            subject_match=is_named,
            is_insight=belief.type is BeliefType.INSIGHT,
        )
        told: tuple[RecallPart, ...] = ()
        if explain:
            told = recalling.explained(
                parts,
                subject=belief.subject,
                is_recalled=accessed.life.last_accessed_at is not None,
                by_words=asked.by_words,
                rules=self.rules,
            )
        signals = rule.recall_signals(parts, self.rules)
        return Recollection(belief=belief, score=sum(signals.values()), signals=signals, parts=told)

    def _neighbours(
        self, scope: Scope, best: Sequence[Recollection], when: When, *, explain: bool
    ) -> list[Recollection]:
        found: dict[str, Recollection] = {}
        for parent in best[: self.rules.neighbours_of_top]:
            part = recalling.explained_neighbour(parent.statement, parent.score, self.rules)
            for belief in self._held(scope, self._linked(scope, parent.belief.key, when), when):
                kept = found.get(belief.key)
                if kept is None or kept.score < part.points:
                    found[belief.key] = Recollection(
                        belief=belief,
                        score=part.points,
                        signals={part.name: part.points},
                        parts=(part,) if explain else (),
                        through=parent.belief.key,
                    )
        return list(found.values())

    def _linked(self, scope: Scope, key: str, when: When) -> list[str]:
        links = self.graph.links(scope, key, kinds=(LinkKind.NEIGHBOUR,))
        return [
            link.dst if link.src == key else link.src
            for link in links
            if when.known_at is None or link.created_at <= when.known_at
        ]

    def _strengthen(self, scope: Scope, best: Sequence[Recollection]) -> None:
        """One batch; each belief is read again, for another may have settled on it meanwhile."""
        now = self.clock.now()
        with self.atomic():
            nodes = self.graph.get_many(scope, [one.belief.key for one in best])
            for node in nodes.values():
                if _is_held(node):
                    strengthened = rule.recalled(node, now, self.rules, self.lifecycle)
                    self.graph.put(scope, strengthened)


def _kinds(when: When) -> tuple[Kind, ...]:
    """What no longer holds is looked for only by who asks about the past."""
    return (Kind.BELIEF,) if when.is_now else (Kind.BELIEF, Kind.PAST_BELIEF)


def _is_held(node: object) -> TypeGuard[Belief]:
    return isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE


def _best(found: Sequence[Recollection], limit: int) -> list[Recollection]:
    """Best first, each belief once at its best; ties in order of key."""
    ranked = sorted(found, key=lambda one: (-one.score, one.belief.key))
    once = {one.belief.key: one for one in reversed(ranked)}
    return [one for one in ranked if once[one.belief.key] is one][:limit]
