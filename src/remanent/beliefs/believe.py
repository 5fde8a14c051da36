"""Believe: one statement of one episode is settled against what is held true (SPEC 5).

Judges outside the transaction and decides inside it, so that no two claims miss each other.

Should a rival belief have appeared meanwhile, the mind is asked about that one too, and again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from remanent.core.read import every
from remanent.errors import InvalidInput

__all__ = ["Claim", "believe", "infer"]


def believe(env: Env, scope: Scope, claim: Claim, *, vector: Vector | None = None) -> Settled:
    """The belief that speaks for the claim; the same claim again changes nothing.

    `vector` is the statement's embedding, for whoever has it already.
    """
    if claim.instructs is not None:
        return _hold(env, scope, claim, vector or _meaning(env, scope, claim))
    claim = replace(claim, draft=rule.sound(claim.draft, claim.support.statement))
    return _settled(env, scope, claim, vector)


def _hold(env: Env, scope: Scope, claim: Claim, vector: Vector | None) -> Settled:
    """A standing instruction is compared with nothing: it takes the place of the one of its name."""
    with env.atomic(scope, durable=True):
        repeated = _repeated(env, scope, claim)
        if repeated is not None:
            return repeated
        former = [
            one
            for one in every(env.graph, scope, Kind.BELIEF)
            if isinstance(one, Belief)
            and one.status is BeliefStatus.ACTIVE
            and (one.instructs, one.subject) == (claim.instructs, claim.draft.subject) != (one.instructs, OWNER)
        ]  # fmt: skip
        verdict = Invalidate(former[0].key) if former else Create()
        return _act(env, scope, claim, vector, verdict, {one.key: one for one in former})


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
    return _settled(env, scope, claim, None)


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


def _settled(env: Env, scope: Scope, claim: Claim | Inference, vector: Vector | None) -> Settled:
    if vector is None and not withheld_from(env.embedder, scope, env.graph, claim.words_of):
        vector = _meaning(env, scope, claim)
    judged: dict[str, Judgement] = {}
    while True:
        with env.atomic(scope, durable=True):
            repeated = _repeated(env, scope, claim)
            if repeated is not None:
                return repeated
            rivals = _rivals(env, scope, claim, vector)
            similar = [one for one, _ in rivals]
            open_keys = set(rule.to_judge(similar, env.config.belief)) - judged.keys()
            if not open_keys:
                verdict = rule.verdict(
                    similar, judged, at=claim.at, by=claim.authority, rules=env.config.belief
                )
                held = {belief.key: belief for _, belief in rivals}
                later = _said_later(claim, verdict, held, env.clock.now())
                if later is not None and isinstance(claim, Claim):
                    said = replace(claim.support, at=later, since=None)
                    claim = replace(claim, support=said)
                    verdict = rule.verdict(
                        similar, judged, at=later, by=claim.authority, rules=env.config.belief
                    )
                return _act(env, scope, claim, vector, verdict, held)
        judged |= _judge(env, scope, claim, [b for _, b in rivals if b.key in open_keys])


def _said_later(
    claim: Claim | Inference, verdict: Verdict, held: Mapping[str, Belief], now: datetime
) -> datetime | None:
    """When the belief that the claim seems to be older than was said, if the clock has not come so far:
    it is behind, and what is said now comes after all that was said, as in the ledger."""
    if not (isinstance(claim, Claim) and claim.is_now and isinstance(verdict, Predate)):
        return None
    rival = held[verdict.key]
    latest = max((one.at for one in rival.supports), default=now)
    return max(latest, rival.since) if latest > now else None


def _meaning(env: Env, scope: Scope, claim: Claim | Inference) -> Vector | None:
    """SPEC 5: no embedding to be had, no comparison."""
    return vector_of(env.embedder, scope, "believe", claim.draft.statement, kind="statement")


def _judge(
    env: Env, scope: Scope, claim: Claim | Inference, beliefs: Sequence[Belief]
) -> dict[str, Judgement]:
    said = edge_match.Statement(text=claim.draft.statement, subject=claim.draft.subject)
    judged = {one.key: Judgement.DIFFERENT for one in beliefs if _of_others(said, one)}
    beliefs = [one for one in beliefs if one.key not in judged]
    if not beliefs:
        return judged
    keys = {*claim.words_of, *(one.key for one in beliefs)}
    of_source = isinstance(claim, Claim) and claim.support.source_key is not None
    job = SETTLING if of_source else "believe"
    mind = mind_for_words_of(env.mind, scope, job, env.graph, keys)
    words = claim.draft.statement
    answers = mind.judge(words, [one.statement for one in beliefs])
    judged |= {
        belief.key: edge_match.judged(words, belief.statement, answer)
        for belief, answer in zip(beliefs, answers, strict=True)
    }
    return judged | _of_grounds(claim, beliefs) if isinstance(claim, Inference) else judged


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


def _repeated(env: Env, scope: Scope, claim: Claim | Inference) -> Settled | None:
    if isinstance(claim, Inference):
        _grounds(env, scope, claim.derived_from)  # one may have fallen while the mind thought
        known = env.graph.get(scope, inference_key(scope, claim.derived_from))
        if isinstance(known, Belief):
            return Settled(outcome=Outcome.REPEATED, belief=known)
        return None
    links = env.graph.links(scope, claim.episode_key, kinds=(LinkKind.SUPPORTS,), outward=True)
    for link in links:
        if link.detail == claim.detail:
            belief = env.graph.get(scope, link.dst)
            if isinstance(belief, Belief):
                return Settled(outcome=Outcome.REPEATED, belief=belief)
    return None


def _rivals(
    env: Env, scope: Scope, claim: Claim | Inference, vector: Vector | None
) -> list[tuple[Similar, Belief]]:
    """The active beliefs of the user most similar to the statement, and as many of those that are not
    somebody else's word: nobody can crowd these out."""
    if vector is None:
        return []
    rivals, own, most = [], 0, env.config.belief.compare_with
    for place, (match, node) in enumerate(_nearest(env, scope, vector, most)):
        if isinstance(node, Belief) and node.instructs is not None:
            continue  # nothing that is said of the world speaks for or against it
        is_own = not isinstance(node, Belief) or node.authority is not Authority.OTHER
        own += is_own
        if own > most or (place >= most and not is_own):
            continue
        if isinstance(node, Belief) and node.status is BeliefStatus.ACTIVE:
            similarity = rule.similarity(match.score, env.embedder.scale)
            told_late = _told_late(env, scope, claim, node)
            similar = Similar(
                node.key, similarity, rule.episodes(node), node.since, node.authority, told_late
            )
            rivals.append((similar, node))
    return rivals


