"""Extract: one source as one user understands it (SPEC 4, phase 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from remanent.clock import Clock
from remanent.errors import UnknownKey
from remanent.model.anchor import Anchor, Concept, Entity, Note, Person
from remanent.model.belief import Support
from remanent.model.keys import canonical_name, key_for
from remanent.model.node import Kind
from remanent.model.reading import Candidate, NoteDraft, Reading
from remanent.model.relationship import Link, LinkKind
from remanent.model.scope import Scope
from remanent.model.source import ProcessingStatus, Source
from remanent.model.team import User
from remanent.ports.atomic import Atomic
from remanent.ports.graph import Graph
from remanent.ports.index import Index
from remanent.ports.mind import Mind
from remanent.ports.registry import Registry
from remanent.rules import resolution
from remanent.rules.resolution import ResolutionRules
from remanent.verbs.believe import Believe, Claim
from remanent.verbs.findable import Findable, Line, anchor_line
from remanent.verbs.process import reading_of
from remanent.verbs.register import owner_key
from remanent.verbs.relate import Relate


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Four steps, each a transaction that does nothing the second time: anchors, findings,
    beliefs, done. A crash between two of them costs only repetition."""

    graph: Graph
    index: Index
    registry: Registry
    mind: Mind
    findable: Findable
    believe: Believe
    relate: Relate
    atomic: Atomic
    clock: Clock
    rules: ResolutionRules

    def __call__(self, scope: Scope, source_key: str, *, again: bool = False) -> None:
        """Draw people, concepts, entities, relationships and beliefs from a processed source."""
        source = self.graph.get(scope, source_key)
        owner = self.registry.user(scope.user_id)
        if not isinstance(source, Source) or owner is None:
            raise UnknownKey(source_key)
        if source.processing_status is ProcessingStatus.EXTRACTED and not again:
            return
        started = self.clock.now()
        reading = reading_of(source, self.graph.passages(scope, source_key), owner)
        anchors = self._anchors(scope, source, self.mind.extract(reading), owner)
        self._findings(scope, source, reading, anchors)
        self._beliefs(scope, source, reading)
        self._done(scope, source_key, started)

    def _anchors(
        self, scope: Scope, source: Source, candidates: Sequence[Candidate], owner: User
    ) -> list[Anchor]:
        """Nodes for the candidates that passed the gates, each mentioned by the source once."""
        day = resolution.local_day(source.started_at, owner.timezone)
        keys = []
        with self.atomic():
            for candidate in candidates:
                if resolution.worth_a_node(candidate, self.rules):
                    anchor = self._resolve(scope, candidate)
                    keys.append(self._mention(scope, source, anchor, day))
            found = self.graph.get_many(scope, [*dict.fromkeys(keys), owner_key(scope.user_id)])
        return [node for node in found.values() if isinstance(node, Anchor)]

    def _resolve(self, scope: Scope, candidate: Candidate) -> Anchor:
        name = resolution.resolve(candidate, self.graph.names(scope))
        known = None if name is None else self.graph.get(scope, name.key)
        if not isinstance(known, Anchor):
            return _anchor(scope, candidate, self.clock.now())
        if name is None or name.is_owner:  # the owner is called what the profile says
            return known
        aliases = resolution.merged_aliases(known.aliases, candidate, name=known.name)
        if aliases == known.aliases:
            return known
        return replace(known, aliases=aliases, updated_at=self.clock.now())

    def _mention(self, scope: Scope, source: Source, anchor: Anchor, day: date) -> str:
        """Counters move only with a new `mentions` link (SPEC 12.3)."""
        self.graph.put(scope, anchor)
        link = Link(
            user_id=scope.user_id,
            kind=LinkKind.MENTIONS,
            src=source.key,
            dst=anchor.key,
            created_at=self.clock.now(),
        )
        if self.graph.link(scope, link):
            counted = resolution.mentioned(anchor, at=source.started_at, day=day)
            self.graph.put(scope, replace(counted, updated_at=self.clock.now()))
        return anchor.key

    def _findings(
        self, scope: Scope, source: Source, reading: Reading, anchors: Sequence[Anchor]
    ) -> None:
        findings = self.mind.relate(reading, anchors)
        by_name = {anchor.name: anchor.key for anchor in anchors}
        notes = [(by_name[one.anchor], one) for one in findings.notes if one.anchor in by_name]
        entries = self.findable.entries(self._unindexed(scope, source, anchors, notes))
        with self.atomic():
            for key, draft in notes:
                self._note(scope, source, key, draft)
            for relation in findings.relations:
                if relation.src in by_name and relation.dst in by_name:
                    ends = by_name[relation.src], by_name[relation.dst]
                    self.relate(scope, source, *ends, relation)
            self.index.put(entries)

    def _unindexed(
        self,
        scope: Scope,
        source: Source,
        anchors: Sequence[Anchor],
        notes: Sequence[tuple[str, NoteDraft]],
    ) -> list[Line]:
        """What the index does not know yet, once these notes are written. Embedding is the dear
        part of extraction: an anchor of which nothing new was said keeps its vector."""
        known = self.index.vectors(scope, [anchor.key for anchor in anchors])
        lines = []
        for anchor in anchors:
            noted = anchor
            for key, draft in notes:
                if key == anchor.key:
                    noted = resolution.with_note(noted, self._note_of(scope, source, draft))
            line = anchor_line(noted)
            if anchor.key not in known or line.text != anchor_line(anchor).text:
                lines.append(line)
        return lines

    def _note_of(self, scope: Scope, source: Source, draft: NoteDraft) -> Note:
        return Note(
            content=draft.content,
            added_by=scope.user_id,
            date_added=source.started_at,
            source_key=source.key,
            expires_at=resolution.expires(source.started_at, draft.lifetime, self.rules),
        )

    def _note(self, scope: Scope, source: Source, key: str, draft: NoteDraft) -> None:
        anchor = self.graph.get(scope, key)
        if isinstance(anchor, Anchor):
            noted = resolution.with_note(anchor, self._note_of(scope, source, draft))
            if noted is not anchor:
                self.graph.put(scope, replace(noted, updated_at=self.clock.now()))

    def _beliefs(self, scope: Scope, source: Source, reading: Reading) -> None:
        said = {passage.key: passage for passage in reading.passages}
        for draft in self.mind.beliefs(reading):
            passage = said.get(draft.passage_key or "")
            support = Support(
                event_id=source.event_id,
                statement=draft.statement,
                at=(passage.at if passage else None) or source.started_at,
                source_key=source.key,
                passage_key=draft.passage_key,
            )
            self.believe(scope, Claim(draft=draft, support=support, episode_key=source.key))

    def _done(self, scope: Scope, source_key: str, started: datetime) -> None:
        with self.atomic():
            source = self.graph.get(scope, source_key)
            if not isinstance(source, Source) or source.processing_status is (
                ProcessingStatus.EXTRACTED
            ):
                return
            now = self.clock.now()
            done = replace(
                source,
                processing_status=ProcessingStatus.EXTRACTED,
                extraction_started_at=started,
                extraction_completed_at=now,
                updated_at=now,
            )
            self.graph.put(scope, done)


def _anchor(scope: Scope, candidate: Candidate, now: datetime) -> Anchor:
    """A new node for a candidate nobody has met yet; its key comes from its natural key."""
    name = candidate.name
    common: dict[str, Any] = {
        "user_id": scope.user_id,
        "created_at": now,
        "updated_at": now,
        "name": name,
        "created_by": scope.user_id,
        "confidence": min(candidate.confidence / 10, 1.0),
        "aliases": candidate.aliases,
    }
    canonical = canonical_name(name)
    if candidate.kind is Kind.PERSON:
        key = key_for(scope.user_id, Kind.PERSON, canonical)
        return Person(key=key, canonical_name=canonical, **common)
    if candidate.kind is Kind.CONCEPT:
        return Concept(key=key_for(scope.user_id, Kind.CONCEPT, canonical), **common)
    key = key_for(scope.user_id, Kind.ENTITY, canonical, candidate.type)
    return Entity(key=key, type=candidate.type, **common)
