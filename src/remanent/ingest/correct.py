"""Correct: what a user puts right by hand, an assertion of theirs in the ledger (SPEC 12.14).

One event, `memory.corrected`, for all of it. The words stand with the node they are about, and `by_hand.imposed`
sees to it that no inference overwrites them; those on a relationship stand with the anchor it starts from, and
take part in its history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from remanent.anchors.relationships import rederive_relationships, said_of
from remanent.anchors.resolve import final
from remanent.anchors.rules import resolution, timeline
from remanent.anchors.rules.timeline import Span
from remanent.anchors.write import Changed, clear, has_hand, recount, unsettled_by, write_extraction
from remanent.beliefs.truth_maintenance import outdate_beliefs
from remanent.core import by_hand, checks, index_entries, lifecycle, read, relation
from remanent.core.dataclasses import fields, replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events
from remanent.core.index_entries import ALL_NOTES, story_lines
from remanent.core.model.anchor import Anchor, Concept, Entity, Person
from remanent.core.model.codec import from_record, to_record
from remanent.core.model.event import MEMORY_CORRECTED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import TtlPolicy
from remanent.core.model.node import Correction, Kind, Node
from remanent.core.model.relationship import Assertion, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContextType
from remanent.core.model.story import Macro, Storyline
from remanent.core.read import Lived, kind_of
from remanent.errors import InvalidInput, UnknownKey
from remanent.ingest.correction_request import (
    anchor_meant,
    fresh_word,
    is_said,
    moment_given,
    thing_called,
    type_word,
    word_of,
)
from remanent.ingest.extract import make_findable
from remanent.ingest.model import Bond, Corrected, CorrectionRequest, StandingCorrection
from remanent.stories.sources import attach_source

_NAMES = frozenset({"name", "alias"})


def correct(env: Env, scope: Scope, key: str, request: CorrectionRequest) -> Corrected:
    """Let the field of the thing of that key say what the user says; the same again changes nothing."""
    with env.atomic(durable=True):
        thing = thing_called(env, scope, key)
        word = word_of(env, scope, thing, request)
        if isinstance(thing, Relationship):
            return _related(env, scope, thing, [word])
        if word is None or is_said(by_hand.own_words(thing), word):
            return _report(env, scope, thing, None)
        payload = {"key": thing.key, "words": [_payload_of(word)], "thing": _outline(thing)}
        event = env.append(scope, MEMORY_CORRECTED, payload)
        _written(env, scope, event)
        fresh = read.at(env, scope, thing.key) or thing
    _find(env, scope, event)
    return _report(env, scope, fresh, event)


def relate(env: Env, scope: Scope, bond: Bond) -> Corrected:
    """Say that two anchors stand so to each other: a relationship that is there already is put right."""
    with env.atomic(durable=True):
        one = _open_or_new(env, scope, bond)
        words: list[Correction | None] = [fresh_word("relationship", one.relationship_type)]
        for name in (each.name for each in fields(Bond) if each.default is None):
            value = getattr(bond, name)
            if value is not None:
                words.append(word_of(env, scope, one, CorrectionRequest(field=name, value=value)))
        return _related(env, scope, one, words)


def _open_or_new(env: Env, scope: Scope, bond: Bond) -> Relationship:
    src, dst = anchor_meant(env, scope, "src", bond.src), anchor_meant(env, scope, "dst", bond.dst)
    if src.key == dst.key:
        raise InvalidInput("dst", "nobody and nothing has a relationship with itself")
    kind, swapped = relation.kind_of(src.kind, dst.kind)
    src, dst = (dst, src) if swapped else (src, dst)
    type_, now = type_word("type", bond.type), env.clock.now()
    for one in env.graph.relationships(scope, src.key, other=dst.key, relationship_type=type_):
        if one.src == src.key:
            return one
    since = moment_given(env, "since", bond.since) or now
    blank = Assertion(
        user_id=scope.user_id,
        source_key="",
        kind=kind,
        src=src.key,
        dst=dst.key,
        relationship_type=type_,
        description="",
        at=since,
        recorded_at=now,
    )
    span = Span(dst=dst.key, valid_from=since, valid_to=None, assertions=(blank,))
    return timeline.relationship(scope.user_id, blank, span, created_at=now, updated_at=now)


def undo_correction(env: Env, scope: Scope, correction_id: str) -> Corrected:
    """Take back the correction whose id begins so: what was put right before, or is inferred, holds again."""
    with env.atomic(durable=True):
        told = _event_of(env, scope, checks.plain("correction_id", correction_id).strip())
        if told is None or told.event_type != MEMORY_CORRECTED or "undoes" in told.payload:
            raise UnknownKey(correction_id)
        place = {name: told.payload[name] for name in ("key", "src") if name in told.payload}
        holder = env.graph.get(scope, final(env, scope, place.get("src", place["key"])))
        thing = read.at(env, scope, place["key"]) or holder
        if holder is None or thing is None:
            raise UnknownKey(correction_id)
        if not any(one.event_id == told.event_id for one in holder.by_hand or ()):
            return _report(env, scope, thing, None)
        event = env.append(scope, MEMORY_CORRECTED, {**place, "undoes": told.event_id})
        _written(env, scope, event)
        thing = read.at(env, scope, place["key"]) or thing
    _find(env, scope, event)
    return _report(env, scope, thing, event)


def _event_of(env: Env, scope: Scope, correction_id: str) -> Event | None:
    told = env.ledger.event(scope, correction_id)
    if told is not None or len(correction_id) < read.SHORTEST_PREFIX:
        return told
    ids = {one.correction_id for one in list_corrections(env, scope)}
    begun = [one for one in sorted(ids) if one.startswith(correction_id)]
    return env.ledger.event(scope, checks.only_one(correction_id, begun) or correction_id)


def list_corrections(env: Env, scope: Scope, key: str | None = None) -> list[StandingCorrection]:
    """All that was put right by hand and stands, or what was in one thing; newest first."""
    told = [thing_called(env, scope, key)] if key is not None else list(_things(env, scope))
    found = [
        StandingCorrection(
            correction_id=one.event_id,
            key=thing.key,
            kind=kind_of(thing),
            name=read.name(env, scope, thing),
            field=one.field,
            value=None if one.field == "note" and not one.value else one.value or one.was,
            at=one.at,
            expires_at=one.expires_at,
        )
        for thing in told
        for one in (by_hand.own_words(thing) if isinstance(thing, Node) else thing.by_hand or ())
    ]
    found.sort(key=lambda one: one.at)
    return found[::-1]


def _things(env: Env, scope: Scope) -> Iterator[Lived]:
    """What was ever put right and is there, each once."""
    corrected = ledger_events(env, scope, MEMORY_CORRECTED)
    keys = dict.fromkeys(str(event.payload["key"]) for event in corrected)
    yield from read.by_keys(env, scope, list(keys))


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Put right once more what the event tells of; whom no source speaks of now is there by it alone."""
    with env.atomic():
        for one in (event.payload.get("thing"), *event.payload.get("ends", ())):
            if one is not None and env.graph.get(scope, one["key"]) is None:
                env.graph.put(scope, _remade(scope, one, event.recorded_at))
        _written(env, scope, event)
    _find(env, scope, event)


