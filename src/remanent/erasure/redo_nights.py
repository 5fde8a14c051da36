"""Retell: what nights made of sources that are gone is made again of the others, at once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime

from remanent.anchors.owner import owner_key
from remanent.anchors.write import Touched
from remanent.core import lifecycle
from remanent.core.lookup import Lived, Own, confidence_of, is_episodic
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import SOURCES_DISTILLED, Event
from remanent.core.model.lifecycle import Lifecycle, TtlPolicy
from remanent.core.model.relationship import LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.story import Storyline
from remanent.core.ports.erasure import Erasing
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.records.erasure import Dates
from remanent.erasure.past_nights import Past, past_of
from remanent.erasure.redo_descriptions import Redescribe
from remanent.erasure.redo_stories import Restory
from remanent.erasure.rules import redaction as rule
from remanent.ingest.extract import Extract
from remanent.jobs.schedule import Rounds
from remanent.sleep.episodes_to_notes import BY_SLEEP, Distil

_ALL = 10_000_000


@dataclass(slots=True)
class Looked:
    """What is to be told again, looked at before the sources go."""

    past: Past
    sources: frozenset[str]
    things: set[str]  # anchors and relationships
    dirty: set[str]
    storied: set[str]  # anchors whose stories have one of these sources
    keys: frozenset[str]  # of all there is
    edges: dict[str, Relationship]
    dates: Dates
    windows: list[tuple[datetime, datetime]]  # from when a source came in until it was read
    named: dict[str, tuple[int, datetime] | None]  # where whom these mention was first named so
    told: dict[str, datetime] = field(default_factory=dict)  # when nights last changed things
    later: set[str] = field(default_factory=set)  # what may begin on another day now


@dataclass(frozen=True, slots=True, kw_only=True)
class Retell:
    """Works inside the caller's transaction, in two steps: before the sources go, and after."""

    graph: Graph
    ledger: Ledger
    erasing: Erasing
    distil: Distil
    index: Index
    redescribe: Redescribe
    restory: Restory
    extract: Extract
    own: Own
    rounds: Rounds

    def look(self, scope: Scope, sources: Collection[str]) -> Looked:
        """What these sources have to do with."""
        past = past_of(self.ledger, scope)
        noted = {note.on for key in sources for note in self.graph.notes_of(scope, key)}
        return Looked(
            past=past,
            sources=frozenset(sources),
            things=noted | _described(past, frozenset(sources)),
            dirty=set(self.graph.dirty(scope, limit=_ALL)[0]),
            storied=self.restory.touched(scope, past, sources),
            keys=frozenset(self.erasing.keys(scope)),
            edges={
                key: edge
                for key in noted
                if (edge := self.graph.relationship(scope, key)) is not None
            },
            dates=self.erasing.dates(scope),
            windows=self._windows(scope, past, sources),
            named=self._named(scope, past, sources),
        )

    def _named(
        self, scope: Scope, past: Past, sources: Collection[str]
    ) -> dict[str, tuple[int, datetime] | None]:
        kinds = (LinkKind.MENTIONS,)
        links = [
            link
            for key in sources
            for link in self.graph.links(scope, key, kinds=kinds, outward=True)
        ]
        nodes = self.graph.get_many(scope, sorted({link.dst for link in links}))
        return {
            key: self.redescribe.named_first(scope, past, node)
            for key, node in nodes.items()
            if isinstance(node, Anchor)
        }

    def _windows(
        self, scope: Scope, past: Past, sources: Collection[str]
    ) -> list[tuple[datetime, datetime]]:
        nodes = self.graph.get_many(scope, sorted(sources))
        return [
            (node.created_at, past.read[key][1]) for key, node in nodes.items() if key in past.read
        ]

    def __call__(self, scope: Scope, looked: Looked) -> None:
        """Tell again, without them."""
        past = looked.past
        for key in looked.sources:
            past.read.pop(key, None)
        self._distil_again(scope, looked)
        dirty = set(self.graph.dirty(scope, limit=_ALL)[0])
        things = looked.things | (dirty - looked.dirty) | self._told_of(scope, dirty)
        now = self.erasing.dates(scope)
        moved = _moved(looked.dates, now) | (now.things.keys() - looked.dates.things.keys())
        looked.later = self._named_later(scope, looked) | self._beside(scope, looked)
        moved |= looked.later
        looked.told |= self.redescribe(scope, past, things | moved, waiting=looked.dirty)
        self._forget_owner(scope, past)
        things |= moved
        self._findable(scope, things)
        past.nights = past_of(self.ledger, scope).nights
        retold = self.restory(scope, past, looked.storied)
        looked.told |= retold
        self._redate(scope, looked, things, retold)
        self._not_yet_about(scope, looked)
        self._live_on(scope, looked)

    def _forget_owner(self, scope: Scope, past: Past) -> None:
        """The owner is findable from the first source on that is read."""
        owner = self.graph.get(scope, owner_key(scope.user_id))
        if not past.read and isinstance(owner, Anchor) and not owner.description:
            self.index.remove([owner.key])
            self.graph.put(scope, replace(owner, line_digest=""))

    def _named_later(self, scope: Scope, looked: Looked) -> set[str]:
        """What was said of somebody under a part of their name is theirs from when the whole is known:
        those whom another source was the first to name so now, and their relationships."""
        nodes = self.graph.get_many(scope, sorted(looked.named))
        later = [
            key
            for key, node in nodes.items()
            if isinstance(node, Anchor)
            and self.redescribe.named_first(scope, looked.past, node) != looked.named[key]
        ]
        found = (self.graph.relationships(scope, key, history=True) for key in later)
        return {*later, *(one.key for some in found for one in some)}

    def _beside(self, scope: Scope, looked: Looked) -> set[str]:
        """Relationships of the kinds that these sources spoke of: they were drawn together."""
        groups = {(one.src, one.kind, one.relationship_type) for one in looked.edges.values()}
        found = (
            self.graph.relationships(scope, src, history=True)
            for src in {src for src, _, _ in groups}
        )
        return {
            one.key
            for some in found
            for one in some
            if (one.src, one.kind, one.relationship_type) in groups
        }

    def _told_of(self, scope: Scope, keys: Collection[str]) -> set[str]:
        """Those of these that a night has told of: what they wait for may be what is gone."""
        things = (self.redescribe.describe.thing(scope, key) for key in sorted(keys))
        return {one.key for one in things if one is not None and one.description}

    def _findable(self, scope: Scope, things: Collection[str]) -> None:
        anchors = self.graph.get_many(scope, sorted(things)).keys()
        touched = Touched(anchors=set(anchors), relationships=set(things) - anchors)
        self.extract.make_findable(scope, touched)

    # -- insights -------------------------------------------------------------------------------------

    def _distil_again(self, scope: Scope, looked: Looked) -> None:
        for event in looked.past.nights:
            if event.event_type == SOURCES_DISTILLED and _in_parts(event, looked.sources):
                self._drop_insights(scope, event, looked)
                fresh = rule.without(event, looked.sources)
                if fresh is None:
                    self.ledger.erase(scope, [event.event_id])
                    continue
                touched = [
                    part
                    for part, old in _pairs(fresh, event, looked.sources)
                    if part["sources"] != old["sources"]
                ]
                self.distil.note_again(
                    scope, replace(fresh, payload={**fresh.payload, "parts": touched})
                )
                self.ledger.amend(scope, fresh)
                for part in touched:
                    looked.things.update(str(one) for one in part["anchors"])
        looked.past.nights = past_of(self.ledger, scope).nights

    def _drop_insights(self, scope: Scope, event: Event, looked: Looked) -> None:
        for part in event.payload["parts"]:
            if looked.sources.isdisjoint(map(str, part["sources"])):
                continue
            for key in part["sources"]:
                for note in self.graph.notes_of(scope, str(key)):
                    if note.added_by == BY_SLEEP:
                        self.graph.drop_note(scope, note)
                        looked.things.add(note.on)

    # -- dates ------------------------------------------------------------------------------------------

    def _redate(
        self, scope: Scope, looked: Looked, things: Collection[str], retold: Collection[str]
    ) -> None:
        """What is told again keeps its dates, but for those that only the sources that are gone gave."""
        before, after = looked.dates.things, self.erasing.dates(scope)
        now = after.things
        moved = _moved(looked.dates, after) | {*things, *looked.told} | (now.keys() - before.keys())
        dates = {key: before[key] for key in now if key in before and now[key] != before[key]}
        moved |= {key for key, (_, last) in dates.items() if _within(last, looked)}
        for key in moved & now.keys():
            spoken = self._drawn(scope, key, looked) or self._spoken_of(scope, key, looked)
            if spoken:
                told = looked.told.get(key)
                first = self._first_named(scope, key, looked) or min(spoken)
                born, _ = before.get(key, (now[key][0] if key in retold else first, None))
                is_later = _within(born, looked) or key in looked.later
                born = first if is_later and key not in retold else born
                dates[key] = (born, max(spoken) if told is None else max(*spoken, told))
        links = {place: born for place, born in looked.dates.links.items() if place in after.links}
        for place in after.links.keys() - links.keys():
            read = looked.past.read.get(place[1]) or looked.past.read.get(place[2])
            if read is not None:
                links[place] = read[1]
        self.erasing.redate(scope, Dates(things=dates, links=links))

    def _drawn(self, scope: Scope, key: str, looked: Looked) -> list[datetime]:
        """When a relationship was drawn, and last otherwise: what closes it speaks of another."""
        edge = self.graph.relationship(scope, key)
        drawn = edge and self.redescribe.drawn_at(scope, looked.past, edge)
        return list(drawn or ())

    def _first_named(self, scope: Scope, key: str, looked: Looked) -> datetime | None:
        node = self.graph.get(scope, key)
        if not isinstance(node, Anchor):
            return None
        first = self.redescribe.named_first(scope, looked.past, node)
        return None if first is None else first[1]

    def _not_yet_about(self, scope: Scope, looked: Looked) -> None:
        """A belief is about whom was known when it came to be held."""
        for key, (born, _) in self.erasing.dates(scope).things.items():
            if key in looked.dates.things and born > looked.dates.things[key][0]:
                kinds = (LinkKind.ABOUT,)
                for link in self.graph.links(scope, key, kinds=kinds, outward=False):
                    if link.created_at < born:
                        self.graph.unlink(scope, link)

    def _live_on(self, scope: Scope, looked: Looked) -> None:
        """What is new has lived since its first source was read, and so has what nobody ever called on
        and only sources that are gone had spoken of before. A relationship that begins on another day
        now goes on with the life it had."""
        until = self.rounds.queue.done_until(scope.user_id, SleepJob.FADE)
        before = {_ends(one): one.life for one in looked.edges.values() if one.life.access_count}
        now, born = self.erasing.keys(scope).keys(), self.erasing.dates(scope).things
        moved = {
            key
            for key, (began, _) in looked.dates.things.items()
            if key in born and born[key][0] != began
        }
        for key in sorted((now - looked.keys) | moved):
            thing = self.own.at(scope, key)
            if thing is None or thing.life.access_count:
                continue
            life = before.get(_ends(thing)) if isinstance(thing, Relationship) else None
            if life is None and until is not None and thing.life.ttl_policy is TtlPolicy.DECAY:
                life = self._faded(thing, self._begun(scope, thing), until)
            if life is not None:
                self.own.live(scope, thing, life)

    def _begun(self, scope: Scope, thing: Lived) -> Lifecycle:
        """The life it began with; a storyline takes its salience from its anchor."""
        if not isinstance(thing, Storyline):
            return Lifecycle(state=thing.life.state)
        anchor = self.graph.get(scope, thing.anchor_key)
        if anchor is None or anchor.life.access_count:
            return thing.life
        nights = self.rounds.nights(scope, SleepJob.FADE, anchor.created_at)
        slept = [one for one in nights if one <= thing.created_at]
        life = Lifecycle()
        salience = self._faded(anchor, life, slept[-1]).salience if slept else life.salience
        return replace(thing.life, salience=salience, decayed_at=None)

    def _faded(self, thing: Lived, life: Lifecycle, until: datetime) -> Lifecycle:
        return lifecycle.faded(
            life,
            confidence=confidence_of(thing),
            created_at=thing.created_at,
            now=until,
            episodic=is_episodic(thing),
            rules=self.own.rules_of(thing),
        )

    def _spoken_of(self, scope: Scope, key: str, looked: Looked) -> list[datetime]:
        """When the sources that speak of it were read."""
        out, kinds = None, (LinkKind.MENTIONS, LinkKind.INCLUDES)
        links = self.graph.links(scope, key, kinds=kinds, outward=out)
        ends = {one.src if one.dst == key else one.dst for one in links}
        if not links:
            ends = {one.source_key or "" for one in self.graph.notes(scope, key, limit=_ALL)}
        read = looked.past.read
        return [read[one][1] for one in ends if one in read]


