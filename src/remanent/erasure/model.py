"""What an erasure takes, and reports of undo: what went when all that one source had caused was taken back."""

from __future__ import annotations

from dataclasses import dataclass, field

from remanent.core.event_lookup import shadow
from remanent.core.model.belief import Belief
from remanent.core.model.event import Event
from remanent.core.model.page import title_of
from remanent.core.model.source import Artifact, Source
from remanent.core.records.admin import Erasable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rederived:
    """Beliefs after an episode behind some of them was taken out, and all others were heard again.

    `gone` are no more, `back` were overruled by it and are held true again, `fresh` now speak for
    other episodes in their own words, `changed` are those that are otherwise no longer what they were.
    """

    gone: tuple[Belief, ...] = ()
    back: tuple[Belief, ...] = ()
    fresh: tuple[Belief, ...] = ()
    changed: tuple[Belief, ...] = ()
    heard: int = 0  # statements of other episodes that were settled again


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What one source had caused for one user, and is no more. The source itself stays.

    `was_undone` says that this had been done before, and nothing was left to do. `anchors` are the
    names of those whom nothing else mentions.
    """

    source_key: str
    title: str
    mind: str = ""  # who had read it
    mentions: int = 0
    notes: int = 0
    assertions: int = 0
    stories: int = 0  # storylines that are a source shorter, or dissolved
    anchors: tuple[str, ...] = ()
    beliefs: Rederived = Rederived()
    was_undone: bool = False
    dry_run: bool = False


@dataclass(slots=True)
class Plan:
    """What goes: the caller's own sources and events, artifacts, events that put something on a shelf or
    put it right by hand, and sources of others that are to leave no trace in the caller's graph."""

    kind: Erasable
    key: str
    title: str = ""
    sources: dict[str, Source] = field(default_factory=dict)
    events: dict[str, Event] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    undone: dict[str, Source] = field(default_factory=dict)
    items: list[Event] = field(default_factory=list)
    corrections: list[Event] = field(default_factory=list)

    @property
    def titles(self) -> tuple[str, ...]:
        """What each of it is called, for who has to decide."""
        lines = [f"source: {title_of(one)}" for one in self.sources.values()]
        lines += [f"event: {shadow(one).text[:80]}" for one in self.events.values()]
        lines += [f"artifact: {one.name}" for one in self.artifacts]
        lines += list(dict.fromkeys(f"item: {one.payload['key']}" for one in self.items))
        lines += [f"put right by hand: {one.event_id}" for one in self.corrections]
        lines += [f"taken back, stays with others: {title_of(one)}" for one in self.undone.values()]
        return tuple(lines)
