"""Enrich: what events are about, how much they matter, and what they are like (SPEC 2, stage 2).

Follows the projection through the ledger. Reads, then writes; what it writes depends on the
event and on those before it, so that the size of a batch makes no difference. An event is linked to an
anchor it names whichever of the two was there first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from remanent.anchors.resolve import names_in
from remanent.anchors.rules.query import calls
from remanent.beliefs.rules import belief as believing
from remanent.core import event_text as telling
from remanent.core import index_entries
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.index_entries import IndexLine
from remanent.core.model.anchor import Anchor, Name, Person
from remanent.core.model.event import (
    ENRICHMENT,
    EVENTS_ENRICHED,
    PROJECTION,
    RESERVED,
    Event,
    EventNode,
    event_key,
)
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, Passage
from remanent.core.on_behalf import mind_for
from remanent.core.ports.index import Entry
from remanent.core.ports.mind import Mind
from remanent.events.rules.importance import importance

_WIDER = 4  # times as many candidates where too few of the nearest came before


_Read = tuple[Event, EventNode]  # an event as it was read: its node with keywords and summary


def enrich_events(env: Env, scope: Scope, *, until: int | None = None) -> int:
    """Enrich all that is projected (up to the position `until`); how many events."""
    done = 0
    while batch := _batch(env, scope, until):
        count = _enriched(env, scope, [one for one in batch if one.event_type not in RESERVED])
        with env.atomic():
            if count:  # where in the order of all things this was done
                payload = {"from": batch[0].seq, "until": batch[-1].seq}
                env.append(scope, EVENTS_ENRICHED, payload)
            env.ledger.position(scope, ENRICHMENT, to=batch[-1].seq)
        done += count
    return done


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Enrich once more the events that the event tells of."""
    first, last = int(event.payload["from"]), int(event.payload["until"])
    between(env, scope, first, last)


def between(env: Env, scope: Scope, first: int, last: int) -> None:
    """Enrich what agents recorded from one position to another, whatever was enriched before."""
    replayed = env.ledger.replay(scope, after=first - 1, limit=max(0, last - first + 1))
    events = (one for one in replayed if one.seq <= last and one.event_type not in RESERVED)
    while batch := list(islice(events, env.config.events.enrich_batch)):
        _enriched(env, scope, batch)
    env.ledger.position(scope, ENRICHMENT, to=last)


def _batch(env: Env, scope: Scope, until: int | None) -> list[Event]:
    after = env.ledger.position(scope, ENRICHMENT)
    last = env.graph.position(scope, PROJECTION)
    last = last if until is None else min(last, until)
    replayed = env.ledger.replay(scope, after=after, limit=env.config.events.enrich_batch)
    return [one for one in replayed if one.seq <= last]


def _enriched(env: Env, scope: Scope, events: Sequence[Event]) -> int:
    nodes = _nodes(env, scope, events)
    owner = _owner_names(env, scope)
    mind = mind_for(env.mind, scope, "enrich")  # what an agent records has no sensitivity
    read = [
        (one, _read(env, mind, one, node, owner))
        for one in events
        if (node := nodes.get(event_key(scope.user_id, one.event_id))) is not None
    ]
    if not read:
        return 0
    worded = [(event, node) for event, node in read if not telling.is_trimmed(event.payload)]
    entries = index_entries.entries(env, scope, [_line(node) for _, node in worded])
    with env.atomic():
        _keep(env, scope, read, entries)
    links = [link for (_, node), entry in zip(worded, entries, strict=True)
             for link in _alike(env, scope, node, entry)]  # fmt: skip
    with env.atomic():
        there = env.graph.get_many(scope, [key for one in links for key in (one.src, one.dst)])
        for link in links:
            if link.src in there and link.dst in there:
                env.graph.link(scope, link)
    return len(read)


