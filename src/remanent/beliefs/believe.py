"""Believe: one statement of one episode is settled against what is held true (SPEC 5).

Judges outside the transaction and decides inside it, so that no two claims miss each other.

Should a rival belief have appeared meanwhile, the mind is asked about that one too, and again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import assert_never

from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import edge_match
from remanent.beliefs.rules.belief import (
    Create,
    Dispute,
    Invalidate,
    Predate,
    Reinforce,
    Similar,
    Verdict,
    Weaken,
)
from remanent.beliefs.statement import Claim, Inference, inference_key, inferred
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.index_entries import belief_entry
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import OWNER, Authority, Belief, BeliefStatus
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import SETTLING, Judgement
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import Outcome, Settled
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import mind_for_words_of, vector_of, withheld_from
from remanent.core.ports.index import Match, Vector
from remanent.core.read import by_natural, every
from remanent.errors import InvalidInput

__all__ = ["Claim", "believe", "infer"]


def believe(env: Env, scope: Scope, claim: Claim, *, vector: Vector | None = None) -> Settled:
    """The belief that speaks for the claim; the same claim again changes nothing.

    `vector` is the statement's embedding, for whoever has it already.
    """
    if claim.instructs is not None:
        return _Settling(env, scope, claim, vector).hold()
    claim = replace(claim, draft=rule.sound(claim.draft, claim.support.statement))
    return _Settling(env, scope, claim, vector).settle()


def infer(
    env: Env,
    scope: Scope,
    statement: str,
    derived_from: Sequence[str],
    *,
    subject: str = OWNER,
    importance: int = 5,
) -> Settled:
    """Hold what was drawn from these active beliefs. It never overrules what was asserted; an
    inference from the same beliefs, or what is believed already, is repeated: nothing changes."""
    if not statement.strip():
        raise InvalidInput("statement", "there is nothing in it")
    known = env.graph.get(scope, inference_key(scope, derived_from))
    if isinstance(known, Belief):
        return Settled(outcome=Outcome.REPEATED, belief=known)
    grounds = _grounds(env, scope, derived_from)
    claim = inferred(statement, grounds, subject=subject, importance=importance)
    return _Settling(env, scope, claim).settle()


def _grounds(env: Env, scope: Scope, keys: Sequence[str]) -> list[Belief]:
    """The beliefs of these keys, all of them held true."""
    nodes = env.graph.get_many(scope, list(keys))
    for key in keys:
        node = nodes.get(key)
        if not isinstance(node, Belief) or node.status is not BeliefStatus.ACTIVE:
            raise InvalidInput("derived_from", f"{key!r} is not an active belief")
    if not keys:
        raise InvalidInput("derived_from", "an inference needs something to be drawn from")
    return [node for node in nodes.values() if isinstance(node, Belief)]


@dataclass(slots=True)
class _Settling:
    """One claim on its way to the belief that speaks for it."""

    env: Env
    scope: Scope
    claim: Claim | Inference
    vector: Vector | None = None

    def hold(self) -> Settled:
        """A standing instruction is compared with nothing: it takes the place of the one of its name."""
        assert isinstance(self.claim, Claim)  # noqa: S101 - nothing else instructs
        self.vector = self.vector or self._meaning()
        name = (self.claim.instructs, self.claim.draft.subject)
        with self.env.atomic(self.scope, durable=True):
            repeated = self._repeated()
            if repeated is not None:
                return repeated
            former = [
                one
                for one in every(self.env.graph, self.scope, Belief)
                if one.status is BeliefStatus.ACTIVE
                and (one.instructs, one.subject) == name != (one.instructs, OWNER)
            ]
            verdict = Invalidate(former[0].key) if former else Create()
            return self._act(verdict, {one.key: one for one in former})

    def settle(self) -> Settled:
        env, scope, words_of = self.env, self.scope, self.claim.words_of
        if self.vector is None and not withheld_from(env.embedder, scope, env.graph, words_of):
            self.vector = self._meaning()
        judged: dict[str, Judgement] = {}
        while True:
            with env.atomic(scope, durable=True):
                repeated = self._repeated()
                if repeated is not None:
                    return repeated
                rivals = self._rivals()
                similar = [one for one, _ in rivals]
                open_keys = set(rule.to_judge(similar, env.config.belief)) - judged.keys()
                if not open_keys:
                    return self._decide(similar, judged, {one.key: one for _, one in rivals})
            judged |= self._judge([one for _, one in rivals if one.key in open_keys])

    def _decide(
        self,
        similar: Sequence[Similar],
        judged: Mapping[str, Judgement],
        held: Mapping[str, Belief],
    ) -> Settled:
        rules = self.env.config.belief
        by, at = self.claim.authority, self.claim.at
        verdict = rule.verdict(similar, judged, at=at, by=by, rules=rules)
        later = self._said_later(verdict, held)
        if later is not None and isinstance(self.claim, Claim):
            said = replace(self.claim.support, at=later, since=None)
            self.claim = replace(self.claim, support=said)
            verdict = rule.verdict(similar, judged, at=later, by=by, rules=rules)
        return self._act(verdict, held)

    def _said_later(self, verdict: Verdict, held: Mapping[str, Belief]) -> datetime | None:
        """When the belief that the claim seems to be older than was said, if the clock has not come so
        far: it is behind, and what is said now comes after all that was said, as in the ledger."""
        is_now = isinstance(self.claim, Claim) and self.claim.is_now
        if not (is_now and isinstance(verdict, Predate)):
            return None
        rival, now = held[verdict.key], self.env.clock.now()
        latest = max((one.at for one in rival.supports), default=now)
        return max(latest, rival.since) if latest > now else None

    def _meaning(self) -> Vector | None:
        """SPEC 5: no embedding to be had, no comparison."""
        words = self.claim.draft.statement
        return vector_of(self.env.embedder, self.scope, "believe", words, kind="statement")

    def _judge(self, beliefs: Sequence[Belief]) -> dict[str, Judgement]:
        claim, words = self.claim, self.claim.draft.statement
        said = edge_match.Statement(text=words, subject=claim.draft.subject)
        judged = {one.key: Judgement.DIFFERENT for one in beliefs if _of_others(said, one)}
        beliefs = [one for one in beliefs if one.key not in judged]
        if not beliefs:
            return judged
        keys = {*claim.words_of, *(one.key for one in beliefs)}
        of_source = isinstance(claim, Claim) and claim.support.source_key is not None
        job = SETTLING if of_source else "believe"
        mind = mind_for_words_of(self.env.mind, self.scope, job, self.env.graph, keys)
        answers = mind.judge(words, [one.statement for one in beliefs])
        judged |= {
            belief.key: edge_match.judged(words, belief.statement, answer)
            for belief, answer in zip(beliefs, answers, strict=True)
        }
        return judged | _of_grounds(claim, beliefs) if isinstance(claim, Inference) else judged

    def _repeated(self) -> Settled | None:
        env, scope, claim = self.env, self.scope, self.claim
        if isinstance(claim, Inference):
            _grounds(env, scope, claim.derived_from)  # one may have fallen while the mind thought
            keys = [inference_key(scope, claim.derived_from)]
        else:
            supports = (LinkKind.SUPPORTS,)
            links = env.graph.links(scope, claim.episode_key, kinds=supports, outward=True)
            keys = [link.dst for link in links if link.detail == claim.detail]
        for key in keys:
            known = env.graph.get(scope, key)
            if isinstance(known, Belief):
                return Settled(outcome=Outcome.REPEATED, belief=known)
        return None

    def _rivals(self) -> list[tuple[Similar, Belief]]:
        """The active beliefs of the user most similar to the statement, and as many of those that are not
        somebody else's word: nobody can crowd these out."""
        if self.vector is None:
            return []
        rivals, own, most = [], 0, self.env.config.belief.compare_with
        for place, (match, node) in enumerate(_nearest(self.env, self.scope, self.vector, most)):
            if isinstance(node, Belief) and node.instructs is not None:
                continue  # nothing that is said of the world speaks for or against it
            is_own = _is_own(node)
            own += is_own
            if own > most or (place >= most and not is_own):
                continue
            if isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE:
                alike = rule.similarity(match.score, self.env.embedder.scale)
                told, late = rule.episodes(node), self._told_late(node)
                similar = Similar(node.key, alike, told, node.since, node.authority, late)
                rivals.append((similar, node))
        return rivals

    def _told_late(self, rival: Belief) -> datetime | None:
        """When the rival was said, if it had begun before that and took the place of what the claim says
        once more."""
        latest = max((one.at for one in rival.supports if one.began < one.at), default=None)
        before = rival.supersedes
        gone = self.env.graph.get(self.scope, before) if latest and before else None
        words = self.claim.draft.statement.casefold()
        again = isinstance(gone, Belief) and gone.statement.casefold() == words
        return latest if again else None

    def _act(self, verdict: Verdict, held: Mapping[str, Belief]) -> Settled:
        now, rules = self.env.clock.now(), self.env.config.belief
        if isinstance(verdict, Reinforce):
            return self._reinforce(held[verdict.key], now)
        belief = self._create(verdict, held, now)
        if isinstance(verdict, Create):
            return Settled(outcome=Outcome.CREATED, belief=belief)
        other = held[verdict.key]
        match verdict:
            case Weaken():
                other, outcome = rule.weakened(other, belief, now, rules), Outcome.WEAKENED
            case Invalidate():
                other = rule.invalidated(other, belief, until=self.claim.at, now=now)
                outcome = Outcome.INVALIDATED
            case Dispute():
                other, outcome = rule.disputed(other, belief, now), Outcome.DISPUTED
            case Predate():
                belief = rule.invalidated(belief, other, until=other.since, now=now)
                outcome = Outcome.PREDATED
            case _:
                assert_never(verdict)
        for one in (belief, other):
            self.env.graph.put(self.scope, one)
        ended = [one for one in (belief, other) if one.status is not BeliefStatus.ACTIVE]
        retract_dependents(self.env, self.scope, ended)
        return Settled(outcome=outcome, belief=belief, other=other)

    def _reinforce(self, known: Belief, now: datetime) -> Settled:
        """One more episode; an inference is none, and what we make of a belief proves nothing."""
        if isinstance(self.claim, Inference):
            return Settled(outcome=Outcome.REPEATED, belief=known)
        belief = rule.reinforced(known, self.claim.support, now, self.env.config.belief)
        self.env.graph.put(self.scope, belief)
        self._link(self.claim.links(self.scope, belief, now))
        return Settled(outcome=Outcome.REINFORCED, belief=belief)

    def _create(
        self,
        verdict: Create | Weaken | Invalidate | Predate | Dispute,
        held: Mapping[str, Belief],
        now: datetime,
    ) -> Belief:
        graph, scope = self.env.graph, self.scope
        before = verdict.key if isinstance(verdict, Weaken | Invalidate) else None
        if before is not None and isinstance(self.claim, Claim):
            self.claim = self.claim.instead_of(held[before])
        belief = self.claim.belief(scope, now, self.env.config.belief)
        belief = replace(belief, supersedes=before)
        if isinstance(verdict, Dispute):
            belief = replace(belief, disputes=verdict.key)
        graph.put(scope, belief)
        self.env.index.put([belief_entry(belief, self.vector)])
        ends = [(LinkKind.NEIGHBOUR, key) for key in verdict.neighbours]
        person = by_natural(graph, scope, Kind.PERSON, canonical_name(belief.subject))
        if isinstance(person, Anchor):  # tie it to whom it is about, where they are known
            ends.append((LinkKind.ABOUT, person.key))
        self._link(self.claim.links(scope, belief, now))
        self._link([Link(scope.user_id, kind, belief.key, key, now) for kind, key in ends])
        return belief

    def _link(self, links: Sequence[Link]) -> None:
        for link in links:
            self.env.graph.link(self.scope, link)


