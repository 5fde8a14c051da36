"""Refresh: storylines to which something came are told anew (SPEC 6)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from remanent.clock import Clock
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import STORYLINE_RETOLD, Event
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Rest, SleepJob
from remanent.core.model.story import Storyline
from remanent.core.new_event import happening
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.transaction import Atomic
from remanent.jobs.night_job import Share
from remanent.jobs.quota import Allowance, Portion
from remanent.jobs.tally import Tally
from remanent.stories import rules as rule
from remanent.stories.promote import PAGE
from remanent.stories.rules import OPEN_STATES, StoryRules
from remanent.stories.sources import Attach, keys
from remanent.stories.text import Tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """Each storyline is told anew by an event, in a transaction of its own."""

    graph: Graph
    index: Index
    ledger: Ledger
    attach: Attach
    tell: Tell
    atomic: Atomic
    clock: Clock
    allowance: Allowance
    rules: StoryRules

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        """Tell up to so many anew, the largest first."""
        tally = Tally(job=SleepJob.REFRESH, at=at)
        total = sum(1 for _ in self._due(scope, at))
        portion = self.allowance(scope, SleepJob.REFRESH, at, self.rules.refresh_most)
        chosen = heapq.nsmallest(portion.left, self._due(scope, at), key=lambda one: one[:2])
        for done, (_, key) in enumerate(chosen, 1):
            payload = self.decided(scope, key, at)
            if payload is not None:
                now = self.clock.now()
                event = happening(scope.user_id, STORYLINE_RETOLD, payload, now=now, occurred_at=at)
                story = self._retold(scope, event, portion)
                if story is not None:
                    tally.note("retold", story, f"it has {story.source_count} sources now")
            if share is not None:
                share(done / len(chosen))
        tally.left = total - len(chosen)
        return tally.rest

    def apply(self, scope: Scope, event: Event) -> None:
        """Do what an event of this job says, as it was done then."""
        if event.event_type == STORYLINE_RETOLD:
            self._retold(scope, event)

    def _due(self, scope: Scope, at: datetime) -> Iterator[tuple[int, str]]:
        after = ""
        while page := self.graph.find(
            scope, Kind.STORYLINE, states=OPEN_STATES, limit=PAGE, after=after
        ):
            after = page[-1].key
            for one in page:
                own = isinstance(one, Storyline) and one.user_id == scope.user_id
                if own and isinstance(one, Storyline) and rule.is_due(one, at, self.rules):
                    yield -one.source_count, one.key

    def decided(self, scope: Scope, key: str, at: datetime) -> dict[str, Any] | None:
        """What a storyline is told from at `at`, as an event tells it."""
        story = self.graph.get(scope, key)
        if not isinstance(story, Storyline):
            return None
        anchor = self.graph.get(scope, story.anchor_key)
        name = anchor.name if isinstance(anchor, Anchor) else ""
        started = self.tell.local(scope, story.started_at)
        sources = self.attach.sources(scope, key)
        shared = [
            one
            for one in sources
            if story.team_id is not None and rule.shared_with(one) == story.team_id
        ]
        return {
            "at": at.isoformat(),
            "key": key,
            "name": rule.name_of(name, story.ordinal, started) if name else story.name,
            "chapters": keys(rule.chapters(sources, self.rules)),
            "team_chapters": keys(rule.chapters(shared, self.rules)),
        }

    def _retold(
        self, scope: Scope, event: Event, portion: Portion | None = None
    ) -> Storyline | None:
        """The storyline as it is told now; for the first time, out of the portion of a night."""
        payload = event.payload
        before = self.graph.get(scope, payload["key"])
        if not isinstance(before, Storyline):
            return None
        told = self.tell.storyline(scope, before, payload["chapters"], payload["team_chapters"])
        told = replace(told, name=payload["name"])
        entries = self.tell.entries(scope, before, told)
        with self.atomic(durable=portion is not None):
            story = self.graph.get(scope, payload["key"])
            if not isinstance(story, Storyline) or story.team_id != before.team_id:
                return None  # it changed hands meanwhile: another night
            if portion is not None:
                self.ledger.append(event)
                portion.take(1)
            newest = keys(rule.chapters(self.attach.sources(scope, story.key), self.rules))
            after = replace(
                story,
                name=told.name,
                description=told.description,
                team_description=told.team_description,
                is_dirty=newest != list(payload["chapters"]),
            )
            self.attach.put(scope, story, after)
            self.index.put(entries)
        return after
