"""Why a belief came to mind: scores on one scale, and the parts of each in words (SPEC 5)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache

from remanent.beliefs.rules.belief import BeliefRules, RecallParts, recall_signals, similarity
from remanent.core.dataclasses import replace
from remanent.core.model.belief import Belief
from remanent.core.model.search import RecallPart

_DEFAULTS = BeliefRules()
_DAY_ONE = 1.0


def normalised(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores stretched over 0 to 1 with their relative distances; equal ones are all 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


@lru_cache
def least_cosine(alike: float, scale: tuple[tuple[float, float], ...]) -> float:
    """The smallest cosine that is so much alike by `similarity`; larger than any if none is."""
    low, high = -2.0, 2.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if similarity(middle, scale) >= alike else (middle, high)
    return high


def explained(
    parts: RecallParts,
    *,
    subject: str,
    is_recalled: bool,
    by_words: bool = False,
    rules: BeliefRules = _DEFAULTS,
) -> tuple[RecallPart, ...]:
    """The five parts of the score; their points add up to it.

    `is_recalled` says that it came to mind before, `by_words` that there was no meaning to go by.
    """
    points = recall_signals(parts, rules)
    factor = rules.insight_factor if parts.is_insight else 1.0
    alike = "of the best match in words" if by_words else "alike in meaning"
    named = "names" if parts.subject_match else "does not name"
    parts_by_name = {
        "cosine": (rules.weight_cosine, f"{parts.cosine:.2f} {alike}"),
        "importance": (rules.weight_importance, f"importance {parts.importance:g} of 10"),
        "recency": (rules.weight_recency, _ago(parts.days_since_access, is_recalled=is_recalled)),
        "stability": (
            rules.weight_stability,
            f"stability {parts.stability:g} of {rules.stability_most:g}",
        ),
        "subject": (rules.weight_subject, f"the query {named} {subject}"),
    }
    return tuple(
        RecallPart(
            name=name,
            value=points[name] / (factor * weight) if factor * weight else 0.0,
            weight=factor * weight,
            points=points[name],
            said=f"{reason} (an insight counts half)" if parts.is_insight else reason,
        )
        for name, (weight, reason) in parts_by_name.items()
    )


def as_accessed(belief: Belief, now: datetime) -> Belief:
    """The belief, last accessed by `now` or never: to have come to mind later tells nothing of then."""
    last = belief.life.last_accessed_at
    if last is None or last <= now:
        return belief
    return replace(belief, life=replace(belief.life, last_accessed_at=None))


def explained_neighbour(parent: str, score: float, rules: BeliefRules = _DEFAULTS) -> RecallPart:
    """A neighbour's whole score: a share of that of the belief which brought it."""
    return RecallPart(
        name="neighbour",
        value=score,
        weight=rules.neighbour_factor,
        points=score * rules.neighbour_factor,
        said=f"neighbour of: {parent}",
    )


def _ago(days: float, *, is_recalled: bool) -> str:
    verb = "accessed" if is_recalled else "never accessed, made"
    if days < _DAY_ONE:
        return f"{verb} today"
    whole = int(days)
    return f"{verb} {whole} day{'' if whole == 1 else 's'} ago"


def most_recalled(cosine: float, rules: BeliefRules | None = None) -> float:
    """The most that a belief no more alike than this can score, with all else in its favour."""
    rules = rules or BeliefRules()
    best = RecallParts(
        cosine=cosine,
        importance=10.0,
        days_since_access=0.0,
        stability=rules.stability_most,
        subject_match=True,
    )
    return sum(recall_signals(best, rules).values())