def _ends(edge: Relationship) -> tuple[str, ...]:
    return (edge.src, edge.dst, edge.kind.value, edge.relationship_type)


def _moved(before: Dates, after: Dates) -> set[str]:
    """Of whom other sources speak than before."""
    kinds = (LinkKind.MENTIONS.value, LinkKind.INCLUDES.value)
    changed = before.links.keys() ^ after.links.keys()
    ends = (
        place[2] if place[0] == LinkKind.MENTIONS.value else place[1]
        for place in changed
        if place[0] in kinds
    )
    return set(ends)


def _within(moment: datetime, looked: Looked) -> bool:
    return any(start <= moment <= end for start, end in looked.windows)


def _described(past: Past, sources: frozenset[str]) -> set[str]:
    return {
        str(one["key"])
        for event in past.nights
        for one in event.payload.get("things", ())
        if not sources.isdisjoint(map(str, one["sources"]))
    }


def _in_parts(event: Event, sources: frozenset[str]) -> bool:
    return any(not sources.isdisjoint(map(str, one["sources"])) for one in event.payload["parts"])


def _pairs(
    fresh: Event, before: Event, gone: frozenset[str]
) -> list[tuple[dict[str, list[str]], dict[str, list[str]]]]:
    """The parts that are left, each with what it was."""
    kept = [one for one in before.payload["parts"] if set(map(str, one["sources"])) - gone]
    return list(zip(fresh.payload["parts"], kept, strict=True))
