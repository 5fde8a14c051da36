"""Closing: a belief about a relationship and the edge itself end together (SPEC 12.8).

From beliefs to edges. What took the place of a belief is the assertion that closes the edge:
drawing a source again does not open it.
"""

from __future__ import annotations

from collections.abc import Sequence

from remanent.anchors import relationships
from remanent.anchors.owner import owner_key
from remanent.beliefs.rules import edge_match, truth
from remanent.beliefs.rules.edge_match import Edge, End, Statement
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.anchor_names import Name
from remanent.core.model.belief import OWNER, Authority, Belief, BeliefStatus
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph

ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)
WORDINGS = 20  # the newest notes of a relationship, to compare a statement's words with


def close_edges(env: Env, scope: Scope, ended: Sequence[Belief]) -> set[str]:
    """Close the open relationships that these contradicted beliefs told of; their keys."""
    closed: set[str] = set()
    for belief in ended:
        by = _contradicted_by(env, scope, belief)
        if by is None or belief.until is None:
            continue
        for one in _told_of(env, scope, belief):
            edge = edge_of(scope, env.graph, one)
            if (
                edge is not None
                and one.valid_from < belief.until
                and edge_match.closes(statement_of(belief), statement_of(by), edge)
            ):
                closed |= relationships.close(env, scope, one, by, at=belief.until)
    return closed


def _contradicted_by(env: Env, scope: Scope, belief: Belief) -> Belief | None:
    """What was asserted against it; a duplicate or a fading one was not wrong."""
    if belief.status is not BeliefStatus.INVALIDATED or belief.superseded_by is None:
        return None
    by = env.graph.get(scope, belief.superseded_by)
    if not isinstance(by, Belief) or truth.was_merged(belief, by):
        return None
    return None if by.authority is Authority.INFERENCE else by


def _told_of(env: Env, scope: Scope, belief: Belief) -> list[Relationship]:
    """Open relationships between whom the belief is about and whoever else it names."""
    words = set(canonical_name(belief.statement).split("-"))
    words |= set(canonical_name(belief.subject).split("-"))
    named = [one for kind in ANCHORS for one in env.graph.named(scope, kind, words)]
    about = {one.key for one in named if _is_about(belief, one)}
    others = {
        one.key for one in named if edge_match.is_named(belief.statement, (one.name, *one.aliases))
    } | {owner_key(scope.user_id)}
    if belief.subject == OWNER:
        about.add(owner_key(scope.user_id))
    found = {
        one.key: one
        for key in about
        for other in others - {key}
        for one in env.graph.relationships(scope, key, other=other)
    }
    return [found[key] for key in sorted(found)]


def edge_of(scope: Scope, graph: Graph, one: Relationship) -> Edge | None:
    """The relationship with what its ends are called and the words it was drawn from."""
    ends = graph.get_many(scope, [one.src, one.dst])
    src, dst = ends.get(one.src), ends.get(one.dst)
    if not isinstance(src, Anchor) or not isinstance(dst, Anchor):
        return None
    notes = graph.notes(scope, one.key, limit=WORDINGS)
    return Edge(
        relationship_type=one.relationship_type,
        src=_end(src),
        dst=_end(dst),
        wordings=tuple(note.content for note in notes),
    )


def statement_of(belief: Belief) -> Statement:
    return Statement(text=belief.statement, subject=belief.subject)


def _end(anchor: Anchor) -> End:
    names = (anchor.name, *anchor.aliases)
    if isinstance(anchor, Person) and anchor.is_owner:  # there is but one: a first name will do
        return End(names=(*names, anchor.name.split()[0]), is_owner=True)
    return End(names=names)


def _is_about(belief: Belief, name: Name) -> bool:
    subject = canonical_name(belief.subject)
    return any(canonical_name(one) == subject for one in (name.name, *name.aliases))
