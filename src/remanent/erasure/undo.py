"""Undo: all that one source caused for one user is taken back, and what depended on it (SPEC 10).

The graph owes to a source what its extraction says, so an extraction that says nothing, drawn again,
leaves nothing. Beliefs are derived anew from everything else. The source itself stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from remanent.anchors.rules import identity
from remanent.anchors.write import Touched
from remanent.clock import Clock
from remanent.core.dry_run import trial
from remanent.core.index_entries import TEAM_SUFFIX, story_line
from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.event import SOURCE_UNDONE, Event
from remanent.core.model.keys import canonical_name
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.model.story import Macro, Storyline
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.core.read import Read
from remanent.erasure.model import Undone
from remanent.erasure.redo_beliefs import Rederive
from remanent.errors import InvalidInput
from remanent.ingest.extract import Extract


@dataclass(slots=True)
class _Caused:
    """What the source had caused, looked at before it is taken back."""

    extraction: Extraction
    mentions: int = 0
    notes: int = 0
    assertions: int = 0
    noted: frozenset[str] = frozenset()  # anchors
    related: frozenset[str] = frozenset()  # relationships
    stories: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()  # of people
    gave_aliases: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    graph: Graph
    index: Index
    ledger: Ledger
    read: Read
    extract: Extract
    rederive: Rederive
    atomic: Atomic
    clock: Clock

    def __call__(self, scope: Scope, source_key: str, *, dry_run: bool = False) -> Undone:
        """Take back what this user's memory has from the source; it stays, and is not read again
        unless asked. The same again changes nothing."""
        key = self.read.resolve(scope, source_key)
        source = self.graph.get(scope, key)
        if not isinstance(source, Source):
            kind = "nothing" if source is None else source.kind.value
            raise InvalidInput("source_key", f"{source_key!r} is a {kind}, not a source")
        with trial(self.atomic, dry_run=dry_run):
            found = self.graph.extraction(scope, key)
            if found is not None and found.is_undone:
                told = Undone(source_key=key, title=title_of(source), was_undone=True)
                return replace(told, mind=found.mind, dry_run=dry_run)
            now = self.clock.now()
            payload = {"source_key": key}
            self.ledger.append(happening(scope.user_id, SOURCE_UNDONE, payload, now=now))
            undone = self.take_back(scope, source)
        return replace(undone, dry_run=dry_run)

    def apply(self, scope: Scope, event: Event) -> None:
        """Take back once more what came of the source that the event names."""
        source = self.graph.get(scope, str(event.payload["source_key"]))
        if isinstance(source, Source):
            with self.atomic():
                self.take_back(scope, source)

    def take_back(self, scope: Scope, source: Source) -> Undone:
        """Take back what came of the source, inside the caller's transaction and without an event."""
        caused = self._caused(scope, source)
        mind = caused.extraction.mind
        empty = Extraction(source_key=source.key, mind=mind, is_done=True, is_undone=True)
        self.graph.put_extraction(scope, empty)
        touched, gone = self._redraw(scope, source, caused)
        self._forget_insights(scope, source, touched)
        self._untell(scope, caused, touched)
        self.extract.make_findable(scope, touched)
        believed = self.rederive(scope, source.key, redrawn=caused.related | touched.relationships)
        self._as_processed(scope, source)
        return Undone(
            source_key=source.key,
            title=title_of(source),
            mind=mind,
            mentions=caused.mentions,
            notes=caused.notes,
            assertions=caused.assertions,
            stories=len(caused.stories),
            anchors=gone,
            beliefs=believed,
        )

    def _caused(self, scope: Scope, source: Source) -> _Caused:
        found = self.graph.extraction(scope, source.key)
        notes = self.graph.notes_of(scope, source.key)
        on = {one.on for one in notes}
        anchors = frozenset(self.graph.get_many(scope, sorted(on)))
        mentions = self.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
        told = self.graph.links(scope, source.key, kinds=(LinkKind.INCLUDES,), outward=False)
        read = () if found is None else found.candidates
        people = [one for one in read if one.kind is Kind.PERSON]
        return _Caused(
            extraction=found or Extraction(source_key=source.key, mind=""),
            mentions=len(mentions),
            notes=sum(one.on in anchors for one in notes),
            assertions=sum(one.on not in anchors for one in notes),
            noted=anchors,
            related=frozenset(on - anchors),
            stories=frozenset(one.src for one in told if one.user_id == scope.user_id),
            names=tuple(canonical_name(one.name) for one in people),
            gave_aliases=any(one.aliases for one in people),
        )

    def _redraw(
        self, scope: Scope, source: Source, caused: _Caused
    ) -> tuple[Touched, tuple[str, ...]]:
        """Draw the source, which says nothing now, and those whose names it had settled."""
        links = self.graph.links(scope, source.key, kinds=(LinkKind.MENTIONS,), outward=True)
        before = self.graph.get_many(scope, [one.dst for one in links])
        touched = self.extract.draw(scope, [source.key])
        touched |= self._rename(scope, before.values(), caused)
        while unsettled := self._unsettled(scope, caused.names) - touched.sources:
            touched |= self.extract.draw(scope, sorted(unsettled))
        bearers = identity.bearers_in(caused.extraction)
        touched |= self.extract.draw.forget_names(scope, bearers)
        self.extract.attach(scope, touched.sources)
        left = self.graph.get_many(scope, sorted({*before, *touched.anchors}))
        touched.anchors &= left.keys()
        gone = [one for key, one in before.items() if key not in left]
        return touched, tuple(one.name for one in gone if isinstance(one, Anchor))

    def _rename(self, scope: Scope, known: Iterable[Node], caused: _Caused) -> Touched:
        """Decide anew whom sources mean by a name that only this source had tied to somebody. Until
        they are drawn nobody is called so."""
        unnamed, pending = list[Person](), set[str]()
        for key in sorted(one.key for one in known):
            one = self.graph.get(scope, key)
            if isinstance(one, Person) and not one.is_owner:
                links = self._leaning(scope, one, caused)
                pending |= {link.src for link in links}
                unnamed += [one] if links else []
        touched = self.extract.draw(scope, sorted(pending))
        for one in unnamed:
            self.extract.draw.recount(scope, one.key)
            if not self._mentioned(scope, one.key):
                self.graph.remove(scope, one.key)
                self.index.remove([one.key])
        touched.anchors |= {one.key for one in unnamed}
        return touched

    def _leaning(self, scope: Scope, person: Person, caused: _Caused) -> list[Link]:
        """Take away, and give back, the mentions of a person that may have meant another without
        the full name or the other names that the source gave."""
        links = self._mentioned(scope, person.key)
        full = [one for one in links if identity.untitled(one.detail) == person.canonical_name]
        merged = self.graph.links(scope, person.key, kinds=(LinkKind.SAME_AS,))
        if merged or (full and not caused.gave_aliases):
            return []
        leaning = [one for one in links if one not in full]
        for link in leaning:
            self.graph.unlink(scope, link)
        if leaning and full:
            self.graph.put(scope, replace(person, aliases=()))
        elif leaning:
            key = person.key
            self.graph.put(scope, replace(person, aliases=(), name=key, canonical_name=key))
        return leaning

    def _mentioned(self, scope: Scope, key: str) -> list[Link]:
        return self.graph.links(scope, key, kinds=(LinkKind.MENTIONS,), outward=False)

    def _unsettled(self, scope: Scope, names: Sequence[str]) -> set[str]:
        draw = self.extract.draw
        return {key for name in names if name for key in draw.unsettled_by(scope, name)}

    def _forget_insights(self, scope: Scope, source: Source, touched: Touched) -> None:
        """What a night noted from it, under a name of its own."""
        for note in self.graph.notes_of(scope, source.key):
            self.graph.drop_note(scope, note)
            if self.graph.get(scope, note.on) is not None:
                touched.anchors.add(note.on)

    def _untell(self, scope: Scope, caused: _Caused, touched: Touched) -> None:
        """What was made of all words, these among them, is to be made again of the others."""
        for key in sorted(caused.noted):
            anchor = self.graph.get(scope, key)
            if isinstance(anchor, Anchor) and anchor.user_id == scope.user_id:
                noted = bool(self.graph.notes(scope, key, limit=1))
                touched.anchors.add(key)
                self.graph.put(scope, replace(anchor, description="", is_dirty=noted))
        for key in sorted(caused.related):
            one, notes = self.graph.relationship(scope, key), self.graph.notes(scope, key, limit=1)
            if one is not None and notes:
                said = notes[-1].content
                self.graph.relate(scope, replace(one, description=said, is_dirty=True))
        self._untell_stories(scope, caused.stories)

    def _untell_stories(self, scope: Scope, keys: Iterable[str]) -> None:
        stories = self.graph.get_many(scope, sorted(keys))
        grouped = [
            link.src
            for key in stories
            for link in self.graph.links(scope, key, kinds=(LinkKind.GROUPS,), outward=False)
            if link.user_id == scope.user_id
        ]
        stories |= self.graph.get_many(scope, sorted(set(grouped)))
        blank = [
            replace(one, description="", team_description="", is_dirty=True)
            for one in stories.values()
            if isinstance(one, Storyline | Macro)
        ]
        for one in blank:
            self.graph.put(scope, one)
        self.index.remove([f"{one.key}{TEAM_SUFFIX}" for one in blank])
        if blank:
            lines = [story_line(one) for one in blank]
            self.index.put(self.extract.findable.entries(scope, lines))

    def _as_processed(self, scope: Scope, source: Source) -> None:
        """Its own status is its contributor's: readable, and not read."""
        now = self.graph.get(scope, source.key)
        if not isinstance(now, Source) or now.user_id != scope.user_id:
            return
        if now.processing_status is ProcessingStatus.EXTRACTED:
            self.graph.put(
                scope,
                replace(
                    now,
                    processing_status=ProcessingStatus.PROCESSED,
                    extraction_started_at=None,
                    extraction_completed_at=None,
                    updated_at=self.clock.now(),
                ),
            )
