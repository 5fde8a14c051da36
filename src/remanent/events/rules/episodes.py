"""Episodes: how events become episodes, which events of other sessions belong to them, how much an event's
place in the graph adds to its importance (SPEC 2), and which event nodes stay, by tier (SPEC 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar

from remanent.core.dataclasses import dataclass
from remanent.core.model.event import EventFacts, Tier
from remanent.core.model.story import Summary

# What re-consolidation decided, as an entry of the ledger says it.
TOLD: Final = "told"
AGENT_TOLD: Final = "agent_told"
RAISED: Final = "raised"
SHORTENED: Final = "shortened"
LINKS_LET_GO: Final = "links_let_go"
EVENTS_LET_GO: Final = "events_let_go"
REFLECTION: Final = "reflection"
TRIMMED: Final = "trimmed"


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
    cut: list[list[One]] = []
    for event in events:
        if (
            not cut
            or event.occurred_at - cut[-1][-1].occurred_at > gap(rules)
            or len(cut[-1]) >= max(1, rules.episode_events)
        ):
            cut.append([])
        cut[-1].append(event)
    return cut


def is_closed(run: Sequence[HasTime], at: datetime, rules: EpisodeRules = _DEFAULTS) -> bool:
    """Whether nothing that happens after `at` can still belong to it."""
    return at - run[-1].occurred_at > gap(rules)


def home(
    run: Sequence[HasTime], episodes: Sequence[Summary], rules: EpisodeRules = _DEFAULTS
) -> Summary | None:
    """The earliest episode already told that a run came too late for, or goes on with; or None."""
    first, last = run[0].occurred_at, run[-1].occurred_at
    for episode in sorted(episodes, key=lambda each: (each.covers_from, each.key)):
        near = first - episode.covers_to <= gap(rules) and episode.covers_from - last <= gap(rules)
        if near and episode.event_count + len(run) <= rules.episode_events:
            return episode
    return None


def gap(rules: EpisodeRules = _DEFAULTS) -> timedelta:
    return timedelta(minutes=rules.gap_minutes)


def summarized_events(weights: Sequence[float]) -> list[bool]:
    """Which of an episode's events its summary is written from: those of no less than average weight,
    so that many calls of tools do not drown the one decision."""
    return [one * len(weights) >= sum(weights) - 1e-9 for one in weights]


def link_weight(
    similarity: float, shared: int, rarest: int | None, rules: EpisodeRules = _DEFAULTS
) -> float:
    """How strongly two events of different sessions belong together, from 0 to 1.

    The more alike they are, or the more they both reference: two anchors make 0.75, as one does that
    hardly any other event references.
    """
    count = shared + (shared > 0 and rarest is not None and rarest <= rules.rare_within)
    return max(min(1.0, similarity), 1.0 - 0.5**count)


MOST = 10.0  # SPEC 7: importance runs to ten
_CHILD, _SIMILAR, _REFERENCE = 1.0, 0.5, 0.25
_MOST_RAISE = 3.0
_LEAST = 2.0**-7  # a smaller difference is none; a power of two adds without loss
_STEP = 0.5  # a raise in steps: not every new link is worth a write


def raised(event: EventFacts) -> float:
    """What centrality adds to the importance that the event has of itself; never less than before.

    It never falls, so that forgetting what an event led to does not make the event itself less.
    """
    base = event.importance - event.raised
    children = max(event.children, event.known_children)
    degree = _CHILD * children + _SIMILAR * event.similar + _REFERENCE * event.references
    steps = math.floor(math.log2(1.0 + degree) / _STEP)
    added = min(_MOST_RAISE, steps * _STEP, max(0.0, MOST - base))
    return event.raised if added - event.raised < _LEAST else math.floor(added / _LEAST) * _LEAST


MEGABYTE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TierRules:
    """Where the tiers end, and what stays in the cold one."""

    hot_hours: float = 24.0
    warm_days: float = 7.0
    cold_days: float = 30.0
    weak_below: float = 0.7  # a similarity of less is let go after the hot tier
    keep_importance: float = 5.0
    keep_accesses: int = 3
    keep_children: int = 3  # so many events caused by it protect it in the cold tier
    keep_score: float = 0.0  # and so does a decay score of this or more; 0: it is not asked
    ledger_megabytes: float = 0.0  # the ceiling of one user's ledger; 0: none, it keeps every word
    trim_after_days: float = 90.0  # no younger event loses its words, whatever the ceiling

    @property
    def ceiling(self) -> float | None:
        """How many characters one user's ledger may have; None: as many as there are."""
        return self.ledger_megabytes * MEGABYTE if self.ledger_megabytes > 0 else None


_DEFAULTS_of_tiers = TierRules()


def tier_of(age: timedelta, rules: TierRules = _DEFAULTS_of_tiers) -> Tier:
    """The tier of an event so old; each ends before the moment its time is up.

    Tiers that the settings put in the wrong order are empty: none begins before another ends.
    """
    warm_from, cold_from, gone_from = _starts(rules)
    if age < warm_from:
        return Tier.HOT
    if age < cold_from:
        return Tier.WARM
    return Tier.COLD if age < gone_from else Tier.GONE


def begins(tier: Tier, at: datetime, rules: TierRules = _DEFAULTS_of_tiers) -> datetime:
    """What was born at or before this moment is, at `at`, in that tier or beyond it."""
    starts = dict(zip((Tier.WARM, Tier.COLD, Tier.GONE), _starts(rules), strict=True))
    return at - starts.get(tier, timedelta())


def stays(
    event: EventFacts, tier: Tier, rules: TierRules = _DEFAULTS_of_tiers, *, score: float = 0.0
) -> bool:
    """Whether the node stays in the graph, with that decay score. What no Summary stands for, and what
    is pinned, always does."""
    if event.is_pinned or not event.is_told:
        return True
    if tier is Tier.COLD:
        return _is_kept_when_cold(event, rules) or 0.0 < rules.keep_score <= score
    return tier is not Tier.GONE


def _is_kept_when_cold(event: EventFacts, rules: TierRules) -> bool:
    return (
        event.importance >= rules.keep_importance
        or event.access_count >= rules.keep_accesses
        or max(event.children, event.known_children) >= rules.keep_children
    )


def _starts(rules: TierRules) -> tuple[timedelta, timedelta, timedelta]:
    hot = timedelta(hours=rules.hot_hours)
    warm = max(hot, timedelta(days=rules.warm_days))
    return hot, warm, max(warm, timedelta(days=rules.cold_days))