def _of_others(said: edge_match.Statement, belief: Belief) -> bool:
    held = edge_match.Statement(text=belief.statement, subject=belief.subject)
    return edge_match.of_others(said, held)


def _of_grounds(claim: Inference, beliefs: Sequence[Belief]) -> dict[str, Judgement]:
    """What is drawn from beliefs goes beyond each of them: it says none of them again, unless word for
    word, and contradicts none."""
    said = canonical_name(claim.draft.statement)
    return {
        one.key: Judgement.SAME if canonical_name(one.statement) == said else Judgement.DIFFERENT
        for one in beliefs
        if one.key in claim.derived_from
    }


def _nearest(env: Env, scope: Scope, vector: Vector, most: int) -> list[tuple[Match, Node | None]]:
    """The nearest beliefs, until so many are not somebody else's or there are no more."""
    limit = most
    while True:
        matches = env.index.near(scope, vector, kinds=(Kind.BELIEF,), limit=limit)
        nodes = env.graph.get_many(scope, [match.key for match in matches])
        found = [(match, nodes.get(match.key)) for match in matches]
        if len(matches) < limit or sum(_is_own(node) for _, node in found) >= most:
            return found
        limit *= 2


def _is_own(node: Node | None) -> bool:
    """Whether what is said is compared with it, and it is not somebody else's word."""
    return not isinstance(node, Belief) or (
        node.authority is not Authority.OTHER and node.instructs is None
    )
