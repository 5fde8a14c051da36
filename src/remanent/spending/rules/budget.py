"""What may be spent in a day. A day is one of UTC: that is when every user's budget begins anew."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from remanent.core.records.spending import Budget, Cost

CHARACTERS_PER_TOKEN: Final = 3.5  # rather few, so that an estimate is rather too high
_LEAST_OUT: Final = 200
_MOST_OUT: Final = 2000
_OUT_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRules:
    """How much paid minds and embedders may cost each user in a day; 0 is no limit."""

    usd_per_day: float = 0.0
    tokens_per_day: int = 0


_DEFAULTS = BudgetRules()


def day_of(now: datetime) -> date:
    """The day that spending counts to."""
    return now.astimezone(UTC).date()


def next_day(now: datetime) -> datetime:
    """When the budget begins anew."""
    return datetime.combine(day_of(now) + timedelta(days=1), time(), UTC)


def tokens(characters: int) -> int:
    """About how many tokens so many characters are."""
    return int(characters / CHARACTERS_PER_TOKEN) + 1


def expected(characters: int) -> tuple[int, int]:
    """The tokens in and out of a question of that length, before it is put."""
    tokens_in = tokens(characters)
    return tokens_in, int(min(_MOST_OUT, max(_LEAST_OUT, tokens_in * _OUT_SHARE)))


def exceeded(spent: Cost, wanted: Cost, rules: BudgetRules = _DEFAULTS) -> str | None:
    """Why `wanted` does not fit into what is left of the day, naming the setting; None: it fits.

    What has no price counts in tokens alone.
    """
    if rules.tokens_per_day and spent.tokens + wanted.tokens > rules.tokens_per_day:
        left = max(0, rules.tokens_per_day - spent.tokens)
        return (
            f"budget.tokens_per_day is {rules.tokens_per_day:,}, {left:,} are left today, "
            f"and the next call needs about {wanted.tokens:,}"
        )
    if rules.usd_per_day and spent.usd + wanted.usd > rules.usd_per_day:
        left_usd = max(0.0, rules.usd_per_day - spent.usd)
        return (
            f"budget.usd_per_day is ${rules.usd_per_day:.2f}, ${left_usd:.4f} are left today, "
            f"and the next call costs about ${wanted.usd:.4f}"
        )
    return None


def standing(today: Cost, now: datetime, rules: BudgetRules = _DEFAULTS) -> Budget:
    """What is left of the day's budget."""
    limited = bool(rules.usd_per_day or rules.tokens_per_day)
    return Budget(
        usd_per_day=rules.usd_per_day or None,
        tokens_per_day=rules.tokens_per_day or None,
        usd_left=max(0.0, rules.usd_per_day - today.usd) if rules.usd_per_day else None,
        tokens_left=max(0, rules.tokens_per_day - today.tokens) if rules.tokens_per_day else None,
        renewed_at=next_day(now) if limited else None,
    )
