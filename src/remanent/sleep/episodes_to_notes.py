"""Distil: what is left of old sources becomes notes, and the sources are put away (SPEC 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from remanent.anchors.owner import owner_key
from remanent.anchors.rules import resolution
from remanent.anchors.rules.resolution import ResolutionRules
from remanent.beliefs.rules import belief as rule
from remanent.clock import Clock
from remanent.core import privacy
from remanent.core.model.anchor import Anchor, Lifetime, Note
from remanent.core.model.event import SOURCES_DISTILLED, Event
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.model.source import Passage, Source
from remanent.core.model.worn_sources import Worn
from remanent.core.new_event import happening, told_at
from remanent.core.on_behalf import sent
from remanent.core.ports.embedder import Embedder
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.errors import MindError
from remanent.ingest.process import reading_of
from remanent.jobs.night_job import Share
from remanent.jobs.quota import Allowance, Portion
from remanent.sleep.descriptions import MOST_TOLD
from remanent.sleep.rules import clusters
from remanent.sleep.rules.clusters import Alike, Cluster, DistilRules

BY_SLEEP = "sleep"  # who added a note that a night distilled: drawing its source again keeps it
_LOOKED_AT = 3000  # sources of which clusters are made in one night
_PASSAGES = 40  # of one part, shared out among its sources


@dataclass(slots=True)
class _Done:
    """What a night did so far."""

    sources: int = 0
    notes: int = 0
    left: int = 0
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distil:
    """One event and one transaction for a cluster; the mind is asked before it."""

    graph: Graph
    index: Index
    ledger: Ledger
    registry: Registry
    mind: Mind
    embedder: Embedder
    atomic: Atomic
    clock: Clock
    allowance: Allowance
    rules: DistilRules
    resolution: ResolutionRules

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Distil what is worn, and groups that tell of the same."""
        portion = self.allowance(scope, SleepJob.DISTIL, at, self.rules.most)
        done = _Done()
        while self._go_over(scope, at, done, portion, share):
            share = None  # what is looked at after the first so many is told as one with them
        counts = {"distilled": done.sources, "noted": done.notes} if done.sources else {}
        return Rest(
            job=SleepJob.DISTIL, at=at, counts=counts, changes=tuple(done.changes), left=done.left
        )

    def _go_over(
        self, scope: Scope, at: datetime, done: _Done, portion: Portion, share: Share | None
    ) -> bool:
        """As many as are looked at together; whether there may be more to do."""
        worn, total = self.graph.worn(scope, clusters.wear(at, self.rules), limit=_LOOKED_AT)
        alike, owner = self._alike(scope, worn), owner_key(scope.user_id)
        found = list(clusters.clusters(worn, alike, self.rules, without=owner))
        before, done.left = done.sources, total - sum(one.is_worn for one in worn)
        for number, cluster in enumerate(found, start=1):
            notes = self._distil(scope, at, cluster, portion) if portion.left else None
            if notes is None:
                done.left += len(cluster.sources)
                continue
            done.sources += len(cluster.sources)
            done.notes += notes
            done.changes += self._changes(scope, cluster, notes, MOST_TOLD - len(done.changes))
            if share is not None:
                share(number / len(found))
        return len(worn) >= _LOOKED_AT and done.sources > before and portion.left > 0

    def apply(self, scope: Scope, event: Event) -> None:
        """Note and put away once more what the event names."""
        parts = event.payload["parts"]
        notes = [note for part in parts for note in self._notes(scope, told_at(event), part)]
        with self.atomic():
            self._write(scope, parts, notes)

    def note_again(self, scope: Scope, event: Event) -> None:
        """Note once more what the event tells of, inside the caller's transaction; lives stay."""
        for part in event.payload["parts"]:
            for note in self._notes(scope, told_at(event), part):
                self.graph.add_note(scope, note)

    def _distil(self, scope: Scope, at: datetime, cluster: Cluster, portion: Portion) -> int | None:
        """How many notes it gave; None when it has to wait."""
        owner = owner_key(scope.user_id)
        parts = [
            {
                "sources": [one.key for one in part],
                "anchors": clusters.shared(part, owner) or [owner],
            }
            for part in cluster.parts(self.rules.together_most)
        ]
        try:
            notes = [note for part in parts for note in self._notes(scope, at, part)]
        except MindError:
            return None
        with self.atomic(durable=True):
            if not self._is_untouched(scope, at, cluster):
                return None
            payload = {
                "at": at.isoformat(),
                "why": cluster.why,
                "sources": len(cluster.sources),
                "notes": len(notes),
                "parts": parts,
            }
            self.ledger.append(
                happening(
                    scope.user_id, SOURCES_DISTILLED, payload, now=self.clock.now(), occurred_at=at
                )
            )
            self._write(scope, parts, notes)
            portion.take(len(cluster.sources))
        return len(notes)

    def _notes(self, scope: Scope, at: datetime, part: Mapping[str, Any]) -> list[Note]:
        """What the mind makes of these sources, noted on the anchors they share."""
        nodes = self.graph.get_many(scope, [str(key) for key in part["sources"]])
        sources = [one for key in part["sources"] if isinstance(one := nodes.get(key), Source)]
        if not sources:
            return []
        read = {one.key: self._passages(scope, one, len(sources)) for one in sources}
        reading = reading_of(
            sources[0],
            [passage for one in sources for passage in read[one.key]],
            self.registry.user(scope.user_id),
        )
        told = [(one.key, " ".join(each.text for each in read[one.key])) for one in sources]
        begun = {one.key: one.started_at for one in sources}
        shared = self._anchors(scope, part)
        notes: list[Note] = []
        private = any(privacy.is_private(one) for one in sources)
        mind = sent(self.mind, scope, "distil", private=private)
        for insight in clusters.insights(mind.gist(reading)):
            source_key = clusters.came_from(insight, told)
            note = Note(
                on="",
                content=insight,
                added_by=BY_SLEEP,
                date_added=begun[source_key],
                source_key=source_key,
                expires_at=resolution.expires(at, Lifetime.YEAR, self.resolution),
            )
            places = clusters.noted_on(insight, list(shared), shared.__getitem__, self.rules)
            notes += [replace(note, on=key) for key in places]
        return notes

    def _passages(self, scope: Scope, source: Source, among: int) -> list[Passage]:
        return self.graph.passages(scope, source.key)[: max(1, _PASSAGES // among)]

    def _anchors(self, scope: Scope, part: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """What each shared anchor is called; the owner stands in where there is none."""
        keys = [str(key) for key in part["anchors"]]
        nodes = self.graph.get_many(scope, [*keys, owner_key(scope.user_id)])
        found = {
            key: (one.name, *one.aliases)
            for key in keys
            if isinstance(one := nodes.get(key), Anchor) and one.user_id == scope.user_id
        }
        return found or {owner_key(scope.user_id): ()}

    def _is_untouched(self, scope: Scope, at: datetime, cluster: Cluster) -> bool:
        """Whether nobody called on any of them, or put it away, while the mind thought."""
        nodes = self.graph.get_many(scope, [one.key for one in cluster.sources])
        asked = clusters.wear(at, self.rules)
        return len(nodes) == len(cluster.sources) and all(
            one.life.state is not State.ARCHIVED
            and (one.life.last_accessed_at is None or one.life.last_accessed_at < asked.untouched)
            for one in nodes.values()
        )

    def _write(
        self, scope: Scope, parts: Sequence[Mapping[str, Any]], notes: Sequence[Note]
    ) -> None:
        for note in notes:
            self.graph.add_note(scope, note)
        self.graph.touch(scope, [str(key) for part in parts for key in part["sources"]], _put_away)

    def _alike(self, scope: Scope, worn: Sequence[Worn]) -> Alike:
        vectors = self.index.vectors(scope, [one.key for one in worn])

        def alike(one: str, other: str) -> float | None:
            if one not in vectors or other not in vectors:
                return None
            cosine = float(np.dot(vectors[one], vectors[other]))
            return rule.similarity(cosine, self.embedder.scale)

        return alike

    def _changes(self, scope: Scope, cluster: Cluster, notes: int, room: int) -> list[Change]:
        left = {0: "nothing to keep", 1: "1 note of it"}.get(notes, f"{notes} notes of it")
        nodes = self.graph.get_many(scope, [one.key for one in cluster.sources[:room]])
        return [
            Change(
                what="distilled",
                key=key,
                name=title_of(node),
                why=f"{cluster.why}; {left}",
            )
            for key, node in nodes.items()
        ]


def _put_away(life: Lifecycle) -> Lifecycle:
    return replace(life, state=State.ARCHIVED)
