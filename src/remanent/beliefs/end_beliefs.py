"""Outdate: when a relationship has ended, beliefs that tell of it are no longer true (SPEC 12.8).

From edges to beliefs. It ends beliefs in the name of the edge, not of another belief, and
so closes no edge in turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from remanent.anchors.rules import timeline
from remanent.beliefs.end_edges import edge_of, statement_of
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules import edge_match
from remanent.beliefs.rules.edge_match import Edge
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope

LOOKED_AT = 200  # beliefs that share a word with the far end's name


def outdate_beliefs(env: Env, scope: Scope, keys: Iterable[str]) -> list[Belief]:
    """End, or weaken once, the beliefs that tell of those of these relationships that are over;
    the beliefs that changed."""
    changed: list[Belief] = []
    with env.atomic():
        for key in sorted(keys):
            one = env.graph.relationship(scope, key)
            if one is not None and one.valid_to is not None:
                changed += _outdated(env, scope, one, one.valid_to)
    return changed


def _outdated(env: Env, scope: Scope, one: Relationship, ended: datetime) -> list[Belief]:
    edge = edge_of(scope, env.graph, one)
    if edge is None or _holds_again(env, scope, one):
        return []
    (told, said), changed = _told(env, scope, one, ended), list[Belief]()
    for belief in _telling(env, scope, edge):
        if belief.since < ended and all(support.at < said for support in belief.supports):
            now = env.clock.now()
            over = rule.outdated(
                belief, one.key, told, until=ended, now=now, rules=env.config.belief
            )
            if over is not belief:
                env.graph.put(scope, over)
                changed.append(over)
    fallen = [belief for belief in changed if belief.status is not BeliefStatus.ACTIVE]
    return [*changed, *retract_dependents(env, scope, fallen)]


def _holds_again(env: Env, scope: Scope, one: Relationship) -> bool:
    return bool(
        env.graph.relationships(
            scope, one.src, other=one.dst, relationship_type=one.relationship_type
        )
    )


def _telling(env: Env, scope: Scope, edge: Edge) -> list[Belief]:
    far = edge.src if edge.dst.is_owner else edge.dst
    matches = env.index.match(scope, " ".join(far.names), kinds=(Kind.BELIEF,), limit=LOOKED_AT)
    nodes = env.graph.get_many(scope, [match.key for match in matches])
    return [
        node
        for _, node in sorted(nodes.items())
        if isinstance(node, Belief)
        and node.status is BeliefStatus.ACTIVE
        and node.supports
        and edge_match.tells(statement_of(node), edge)
    ]


def _told(env: Env, scope: Scope, one: Relationship, ended: datetime) -> tuple[str, datetime]:
    """The words by which it ended, of the end itself or of what took its place, and when they were
    said."""
    told = env.graph.assertions(scope, one.src, one.kind, one.relationship_type)
    by = next((each for each in told if each.at == ended), None)
    return ("", ended) if by is None else (by.description, timeline.said(told)[timeline.voice(by)])
