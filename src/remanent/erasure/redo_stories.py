"""Restory: the stories of someone, lived through again without the sources that are gone, by the past of
the user's nights: what was read when, and what nights did.

Works inside the caller's transaction: the stories of these anchors are taken away and told by
the events of old, each decided again, so that what would not have been told is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from remanent.clock import ReplayClock
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events
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
from remanent.core.new_event import effective_at
from remanent.core.read import set_life
from remanent.jobs import schedule
from remanent.stories import rules as rule
from remanent.stories import sources as attach
from remanent.stories import stories, storylines
from remanent.stories.sources import keys

_INCLUDES: Final = (LinkKind.INCLUDES,)
_Knew = Callable[[Source], bool]
_NIGHT: Final = timedelta(hours=6)
_DAY: Final = timedelta(days=1)
STORIED: Final = frozenset(stories.AGAIN)
NIGHTLY: Final = STORIED | {told.DESCRIBED, told.NOTES_EXPIRED, told.SOURCES_DISTILLED}


@dataclass(slots=True)
class PastNights:
    """One user's: `read` tells where in the ledger each source was read, and when; `nights` are the events
    of nights in order."""

    env: Env
    scope: Scope
    read: dict[str, tuple[int, datetime]] = field(default_factory=dict)
    nights: list[Event] = field(default_factory=list)

    def seq_of(self, source_key: str | None) -> int:
        """Where it was read; before everything when nobody knows."""
        return 0 if source_key is None else self.read.get(source_key, (0, None))[0]

    def run_of(self, tick: datetime) -> datetime:
        """When the night of that tick was slept, by what it wrote; at the tick itself if it did not."""
        written = (one.recorded_at for one in self.nights if effective_at(one) <= tick + _NIGHT)
        return min((at for at in written if tick <= at <= tick + _DAY), default=tick)

    def read_by(self, seq: int, at: datetime | None = None) -> _Knew:
        """Says of a source whether it had been read at that place of the ledger, and at that time."""

        def knew(source: Source) -> bool:
            place = self.read.get(source.key)
            return place is None or (place[0] < seq and (at is None or place[1] <= at))

        return knew


def past_of(env: Env, scope: Scope) -> PastNights:
    """The caller's own."""
    past = PastNights(env, scope)
    for event in ledger_events(env, scope, told.SOURCE_EXTRACTED, *NIGHTLY):
        if event.event_type == told.SOURCE_EXTRACTED:
            past.read[str(event.payload["source_key"])] = (event.seq, event.recorded_at)
        else:
            past.nights.append(event)
    return past


_LAST: Final = 1 << 62  # after everything in the ledger


@dataclass(slots=True)
class _Tale:
    """How far the stories of some anchors have come. `names` are the keys that stories have now, by
    those they had, None when there is none; `chapters` what each was last told from."""

    past: PastNights
    clock: ReplayClock
    env: Env  # by that clock
    scope: Scope
    anchors: dict[str, str] = field(default_factory=dict)  # of a story
    lives: dict[str, Lifecycle] = field(default_factory=dict)
    names: dict[str, str | None] = field(default_factory=dict)
    chapters: dict[str, list[Any]] = field(default_factory=dict)
    unopened: dict[str, datetime] = field(default_factory=dict)  # anchors, since when
    changed: dict[str, datetime] = field(default_factory=dict)


def touched(past: PastNights, gone: Iterable[str]) -> set[str]:
    """Keys of the anchors of whose stories these sources are a part; ask before they go."""
    sources, anchors = set(gone), set[str]()
    keys_ = {
        link.src
        for key in sources
        for link in past.env.graph.links(past.scope, key, kinds=_INCLUDES, outward=False)
        if link.user_id == past.scope.user_id
    }
    for event in past.nights:
        if event.event_type == told.STORYLINE_OPENED and sources & set(event.payload["sources"]):
            anchors.add(str(event.payload["anchor"]))
    nodes = past.env.graph.get_many(past.scope, sorted(keys_)).values()
    return anchors | {one.anchor_key for one in nodes if isinstance(one, Storyline)}


def redo_stories(past: PastNights, anchors: Iterable[str]) -> dict[str, datetime]:
    """Tell the stories of these again; when each of them last changed by a night."""
    clock = ReplayClock(past.env.clock.now())
    tale = _Tale(past=past, clock=clock, env=past.env.at(clock), scope=past.scope)
    for anchor in sorted(set(anchors)):
        _take_down(tale, anchor)
    for event in past.nights:
        if event.event_type in STORIED and tale.anchors.get(str(event.payload["key"])) is not None:
            _relive(tale, event)
    for anchor, since in sorted(tale.unopened.items()):
        _open_later(tale, anchor, since)
    for key, life in tale.lives.items():
        now = tale.names.get(key, key)
        if now is not None:
            set_life(tale.env, tale.scope, now, life)
    return tale.changed


# -- taking down --------------------------------------------------------------------------------


def _take_down(tale: _Tale, anchor: str) -> None:
    env, scope = tale.env, tale.scope
    for event in tale.past.nights:
        opens = event.event_type in (told.STORYLINE_OPENED, told.MACRO_OPENED)
        if opens and str(event.payload["anchor"]) == anchor:
            tale.anchors[str(event.payload["key"])] = anchor
    there: list[Story] = [
        *attach.storylines(env, scope, anchor),
        *attach.macros(env, scope, anchor),
    ]
    for story in there:
        if story.key in tale.anchors:  # what another anchor handed over stays where it is
            tale.lives[story.key] = story.life
            env.graph.remove(scope, story.key)
            env.index.remove([story.key, f"{story.key}{TEAM_SUFFIX}"])
    attach.flag_anchor(env, scope, anchor)


