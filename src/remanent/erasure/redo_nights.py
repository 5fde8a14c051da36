"""Retell: what nights made of sources that are gone is made again of the others, at once.

Works inside the caller's transaction, in two steps: before the sources go, and after.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from remanent.anchors.owner import owner_key
from remanent.anchors.rules import resolution
from remanent.anchors.write import Changed, candidates_of
from remanent.core import read as lookup
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import SOURCES_DISTILLED, Event
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.mind_types import Candidate
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.story import Storyline
from remanent.core.read import Lived
from remanent.core.records.admin import ErasureDates
from remanent.erasure import rules as rule
from remanent.erasure.redo_descriptions import drawn_at, named_first, redo_descriptions
from remanent.erasure.redo_stories import PastNights, past_of, redo_stories, touched
from remanent.ingest import extract
from remanent.jobs import schedule
from remanent.sleep import descriptions
from remanent.sleep.episodes_to_notes import BY_SLEEP, note_again

_ALL = 10_000_000


@dataclass(slots=True)
class AffectedNights:
    """What is to be told again, looked at before the sources go."""

    past: PastNights
    sources: frozenset[str]
    things: set[str]  # anchors and relationships
    dirty: set[str]
    storied: set[str]  # anchors whose stories have one of these sources
    edges: dict[str, Relationship]
    dates: ErasureDates
    windows: list[tuple[datetime, datetime]]  # from when a source came in until it was read
    named: dict[str, tuple[int, datetime] | None]  # where whom these mention was first named so
    active: dict[str, datetime | None]  # since when whom these mention is active
    told: dict[str, datetime] = field(default_factory=dict)  # when nights last changed things
    later: set[str] = field(default_factory=set)  # what may begin on another day now


def look(env: Env, scope: Scope, sources: Collection[str]) -> AffectedNights:
    """What these sources have to do with."""
    past = past_of(env, scope)
    mentioned = _mentioned(env, scope, sources)
    noted = {note.on for key in sources for note in env.graph.notes_of(scope, key)}
    return AffectedNights(
        past=past,
        sources=frozenset(sources),
        things=noted | _described(past, frozenset(sources)),
        dirty=set(env.graph.dirty(scope, limit=_ALL)[0]),
        storied=touched(past, sources),
        edges={
            key: edge for key in noted if (edge := env.graph.relationship(scope, key)) is not None
        },
        dates=env.graph.dates(scope),
        windows=[
            (node.created_at, past.read[key][1])
            for key, node in env.graph.get_many(scope, sorted(sources)).items()
            if key in past.read
        ],
        named={one.key: named_first(past, one) for one in mentioned},
        active={one.key: _active_since(past, one) for one in mentioned},
    )


def _mentioned(env: Env, scope: Scope, sources: Collection[str]) -> list[Anchor]:
    links = (
        env.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=True) for key in sources
    )
    nodes = env.graph.get_many(scope, sorted({link.dst for some in links for link in some}))
    return [node for node in nodes.values() if isinstance(node, Anchor)]


def redo_nights(env: Env, scope: Scope, looked: AffectedNights) -> None:
    """Tell again, without them."""
    past = looked.past
    for key in looked.sources:
        past.read.pop(key, None)
    _distil_again(env, scope, looked)
    dirty = set(env.graph.dirty(scope, limit=_ALL)[0])
    things = looked.things | (dirty - looked.dirty) | _told_of(env, scope, dirty)
    now = env.graph.dates(scope)
    moved = _moved(looked.dates, now) | (now.things.keys() - looked.dates.things.keys())
    looked.later = _named_later(env, scope, looked) | _beside(env, scope, looked)
    moved |= looked.later
    looked.told |= redo_descriptions(past, things | moved, waiting=looked.dirty)
    _forget_owner(env, scope, past)
    things |= moved
    _findable(env, scope, things)
    past.nights = past_of(env, scope).nights
    retold = redo_stories(past, looked.storied)
    looked.told |= retold
    _redate(env, scope, looked, things, retold)
    _not_yet_about(env, scope, looked)
    _live_on(env, scope, looked)


def _forget_owner(env: Env, scope: Scope, past: PastNights) -> None:
    """The owner is findable from the first source on that is read."""
    owner = env.graph.get(scope, owner_key(scope.user_id))
    if not past.read and isinstance(owner, Anchor) and not owner.description:
        env.index.remove([owner.key])
        env.graph.put(scope, replace(owner, line_digest=""))


def _named_later(env: Env, scope: Scope, looked: AffectedNights) -> set[str]:
    """What was said of somebody under a part of their name is theirs from when the whole is known:
    those whom another source was the first to name so now, and their relationships."""
    nodes = env.graph.get_many(scope, sorted(looked.named))
    later = [
        key
        for key, node in nodes.items()
        if isinstance(node, Anchor) and named_first(looked.past, node) != looked.named[key]
    ]
    relationships = (env.graph.relationships(scope, key, history=True) for key in later)
    return {*later, *(one.key for some in relationships for one in some)}


def _beside(env: Env, scope: Scope, looked: AffectedNights) -> set[str]:
    """Relationships of the kinds that these sources spoke of: they were drawn together."""
    groups = {(one.src, one.kind, one.relationship_type) for one in looked.edges.values()}
    relationships = (
        env.graph.relationships(scope, src, history=True) for src in {src for src, _, _ in groups}
    )
    return {
        one.key
        for some in relationships
        for one in some
        if (one.src, one.kind, one.relationship_type) in groups
    }


def _told_of(env: Env, scope: Scope, keys: Collection[str]) -> set[str]:
    """Those of these that a night has told of: what they wait for may be what is gone."""
    things = (descriptions.load_thing(env, scope, key) for key in sorted(keys))
    return {one.key for one in things if one is not None and one.description}


def _findable(env: Env, scope: Scope, things: Collection[str]) -> None:
    anchors = env.graph.get_many(scope, sorted(things)).keys()
    touched = Changed(anchors=set(anchors), relationships=set(things) - anchors)
    extract.make_findable(env, scope, touched)


# -- insights -------------------------------------------------------------------------------------


def _distil_again(env: Env, scope: Scope, looked: AffectedNights) -> None:
    for event in looked.past.nights:
        if event.event_type == SOURCES_DISTILLED and not looked.sources.isdisjoint(
            str(key) for part in event.payload["parts"] for key in part["sources"]
        ):
            _drop_insights(env, scope, event, looked)
            fresh = rule.without(event, looked.sources)
            if fresh is None:
                env.ledger.erase(scope, [event.event_id])
                continue
            touched = [
                part
                for part, old in _pairs(fresh, event, looked.sources)
                if part["sources"] != old["sources"]
            ]
            note_again(env, scope, replace(fresh, payload={**fresh.payload, "parts": touched}))
            env.ledger.amend(scope, fresh)
            for part in touched:
                looked.things.update(str(one) for one in part["anchors"])
    looked.past.nights = past_of(env, scope).nights


def _drop_insights(env: Env, scope: Scope, event: Event, looked: AffectedNights) -> None:
    for part in event.payload["parts"]:
        if looked.sources.isdisjoint(map(str, part["sources"])):
            continue
        for key in part["sources"]:
            for note in env.graph.notes_of(scope, str(key)):
                if note.added_by == BY_SLEEP:
                    env.graph.drop_note(scope, note)
                    looked.things.add(note.on)


# -- dates ------------------------------------------------------------------------------------------


def _redate(
    env: Env, scope: Scope, looked: AffectedNights, things: Collection[str], retold: Collection[str]
) -> None:
    """What is told again keeps its dates, but for those that only the sources that are gone gave."""
    before, after = looked.dates.things, env.graph.dates(scope)
    now = after.things
    moved = _moved(looked.dates, after) | {*things, *looked.told} | (now.keys() - before.keys())
    dates = {key: before[key] for key in now if key in before and now[key] != before[key]}
    moved |= {key for key, (_, last) in dates.items() if _within(last, looked)}
    for key in moved & now.keys():
        spoken = _relationship_dates(env, scope, key, looked) or _spoken_of(env, scope, key, looked)
        if spoken:
            described = looked.told.get(key)
            first = _first_named(env, scope, key, looked) or min(spoken)
            born, _ = before.get(key, (now[key][0] if key in retold else first, None))
            is_later = _within(born, looked) or key in looked.later
            born = first if is_later and key not in retold else born
            dates[key] = (born, max(spoken) if described is None else max(*spoken, described))
    links = {place: born for place, born in looked.dates.links.items() if place in after.links}
    for place in after.links.keys() - links.keys():
        read = looked.past.read.get(place[1]) or looked.past.read.get(place[2])
        if read is not None:
            links[place] = read[1]
    env.graph.redate(scope, ErasureDates(things=dates, links=links))


def _relationship_dates(env: Env, scope: Scope, key: str, looked: AffectedNights) -> list[datetime]:
    """When a relationship was drawn, and last otherwise: what closes it speaks of another."""
    edge = env.graph.relationship(scope, key)
    return list((edge and drawn_at(looked.past, edge)) or ())


def _first_named(env: Env, scope: Scope, key: str, looked: AffectedNights) -> datetime | None:
    node = env.graph.get(scope, key)
    if not isinstance(node, Anchor):
        return None
    first = named_first(looked.past, node)
    return None if first is None else first[1]


def _not_yet_about(env: Env, scope: Scope, looked: AffectedNights) -> None:
    """A belief is about whom was known when it came to be held."""
    for key, (born, _) in env.graph.dates(scope, links=False).things.items():
        if key in looked.dates.things and born > looked.dates.things[key][0]:
            for link in env.graph.links(scope, key, kinds=(LinkKind.ABOUT,), outward=False):
                if link.created_at < born:
                    env.graph.unlink(scope, link)


def _live_on(env: Env, scope: Scope, looked: AffectedNights) -> None:
    """What is new has lived since its first source was read, and so has what nobody ever called on
    and only sources that are gone had spoken of before. A relationship that begins on another day
    now goes on with the life it had."""
    until = env.done_until(scope, SleepJob.FADE)
    before = {_ends(one): one.life for one in looked.edges.values() if one.life.access_count}
    there = env.graph.dates(scope, links=False)
    new, born = there.kinds.keys() - looked.dates.kinds.keys(), there.things
    things = looked.dates.things.items()
    moved = {key for key, (began, _) in things if key in born and born[key][0] != began}
    for key in sorted(new | moved | _active_later(env, scope, looked)):
        thing = lookup.at(env, scope, key)
        if thing is None or thing.life.access_count:
            continue
        life = before.get(_ends(thing)) if isinstance(thing, Relationship) else None
        if life is None and until is not None and thing.life.ttl_policy is TtlPolicy.DECAY:
            life = _life(looked.past, thing, until)
        if life is not None:
            lookup.set_lifecycle(env, scope, thing, life)


def _active_later(env: Env, scope: Scope, looked: AffectedNights) -> set[str]:
    """Whom enough is said of since another day now."""
    nodes = env.graph.get_many(scope, sorted(looked.active))
    return {
        key
        for key, node in nodes.items()
        if isinstance(node, Anchor) and _active_since(looked.past, node) != looked.active[key]
    }


def _life(past: PastNights, thing: Lived, until: datetime) -> Lifecycle:
    """The life of what nobody called on; a storyline begins with the salience of its anchor."""
    env, scope = past.env, past.scope
    if isinstance(thing, Anchor):
        return _anchor_life(past, thing, until)
    if not isinstance(thing, Storyline):
        return lookup.faded(env, thing, Lifecycle(state=thing.life.state), until)
    anchor = env.graph.get(scope, thing.anchor_key)
    if not isinstance(anchor, Anchor) or anchor.life.access_count:
        return lookup.faded(env, thing, thing.life, until)
    slept = _nights(env, scope, anchor, thing.created_at)
    life = _anchor_life(past, anchor, slept[-1]) if slept else Lifecycle()
    begun = replace(thing.life, salience=life.salience, decayed_at=None)
    return lookup.faded(env, thing, begun, until)


def _anchor_life(past: PastNights, anchor: Anchor, until: datetime) -> Lifecycle:
    """A candidate until enough is said of it over all sources (SPEC 12.12), and active from then on."""
    env, life, since = past.env, Lifecycle(), _active_since(past, anchor)
    if since is None:
        return lookup.faded(env, anchor, life, until)
    slept = [until] if since > until else _nights(env, past.scope, anchor, since)
    if slept:
        life = lookup.faded(env, anchor, life, slept[-1])
    if life.state is State.CANDIDATE:
        life = replace(life, state=State.ACTIVE)
    return life if since > until else lookup.faded(env, anchor, life, until)


def _active_since(past: PastNights, anchor: Anchor) -> datetime | None:
    """When the source was read with which enough was said of it."""
    candidates = candidates_of(past.env, past.scope, anchor.key)
    read = sorted((past.read[key], key) for key in candidates if key in past.read)
    heard: list[Candidate] = []
    for (_, at), key in read:
        heard += candidates[key]
        fresh = resolution.established(anchor, heard, past.env.config.resolution)
        if fresh.life.state is State.ACTIVE:
            return at
    return None


def _nights(env: Env, scope: Scope, anchor: Anchor, until: datetime) -> list[datetime]:
    """The nights in which it faded until then."""
    nights = schedule.nights(env, scope, SleepJob.FADE, anchor.created_at)
    return [one for one in nights if one <= until]


def _spoken_of(env: Env, scope: Scope, key: str, looked: AffectedNights) -> list[datetime]:
    """When the sources that speak of it were read."""
    links = env.graph.links(scope, key, kinds=(LinkKind.MENTIONS, LinkKind.INCLUDES))
    ends = {one.src if one.dst == key else one.dst for one in links}
    if not links:
        ends = {one.source_key or "" for one in env.graph.notes(scope, key, limit=_ALL)}
    read = looked.past.read
    return [read[one][1] for one in ends if one in read]


def _ends(edge: Relationship) -> tuple[str, ...]:
    return (edge.src, edge.dst, edge.kind.value, edge.relationship_type)


def _moved(before: ErasureDates, after: ErasureDates) -> set[str]:
    """Of whom other sources speak than before."""
    ends = {LinkKind.MENTIONS.value: 2, LinkKind.INCLUDES.value: 1}
    changed = before.links.keys() ^ after.links.keys()
    return {place[ends[place[0]]] for place in changed if place[0] in ends}


def _within(moment: datetime, looked: AffectedNights) -> bool:
    return any(start <= moment <= end for start, end in looked.windows)


def _described(past: PastNights, sources: frozenset[str]) -> set[str]:
    return {
        str(one["key"])
        for event in past.nights
        for one in event.payload.get("things", ())
        if not sources.isdisjoint(map(str, one["sources"]))
    }


def _pairs(
    fresh: Event, before: Event, gone: frozenset[str]
) -> list[tuple[dict[str, list[str]], dict[str, list[str]]]]:
    """The parts that are left, each with what it was."""
    kept = [one for one in before.payload["parts"] if set(map(str, one["sources"])) - gone]
    return list(zip(fresh.payload["parts"], kept, strict=True))