def forget_words(env: Env, scope: Scope, gone: Set[str]) -> None:
    """Take off all words of these events, on these relationships, or that lead to these anchors, as erasure
    does: of what is gone, nothing is said by hand either."""
    told = {
        str(one.payload.get("src") or one.payload["key"])
        for one in ledger_events(env, scope, MEMORY_CORRECTED)
    }
    for node in env.graph.get_many(scope, sorted(told)).values():
        if node.by_hand and node.user_id == scope.user_id:
            lost = [
                one
                for one in node.by_hand
                if node.key in gone
                or one.event_id in gone
                or gone & set((one.relation or {}).values())
            ]
            ids = [one.event_id for one in lost]
            if lost:
                _take_off(env, scope, node, lost, by_hand.without(node.by_hand, ids))
                clear(env, scope, Changed(anchors={node.key}))


def hand_alone(env: Env, scope: Scope, source_key: str) -> set[str]:
    """Keys of the anchors and relationships, with words of the hand, that no other source tells of and that
    the hand did not begin."""
    links = env.graph.links(scope, source_key, kinds=(LinkKind.MENTIONS,), outward=True)
    alone = set[str]()
    for node in env.graph.get_many(scope, [one.dst for one in links]).values():
        by = env.graph.links(scope, node.key, kinds=(LinkKind.MENTIONS,), outward=False)
        if {one.src for one in by} == {source_key} and has_hand(env, scope, node):
            alone.add(node.key)
    for _, one in env.graph.learned_from(scope, [source_key])[1]:
        notes = env.graph.notes(scope, one.key, limit=ALL_NOTES)
        told = {note.source_key for note in notes} - {None}
        begun = any(word.field == "relationship" for word in one.by_hand or ())
        if one.by_hand and not begun and told == {source_key}:
            alone.add(one.key)
    return alone


def adopt_words(env: Env, scope: Scope, gone: str, kept: str) -> None:
    """What was put right in an anchor that is merged into another holds for the other, unless it says so itself."""
    one, other = env.graph.get(scope, gone), env.graph.get(scope, kept)
    if one is not None and other is not None and one.by_hand:
        taken = [
            replace(word, before=other.inferred(word.field)) if word.before else word
            for word in one.by_hand
        ]
        words = (*taken, *(other.by_hand or ()))
        env.graph.put(scope, replace(other, by_hand=words))
        _sync_notes(env, scope, kept)