# -- living through -----------------------------------------------------------------------------


def _relive(tale: _Tale, event: Event) -> None:
    tale.clock.show(event.recorded_at)
    payload = _decided(tale, event, tale.past.read_by(event.seq))
    if payload is None:
        tale.env.ledger.erase(tale.scope, [event.event_id])
        return
    fresh = replace(event, payload=payload)
    if payload != event.payload:
        tale.env.ledger.amend(tale.scope, fresh)
    _applied(tale, fresh)


def _applied(tale: _Tale, event: Event) -> None:
    key = str(event.payload["key"])
    stories.apply(tale.env, tale.scope, event)
    tale.changed[key] = event.recorded_at
    tale.chapters[key] = [event.payload.get("chapters"), event.payload.get("team_chapters")]


def _decided(tale: _Tale, event: Event, knew: _Knew) -> Mapping[str, Any] | None:
    if event.event_type == told.STORYLINE_OPENED:
        return _opening(tale, event, knew)
    if event.event_type == told.MACRO_OPENED:
        return _macro_opening(tale, event)
    key = tale.names.get(str(event.payload["key"]), str(event.payload["key"]))
    story = None if key is None else tale.env.graph.get(tale.scope, key)
    if event.event_type == told.STORYLINE_CLOSED and isinstance(story, Storyline):
        return _closing(tale, event, story, knew)
    if event.event_type == told.STORYLINE_RETOLD and isinstance(story, Storyline):
        # None where nothing had come to it: then no night would have told it anew.
        decided = _retelling(tale, story.key, effective_at(event), knew)
        return decided if decided and decided["chapters"] else None
    if event.event_type == told.MACRO_RETOLD and isinstance(story, Macro):
        grouped = keys(attach.grouped(tale.env, tale.scope, story.key))
        return {**event.payload, "storylines": grouped} if grouped else None
    return None


def _opening(tale: _Tale, event: Event, knew: _Knew) -> Mapping[str, Any] | None:
    anchor, before = str(event.payload["anchor"]), str(event.payload["key"])
    at = effective_at(event)
    decided = storylines.decide_opening(tale.env, tale.scope, anchor, at, knew=knew)
    if decided is None:
        tale.names[before] = None
        if tale.env.graph.get(tale.scope, anchor) is not None:
            tale.unopened.setdefault(anchor, at)
        return None
    tale.unopened.pop(anchor, None)
    tale.names[before] = decided["key"]
    tale.anchors[decided["key"]] = anchor
    return decided


def _closing(tale: _Tale, event: Event, story: Storyline, knew: _Knew) -> Mapping[str, Any] | None:
    env, scope = tale.env, tale.scope
    mentioning = attach.mentioning(env, scope, story.anchor_key, knew=knew)
    sources = [one for one in mentioning if story.covers(one.started_at)]
    mentions = attach.mentions(env, scope, sources)
    life = tale.lives.get(story.key, story.life)
    until = rule.ends_at(story, mentions, effective_at(event), env.config.story)
    if until is None and life.state is not State.ARCHIVED:
        return None
    closed = event.payload["closed_at"] if until is None else until.isoformat()
    return {**event.payload, "key": story.key, "closed_at": closed}


def _retelling(tale: _Tale, key: str, at: datetime, knew: _Knew) -> Mapping[str, Any] | None:
    """None where it says what it says already."""
    decided = storylines.decide_retelling(tale.env, tale.scope, key, at, knew=knew)
    chapters = decided and [decided["chapters"], decided["team_chapters"]]
    return None if chapters == tale.chapters.get(key) else decided


def _macro_opening(tale: _Tale, event: Event) -> Mapping[str, Any] | None:
    env, scope = tale.env, tale.scope
    anchor = env.graph.get(scope, str(event.payload["anchor"]))
    there = attach.storylines(env, scope, str(event.payload["anchor"]))
    at, rules = effective_at(event), env.config.story
    if not isinstance(anchor, Anchor) or not rule.groups_into_macro(anchor, len(there), at, rules):
        return None
    return {**event.payload, "name": rule.macro_name(anchor.name), "storylines": keys(there)}


# -- what a later night would have opened -----------------------------------------------------------


def _open_later(tale: _Tale, anchor: str, since: datetime) -> None:
    """Go on through the nights that have been, until one would have opened its storyline."""
    for at in schedule.nights(tale.env, tale.scope, SleepJob.PROMOTE, since):
        knew = tale.past.read_by(_LAST, at)
        decided = storylines.decide_opening(tale.env, tale.scope, anchor, at, knew=knew)
        if decided is not None:
            _append(tale, told.STORYLINE_OPENED, decided, at)
            _retell_later(tale, decided["key"], at)
            return


def _retell_later(tale: _Tale, key: str, since: datetime) -> None:
    for at in schedule.nights(tale.env, tale.scope, SleepJob.REFRESH, since):
        story = tale.env.graph.get(tale.scope, key)
        if isinstance(story, Storyline) and rule.is_due(story, at, tale.env.config.story):
            decided = _retelling(tale, key, at, tale.past.read_by(_LAST, at))
            if decided is not None:
                _append(tale, told.STORYLINE_RETOLD, decided, at)


def _append(tale: _Tale, kind: str, payload: Mapping[str, Any], at: datetime) -> None:
    tale.clock.show(tale.past.run_of(at))
    _applied(tale, tale.env.append(tale.scope, kind, payload))
