"""Relationships: what sources assert of two anchors becomes bi-temporal relationships (SPEC 3).

Keeps the assertion, then draws the stretches of time that all assertions of its kind tell.

Works inside the caller's transaction.

Reads relationships on both axes of time: when they held, and when we knew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from remanent.anchors.resolve import anchor_key, final
from remanent.anchors.rules import resolution, timeline
from remanent.anchors.rules.timeline import Hand, Span
from remanent.core import by_hand, relation
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor, Lifetime, Note
from remanent.core.model.belief import Belief
from remanent.core.model.mind_types import RelationDraft
from remanent.core.model.node import Correction
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
    for one in [each for group in groups.values() for each in _retyped(env, scope, group)]:
        groups.setdefault((one.src, one.kind, one.relationship_type, one.dst), one)
    before, wanted = dict[str, Relationship](), dict[str, tuple[Relationship, Span]]()
    for example in groups.values():
        before |= {one.key: one for one in _relationships_of(env, scope, example, history=True)}
        for span in _spans(env, scope, example):
            drawn = _relationship(env, scope, example, span)
            wanted[drawn.key] = (drawn, span)
    if gone := before.keys() - wanted.keys():
        env.graph.remove(scope, *sorted(gone))
    for key, (drawn, span) in sorted(wanted.items()):
        known = before.get(key) or env.graph.relationship(scope, key)
        if known is None:
            env.graph.relate(scope, drawn)
        else:
            _draw_over(env, scope, known, drawn)
        _annotate(env, scope, key, span)
    return before.keys() | wanted.keys()


def _retyped(env: Env, scope: Scope, group: Assertion) -> Iterator[Assertion]:
    """The other types that a hand has taken relationships of this group to, or from."""
    for hand in _hands(env, scope, group):
        for type_ in {hand.type, hand.assertion.relationship_type} - {group.relationship_type}:
            yield replace(hand.assertion, relationship_type=type_)


def _spans(
    env: Env, scope: Scope, group: Assertion, known_at: datetime | None = None
) -> list[Span]:
    """The history of a group by all that sources and the user's hand say, or said by then."""

    def asserted(type_: str, dst: str | None) -> list[Assertion]:
        end = dst or (None if group.single else group.dst)
        found = env.graph.assertions(scope, group.src, group.kind, type_, dst=end)
        return found if known_at is None else timeline.recorded_by(found, known_at)

    hands = _hands(env, scope, group, known_at)
    return timeline.spans_of_type(group.relationship_type, hands, asserted)


def history(env: Env, scope: Scope, one: Relationship, told: Sequence[Assertion]) -> list[Span]:
    """The spans of a relationship's node, kind and type by these assertions and the user's hand alone."""

    def asserted(type_: str, dst: str | None) -> list[Assertion]:
        return [
            each for each in told if each.relationship_type == type_ and dst in (None, each.dst)
        ]

    hands = [each for each in hands_at(env, scope, one.src) if each.assertion.kind is one.kind]
    return timeline.spans_of_type(one.relationship_type, hands, asserted)


def _hands(
    env: Env, scope: Scope, group: Assertion, known_at: datetime | None = None
) -> list[Hand]:
    """What the user's hand says of the relationships of the group, of this type or of another."""
    return [
        one
        for one in hands_at(env, scope, group.src, known_at)
        if one.assertion.kind is group.kind and (group.single or one.assertion.dst == group.dst)
    ]


def hands_at(env: Env, scope: Scope, src: str, known_at: datetime | None = None) -> list[Hand]:
    """What the user's hand says of the relationships that start at an anchor, oldest first."""
    node = env.graph.get(scope, src)
    if not isinstance(node, Anchor) or not node.by_hand or final(env, scope, src) != src:
        return []
    hands = timeline.hands_of(
        scope.user_id, src, node.by_hand, partial(final, env, scope), known_at
    )
    ends = env.graph.get_many(scope, [one.assertion.dst for one in hands])
    return [one for one in hands if one.assertion.dst in ends and one.assertion.dst != src]


def said_of(env: Env, scope: Scope, src: str, words: Sequence[Correction]) -> Assertion:
    """What these words on a relationship that starts at `src` are about."""
    return timeline.hands_of(scope.user_id, src, words, partial(final, env, scope))[0].assertion


def redraw_hands(env: Env, scope: Scope, keys: Iterable[str]) -> set[str]:
    """Draw again, after a merge or a split of these anchors, the relationships that a hand put right."""
    examples = list[Assertion]()
    for key in keys:
        examples += [one.assertion for one in hands_at(env, scope, key)]
        for one in env.graph.relationships(scope, key, history=True):
            if one.by_hand:
                now = said_of(env, scope, final(env, scope, one.src), one.by_hand)
                examples += [now, replace(now, src=one.src, dst=one.dst)]
    return rederive_relationships(env, scope, examples)


