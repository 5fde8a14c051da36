"""Relationships: what sources assert of two anchors becomes bi-temporal relationships (SPEC 3).

Keeps the assertion, then draws the stretches of time that all assertions of its kind tell.

Works inside the caller's transaction.

Reads relationships on both axes of time: when they held, and when we knew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from remanent.anchors.rules import timeline
from remanent.anchors.rules.timeline import Span
from remanent.core import relation
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.belief import Belief
from remanent.core.model.mind_types import RelationDraft
from remanent.core.model.page import AnchorGraph, GraphEdge, GraphNode
from remanent.core.model.relationship import Assertion, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source


def write_relationships(
    env: Env,
    scope: Scope,
    source: Source,
    ends: tuple[str, str],
    draft: RelationDraft,
    *,
    recorded_at: datetime | None = None,
) -> set[str]:
    """Open, confirm or close the relationship that `draft` tells of; the keys it touched.

    `recorded_at` is when we first read that, where it is not now: whom the words mean may be
    decided anew, but they were known all the while.
    """
    src, dst = ends
    anchors = env.graph.get_many(scope, [src, dst])
    if src == dst or not all(isinstance(end, Anchor) for end in anchors.values()):
        return set()
    kind, swapped = relation.kind_of(anchors[src].kind, anchors[dst].kind)
    if swapped:
        src, dst = dst, src
    said_at = source.started_at
    assertion = Assertion(
        user_id=scope.user_id,
        source_key=source.key,
        kind=kind,
        src=src,
        dst=dst,
        relationship_type=draft.relationship_type,
        description=draft.description,
        at=draft.since or said_at,
        recorded_at=recorded_at or env.clock.now(),
        attitude=relation.clamped(draft.attitude),
        proximity=relation.clamped(draft.proximity),
        confidence=draft.confidence,
        ended=draft.ended,
        single=draft.single,
    )
    if draft.corrects:
        assertion = replace(assertion, at=_corrected_from(env, scope, assertion))
    if assertion.at < said_at:
        return _backdated(env, scope, assertion, said_at)
    if not env.graph.put_assertion(scope, assertion):
        return set()
    return _appended(env, scope, assertion) or rederive_relationships(env, scope, [assertion])


def _backdated(env: Env, scope: Scope, assertion: Assertion, said_at: datetime) -> set[str]:
    """What began, or ended, before it was said is asserted of both times: it overrules what others
    said in between without having heard of it."""
    both = [
        env.graph.put_assertion(scope, replace(assertion, at=at)) for at in (assertion.at, said_at)
    ]
    return rederive_relationships(env, scope, [assertion]) if any(both) else set()


def _corrected_from(env: Env, scope: Scope, assertion: Assertion) -> datetime:
    """Where that began which others had said instead, up to then; else where it says itself."""
    if not assertion.single or assertion.ended:
        return assertion.at
    assertions = env.graph.assertions(
        scope, assertion.src, assertion.kind, assertion.relationship_type
    )
    before = [
        one
        for one in assertions
        if one.source_key != assertion.source_key and one.at < assertion.at
    ]
    held = [one for one in timeline.spans(before) if one.holds_at(assertion.at)]
    wrong = held and held[-1].dst != assertion.dst
    return held[-1].valid_from if wrong else assertion.at


def close(
    env: Env, scope: Scope, relationship: Relationship, by: Belief, *, at: datetime
) -> set[str]:
    """End the relationship at `at` on the word of a belief; the keys it touched. The same again
    changes nothing, and drawing a source again does not take it back."""
    assertions = env.graph.assertions(
        scope, relationship.src, relationship.kind, relationship.relationship_type
    )
    assertion = Assertion(
        user_id=scope.user_id,
        source_key=by.key,
        kind=relationship.kind,
        src=relationship.src,
        dst=relationship.dst,
        relationship_type=relationship.relationship_type,
        description=by.statement,
        at=at,
        recorded_at=env.clock.now(),
        ended=True,
        single=any(one.single for one in assertions),
    )
    said_at = max((one.at for one in by.supports), default=at)
    return _backdated(env, scope, assertion, max(at, said_at))


def rederive_relationships(env: Env, scope: Scope, changed: Iterable[Assertion]) -> set[str]:
    """Draw again the relationships that these assertions, come or gone, belong to."""
    groups = {
        (one.src, one.kind, one.relationship_type, "" if one.single else one.dst): one
        for one in changed
    }
    return {key for example in groups.values() for key in _rederive_group(env, scope, example)}


def _appended(env: Env, scope: Scope, assertion: Assertion) -> set[str]:
    """The usual case, at a price that does not grow: the newest word on something that is open.

    It prolongs what it confirms, and closes what it ends or replaces.
    """
    for known in _relationships_of(env, scope, assertion, history=False):
        newest = env.graph.notes(scope, known.key, limit=1)
        if not newest or newest[-1].date_added >= assertion.at:
            return set()
        if known.dst == assertion.dst and not assertion.ended:
            return _prolong(env, scope, known, assertion, newest[-1])
        if known.dst == assertion.dst or not assertion.ended:
            closed = replace(known, valid_to=assertion.at, updated_at=env.clock.now())
            env.graph.relate(scope, closed)
            return {known.key} | _open(env, scope, assertion)
        return {known.key}
    return set()


def _prolong(
    env: Env, scope: Scope, known: Relationship, assertion: Assertion, newest: Note
) -> set[str]:
    description = _consolidated(known, newest)
    env.graph.relate(
        scope,
        replace(
            known,
            description=description or assertion.description,
            attitude=assertion.attitude,
            proximity=assertion.proximity,
            confidence=max(known.confidence, assertion.confidence),
            is_dirty=True,
            updated_at=env.clock.now(),
        ),
    )
    env.graph.add_note(scope, _note(scope, known.key, assertion))
    return {known.key}


def _open(env: Env, scope: Scope, assertion: Assertion) -> set[str]:
    if assertion.ended:
        return set()
    span = Span(dst=assertion.dst, valid_from=assertion.at, valid_to=None, assertions=(assertion,))
    drawn = _relationship(env, scope, assertion, span)
    env.graph.relate(scope, drawn)
    _annotate(env, scope, drawn.key, span)
    return {drawn.key}


def _relationships_of(
    env: Env, scope: Scope, group: Assertion, *, history: bool
) -> list[Relationship]:
    """The relationships there are of the assertion's group."""
    relationships = env.graph.relationships(
        scope,
        group.src,
        other=None if group.single else group.dst,
        relationship_type=group.relationship_type,
        history=history,
    )
    return [one for one in relationships if (one.src, one.kind) == (group.src, group.kind)]


