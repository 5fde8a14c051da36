"""Uphold: when beliefs have ended, everything that hung on them is put right.

Called inside the transaction in which beliefs stopped being active, after they were put.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from remanent.beliefs.end_edges import close_edges
from remanent.beliefs.redact_summaries import redact_summaries
from remanent.beliefs.rules import truth
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Entry


def retract_dependents(
    env: Env, scope: Scope, ended: Sequence[Belief], *, at: datetime | None = None
) -> list[Belief]:
    """Fall or doubt for what was inferred from them, closed edges for what they told, and no
    place among what is held true; the inferences that changed, which bear the moment `at`
    (default: now). Twice changes nothing more."""
    changed = _inferences(env, scope, [one.key for one in ended], at or env.clock.now())
    fallen = [one for one in changed if one.status is not BeliefStatus.ACTIVE]
    _out_of_mind(env, scope, [*ended, *fallen])
    close_edges(env, scope, ended)
    return changed


def _out_of_mind(env: Env, scope: Scope, ended: Sequence[Belief]) -> None:
    """What was invalidated or pruned is found only in the past; what was forgotten, nowhere."""
    gone = [one for one in ended if one.status is BeliefStatus.FORGOTTEN]
    past = [one for one in ended if one.status in (BeliefStatus.INVALIDATED, BeliefStatus.PRUNED)]
    vectors = env.index.vectors(scope, [one.key for one in past])
    env.index.put(
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
    told = [key for one in gone for key in _told_only_this(env, scope, one)]
    env.index.remove([*(one.key for one in gone), *told])
    for one in gone:
        redact_summaries(env, scope, one)


def _told_only_this(env: Env, scope: Scope, belief: Belief) -> list[str]:
    """Remembered episodes that speak for nothing but forgotten beliefs: out of mind with them."""
    links = env.graph.links(scope, belief.key, kinds=(LinkKind.SUPPORTS,), outward=False)
    episodes = env.graph.get_many(scope, sorted({link.src for link in links}))
    return [
        key
        for key, node in sorted(episodes.items())
        if isinstance(node, EventNode) and _is_forgotten(env, scope, key)
    ]


def _is_forgotten(env: Env, scope: Scope, episode_key: str) -> bool:
    links = env.graph.links(scope, episode_key, kinds=(LinkKind.SUPPORTS,), outward=True)
    beliefs = env.graph.get_many(scope, [link.dst for link in links]).values()
    return all(isinstance(one, Belief) and one.status is BeliefStatus.FORGOTTEN for one in beliefs)


def _inferences(env: Env, scope: Scope, keys: Sequence[str], now: datetime) -> list[Belief]:
    """Truth maintenance: carry out what `rules.truth` decides about all that is affected."""
    inferred = _inferred(env, scope, keys)
    if not inferred:
        return []
    beliefs = _grounds(env, scope, [*keys, *inferred])
    changed = []
    for decided in truth.consequences(beliefs, env.config.belief):
        cause = beliefs.get(decided.by)
        because = "" if cause is None else cause.statement
        belief = truth.carried_out(beliefs[decided.key], decided, now, because)
        env.graph.put(scope, belief)
        changed.append(belief)
    return changed


def _inferred(env: Env, scope: Scope, keys: Iterable[str]) -> list[str]:
    """The beliefs drawn from these, however indirectly."""
    pending, found = list(keys), dict[str, None]()
    while pending:
        links = env.graph.links(scope, pending.pop(), kinds=(LinkKind.DERIVED_FROM,), outward=False)
        fresh = [link.src for link in links if link.src not in found]
        found |= dict.fromkeys(fresh)
        pending += fresh
    return list(found)


def _grounds(env: Env, scope: Scope, keys: Iterable[str]) -> dict[str, Belief]:
    """These and all that they rest on, down to what was asserted."""
    found: dict[str, Belief] = {}
    pending, seen = set(keys), set[str]()
    while pending:
        nodes = env.graph.get_many(scope, sorted(pending)).values()
        fresh = {one.key: one for one in nodes if isinstance(one, Belief)}
        found |= fresh
        seen |= pending
        below = {key for one in fresh.values() for key in one.derived_from}
        below |= {one.superseded_by for one in fresh.values() if one.superseded_by is not None}
        pending = below - seen
    return found
