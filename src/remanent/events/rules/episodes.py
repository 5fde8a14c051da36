"""How events become episodes, and what in the past of other sessions belongs to them (SPEC 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from remanent.core.model.story import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRules:
    """What makes an episode, what one run of re-consolidation takes on, and when it is run early."""

    gap_minutes: float = 30.0  # a longer pause begins a new episode
    episode_events: int = 200  # a longer run is cut
    event_characters: int = 500  # of each event, in what a summary is written from
    summary_parts: int = 50  # the newest so many lower summaries make the text of a higher one
    events_a_run: int = 2000  # the box that a run fits in: what is over waits for the next
    link_from: float = 0.7  # similarity, or weight of what is referenced by both
    links_each: int = 3  # links to other sessions that one event gets
    rare_within: int = 3  # an anchor that so few events reference counts twice
    common_from: int = 200  # an anchor that more events reference says nothing
    shortcut_accesses: int = 3
    shortcuts_a_run: int = 100
    reflect_above: float = 150.0  # importance since the last reflection


_DEFAULTS = EpisodeRules()


class HasTime(Protocol):
    """Whatever has a time."""

    @property
    def occurred_at(self) -> datetime: ...


One = TypeVar("One", bound=HasTime)


def runs(events: Sequence[One], rules: EpisodeRules = _DEFAULTS) -> list[list[One]]:
    """Events in order of time, cut wherever the pause is longer than the gap or a run is full."""
    found: list[list[One]] = []
    for event in events:
        if (
            not found
            or event.occurred_at - found[-1][-1].occurred_at > gap(rules)
            or len(found[-1]) >= max(1, rules.episode_events)
        ):
            found.append([])
        found[-1].append(event)
    return found


def is_closed(run: Sequence[HasTime], at: datetime, rules: EpisodeRules = _DEFAULTS) -> bool:
    """Whether nothing that happens after `at` can still belong to it."""
    return at - run[-1].occurred_at > gap(rules)


def home(
    run: Sequence[HasTime], episodes: Sequence[Summary], rules: EpisodeRules = _DEFAULTS
) -> Summary | None:
    """The earliest episode already told that a run came too late for, or goes on with; or None."""
    first, last = run[0].occurred_at, run[-1].occurred_at
    for one in sorted(episodes, key=lambda episode: (episode.covers_from, episode.key)):
        near = first - one.covers_to <= gap(rules) and one.covers_from - last <= gap(rules)
        if near and one.event_count + len(run) <= rules.episode_events:
            return one
    return None


def gap(rules: EpisodeRules = _DEFAULTS) -> timedelta:
    return timedelta(minutes=rules.gap_minutes)


def telling(weights: Sequence[float]) -> list[bool]:
    """Which of an episode's events its summary is written from: those of no less than average weight,
    so that many calls of tools do not drown the one decision."""
    return [one * len(weights) >= sum(weights) - 1e-9 for one in weights]


def tie(
    similarity: float, shared: int, rarest: int | None, rules: EpisodeRules = _DEFAULTS
) -> float:
    """How strongly two events of different sessions belong together, from 0 to 1.

    The more alike they are, or the more they both reference: two anchors make 0.75, as one does that
    hardly any other event references.
    """
    count = shared + (shared > 0 and rarest is not None and rarest <= rules.rare_within)
    return max(min(1.0, similarity), 1.0 - 0.5**count)