def _appended(env: Env, scope: Scope, assertion: Assertion) -> set[str]:
    """The usual case, at a price that does not grow: the newest word on something that is open.

    It prolongs what it confirms, and closes what it ends or replaces.
    """
    if hands_at(env, scope, assertion.src):
        return set()
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
    _add_note(env, scope, _note(scope, known.key, assertion))
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


def _draw_over(env: Env, scope: Scope, known: Relationship, drawn: Relationship) -> None:
    """What a night made of all its words stays until a night has read the new ones."""
    newest = env.graph.notes(scope, known.key, limit=1)
    told = newest and not by_hand.has_word(known, "description")
    description = _consolidated(known, newest[-1]) if told else ""
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
    told = timeline.recorded_by(env.graph.assertions(scope, key), known_at)
    ends = {key, *(one.src for one in env.graph.relationships(scope, key, history=True))}
    hands = [one for end in ends for one in hands_at(env, scope, end, known_at)]
    told += [replace(one.assertion, relationship_type=one.type) for one in hands]
    groups = {(one.src, one.kind, one.relationship_type): replace(one, single=True) for one in told}
    relationships = [
        by_hand.imposed(_relationship(env, scope, example, span))
        for example in groups.values()
        for span in _spans(env, scope, example, known_at)
        if key in (example.src, span.dst)
    ]
    return sorted(relationships, key=lambda one: (one.valid_from, one.key))


def _relationship(env: Env, scope: Scope, group: Assertion, span: Span) -> Relationship:
    now = env.clock.now()
    return timeline.relationship(scope.user_id, group, span, created_at=now, updated_at=now)


def _annotate(env: Env, scope: Scope, key: str, span: Span) -> None:
    """The relationship's notes are the words of its assertions and of the user's hand, and no others."""
    said = (_note(scope, key, one) for one in span.assertions if one.source_key)
    heard = [one for one in said if not by_hand.is_dropped(span.words, one)]
    written = by_hand.notes_of(span.words, key, scope.user_id).values()
    wanted = {(one.source_key, one.content): one for one in (*heard, *written)}
    for note in env.graph.notes(scope, key, limit=1_000_000):
        found = wanted.pop((note.source_key, note.content), None)
        if found is None or (found.source_key is None and found != note):
            env.graph.drop_note(scope, note)
            _mark_dirty(env, scope, key)
            if found is not None:
                wanted[(found.source_key, found.content)] = found
    for one in wanted.values():
        _add_note(env, scope, one)


def _add_note(env: Env, scope: Scope, note: Note) -> None:
    """What has had its time does not come back."""
    note = _lasting(env, scope, note)
    if note.expires_at is None or note.expires_at > env.clock.now():
        env.graph.add_note(scope, note)


def _lasting(env: Env, scope: Scope, note: Note) -> Note:
    """The note with the time that its agent gave it, or the user's hand."""
    read = None if note.source_key is None else env.graph.extraction(scope, note.source_key)
    said = read.findings.relations if read is not None else ()
    ends = [
        resolution.expires(note.date_added, one.lifetime or Lifetime.FOREVER, env.config.resolution)
        for one in said
        if one.description == note.content
    ]
    lasts = ends and None not in ends
    return replace(note, expires_at=max(filter(None, ends))) if lasts else note


def expired_words(env: Env, scope: Scope, edge: Relationship) -> Iterator[Note]:
    """The notes of sources on the relationship that have had their time."""
    told = env.graph.assertions(scope, edge.src, edge.kind, edge.relationship_type, dst=edge.dst)
    for one in told:
        note = _lasting(env, scope, _note(scope, edge.key, one))
        is_over = note.expires_at is not None and note.expires_at <= env.clock.now()
        within = edge.valid_from <= one.at <= (edge.valid_to or one.at)
        if is_over and within and not by_hand.is_dropped(edge.by_hand or (), note):
            yield note


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
    other: str | None = None,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    history: bool = False,
) -> list[Relationship]:
    """How an anchor stands to others, or to one `other`: now, at `as_of`, or through all time.

    Either is a key, the beginning of one, or a name. `known_at` gives the answer that this memory would have given then.
    """
    key = anchor_key(env, scope, key, "key")
    other = None if other is None else anchor_key(env, scope, other, "other")
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
        relationship.src,
        relationship.dst,
        relationship.valid_from,
        relationship.valid_to,
        relationship.relationship_type,
        relationship.by_hand,
        relationship.description,
        relationship.attitude,
        relationship.proximity,
        relationship.confidence,
    )