def return_words(env: Env, scope: Scope, gone: str, kept: str) -> None:
    """After a split each has its own."""
    one, other = env.graph.get(scope, gone), env.graph.get(scope, kept)
    if one is not None and other is not None and one.by_hand and other.by_hand:
        ids = [word.event_id for word in one.by_hand]
        lost = [word for word in other.by_hand if word.event_id in ids]
        _take_off(env, scope, other, lost, by_hand.without(other.by_hand, ids))


# -- what is written --------------------------------------------------------------------------------


def _related(
    env: Env, scope: Scope, one: Relationship, words: Sequence[Correction | None]
) -> Corrected:
    known = one.by_hand or ()
    fresh = [word for word in words if word is not None and not is_said(known, word)]
    if not fresh:
        return _report(env, scope, one, None)
    place = known[0].relation if known else None
    place = place or {
        "key": one.key, "kind": one.kind.value, "dst": one.dst, "type": one.relationship_type,
        "at": one.valid_from.isoformat(),
    }  # fmt: skip
    ends = env.graph.get_many(scope, [one.src, one.dst])
    payload = {
        "key": one.key,
        "src": one.src,
        "dst": one.dst,
        "words": [_payload_of(replace(word, relation=place)) for word in fresh],
        "ends": [_outline(end) for end in ends.values()],
    }
    event = env.append(scope, MEMORY_CORRECTED, payload)
    _written(env, scope, event)
    drawn = env.graph.relationship(scope, one.key) or one
    _find(env, scope, event)
    return _report(env, scope, drawn, event)


def _payload_of(word: Correction) -> dict[str, Any]:
    record = to_record(word)
    return {name: one for name, one in record.items() if name not in ("event_id", "at")}


def _outline(thing: Lived) -> dict[str, Any] | None:
    """What an anchor is by its natural key: a mind that reads otherwise may not find it again."""
    if not isinstance(thing, Anchor):
        return None
    natural = resolution.natural_name(thing)
    type_ = thing.inferred("type") if isinstance(thing, Entity) else ""
    return {"key": thing.key, "kind": thing.kind.value, "name": thing.inferred("name"), "type": type_,
        "natural": natural}  # fmt: skip


def _remade(scope: Scope, outline: Mapping[str, Any], at: datetime) -> Anchor:
    """An anchor as if no source had spoken of it: how sure it is, sources say when they come."""
    common: dict[str, Any] = {
        "key": outline["key"], "user_id": scope.user_id, "created_at": at, "updated_at": at,
        "name": outline["name"], "created_by": scope.user_id, "confidence": 0.0,
    }  # fmt: skip
    if outline["kind"] == Kind.PERSON:
        return Person(canonical_name=outline["natural"], **common)
    if outline["kind"] == Kind.CONCEPT:
        return Concept(**common)
    return Entity(type=outline["type"], **common)


def _written(env: Env, scope: Scope, event: Event) -> None:
    payload = event.payload
    key = final(env, scope, str(payload.get("src") or payload["key"]))
    holder = env.graph.get(scope, key)
    if holder is None or holder.user_id != scope.user_id:
        return
    words = holder.by_hand or ()
    if "undoes" in payload:
        gone = [one for one in words if one.event_id == payload["undoes"]]
        if gone:
            _take_off(env, scope, holder, gone, by_hand.without(words, [payload["undoes"]]))
        return
    if any(one.event_id == event.event_id for one in words):
        return
    fresh = [
        from_record(
            Correction, {**one, "event_id": event.event_id}, ready={"at": event.recorded_at}
        )
        for one in payload["words"]
    ]
    env.graph.put(scope, replace(holder, by_hand=(*words, *fresh), updated_at=event.recorded_at))
    _follow(env, scope, holder, fresh)


def _take_off(
    env: Env,
    scope: Scope,
    node: Node,
    gone: Sequence[Correction],
    words: tuple[Correction, ...] | None,
) -> None:
    """The node without these words, with what was inferred in their place."""
    own = [one for one in gone if one.relation is None]
    left = {one.field for one in words or () if one.relation is None}
    changes: dict[str, Any] = {}
    for one in own:
        if one.field not in left and one.field in ("name", "type"):
            changes.setdefault(one.field, one.before)
        elif one.field not in left and one.field == "context_type":
            changes.setdefault(one.field, ContextType(one.before))
        elif one.field == "description":
            changes |= {"description": "", "is_dirty": True}
    env.graph.put(scope, replace(node, by_hand=words, updated_at=env.clock.now(), **changes))
    if isinstance(node, Anchor) and any(one.field in _NAMES for one in own):
        recount(env, scope, node.key)
    if isinstance(node, Anchor) and any(one.field == "note" and one.was for one in own):
        links = env.graph.links(scope, node.key, kinds=(LinkKind.MENTIONS,), outward=False)
        write_extraction(env, scope, sorted({one.src for one in links}))
    _follow(env, scope, node, gone)