def _rederive_group(env: Env, scope: Scope, example: Assertion) -> set[str]:
    assertions = env.graph.assertions(
        scope,
        example.src,
        example.kind,
        example.relationship_type,
        dst=None if example.single else example.dst,
    )
    wanted = {
        one.key: (one, span)
        for span in timeline.spans(assertions)
        for one in [_relationship(env, scope, example, span)]
    }
    before = {one.key: one for one in _relationships_of(env, scope, example, history=True)}
    for key in before.keys() - wanted.keys():
        env.graph.unrelate(scope, key)
    for key, (drawn, span) in sorted(wanted.items()):
        known = before.get(key)
        if known is None:
            env.graph.relate(scope, drawn)
        else:
            _draw_over(env, scope, known, drawn)
        _annotate(env, scope, key, span)
    return before.keys() | wanted.keys()


def _draw_over(env: Env, scope: Scope, known: Relationship, drawn: Relationship) -> None:
    """What a night made of all its words stays until a night has read the new ones."""
    newest = env.graph.notes(scope, known.key, limit=1)
    description = _consolidated(known, newest[-1]) if newest else ""
    drawn = replace(drawn, description=description or drawn.description)
    if _content(known) != _content(drawn):
        env.graph.relate(
            scope,
            replace(
                drawn, life=known.life, created_at=known.created_at, line_digest=known.line_digest
            ),
        )


def as_known(env: Env, scope: Scope, key: str, known_at: datetime) -> list[Relationship]:
    """All relationships at that anchor as they stood in our books at `known_at`."""
    groups = {
        (one.src, one.kind, one.relationship_type): one
        for one in timeline.recorded_by(env.graph.assertions_at(scope, key), known_at)
    }
    relationships = []
    for group, example in groups.items():
        assertions = timeline.recorded_by(env.graph.assertions(scope, *group), known_at)
        relationships += [
            _relationship(env, scope, example, span)
            for span in timeline.spans(assertions)
            if key in (example.src, span.dst)
        ]
    return sorted(relationships, key=lambda one: (one.valid_from, one.key))


