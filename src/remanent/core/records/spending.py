"""Spending: what a paid mind was asked, for whom, and what it cost; and its answers, kept so that asking again
costs nothing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Final

from remanent.core.dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one user's work of one sort cost on one day (UTC), of one task with one model.

    `calls` are requests to the model; `repairs` are those among them that asked a second time, and
    `failures` the questions that got no answer, `fallbacks` those of them that the offline mind then
    answered. `usd` is the price of what has one; `unpriced` are the tokens whose
    price nobody told us.
    """

    user_id: str
    day: date
    job: str = ""
    task: str = ""
    model: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced: int = 0
    repairs: int = 0
    failures: int = 0
    fallbacks: int = 0


_COUNTED: Final = ("calls", "tokens_in", "tokens_out", "usd", "unpriced")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """So many calls and tokens, and what they cost; `unpriced` of the tokens have no known price."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """In and out together."""
        return self.tokens_in + self.tokens_out

    def plus(self, other: Cost | Spent) -> Cost:
        """Both together."""
        return Cost(**{one: getattr(self, one) + getattr(other, one) for one in _COUNTED})

    def minus(self, other: Cost) -> Cost:
        """What this has more than the other."""
        more = {one: getattr(self, one) - getattr(other, one) for one in _COUNTED}
        return Cost(**{**more, "usd": max(0.0, more["usd"])})


def total(rows: Iterable[Spent | Cost]) -> Cost:
    """All of it together."""
    cost = Cost()
    for row in rows:
        cost = cost.plus(row)
    return cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent in a day, and what is left of it today; None: there is no such limit."""

    usd_per_day: float | None = None
    tokens_per_day: int | None = None
    usd_left: float | None = None
    tokens_left: int | None = None
    renewed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One user's spending, day by day, and how the budget stands today."""

    user_id: str
    rows: tuple[Spent, ...] = ()
    total: Cost = field(default_factory=Cost)
    today: Cost = field(default_factory=Cost)
    budget: Budget = field(default_factory=Budget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one task is expected to cost with its model; `usd` is None where the price is not known."""

    task: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None

    @property
    def cost(self) -> Cost:
        """The same, with what has no price counted in `unpriced`."""
        cost = Cost(calls=self.calls, tokens_in=self.tokens_in, tokens_out=self.tokens_out)
        if self.usd is None:
            return replace(cost, unpriced=cost.tokens)
        return replace(cost, usd=self.usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What taking in so many sources would cost; without lines it costs nothing: the mind is `mind`,
    and asks nobody. `private` sources are among them: they are never sent anywhere. Others are `known`
    already, or have to be `skipped`."""

    mind: str
    sources: int = 0
    private: int = 0
    known: int = 0
    skipped: int = 0
    words: int = 0
    lines: tuple[Line, ...] = ()

    @property
    def cost(self) -> Cost:
        """Everything together; what has no price is counted in `unpriced`."""
        return total(line.cost for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a mind said. `digest` covers the task, the prompt's version, the model and the input."""

    digest: str
    user_id: str
    mind: str
    task: str
    text: str
    answered_at: datetime
    tokens_in: int = 0
    tokens_out: int = 0
    source_key: str | None = None  # the source that it is about, and goes with
