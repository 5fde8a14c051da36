"""Believe: one statement of one episode is settled against what is held true (SPEC 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from remanent.clock import Clock
from remanent.errors import EmbedderError
from remanent.model.anchor import Anchor
from remanent.model.belief import Belief, Change, ChangeKind, Support
from remanent.model.keys import canonical_name, content_hash, key_for
from remanent.model.node import Kind
from remanent.model.page import Outcome, Settled
from remanent.model.reading import BeliefDraft, Judgement
from remanent.model.relationship import Link, LinkKind
from remanent.model.scope import Scope
from remanent.ports.atomic import Atomic
from remanent.ports.embedder import Embedder
from remanent.ports.graph import Graph
from remanent.ports.index import Entry, Index, Vector
from remanent.ports.mind import Mind
from remanent.rules import belief as rule
from remanent.rules.belief import (
    BeliefRules,
    Create,
    Invalidate,
    Predate,
    Reinforce,
    Similar,
    Verdict,
    Weaken,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement, the episode that made it and the node that stands for the episode."""

    draft: BeliefDraft
    support: Support
    episode_key: str

    @property
    def detail(self) -> str:
        """Tells two statements of one episode apart."""
        return content_hash(self.draft.statement)[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Believe:
    """Judges outside the transaction and decides inside it, so that no two claims miss each other.

    Should a rival belief have appeared meanwhile, the mind is asked about that one too, and again.
    """

    graph: Graph
    index: Index
    mind: Mind
    embedder: Embedder
    atomic: Atomic
    clock: Clock
    rules: BeliefRules

    def __call__(self, scope: Scope, claim: Claim) -> Settled:
        """The belief that speaks for the claim; the same claim again changes nothing."""
        vector = self._vector(claim.draft.statement)
        judged: dict[str, Judgement] = {}
        while True:
            with self.atomic(durable=True):
                repeated = self._repeated(scope, claim)
                if repeated is not None:
                    return repeated
                rivals = self._rivals(scope, vector)
                similar = [one for one, _ in rivals]
                open_keys = set(rule.to_judge(similar, self.rules)) - judged.keys()
                if not open_keys:
                    verdict = rule.verdict(similar, judged, at=claim.support.at, rules=self.rules)
                    held = {belief.key: belief for _, belief in rivals}
                    return self._act(scope, claim, vector, verdict, held)
            judged |= self._judge(claim, [b for _, b in rivals if b.key in open_keys])

    def _vector(self, statement: str) -> Vector | None:
        try:
            vector: Vector = self.embedder.embed([statement])[0]
        except EmbedderError:  # SPEC 5: no embedding to be had, no comparison
            return None
        return vector

    def _judge(self, claim: Claim, beliefs: Sequence[Belief]) -> dict[str, Judgement]:
        answers = self.mind.judge(claim.draft.statement, [one.statement for one in beliefs])
        return {belief.key: answer for belief, answer in zip(beliefs, answers, strict=True)}

    def _repeated(self, scope: Scope, claim: Claim) -> Settled | None:
        links = self.graph.links(scope, claim.episode_key, kinds=(LinkKind.SUPPORTS,), outward=True)
        for link in links:
            if link.detail == claim.detail:
                belief = self.graph.get(scope, link.dst)
                if isinstance(belief, Belief):
                    return Settled(outcome=Outcome.REPEATED, belief=belief)
        return None

    def _rivals(self, scope: Scope, vector: Vector | None) -> list[tuple[Similar, Belief]]:
        """The active beliefs of the user most similar to the statement."""
        if vector is None:
            return []
        matches = self.index.near(
            scope, vector, kinds=(Kind.BELIEF,), limit=self.rules.compare_with
        )
        nodes = self.graph.get_many(scope, [match.key for match in matches])
        rivals = []
        for match in matches:
            node = nodes.get(match.key)
            if isinstance(node, Belief):
                similarity = rule.similarity(match.score, self.embedder.scale)
                episodes = len({support.event_id for support in node.supports})
                rivals.append((Similar(node.key, similarity, episodes, node.since), node))
        return rivals

    def _act(
        self,
        scope: Scope,
        claim: Claim,
        vector: Vector | None,
        verdict: Verdict,
        held: Mapping[str, Belief],
    ) -> Settled:
        now = self.clock.now()
        match verdict:
            case Reinforce(key=key):
                belief = rule.reinforced(held[key], claim.support, now, self.rules)
                self.graph.put(scope, belief)
                self._support(scope, claim, belief, now)
                return Settled(outcome=Outcome.REINFORCED, belief=belief)
            case Create(neighbours=near):
                belief = self._create(scope, claim, vector, near, now)
                return Settled(outcome=Outcome.CREATED, belief=belief)
            case Weaken(key=key, neighbours=near):
                belief = self._create(scope, claim, vector, near, now, supersedes=key)
                old = rule.weakened(held[key], belief.key, now, self.rules)
                self.graph.put(scope, old)
                return Settled(outcome=Outcome.WEAKENED, belief=belief, other=old)
            case Invalidate(key=key, neighbours=near):
                belief = self._create(scope, claim, vector, near, now, supersedes=key)
                old = rule.invalidated(held[key], belief.key, until=claim.support.at, now=now)
                self.graph.put(scope, old)
                self.index.remove([key])
                return Settled(outcome=Outcome.INVALIDATED, belief=belief, other=old)
            case Predate(key=key):
                newer = held[key]
                belief = self._create(scope, claim, None, (), now)
                belief = rule.invalidated(belief, newer.key, until=newer.since, now=now)
                self.graph.put(scope, belief)
                self.index.remove([belief.key])
                return Settled(outcome=Outcome.PREDATED, belief=belief, other=newer)
            case _:
                assert_never(verdict)

    def _create(
        self,
        scope: Scope,
        claim: Claim,
        vector: Vector | None,
        neighbours: Sequence[str],
        now: datetime,
        *,
        supersedes: str | None = None,
    ) -> Belief:
        belief = replace(_belief(scope, claim, now, self.rules), supersedes=supersedes)
        self.graph.put(scope, belief)
        self.index.put([_entry(belief, vector)])
        self._support(scope, claim, belief, now)
        for key in neighbours:
            self.graph.link(scope, _link(scope, LinkKind.NEIGHBOUR, belief.key, key, now))
        self._link_subject(scope, belief, now)
        return belief

    def _support(self, scope: Scope, claim: Claim, belief: Belief, now: datetime) -> None:
        link = _link(scope, LinkKind.SUPPORTS, claim.episode_key, belief.key, now)
        self.graph.link(scope, replace(link, detail=claim.detail))

    def _link_subject(self, scope: Scope, belief: Belief, now: datetime) -> None:
        """Tie the belief to the person it is about, where that person is known."""
        person = self.graph.natural(scope, Kind.PERSON, canonical_name(belief.subject))
        if isinstance(person, Anchor):
            self.graph.link(scope, _link(scope, LinkKind.ABOUT, belief.key, person.key, now))


def _belief(scope: Scope, claim: Claim, now: datetime, rules: BeliefRules) -> Belief:
    draft, support = claim.draft, claim.support
    return Belief(
        key=key_for(scope.user_id, Kind.BELIEF, claim.episode_key, draft.statement),
        user_id=scope.user_id,
        created_at=now,
        updated_at=now,
        statement=draft.statement,
        type=draft.type,
        subject=draft.subject,
        importance=draft.importance,
        confidence=rules.initial_confidence,
        since=support.at,
        supports=(support,),
        changes=(Change(kind=ChangeKind.CREATED, recorded_at=now, reason="first stated"),),
    )


def _entry(belief: Belief, vector: Vector | None) -> Entry:
    return Entry(
        key=belief.key,
        kind=Kind.BELIEF,
        owner_key=belief.key,
        text=belief.statement,
        vector=vector,
        readers=belief.readers,
    )


def _link(scope: Scope, kind: LinkKind, src: str, dst: str, now: datetime) -> Link:
    return Link(user_id=scope.user_id, kind=kind, src=src, dst=dst, created_at=now)
