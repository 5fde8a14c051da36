"""Redescribe: what nights said of someone, said again without the notes of sources that are gone.

Works inside the caller's transaction. An anchor is told of in a chain of nights, each of which
knows what the last one said: so all of them are gone through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from remanent.anchors.owner import owner_key
from remanent.anchors.relationships import expired_words
from remanent.anchors.rules import dates, identity, resolution
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.index_entries import ALL_NOTES
from remanent.core.model.anchor import Anchor, Note, Person
from remanent.core.model.event import DESCRIBED, NOTES_EXPIRED, SOURCES_DISTILLED, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.relationship import Link, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import Source
from remanent.core.new_event import effective_at, new_event
from remanent.erasure.redo_stories import PastNights
from remanent.errors import MindError
from remanent.jobs import schedule
from remanent.sleep import descriptions
from remanent.sleep.descriptions import newest_words
from remanent.sleep.episodes_to_notes import BY_SLEEP

_Place = tuple[str, str]  # of a note on one thing: its source and its content


@dataclass(slots=True)
class _Thing:
    """One anchor or relationship on its way through the nights."""

    notes: list[Note]
    text: str = ""
    dirty: bool = False
    heard: int = 0  # where in the ledger the last of all its notes came

    def add_note(self, note: Note, *, is_edge: bool) -> None:
        """One more note. A relationship says what the newest one does until a night has told more."""
        newest = max(self.notes, key=_order).content if self.notes else ""
        self.notes.append(note)
        self.dirty = True
        if is_edge and self.text == newest:
            self.text = max(self.notes, key=_order).content


@dataclass(slots=True)
class _Nights:
    """What becomes of the nights of the `past`: the sources that an event names for a thing (None: it names
    it no more), when things were last told something new, and what nights that wrote nothing would have told."""

    past: PastNights
    told: dict[tuple[str, str], list[str] | None] = field(default_factory=dict)
    changed: dict[str, datetime] = field(default_factory=dict)
    fresh: dict[datetime, list[dict[str, object]]] = field(default_factory=dict)


def redo_descriptions(
    past: PastNights, keys: Iterable[str], *, waiting: Collection[str] = ()
) -> dict[str, datetime]:
    """Tell of these as every night would have; when each was last told something new. A night that
    told of anything told of all that had new notes, but for those that are `waiting` still."""
    nights, ledger, user_id = _Nights(past), past.env.ledger, past.scope.user_id
    for key in sorted(set(keys)):
        thing = descriptions.load_thing(past.env, past.scope, key)
        if thing is not None:
            now = _relive(nights, thing)
            if now.dirty and key not in waiting:
                _tell_later(nights, thing, now)
            _write(past.env, past.scope, thing, now)
    for event in past.nights:
        if event.event_type == DESCRIBED:
            _amend(nights, event)
    for at, things in sorted(nights.fresh.items()):
        payload, now_ = {"at": at.isoformat(), "things": things}, past.run_of(at)
        ledger.append(new_event(user_id, DESCRIBED, payload, now=now_, occurred_at=at))
    return nights.changed


def _tell_later(nights: _Nights, thing: Anchor | Relationship, now: _Thing) -> None:
    """On the first night since, if there has been one: it wrote nothing, having had nothing to tell."""
    past = nights.past
    since = max((at for seq, at in past.read.values() if seq <= now.heard), default=None)
    done = since and schedule.nights(past.env, past.scope, SleepJob.DESCRIBE, since)
    if not done or not now.notes:
        return
    sources = sorted({one.source_key or "" for one in now.notes})
    if _write_description(past, thing, now, done[0]):
        nights.changed[thing.key] = done[0]
    if not now.dirty:
        nights.fresh.setdefault(done[0], []).append({"key": thing.key, "sources": sources})


def _relive(nights: _Nights, thing: Anchor | Relationship) -> _Thing:
    coming = _arrivals(nights.past, thing)
    now = _Thing(notes=[], heard=coming[-1][0] if coming else 0)
    for event in nights.past.nights:
        while coming and coming[0][0] < event.seq:
            now.add_note(coming.pop(0)[1], is_edge=isinstance(thing, Relationship))
        if event.event_type == NOTES_EXPIRED and thing.key in event.payload["on"]:
            at = effective_at(event)
            now.notes = [one for one in now.notes if one.expires_at is None or one.expires_at > at]
        elif event.event_type == DESCRIBED and not _is_told_later(nights.past, event, thing.key):
            place = (event.event_id, thing.key)
            nights.told[place] = sorted({one.source_key or "" for one in now.notes})
            if not now.dirty:
                nights.told[place] = None
            elif _write_description(nights.past, thing, now, effective_at(event)):
                nights.changed[thing.key] = effective_at(event)
    for _, note in coming:
        now.add_note(note, is_edge=isinstance(thing, Relationship))
    return now


def _is_told_later(past: PastNights, event: Event, key: str) -> bool:
    """Whether a later event of the same night names it: a night writes one for so many things."""
    return any(
        one.seq > event.seq
        and one.event_type == DESCRIBED
        and effective_at(one) == effective_at(event)
        and any(thing["key"] == key for thing in one.payload["things"])
        for one in past.nights
    )


def _write_description(
    past: PastNights, thing: Anchor | Relationship, now: _Thing, at: datetime
) -> bool:
    """Whether that was news."""
    most = max(1, past.env.config.nightly.describe_notes)
    notes = sorted(now.notes, key=_order)[-most:]
    before = now.text if isinstance(thing, Anchor) else ""
    try:
        description = descriptions.described_text(past.env, past.scope, thing, before, notes, at)
    except MindError:  # another night
        return False
    text = description or now.text or newest_words(notes)
    is_news = text != now.text
    now.text, now.dirty = text, False
    return is_news


def _write(env: Env, scope: Scope, thing: Anchor | Relationship, now: _Thing) -> None:
    expected = {_place(one) for one in now.notes}
    there = env.graph.notes(scope, thing.key, limit=ALL_NOTES)
    for note in there:
        if _place(note) not in expected and isinstance(thing, Anchor):
            env.graph.drop_note(scope, note)
    if isinstance(thing, Relationship):
        text = now.text or thing.description
        env.graph.relate(scope, replace(thing, description=text, is_dirty=now.dirty))
        return
    fresh = env.graph.get(scope, thing.key)
    if isinstance(fresh, Anchor):
        env.graph.put(scope, replace(fresh, description=now.text, is_dirty=now.dirty))


# -- all notes there ever were ----------------------------------------------------------------


def _arrivals(past: PastNights, thing: Anchor | Relationship) -> list[tuple[int, Note]]:
    """Every note on it, those that have expired since as well, and where in the ledger it came."""
    env, scope = past.env, past.scope
    told = (
        _source_notes(past, thing)
        if isinstance(thing, Anchor)
        else expired_words(env, scope, thing)
    )
    arrivals = {_place(note): (past.seq_of(note.source_key), note) for note in told}
    for note in env.graph.notes(scope, thing.key, limit=ALL_NOTES):
        asleep = note.added_by == BY_SLEEP
        seq = _distilled(past, note) if asleep else past.seq_of(note.source_key)
        arrivals.setdefault(_place(note), (seq, note))
    since = _known_since(past, thing)
    later = [(max(seq, since), note) for seq, note in arrivals.values()]
    return sorted(later, key=lambda one: (one[0], _order(one[1])))


def _known_since(past: PastNights, thing: Anchor | Relationship) -> int:
    """Where in the ledger it came to be: what was noted before of somebody under a part of their
    name was filed under the whole only then."""
    if isinstance(thing, Relationship):
        return max((seq for seq, _ in _ends_named(past, thing)), default=0)
    first = named_first(past, thing)
    return 0 if first is None else first[0]


def _ends_named(past: PastNights, edge: Relationship) -> list[tuple[int, datetime]]:
    ends = (past.env.graph.get(past.scope, key) for key in (edge.src, edge.dst))
    named = (named_first(past, one) for one in ends if isinstance(one, Anchor))
    return [one for one in named if one is not None]


def drawn_at(past: PastNights, edge: Relationship) -> tuple[datetime, datetime] | None:
    """When a relationship was first drawn, and last drawn otherwise, by what sources assert."""
    graph, kind, type_ = past.env.graph, edge.kind, edge.relationship_type
    assertions = graph.assertions(past.scope, edge.src, kind, type_)
    since = {
        one.dst: max(
            (at for _, at in _ends_named(past, replace(edge, dst=one.dst))), default=one.recorded_at
        )
        for one in assertions
    }
    arrivals = [(max(one.recorded_at, since[one.dst]), one) for one in assertions]
    return dates.drawn_at(arrivals).get(edge.key)


def named_first(past: PastNights, anchor: Anchor) -> tuple[int, datetime] | None:
    """Where and when the first source was read that calls a person what they are called."""
    if not isinstance(anchor, Person) or anchor.is_owner:
        return None
    named = [
        past.read[one.src]
        for one in _mentions(past, anchor)
        if one.src in past.read and identity.untitled(one.detail) == anchor.canonical_name
    ]
    return min(named, default=None)


def _mentions(past: PastNights, anchor: Anchor) -> list[Link]:
    mentions = (LinkKind.MENTIONS,)
    return past.env.graph.links(past.scope, anchor.key, kinds=mentions, outward=False)


def _source_notes(past: PastNights, anchor: Anchor) -> list[Note]:
    """What sources noted on an anchor, as their extractions tell."""
    called: dict[str, set[str]] = {}
    for link in _mentions(past, anchor):
        called.setdefault(link.src, set()).add(link.detail)
    if anchor.key == owner_key(past.scope.user_id):
        for key in past.read:
            called.setdefault(key, set()).add(canonical_name(anchor.name))
    return [note for key in sorted(called) for note in _of(past, key, anchor, called[key])]


def _of(past: PastNights, source_key: str, anchor: Anchor, surfaces: Collection[str]) -> list[Note]:
    source = past.env.graph.get(past.scope, source_key)
    extraction = past.env.graph.extraction(past.scope, source_key)
    if not isinstance(source, Source) or extraction is None:
        return []
    at, rules = source.started_at, past.env.config.resolution
    return [
        Note(
            on=anchor.key,
            content=draft.content,
            added_by=past.scope.user_id,
            date_added=at,
            source_key=source.key,
            expires_at=resolution.expires(at, draft.lifetime, rules),
        )
        for draft in extraction.findings.notes
        if canonical_name(draft.anchor) in surfaces
    ]


def _amend(nights: _Nights, event: Event) -> None:
    """Such a night would have looked at these, and no others."""
    decided = {key: sources for (at, key), sources in nights.told.items() if at == event.event_id}
    things = [
        {**one, "sources": decided.pop(str(one["key"]), one["sources"])}
        for one in event.payload["things"]
    ]
    things += [{"key": key, "sources": sources} for key, sources in sorted(decided.items())]
    things = [one for one in things if one["sources"] is not None]
    past, fresh = nights.past, {**event.payload, "things": things}
    if not things:
        past.env.ledger.erase(past.scope, [event.event_id])
    elif things != event.payload["things"]:
        past.env.ledger.amend(past.scope, replace(event, payload=fresh))


def _distilled(past: PastNights, note: Note) -> int:
    for event in past.nights:
        if event.event_type == SOURCES_DISTILLED and any(
            note.source_key in part["sources"] for part in event.payload["parts"]
        ):
            return event.seq
    return 0


def _place(note: Note) -> _Place:
    return (note.source_key or "", note.content)


def _order(note: Note) -> tuple[datetime, str, str]:
    return (note.date_added, note.source_key or "", note.content)
