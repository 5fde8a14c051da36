"""What may be spent in a day of UTC, what a token costs by our table or the settings, and about how much a
language model is asked about one source.

The figures of that follow from what the LLM mind does (`minds/llm`): one question for summary, keywords and
tags, one over the whole text for what it speaks of and what to believe, and three agents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple

from remanent.core.dataclasses import dataclass
from remanent.core.records.spending import Budget, Cost
from remanent.core.settings import MindRules
from remanent.core.word_lists import lines_of

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


def remaining_budget(today: Cost, now: datetime, rules: BudgetRules = _DEFAULTS) -> Budget:
    """What is left of the day's budget."""
    limited = bool(rules.usd_per_day or rules.tokens_per_day)
    return Budget(
        usd_per_day=rules.usd_per_day or None,
        tokens_per_day=rules.tokens_per_day or None,
        usd_left=max(0.0, rules.usd_per_day - today.usd) if rules.usd_per_day else None,
        tokens_left=max(0, rules.tokens_per_day - today.tokens) if rules.tokens_per_day else None,
        renewed_at=next_day(now) if limited else None,
    )


# Compared that day with the package genai-prices 0.2.1, all equal; some providers take more for prompts
# of over 200,000 tokens, which is not counted. Prices change: check yours.
LISTED_ON: Final = "2026-11-15"


class Price(NamedTuple):
    """US dollars for a million tokens, in and out."""

    usd_in: float
    usd_out: float


LISTED: Final[Mapping[str, Price]] = {
    model: Price(float(usd_in), float(usd_out))
    for model, usd_in, usd_out in map(str.split, lines_of("remanent.spending", "prices.txt"))
}
_A_MILLION: Final = 1_000_000
_DATED: Final = re.compile(r"-(\d{4}-\d{2}-\d{2}|20\d{6}|latest)$")


def price_of(model: str, table: Mapping[str, Price]) -> Price | None:
    """The price of a `provider:model`: the settings' own, else ours, else None: nobody told us.

    A dated version (`gpt-4.1-mini-2025-04-14`) costs what its model does.
    """
    provider = model.partition(":")[0]
    for name in (model, _DATED.sub("", model), f"{provider}:*"):
        for prices in (table, LISTED):
            if name in prices:
                return prices[name]
    return None


def usd(price: Price | None, tokens_in: int, tokens_out: int) -> float | None:
    """What so many tokens cost, or None where the price is not known."""
    if price is None:
        return None
    return (tokens_in * price.usd_in + tokens_out * price.usd_out) / _A_MILLION


_TOKENS_PER_WORD: Final = 1.5  # with who speaks, and the number of each line
_AGENTS: Final = 3
EMBEDDING: Final = "embed"  # the task of a paid embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What each sort of question costs besides the text, and what comes back; rather too much."""

    digest_prompt: int = 600  # our own words, and the shape of the answer
    digest_out: int = 250
    extract_prompt: int = 1000
    extract_out: int = 100
    extract_out_share: float = 0.12  # of the text
    agent_prompt: int = 1250  # with the descriptions of the tools
    agent_out: int = 400
    embed_per_word: float = 4.5  # with what went before, parts of it, and what it speaks of
    embed_calls: int = 4


_DEFAULTS_of_estimate = Figures()


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """So many calls for one task, and their tokens."""

    task: str
    calls: int
    tokens_in: int
    tokens_out: int

    def plus(self, other: TokenEstimate) -> TokenEstimate:
        """Both together."""
        return TokenEstimate(
            self.task,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )


def reckoned_embedding(words: int, figures: Figures = _DEFAULTS_of_estimate) -> TokenEstimate:
    """What an embedder is given of one source of so many words."""
    return TokenEstimate(EMBEDDING, figures.embed_calls, int(words * figures.embed_per_word), 0)


def estimate_calls(
    words: int, rules: MindRules, figures: Figures = _DEFAULTS_of_estimate
) -> tuple[TokenEstimate, ...]:
    """The calls that one source of so many words makes."""
    text = int(words * _TOKENS_PER_WORD)
    windows = max(1, -(-text // max(1, rules.extract_tokens)))
    found = int(figures.extract_out + text * figures.extract_out_share)
    digest_in = figures.digest_prompt + min(text, rules.digest_tokens)
    extract_in = windows * figures.extract_prompt + text
    agents_in = _AGENTS * (figures.agent_prompt + min(text, rules.agent_tokens))
    agents_out = _AGENTS * min(figures.agent_out, 50 + text)
    return (
        TokenEstimate("digest", 1, digest_in, figures.digest_out),
        TokenEstimate(
            "extract", windows, extract_in, min(windows * rules.max_output_tokens, found)
        ),
        TokenEstimate("agents", _AGENTS, agents_in, agents_out),
    )
