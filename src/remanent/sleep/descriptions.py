"""Describe: who or what something is, said anew from its notes every night (SPEC 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remanent.anchors.owner import owner_key
from remanent.clock import Clock
from remanent.core.index_entries import (
    ALL_NOTES,
    ANCHOR_NOTES,
    Findable,
    Line,
    anchor_line,
    line_digest,
)
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.event import DESCRIBED, Event
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.new_event import happening, told_at
from remanent.core.on_behalf import sent_about
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Entry, Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.mind import Mind
from remanent.core.ports.transaction import Atomic
from remanent.errors import MindError
from remanent.jobs.night_job import Share
from remanent.jobs.quota import Allowance, Portion
from remanent.sleep.rules import descriptions
from remanent.sleep.rules.descriptions import NightlyRules

_BATCH = 25  # described and embedded together, in one transaction
_LONGEST = 400  # characters of a note that has to do for a description
MOST_TOLD = 100  # changes that a night tells of one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An anchor or a relationship, the notes on it, and what the mind made of them."""

    thing: Anchor | Relationship
    name: str
    notes: tuple[Note, ...]
    text: str

    @property
    def sources(self) -> list[str]:
        return sorted({one.source_key or "" for one in self.notes})

    @property
    def is_news(self) -> bool:
        return self.text != self.thing.description


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """The mind is asked outside the transaction; what got another note meanwhile stays dirty."""

    graph: Graph
    index: Index
    ledger: Ledger
    mind: Mind
    findable: Findable
    atomic: Atomic
    clock: Clock
    allowance: Allowance
    rules: NightlyRules

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Describe what has new notes, what has most of them first."""
        since = descriptions.accessed_since(at, self.rules)
        portion = self.allowance(scope, SleepJob.DESCRIBE, at, self.rules.describe_most)
        keys, total = self.graph.dirty(scope, limit=portion.left, accessed_since=since)
        counts: Counter[str] = Counter()
        changes: list[Change] = []
        for start in range(0, len(keys), _BATCH):
            for told in self._describe(scope, at, keys[start : start + _BATCH], portion):
                counts["described" if told.is_news else "unchanged"] += 1
                if told.is_news and len(changes) < MOST_TOLD:
                    changes.append(_change(told))
            if share is not None:
                share(min(1.0, (start + _BATCH) / len(keys)))
        return Rest(
            job=SleepJob.DESCRIBE,
            at=at,
            counts=dict(counts),
            changes=tuple(changes),
            left=total - counts.total(),
        )

    def apply(self, scope: Scope, event: Event) -> None:
        """Describe again what the event names, from the notes of the sources it names."""
        at = told_at(event)
        asked = [(str(one["key"]), frozenset(one["sources"])) for one in event.payload["things"]]
        told = [
            one
            for key, sources in asked
            if (one := self._told(scope, key, at, sources)) is not None
        ]
        entries = self._entries(scope, told)
        with self.atomic():
            self._write(scope, at, told, entries)

    def _describe(
        self, scope: Scope, at: datetime, keys: Sequence[str], portion: Portion
    ) -> list[Told]:
        told = [one for key in keys if (one := self._told(scope, key, at)) is not None]
        entries = self._entries(scope, told)
        with self.atomic(durable=True):
            same = [one for one in told if self._is_same(scope, one)]
            if same:
                things = [{"key": one.thing.key, "sources": one.sources} for one in same]
                payload = {"at": at.isoformat(), "things": things}
                self.ledger.append(
                    happening(
                        scope.user_id, DESCRIBED, payload, now=self.clock.now(), occurred_at=at
                    )
                )
                self._write(scope, at, same, entries)
                portion.take(len(same))
        return same

    def _told(
        self, scope: Scope, key: str, at: datetime, sources: Collection[str] | None = None
    ) -> Told | None:
        """What the mind says; None where it can say nothing now, or there is no such thing."""
        thing = self.thing(scope, key)
        if thing is None:
            return None
        notes = self._notes(scope, key, sources)
        # A relationship keeps all its notes: what they say now does not depend on what was said.
        before = thing.description if isinstance(thing, Anchor) else ""
        try:
            said = self.said(scope, thing, before, notes, at)
        except MindError:
            return None
        name = self._name(scope, thing)
        text = said or thing.description or newest_words(notes)
        return Told(thing=thing, name=name, notes=notes, text=text)

    def said(
        self,
        scope: Scope,
        thing: Anchor | Relationship,
        before: str,
        notes: Sequence[Note],
        at: datetime,
    ) -> str:
        """What the mind makes of these notes at `at`, knowing what was said `before`."""
        read = [one.content for one in descriptions.to_read(notes, at)]
        if not read:
            return ""
        mind = sent_about(self.mind, scope, "describe", self.graph, self._named(scope, thing))
        return " ".join(mind.describe(self._name(scope, thing), before, read).split())

    def thing(self, scope: Scope, key: str) -> Anchor | Relationship | None:
        """The caller's own anchor or relationship of that key."""
        node = self.graph.get(scope, key)
        if node is None:
            return self.graph.relationship(scope, key)
        return node if isinstance(node, Anchor) and node.user_id == scope.user_id else None

    def _notes(
        self, scope: Scope, key: str, sources: Collection[str] | None = None
    ) -> tuple[Note, ...]:
        """The newest notes on it, oldest of them first; where given, of those that these sources gave."""
        most = max(1, self.rules.describe_notes)
        if sources is None:
            return tuple(self.graph.notes(scope, key, limit=most))
        every = self.graph.notes(scope, key, limit=ALL_NOTES)
        return tuple(descriptions.said_by(every, sources)[-most:])

    def _name(self, scope: Scope, thing: Anchor | Relationship) -> str:
        if isinstance(thing, Anchor):
            return thing.name
        ends = self.graph.get_many(scope, [thing.src, thing.dst])
        names = [one.name for one in ends.values() if isinstance(one, Anchor)]
        return " and ".join(names)

    def _named(self, scope: Scope, thing: Anchor | Relationship) -> list[str]:
        """Keys of those whose words the mind is shown. The owner's name is in the profile anyway."""
        if isinstance(thing, Anchor):
            return [thing.key]
        owner = owner_key(scope.user_id)
        return [thing.key, *(end for end in (thing.src, thing.dst) if end != owner)]

    def _entries(self, scope: Scope, told: Sequence[Told]) -> dict[str, tuple[Entry, str]]:
        """What anchors are to be found by from now on, where that changes, with its digest."""
        lines = [
            line
            for one in told
            if (line := _line(one)) is not None and line_digest([line]) != one.thing.line_digest
        ]
        entries = self.findable.entries(scope, lines) if lines else []
        return {
            line.key: (entry, line_digest([line]))
            for line, entry in zip(lines, entries, strict=True)
        }

    def _is_same(self, scope: Scope, told: Told) -> bool:
        """Whether it is dirty as it was when the mind was asked, with the notes it had."""
        now = self.thing(scope, told.thing.key)
        if now is None or now.description != told.thing.description:
            return False
        if now.description and not now.is_dirty:
            return False
        return self._notes(scope, now.key) == told.notes

    def _write(
        self,
        scope: Scope,
        at: datetime,
        told: Sequence[Told],
        entries: dict[str, tuple[Entry, str]],
    ) -> None:
        for one in told:
            now = self.thing(scope, one.thing.key)
            if now is None:
                continue
            when = max(at, now.updated_at) if one.is_news else now.updated_at
            fresh = replace(now, description=one.text, is_dirty=False, updated_at=when)
            if isinstance(fresh, Relationship):
                self.graph.relate(scope, fresh)
                continue
            entry, digest = entries.get(fresh.key, (None, fresh.line_digest))
            self.graph.put(scope, replace(fresh, line_digest=digest))
            if entry is not None:
                self.index.put([entry])


def _line(told: Told) -> Line | None:
    if not isinstance(told.thing, Anchor):
        return None
    return anchor_line(replace(told.thing, description=told.text), told.notes[-ANCHOR_NOTES:])


def newest_words(notes: Sequence[Note]) -> str:
    """The newest words there are, for something that the mind has nothing to say of."""
    said = (" ".join(one.content.split())[:_LONGEST] for one in reversed(notes))
    return next(filter(None, said), "")


def _change(told: Told) -> Change:
    count = len(told.notes)
    notes = "1 note" if count == 1 else f"{count} notes"
    return Change(
        what="described", key=told.thing.key, name=told.name, why=f"from {notes}: {told.text}"
    )