def _follow(env: Env, scope: Scope, before: Node, words: Sequence[Correction]) -> None:
    """What the words that came, or went, mean for all else; inside the caller's transaction."""
    node = env.graph.get(scope, before.key)
    own = {one.field for one in words if one.relation is None}
    if node is not None and "ttl_policy" in own:
        _relive(env, scope, node, by_hand.own_words(node), words)
    if isinstance(node, Storyline | Macro) and own & {"name", "description"}:
        env.index.put(index_entries.entries(env, scope, story_lines(node)))
    if isinstance(node, Anchor) and "note" in own:
        _sync_notes(env, scope, node.key)
    if isinstance(node, Anchor) and isinstance(before, Anchor) and own & _NAMES:
        names = {canonical_name(one) for end in (before, node) for one in (end.name, *end.aliases)}
        if isinstance(node, Person):
            unsettled = {key for one in names for key in unsettled_by(env, scope, one)}
            redrawn = write_extraction(env, scope, sorted(unsettled))
            attach_source(env, scope, redrawn.sources)
    if any(one.relation is not None for one in words):
        _redraw_relationships(env, scope, before.key, words)


def _redraw_relationships(env: Env, scope: Scope, src: str, words: Sequence[Correction]) -> None:
    """Draw again the relationships that these words are about."""
    examples = list[Assertion]()
    for one in words:
        if one.relation is not None:
            now = said_of(env, scope, src, [one])
            told = env.graph.assertions(scope, src, now.kind, now.relationship_type)
            examples.append(replace(now, single=any(each.single for each in told)))
            if one.field == "type":
                examples.append(replace(now, relationship_type=str(one.value)))
    clear(env, scope, Changed(relationships=rederive_relationships(env, scope, examples)))
    for one in words:
        drawn = env.graph.relationship(scope, (one.relation or {}).get("key", ""))
        if drawn is not None and one.field == "ttl_policy":
            _relive(env, scope, drawn, drawn.by_hand or (), words)


def _relive(
    env: Env,
    scope: Scope,
    thing: Lived,
    standing_: Sequence[Correction],
    words: Sequence[Correction],
) -> None:
    """Give the thing the policy that stands, or had stood before."""
    said = [one.value for one in standing_ if one.field == "ttl_policy"]
    policy = said[-1] if said else next(o.before for o in words if o.field == "ttl_policy")
    now = env.clock.now()
    life = lifecycle.unpinned(thing.life, now)
    if policy == TtlPolicy.KEEP_FOREVER:
        life = lifecycle.pinned(thing.life, now, env.config.lifecycle)
    elif policy == TtlPolicy.EPHEMERAL:
        life = replace(life, ttl_policy=TtlPolicy.EPHEMERAL)
    read.set_lifecycle(env, scope, thing, life)


def _sync_notes(env: Env, scope: Scope, key: str) -> None:
    """The notes on an anchor are those of its sources that no hand took away, and the hand's own; what was
    made of a note that went is made again of the others."""
    node = env.graph.get(scope, key)
    words = [] if node is None else by_hand.own_words(node)
    wanted = by_hand.notes_of(words, key, scope.user_id)
    gone = False
    for note in env.graph.notes(scope, key, limit=ALL_NOTES):
        known = wanted.get(by_hand.note_mark(None, note.content)) == note
        if by_hand.is_dropped(words, note) or (note.source_key is None and not known):
            gone = env.graph.drop_note(scope, note) or gone
    for note in wanted.values():
        if note.expires_at is None or note.expires_at > env.clock.now():
            env.graph.add_note(scope, note)
    node = env.graph.get(scope, key)
    if gone and isinstance(node, Anchor):
        noted = bool(env.graph.notes(scope, key, limit=1))
        env.graph.put(scope, replace(node, description="", is_dirty=noted))


def _find(env: Env, scope: Scope, event: Event) -> None:
    """Make findable what an event put right, by what it says now."""
    key = final(env, scope, str(event.payload.get("src") or event.payload["key"]))
    if isinstance(env.graph.get(scope, key), Anchor):
        related = env.graph.relationships(scope, key, history=True)
        touched = {one.key for one in related if one.by_hand or one.key == event.payload["key"]}
        clear(env, scope, Changed(anchors={key}))
        make_findable(env, scope, Changed(anchors={key}, relationships=touched))
        outdate_beliefs(env, scope, touched)


def _report(env: Env, scope: Scope, thing: Lived, event: Event | None) -> Corrected:
    return Corrected(
        key=thing.key,
        kind=kind_of(thing),
        name=read.name(env, scope, thing),
        correction_id="" if event is None else event.event_id,
        changed=event is not None,
    )
