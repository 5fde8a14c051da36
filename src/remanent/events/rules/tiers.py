"""Which event nodes stay and which have to go, by age and by what they mean (SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from remanent.core.model.event_tiers import EventFacts, Tier


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


_DEFAULTS = TierRules()


def tier_of(age: timedelta, rules: TierRules = _DEFAULTS) -> Tier:
    """The tier of an event so old; each ends before the moment its time is up.

    Tiers that the settings put in the wrong order are empty: none begins before another ends.
    """
    warm_from, cold_from, gone_from = _starts(rules)
    if age < warm_from:
        return Tier.HOT
    if age < cold_from:
        return Tier.WARM
    return Tier.COLD if age < gone_from else Tier.GONE


def begins(tier: Tier, at: datetime, rules: TierRules = _DEFAULTS) -> datetime:
    """What was born at or before this moment is, at `at`, in that tier or beyond it."""
    starts = dict(zip((Tier.WARM, Tier.COLD, Tier.GONE), _starts(rules), strict=True))
    return at - starts.get(tier, timedelta())


def stays(event: EventFacts, tier: Tier, rules: TierRules = _DEFAULTS) -> bool:
    """Whether the node stays in the graph. What no Summary stands for, and what is pinned, always does."""
    if event.is_pinned or not event.is_told:
        return True
    if tier is Tier.COLD:
        return _is_kept_when_cold(event, rules)
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
