"""Which events come first: recency, importance, relevance and affinity (SPEC 7)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from remanent.core.dataclasses import dataclass
from remanent.core.model.event import EventFacts, EventNode
from remanent.core.model.search import RecallPart

_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRules:
    """The figures of SPEC 2 and 7 for agents' events."""

    weight_recency: float = 1.0
    weight_importance: float = 1.0
    weight_relevance: float = 1.0
    weight_affinity: float = 0.5
    stability_hours: float = 168.0
    stability_step_hours: float = 24.0
    relevance_unknown: float = 0.5
    session_current: float = 1.0
    session_recent: float = 0.7
    session_older: float = 0.3
    session_recent_days: float = 7.0
    affinity_session: float = 1.0  # the weights within the mean that affinity is
    affinity_recurrence: float = 1.0
    affinity_overlap: float = 1.0
    recent_events: int = 50  # whose entities count as what the user is at
    pool: int = 2000  # newest events that are weighed, beside the nearest in meaning
    pool_near: int = 500
    batch: int = 250  # events projected in one transaction: others wait so long to write
    enrich_batch: int = 100
    similar_from: float = 0.85
    similar_most: int = 5
    summary_from_characters: int = 300
    max_payload_characters: int = 1_000_000
    node_payload_characters: int = 4000


_DEFAULTS = EventRules()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """All that the score of one event rests on.

    `recalls` are the accesses that count as recurrence. `relevance` is the cosine to the question, None when unknown; `proximity` is that of its session,
    None when nobody in particular asks, and then there is no affinity.
    """

    hours: float
    accesses: int
    importance: float
    relevance: float | None = None
    proximity: float | None = None
    overlap: float = 0.0
    recalls: int = 0


def stability(accesses: int, rules: EventRules = _DEFAULTS) -> float:
    """S in hours: it grows with every access."""
    return rules.stability_hours + rules.stability_step_hours * max(accesses, 0)


def recency(hours: float, accesses: int, rules: EventRules = _DEFAULTS) -> float:
    """1 at once, 1/e after S hours (SPEC 12.9: S is no half-life)."""
    span = stability(accesses, rules)
    return math.exp(-max(hours, 0.0) / span) if span > 0.0 else 0.0


def decay_score(facts: EventFacts, at: datetime, rules: EventRules = _DEFAULTS) -> float:
    """What is left of an event at `at`, from 0 to 1, whoever asks: the mean of recency and importance."""
    fresh = recency((at - facts.born) / _HOUR, facts.access_count, rules)
    total = rules.weight_recency + rules.weight_importance
    points = rules.weight_recency * fresh + rules.weight_importance * _unit(facts.importance / 10.0)
    return points / total if total > 0.0 else 0.0


def hours_since(event: EventNode, now: datetime) -> float:
    """Since it happened or was last asked for, whichever is later; never less than none."""
    last = event.life.last_accessed_at
    since = event.occurred_at if last is None else max(event.occurred_at, last)
    return max(0.0, (now - since) / _HOUR)


def proximity(
    event: EventNode,
    *,
    user_id: str | None,
    current_session: str | None,
    now: datetime,
    rules: EventRules = _DEFAULTS,
) -> float | None:
    """How near its session is to the one that asks: None without a user, 0 for another user's."""
    if user_id is None:
        return None
    if event.user_id != user_id:
        return 0.0
    if current_session and event.session_id == current_session:
        return rules.session_current
    recent = now - event.occurred_at <= rules.session_recent_days * _DAY
    return rules.session_recent if recent else rules.session_older


def recalls(event: EventNode, began: datetime | None) -> int:
    """How often it was brought up, if that was last within the session that `began` then (None: no
    session asks, and whenever it was counts)."""
    last = event.life.last_accessed_at
    within = began is None or (last is not None and last >= began)
    return event.life.access_count if within else 0


def recurrence(accesses: int) -> float:
    """How often it was brought up before: none 0, once 1/2, three times 3/4."""
    return max(accesses, 0) / (max(accesses, 0) + 1.0)


def overlap(mine: Collection[str], its: Collection[str]) -> float:
    """The share of entities that the user's recent events and this one have in common."""
    most = max(len(set(mine)), len(set(its)))
    return len(set(mine) & set(its)) / most if most else 0.0


def affinity(weighed: Weighed, rules: EventRules = _DEFAULTS) -> float:
    """The weighted mean of session proximity, recurrence and overlap; 0 without a user."""
    if weighed.proximity is None:
        return 0.0
    parts = (
        (rules.affinity_session, weighed.proximity),
        (rules.affinity_recurrence, recurrence(weighed.recalls)),
        (rules.affinity_overlap, weighed.overlap),
    )
    total = sum(weight for weight, _ in parts)
    return sum(weight * value for weight, value in parts) / total if total > 0.0 else 0.0


def overlap_most(rules: EventRules = _DEFAULTS) -> float:
    """The most that shared entities can add to a score."""
    total = rules.affinity_session + rules.affinity_recurrence + rules.affinity_overlap
    return rules.weight_affinity * rules.affinity_overlap / total if total > 0.0 else 0.0


def signals(weighed: Weighed, rules: EventRules = _DEFAULTS) -> dict[str, float]:
    """The points of each part; they add up to the score."""
    return {name: weight * value for name, (weight, value) in _factors(weighed, rules).items()}


def score(weighed: Weighed, rules: EventRules = _DEFAULTS) -> float:
    """The four-factor score, from 0 to the sum of the weights."""
    return sum(signals(weighed, rules).values())


def explained(weighed: Weighed, rules: EventRules = _DEFAULTS) -> tuple[RecallPart, ...]:
    """The parts of the score, each in words."""
    reasons = {
        "recency": f"{_ago(weighed.hours)}; S is {stability(weighed.accesses, rules):g} hours",
        "importance": f"importance {weighed.importance:g} of 10",
        "relevance": "not known how near the question"
        if weighed.relevance is None
        else f"{weighed.relevance:.2f} alike in meaning",
        "affinity": _near(weighed),
    }
    return tuple(
        RecallPart(name=name, value=value, weight=weight, points=weight * value, said=reasons[name])
        for name, (weight, value) in _factors(weighed, rules).items()
    )


def _factors(weighed: Weighed, rules: EventRules) -> Mapping[str, tuple[float, float]]:
    relevance = rules.relevance_unknown if weighed.relevance is None else weighed.relevance
    return {
        "recency": (rules.weight_recency, recency(weighed.hours, weighed.accesses, rules)),
        "importance": (rules.weight_importance, _unit(weighed.importance / 10.0)),
        "relevance": (rules.weight_relevance, _unit(relevance)),
        "affinity": (rules.weight_affinity, affinity(weighed, rules)),
    }


def _near(weighed: Weighed) -> str:
    if weighed.proximity is None:
        return "nobody in particular asks"
    times = "once" if weighed.recalls == 1 else f"{weighed.recalls} times"
    brought = f"brought up {times}" if weighed.recalls else "not brought up"
    return f"session {weighed.proximity:g}, {brought}, shared entities {weighed.overlap:.2f}"


def _ago(hours: float) -> str:
    if hours < 1.0:
        return "within the hour"
    if hours < 48.0:
        return f"{int(hours)} hour{'' if int(hours) == 1 else 's'} ago"
    return f"{int(hours / 24)} days ago"


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)