def _relationship(env: Env, scope: Scope, group: Assertion, span: Span) -> Relationship:
    now = env.clock.now()
    return timeline.relationship(scope.user_id, group, span, created_at=now, updated_at=now)


def _annotate(env: Env, scope: Scope, key: str, span: Span) -> None:
    """The relationship's notes are the words of its assertions, and no others."""
    wanted = {(one.source_key, one.description): one for one in span.assertions}
    for note in env.graph.notes(scope, key, limit=1_000_000):
        if wanted.pop((note.source_key or "", note.content), None) is None:
            env.graph.drop_note(scope, note)
            _mark_dirty(env, scope, key)
    for one in wanted.values():
        env.graph.add_note(scope, _note(scope, key, one))


def _mark_dirty(env: Env, scope: Scope, key: str) -> None:
    """Its description may tell what nobody asserts any more."""
    one = env.graph.relationship(scope, key)
    if one is not None and not one.is_dirty:
        env.graph.relate(scope, replace(one, is_dirty=True))


def _consolidated(known: Relationship, newest: Note) -> str:
    """What a night made of all that was said of it, or "" while it is described by the newest words."""
    return "" if known.description == newest.content else known.description


def _note(scope: Scope, key: str, assertion: Assertion) -> Note:
    return Note(
        on=key,
        content=assertion.description,
        added_by=scope.user_id,
        date_added=assertion.at,
        source_key=assertion.source_key,
    )


def relationships_of(
    env: Env,
    scope: Scope,
    key: str,
    *,
    other: str | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    history: bool = False,
) -> list[Relationship]:
    """Relationships at an anchor, or between two: open ones, those that held at `as_of`, or with
    `history` all; as we knew them at `known_at` (default: now)."""
    if known_at is None:
        return env.graph.relationships(scope, key, other=other, as_of=as_of, history=history)
    relationships = as_known(env, scope, key, known_at)
    between = [one for one in relationships if other is None or other in (one.src, one.dst)]
    return [one for one in between if history or _holds(one, as_of)]


def graph_around(env: Env, scope: Scope, keys: Sequence[str], *, limit: int) -> AnchorGraph:
    """At most `limit` anchors, those of these keys first and then what hangs together with them, nearest
    first; and every relationship there ever was between them."""
    edges: dict[str, Relationship] = {}
    reached = dict.fromkeys(keys[:limit])
    waiting = deque(reached)
    while waiting:
        for one in env.graph.relationships(scope, waiting.popleft(), history=True):
            edges[one.key] = one
            new = [end for end in (one.src, one.dst) if end not in reached]
            if new and len(reached) < limit:
                reached.update(dict.fromkeys(new))
                waiting.extend(new)
    nodes = env.graph.get_many(scope, list(reached))
    drawn = [one for one in nodes.values() if isinstance(one, Anchor)]
    ends = {one.key for one in drawn}
    return AnchorGraph(
        nodes=tuple(_drawn_node(one) for one in drawn),
        edges=tuple(_drawn_edge(one) for one in edges.values() if {one.src, one.dst} <= ends),
    )


def _drawn_node(anchor: Anchor) -> GraphNode:
    return GraphNode(
        key=anchor.key,
        kind=anchor.kind,
        name=anchor.name,
        type=getattr(anchor, "type", ""),
        salience=anchor.life.salience,
        state=anchor.life.state,
        source_count=anchor.source_count,
        since=anchor.first_mentioned_at or anchor.created_at,
    )


def _drawn_edge(one: Relationship) -> GraphEdge:
    return GraphEdge(
        key=one.key,
        src=one.src,
        dst=one.dst,
        type=one.relationship_type,
        description=one.description,
        valid_from=one.valid_from,
        valid_to=one.valid_to,
        confidence=one.confidence,
        salience=one.life.salience,
    )


def _holds(relationship: Relationship, as_of: datetime | None) -> bool:
    return relationship.valid_to is None if as_of is None else relationship.holds_at(as_of)


def _content(relationship: Relationship) -> tuple[object, ...]:
    """What a relationship says, without when we wrote it down and how it has lived since."""
    return (
        relationship.valid_to,
        relationship.description,
        relationship.attitude,
        relationship.proximity,
        relationship.confidence,
    )