def _nearest(env: Env, scope: Scope, vector: Vector, most: int) -> list[tuple[Match, Node | None]]:
    """The nearest beliefs, until so many are not somebody else's or there are no more."""
    limit = most
    while True:
        matches = env.index.near(scope, vector, kinds=(Kind.BELIEF,), limit=limit)
        nodes = env.graph.get_many(scope, [match.key for match in matches])
        found = [(match, nodes.get(match.key)) for match in matches]
        others = sum(
            isinstance(node, Belief) and node.authority is Authority.OTHER for _, node in found
        )
        if len(matches) < limit or limit - others >= most:
            return found
        limit *= 2


def _told_late(env: Env, scope: Scope, claim: Claim | Inference, rival: Belief) -> datetime | None:
    """When the rival was said, if it had begun before that and took the place of what the claim says
    once more."""
    latest = max((one.at for one in rival.supports if one.began < one.at), default=None)
    gone = env.graph.get(scope, rival.supersedes) if latest and rival.supersedes else None
    words = claim.draft.statement.casefold()
    again = isinstance(gone, Belief) and gone.statement.casefold() == words
    return latest if again else None


def _act(
    env: Env,
    scope: Scope,
    claim: Claim | Inference,
    vector: Vector | None,
    verdict: Verdict,
    held: Mapping[str, Belief],
) -> Settled:
    now = env.clock.now()
    if isinstance(verdict, Reinforce):
        return _reinforce(env, scope, claim, held[verdict.key], now)
    claim = _correcting(claim, verdict, held)
    belief = _create(env, scope, claim, vector, verdict, now)
    if isinstance(verdict, Create):
        return Settled(outcome=Outcome.CREATED, belief=belief)
    other = held[verdict.key]
    match verdict:
        case Weaken():
            other = rule.weakened(other, belief, now, env.config.belief)
            outcome = Outcome.WEAKENED
        case Invalidate():
            other = rule.invalidated(other, belief, until=claim.at, now=now)
            outcome = Outcome.INVALIDATED
        case Dispute():
            other = rule.disputed(other, belief, now)
            outcome = Outcome.DISPUTED
        case Predate():
            belief = rule.invalidated(belief, other, until=other.since, now=now)
            outcome = Outcome.PREDATED
        case _:
            assert_never(verdict)
    for one in (belief, other):
        env.graph.put(scope, one)
    retract_dependents(
        env, scope, [one for one in (belief, other) if one.status is not BeliefStatus.ACTIVE]
    )
    return Settled(outcome=outcome, belief=belief, other=other)


def _reinforce(
    env: Env, scope: Scope, claim: Claim | Inference, known: Belief, now: datetime
) -> Settled:
    """One more episode; an inference is none, and what we make of a belief proves nothing."""
    if isinstance(claim, Inference):
        return Settled(outcome=Outcome.REPEATED, belief=known)
    belief = rule.reinforced(known, claim.support, now, env.config.belief)
    env.graph.put(scope, belief)
    _put_links(env, scope, claim.links(scope, belief, now))
    return Settled(outcome=Outcome.REINFORCED, belief=belief)


def _create(
    env: Env,
    scope: Scope,
    claim: Claim | Inference,
    vector: Vector | None,
    verdict: Create | Weaken | Invalidate | Predate | Dispute,
    now: datetime,
) -> Belief:
    belief = claim.belief(scope, now, env.config.belief)
    if isinstance(verdict, Weaken | Invalidate):
        belief = replace(belief, supersedes=verdict.key)
    if isinstance(verdict, Dispute):
        belief = replace(belief, disputes=verdict.key)
    env.graph.put(scope, belief)
    env.index.put([belief_entry(belief, vector)])
    links = claim.links(scope, belief, now)
    links += [_link(scope, LinkKind.NEIGHBOUR, belief.key, key, now) for key in verdict.neighbours]
    person = env.graph.natural(scope, Kind.PERSON, canonical_name(belief.subject))
    if isinstance(person, Anchor):  # tie it to whom it is about, where they are known
        links.append(_link(scope, LinkKind.ABOUT, belief.key, person.key, now))
    _put_links(env, scope, links)
    return belief


def _put_links(env: Env, scope: Scope, links: Sequence[Link]) -> None:
    for link in links:
        env.graph.link(scope, link)


def _correcting(
    claim: Claim | Inference, verdict: Verdict, held: Mapping[str, Belief]
) -> Claim | Inference:
    if isinstance(claim, Claim) and isinstance(verdict, Weaken | Invalidate):
        return claim.instead_of(held[verdict.key])
    return claim


def _link(scope: Scope, kind: LinkKind, src: str, dst: str, now: datetime) -> Link:
    return Link(scope.user_id, kind, src, dst, now)