def _nodes(env: Env, scope: Scope, events: Sequence[Event]) -> dict[str, EventNode]:
    keys = [event_key(scope.user_id, one.event_id) for one in events]
    nodes = env.graph.get_many(scope, keys) if keys else {}
    return {key: node for key, node in nodes.items() if isinstance(node, EventNode)}


def _owner_names(env: Env, scope: Scope) -> tuple[str, ...]:
    owner = env.registry.user(scope.user_id)
    names = () if owner is None else (owner.name, owner.user_id, owner.name.split()[0])
    return tuple(dict.fromkeys((*names, "user", "me", "i")))


# -- reading ------------------------------------------------------------------------------


def _read(env: Env, mind: Mind, event: Event, node: EventNode, owner: tuple[str, ...]) -> EventNode:
    if telling.is_trimmed(event.payload):  # it matters to its kin alone
        return replace(node, is_enriched=True)
    reading = _reading(event, node, owner)
    is_long = len(node.text) > env.config.events.summary_from_characters
    return replace(
        node,
        keywords=mind.topics(reading).keywords,
        summary=mind.summarize(reading) if is_long else node.text,
        is_enriched=True,
    )


# -- writing ------------------------------------------------------------------------------


def _keep(env: Env, scope: Scope, read: Sequence[_Read], entries: Sequence[Entry]) -> None:
    """Nodes, references and entries; of what has left the graph meanwhile, nothing."""
    now = _nodes(env, scope, [event for event, _ in read])
    kept = {node.key: (event, node) for event, node in read if node.key in now}
    for key, (event, node) in kept.items():
        _refer(env, scope, node)
        summary = node.summary or node.text
        fresh = replace(now[key], keywords=node.keywords, summary=summary, is_enriched=True)
        weigh(env, scope, fresh, event, before=now[key])
    _raise_parents(env, scope, [event for event, _ in kept.values()])
    env.index.put([entry for entry in entries if entry.key in kept])


def _refer(env: Env, scope: Scope, node: EventNode) -> None:
    """To whom it names. Asked in the transaction that makes it findable: who becomes known later
    finds it there (`Refer`), so that no pair is missed."""
    for name in () if telling.is_trimmed(node.payload) else names_in(env, scope, [node.text]):
        if not name.is_owner:
            env.graph.link(scope, link_from(node, LinkKind.REFERENCES, name.key))


def _raise_parents(env: Env, scope: Scope, events: Sequence[Event]) -> None:
    """What they were caused by matters more now."""
    named = dict.fromkeys(one.parent_event_id for one in events)
    for event_id in filter(None, named):
        event = env.ledger.event(scope, event_id)
        node = env.graph.get(scope, event_key(scope.user_id, event_id))
        if event is not None and isinstance(node, EventNode) and node.is_enriched:
            weigh(env, scope, node, event, before=node)


def weigh(env: Env, scope: Scope, node: EventNode, event: Event, *, before: EventNode) -> None:
    """Keep it with its importance, which never falls, and what re-consolidation has added to it."""
    links = env.graph.links(scope, node.key, kinds=(LinkKind.CAUSED_BY,), outward=False)
    names = env.graph.links(scope, node.key, kinds=(LinkKind.REFERENCES,), outward=True)
    score = importance(
        event.event_type,
        event.payload,
        children=len(links),
        references=len(names),
        hint=event.importance_hint,
        rules=env.config.importance,
    )
    if before.is_enriched:
        score = max(score, before.importance_score - before.raised)
    score = min(10.0, round(score + before.raised, 6))
    fresh = replace(node, importance_score=score)
    if fresh != before:
        env.graph.put(scope, fresh)


