"""Events: what happened, by recency, importance, relevance and affinity (SPEC 7).

Weighs the newest events and those nearest in meaning. What is returned is strengthened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeGuard

from remanent import metrics
from remanent.anchors.resolve import names_in
from remanent.beliefs import redact_summaries
from remanent.beliefs.rules import belief as believing
from remanent.core import checks, lifecycle
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.event import EventHit, EventNode, EventQuery, EventRequest
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import vector_of
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.graph import Nodes
from remanent.core.ports.index import Vector
from remanent.core.read import if_writable
from remanent.events.rules import ranking as rule
from remanent.events.rules.ranking import Weighed


def find_events(env: Env, scope: Scope, request: EventRequest) -> list[EventHit]:
    """The best events that fit, best first; of equals the newer, then in order of key."""
    request, now = _checked(env, request), env.clock.now()
    vector = None
    if request.query is not None:
        vector = vector_of(env.embedder, scope, "events", request.query, kind="question")
    nodes = _candidates(env, scope, request.wanted, vector)
    weighed = _weighed(env, scope, nodes, request, vector, now)
    best = _best(env, scope, nodes, weighed, request.limit)
    hits = [
        EventHit(
            event=nodes[key],
            score=rule.score(one, env.config.events),
            signals=rule.signals(one, env.config.events),
            parts=rule.explained(one, env.config.events) if request.explain else (),
        )
        for key, one in best
    ]
    for hit in hits:
        metrics.DECAY_SCORE.observe(hit.score)
    if request.touch:
        _strengthen(env, scope, [one.key for one in hits], now)
    return hits


def _checked(env: Env, request: EventRequest) -> EventRequest:
    """The question, or `InvalidInput` naming the field."""
    longest = env.config.intake.max_statement_characters
    return replace(
        request,
        limit=checks.limited(request.limit),
        since=checks.point("since", request.since),
        until=checks.point("until", request.until),
        query=None if request.query is None else checks.statement("query", request.query, longest),
        session_id=checks.identifier_or_none("session_id", request.session_id),
        agent_id=checks.identifier_or_none("agent_id", request.agent_id),
        event_type=checks.identifier_or_none("event_type", request.event_type),
        current_session=checks.identifier_or_none("current_session", request.current_session),
    )


# -- candidates ---------------------------------------------------------------------------


def _candidates(
    env: Env, scope: Scope, wanted: EventQuery, vector: Vector | None
) -> dict[str, EventNode]:
    nodes = {one.key: one for one in _newest(env, scope, wanted, env.config.events.pool)}
    if vector is not None:
        near = env.index.near(scope, vector, kinds=(Kind.EVENT,), limit=env.config.events.pool_near)
        more = env.graph.get_many(scope, [one.key for one in near if one.key not in nodes])
        nodes |= {key: one for key, one in more.items() if _fits(one, wanted)}
    out_of_mind = set(redact_summaries.among(env, scope, nodes.values()))
    return {key: one for key, one in nodes.items() if one.event_id not in out_of_mind}


def _newest(env: Env, scope: Scope, wanted: EventQuery, limit: int) -> list[EventNode]:
    where = {
        "state <>": State.ARCHIVED,
        "occurred_at >=": wanted.since,
        "occurred_at <=": wanted.until,
        "session_id": wanted.session_id,
        "agent_id": wanted.agent_id,
        "event_type": wanted.event_type,
    }
    nodes = Nodes(EventNode, where, ("-occurred_at",), limit=limit, own=True)
    found = env.graph.select(scope, nodes)
    if not wanted.shared or not scope.teams:
        return found
    found += env.graph.select(scope, replace(nodes, own=False))
    return sorted(found, key=lambda one: (-one.occurred_at.timestamp(), one.key))[: max(limit, 0)]


# -- weighing -----------------------------------------------------------------------------


def _weighed(
    env: Env,
    scope: Scope,
    nodes: Mapping[str, EventNode],
    request: EventRequest,
    vector: Vector | None,
    now: datetime,
) -> dict[str, Weighed]:
    alike = _alike(env, scope, list(nodes), vector)
    began = _began(env, scope, request.current_session, now)
    return {
        key: Weighed(
            hours=rule.hours_since(one, now),
            accesses=one.life.access_count,
            importance=one.importance_score,
            relevance=alike.get(key),
            proximity=rule.proximity(
                one,
                user_id=scope.user_id,
                current_session=request.current_session,
                now=now,
                rules=env.config.events,
            ),
            recalls=rule.recalls(one, began),
        )
        for key, one in nodes.items()
    }


def _began(env: Env, scope: Scope, session: str | None, now: datetime) -> datetime | None:
    """When the session that asks began: with its first event, or now; None where none asks."""
    if session is None:
        return None
    return min((one.occurred_at for one in env.ledger.replay(scope, session=session)), default=now)


def _alike(env: Env, scope: Scope, keys: Sequence[str], vector: Vector | None) -> dict[str, float]:
    if vector is None or not keys:
        return {}
    scale = question_scale(env.embedder)
    return {
        key: believing.similarity(float(vector @ own), scale)
        for key, own in env.index.vectors(scope, keys).items()
    }


def _best(
    env: Env,
    scope: Scope,
    nodes: Mapping[str, EventNode],
    weighed: Mapping[str, Weighed],
    limit: int,
) -> list[tuple[str, Weighed]]:
    """Shared entities are looked up only of those that they can still bring into the answer."""
    scores = {key: rule.score(one, env.config.events) for key, one in weighed.items()}
    last = sorted(scores.values(), reverse=True)[:limit][-1:]
    least = (last[0] if len(scores) > limit else 0.0) - rule.overlap_most(env.config.events)
    able = [key for key, score in scores.items() if score >= least]
    mine = _entities(env, scope, _recent(env, scope)) if able else frozenset()
    whole = {
        key: replace(
            weighed[key], overlap=rule.overlap(mine, _its(env, scope, nodes[key])) if mine else 0.0
        )
        for key in able
    }
    order = sorted(
        whole,
        key=lambda key: (
            -round(rule.score(whole[key], env.config.events), 9),
            -nodes[key].occurred_at.timestamp(),
            key,
        ),
    )
    return [(key, whole[key]) for key in order[:limit]]


def _recent(env: Env, scope: Scope) -> list[str]:
    return [one.key for one in _newest(env, scope, EventQuery(), env.config.events.recent_events)]


def _its(env: Env, scope: Scope, node: EventNode) -> frozenset[str]:
    """The entities of an event; of another's, those of one's own that it names."""
    if node.user_id == scope.user_id:
        return _entities(env, scope, [node.key])
    return frozenset(one.key for one in names_in(env, scope, [node.text]) if not one.is_owner)


def _entities(env: Env, scope: Scope, keys: Iterable[str]) -> frozenset[str]:
    links = env.graph.links(scope, *keys, kinds=(LinkKind.REFERENCES,), outward=True)
    return frozenset(link.dst for link in links)


# -- access -------------------------------------------------------------------------------


def _strengthen(env: Env, scope: Scope, keys: Sequence[str], now: datetime) -> None:
    """One batch of one's own; each is read again, for another may have asked for it meanwhile."""
    with if_writable(), env.atomic():
        for node in env.graph.get_many(scope, keys).values():
            if isinstance(node, EventNode) and node.user_id == scope.user_id:
                life = lifecycle.accessed(node.life, now, env.config.lifecycle)
                stability = rule.stability(life.access_count, env.config.events)
                env.graph.put(scope, replace(node, life=life, stability=stability))


def _fits(node: object, wanted: EventQuery) -> TypeGuard[EventNode]:
    """What `_newest` asks for, of an event that was found by its meaning."""
    if not isinstance(node, EventNode) or node.life.state is State.ARCHIVED:
        return False
    required = (
        (wanted.session_id, node.session_id),
        (wanted.agent_id, node.agent_id),
        (wanted.event_type, node.event_type),
    )
    if any(one is not None and one != its for one, its in required):
        return False
    since, until, at = wanted.since, wanted.until, node.occurred_at
    return (since is None or since <= at) and (until is None or at <= until)
