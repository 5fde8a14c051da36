"""Restory: the stories of someone, lived through again without the sources that are gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from remanent.clock import ReplayClock
from remanent.core.index_entries import TEAM_SUFFIX
from remanent.core.model import event as told
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import Event
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.new_event import happening, told_at
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.erasure.past_nights import STORIED, Past
from remanent.jobs.schedule import Rounds
from remanent.stories import rules as rule
from remanent.stories.sources import Attach, keys
from remanent.stories.stories import Stories

_LAST: Final = 1 << 62  # after everything in the ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Then(Attach):
    """What an anchor's sources were at one place of the ledger, or at one time."""

    past: Past
    seq: int
    at: datetime | None = None

    def mentioning(self, scope: Scope, anchor_key: str) -> list[Source]:
        """The sources that mention an anchor, of those read by then."""
        return self._by_then(Attach.mentioning(self, scope, anchor_key))

    def sources(self, scope: Scope, story_key: str) -> list[Source]:
        """The sources of a storyline, of those read by then."""
        return self._by_then(Attach.sources(self, scope, story_key))

    def _by_then(self, sources: list[Source]) -> list[Source]:
        return [one for one in sources if self.past.was_read(one.key, self.seq, self.at)]


@dataclass(slots=True)
class _Tale:
    """How far the stories of some anchors have come. `names` are the keys that stories have now, by
    those they had, None when there is none; `chapters` what each was last told from."""

    past: Past
    anchors: dict[str, str] = field(default_factory=dict)  # of a story
    lives: dict[str, Lifecycle] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)
    chapters: dict[str, list[Any]] = field(default_factory=dict)
    unopened: dict[str, datetime] = field(default_factory=dict)  # anchors, since when
    changed: dict[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restory:
    """Works inside the caller's transaction: the stories of these anchors are taken away and told by
    the events of old, each decided again, so that what would not have been told is not."""

    graph: Graph
    index: Index
    ledger: Ledger
    stories: Stories
    rounds: Rounds
    clock: ReplayClock

    def touched(self, scope: Scope, past: Past, gone: Iterable[str]) -> set[str]:
        """Keys of the anchors of whose stories these sources are a part; ask before they go."""
        sources, found = set(gone), set[str]()
        keys_ = {
            link.src
            for key in sources
            for link in self.graph.links(scope, key, kinds=(LinkKind.INCLUDES,), outward=False)
            if link.user_id == scope.user_id
        }
        for event in past.nights:
            if event.event_type == told.STORYLINE_OPENED and sources & set(
                event.payload["sources"]
            ):
                found.add(str(event.payload["anchor"]))
        nodes = self.graph.get_many(scope, sorted(keys_)).values()
        return found | {one.anchor_key for one in nodes if isinstance(one, Storyline)}

    def __call__(self, scope: Scope, past: Past, anchors: Iterable[str]) -> dict[str, datetime]:
        """Tell the stories of these again; when each of them last changed by a night."""
        tale = _Tale(past=past)
        for anchor in sorted(set(anchors)):
            self._take_down(scope, anchor, tale)
        for event in past.nights:
            if event.event_type in STORIED and self._anchor(event, tale) is not None:
                self._relive(scope, event, tale)
        for anchor, since in sorted(tale.unopened.items()):
            self._open_later(scope, anchor, since, tale)
        for key, life in tale.lives.items():
            now = tale.names.get(key, key)
            if now is not None:
                self.graph.relive(scope, {now: life})
        return tale.changed

    # -- taking down --------------------------------------------------------------------------------

    def _take_down(self, scope: Scope, anchor: str, tale: _Tale) -> None:
        attach = self.stories.attach
        for event in tale.past.nights:
            opens = event.event_type in (told.STORYLINE_OPENED, told.MACRO_OPENED)
            if opens and str(event.payload["anchor"]) == anchor:
                tale.anchors[str(event.payload["key"])] = anchor
        there: list[Story] = [*attach.storylines(scope, anchor), *attach.macros(scope, anchor)]
        for story in there:
            if story.key in tale.anchors:  # what another anchor handed over stays where it is
                tale.lives[story.key] = story.life
                self.graph.remove(scope, story.key)
                self.index.remove([story.key, f"{story.key}{TEAM_SUFFIX}"])
        attach.flag(scope, anchor)

    def _anchor(self, event: Event, tale: _Tale) -> str | None:
        return tale.anchors.get(str(event.payload["key"]))

    # -- living through -----------------------------------------------------------------------------

    def _relive(self, scope: Scope, event: Event, tale: _Tale) -> None:
        self.clock.show(event.recorded_at)
        then = self._then(tale.past, event.seq)
        payload = self._decided(scope, event, then, tale)
        if payload is None:
            self.ledger.erase(scope, [event.event_id])
            return
        fresh = replace(event, payload=payload)
        if payload != event.payload:
            self.ledger.amend(scope, fresh)
        self._applied(scope, fresh, tale)

    def _applied(self, scope: Scope, event: Event, tale: _Tale) -> None:
        key = str(event.payload["key"])
        self._at_work().apply(scope, event)
        tale.changed[key] = event.recorded_at
        tale.chapters[key] = [event.payload.get("chapters"), event.payload.get("team_chapters")]

    def _at_work(self) -> Stories:
        """The verbs, at the time that is shown."""
        attach = replace(self.stories.attach, clock=self.clock)
        return replace(
            self.stories,
            attach=attach,
            promote=replace(self.stories.promote, attach=attach, clock=self.clock),
            refresh=replace(self.stories.refresh, attach=attach, clock=self.clock),
            promote_macros=replace(self.stories.promote_macros, attach=attach, clock=self.clock),
            refresh_macros=replace(self.stories.refresh_macros, attach=attach, clock=self.clock),
        )

    def _then(self, past: Past, seq: int) -> Then:
        now = self.stories.attach
        return Then(
            graph=now.graph,
            index=now.index,
            registry=now.registry,
            clock=self.clock,
            rules=now.rules,
            past=past,
            seq=seq,
        )

    def _decided(
        self, scope: Scope, event: Event, then: Then, tale: _Tale
    ) -> Mapping[str, Any] | None:
        if event.event_type == told.STORYLINE_OPENED:
            return self._opening(scope, event, then, tale)
        if event.event_type == told.MACRO_OPENED:
            return self._macro_opening(scope, event, then)
        key = tale.names.get(str(event.payload["key"]), str(event.payload["key"]))
        story = None if key is None else self.graph.get(scope, key)
        if event.event_type == told.STORYLINE_CLOSED and isinstance(story, Storyline):
            return self._closing(scope, event, story, then, tale)
        if event.event_type == told.STORYLINE_RETOLD and isinstance(story, Storyline):
            return self._retelling(scope, event, story, then, tale)
        if event.event_type == told.MACRO_RETOLD and isinstance(story, Macro):
            grouped = keys(then.grouped(scope, story.key))
            return {**event.payload, "storylines": grouped} if grouped else None
        return None

    def _opening(
        self, scope: Scope, event: Event, then: Then, tale: _Tale
    ) -> Mapping[str, Any] | None:
        anchor, before = str(event.payload["anchor"]), str(event.payload["key"])
        promote = replace(self.stories.promote, attach=then)
        at = told_at(event)
        decided = promote.decided(scope, anchor, at)
        if decided is None:
            tale.names[before] = None
            if self.graph.get(scope, anchor) is not None:
                tale.unopened.setdefault(anchor, at)
            return None
        tale.unopened.pop(anchor, None)
        tale.names[before] = decided["key"]
        tale.anchors[decided["key"]] = anchor
        return decided

    def _closing(
        self, scope: Scope, event: Event, story: Storyline, then: Then, tale: _Tale
    ) -> Mapping[str, Any] | None:
        at = told_at(event)
        sources = [
            one for one in then.mentioning(scope, story.anchor_key) if story.covers(one.started_at)
        ]
        life = tale.lives.get(story.key, story.life)
        until = rule.ends_at(story, then.mentions(scope, sources), at, then.rules)
        if until is None and life.state is not State.ARCHIVED:
            return None
        closed = event.payload["closed_at"] if until is None else until.isoformat()
        return {**event.payload, "key": story.key, "closed_at": closed}

    def _retelling(
        self, scope: Scope, event: Event, story: Storyline, then: Then, tale: _Tale
    ) -> Mapping[str, Any] | None:
        """None where nothing had come to it: then no night would have told it anew."""
        refresh = replace(self.stories.refresh, attach=then)
        decided = refresh.decided(scope, story.key, told_at(event))
        if decided is None or not decided["chapters"]:
            return None
        chapters = [decided["chapters"], decided["team_chapters"]]
        return None if tale.chapters.get(story.key) == chapters else decided

    def _macro_opening(self, scope: Scope, event: Event, then: Then) -> Mapping[str, Any] | None:
        anchor = self.graph.get(scope, str(event.payload["anchor"]))
        stories = then.storylines(scope, str(event.payload["anchor"]))
        at = told_at(event)
        if not isinstance(anchor, Anchor):
            return None
        if not rule.groups_into_macro(anchor, len(stories), at, then.rules):
            return None
        return {
            **event.payload,
            "name": rule.macro_name(anchor.name),
            "storylines": keys(stories),
        }

    # -- what a later night would have opened -----------------------------------------------------------

    def _open_later(self, scope: Scope, anchor: str, since: datetime, tale: _Tale) -> None:
        """Go on through the nights that have been, until one would have opened its storyline."""
        for at in self.rounds.nights(scope, SleepJob.PROMOTE, since):
            then = replace(self._then(tale.past, _LAST), at=at)
            decided = replace(self.stories.promote, attach=then).decided(scope, anchor, at)
            if decided is not None:
                self._append(scope, told.STORYLINE_OPENED, decided, at, tale)
                self._retell_later(scope, decided["key"], at, tale)
                return

    def _retell_later(self, scope: Scope, key: str, since: datetime, tale: _Tale) -> None:
        for at in self.rounds.nights(scope, SleepJob.REFRESH, since):
            story = self.graph.get(scope, key)
            if isinstance(story, Storyline) and rule.is_due(story, at, self.stories.attach.rules):
                then = replace(self._then(tale.past, _LAST), at=at)
                decided = replace(self.stories.refresh, attach=then).decided(scope, key, at)
                chapters = decided and [decided["chapters"], decided["team_chapters"]]
                if decided is not None and chapters != tale.chapters.get(key):
                    self._append(scope, told.STORYLINE_RETOLD, decided, at, tale)

    def _append(
        self, scope: Scope, kind: str, payload: Mapping[str, Any], at: datetime, tale: _Tale
    ) -> None:
        self.clock.show(tale.past.run_of(at))
        event, _ = self.ledger.append(happening(scope.user_id, kind, payload, now=self.clock.now()))
        self._applied(scope, event, tale)