def _alike(env: Env, scope: Scope, node: EventNode, entry: Entry) -> list[Link]:
    """Links to the nearest of the recorded events that came before it."""
    most, limit = env.config.events.similar_most, env.config.events.similar_most + 1
    if entry.vector is None:
        return []
    scale = env.embedder.scale
    while True:
        near = env.index.near(scope, entry.vector, kinds=(Kind.EVENT,), limit=limit)
        close = {one.key: believing.similarity(one.score, scale) for one in near}
        close = {
            key: alike for key, alike in close.items() if alike > env.config.events.similar_from
        }
        nodes = env.graph.get_many(scope, list(close))
        keys = [key for key in close if _came_before(nodes.get(key), node)]
        if len(keys) >= most or len(close) < limit:
            break
        limit *= _WIDER
    return [
        link_from(node, LinkKind.SIMILAR_TO, key, weight=round(close[key], 4))
        for key in keys[:most]
    ]


def _came_before(other: object, node: EventNode) -> bool:
    return (
        isinstance(other, EventNode)
        and other.user_id == node.user_id
        and other.is_recorded
        and other.seq < node.seq
    )


def link_from(node: EventNode, kind: LinkKind, dst: str, *, weight: float = 1.0) -> Link:
    """A link as old as its event."""
    return Link(node.user_id, kind, node.key, dst, node.created_at, weight=weight)


def _line(node: EventNode) -> IndexLine:
    return IndexLine(
        key=node.key, kind=Kind.EVENT, text=node.text, node=node, day=node.occurred_at.date()
    )


def _reading(event: Event, node: EventNode, owner: tuple[str, ...]) -> Reading:
    is_said = telling.is_message(event.event_type, event.payload)
    passage = Passage(
        key=f"{node.key}#0",
        source_key=node.key,
        ordinal=0,
        text=node.text,
        speaker=telling.speaker_of(event.event_type, event.payload) if is_said else None,
        at=node.occurred_at,
        ref=node.event_id,
    )
    return Reading(
        content_type=ContentType.CONVERSATION if is_said else ContentType.TEXT_NOTE,
        started_at=node.occurred_at,
        passages=(passage,),
        owner_names=owner,
    )


_MOST: Final = 1000  # events looked at for one name


def backfill_references(env: Env, scope: Scope, source_key: str) -> int:
    """Link the events that name what this source mentions; how many links are new."""
    if not env.ledger.position(scope, ENRICHMENT):  # no agent has recorded anything
        return 0
    mentions = env.graph.links(scope, source_key, kinds=(LinkKind.MENTIONS,), outward=True)
    anchors = env.graph.get_many(scope, [one.dst for one in mentions]) if mentions else {}
    references = [
        (event, name.key)
        for anchor in anchors.values()
        if isinstance(anchor, Anchor) and not (name := _name(anchor)).is_owner
        for event in _naming(env, scope, name)
    ]
    with env.atomic():
        return sum(_linked(env, scope, event.key, anchor) for event, anchor in references)


def _naming(env: Env, scope: Scope, name: Name) -> Iterator[EventNode]:
    spelled = (name.name, *name.aliases)
    keys = dict.fromkeys(
        match.key
        for one in spelled
        for match in env.index.match(scope, one, kinds=(Kind.EVENT,), limit=_MOST)
    )
    for node in env.graph.get_many(scope, list(keys)).values():
        if not isinstance(node, EventNode) or node.user_id != scope.user_id:
            continue
        if node.is_enriched and calls(node.text, name):
            yield node


def _linked(env: Env, scope: Scope, key: str, anchor: str) -> bool:
    node = env.graph.get(scope, key)
    if not isinstance(node, EventNode) or env.graph.get(scope, anchor) is None:
        return False
    if not env.graph.link(scope, link_from(node, LinkKind.REFERENCES, anchor)):
        return False
    event = env.ledger.event(scope, node.event_id)
    if event is not None:
        weigh(env, scope, node, event, before=node)
    return True


def _name(anchor: Anchor) -> Name:
    return Name(
        key=anchor.key,
        kind=anchor.kind,
        name=anchor.name,
        type=str(getattr(anchor, "type", "")),
        aliases=anchor.aliases,
        is_owner=isinstance(anchor, Person) and anchor.is_owner,
    )
