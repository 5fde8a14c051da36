"""The meter: what a user's paid calls cost is written down, and none is made beyond the budget.

One meter serves all that is paid for in a memory, minds and embedders alike.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date

from remanent.clock import Clock
from remanent.core.model.scope import Scope
from remanent.core.ports.spending import Spending
from remanent.core.records.spending import Cost, Spent, total
from remanent.errors import BudgetSpent
from remanent.spending.rules import budget
from remanent.spending.rules.budget import BudgetRules
from remanent.spending.rules.prices import Price, price_of, usd


@dataclass(slots=True, kw_only=True)
class Meter:
    """Keeps what is spent by user, day, job, task and model.

    Calls under way count with what they are expected to cost, so threads of one process cannot
    overdraw together; of several processes each may be one call ahead.
    """

    spending: Spending
    clock: Clock
    rules: BudgetRules = field(default_factory=BudgetRules)
    prices: Mapping[str, Price] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _under_way: dict[tuple[str, date], Cost] = field(default_factory=dict)

    def today(self) -> date:
        """The day that a call of now counts to."""
        return budget.day_of(self.clock.now())

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> Cost:
        """One call of so many tokens."""
        money = usd(price_of(model, self.prices), tokens_in, tokens_out)
        return Cost(calls=1, tokens_in=tokens_in, tokens_out=tokens_out, usd=money or 0.0)

    @contextmanager
    def reserved(self, user_id: str, day: date, expected: Cost) -> Iterator[None]:
        """Hold what a call is expected to cost for as long as it is under way; `BudgetSpent` if it does
        not fit into the rest of the user's day."""
        if not (self.rules.usd_per_day or self.rules.tokens_per_day):
            yield
            return
        place = user_id, day
        with self._lock:
            held = self._under_way.get(place, Cost())
            self._check(user_id, day, held, expected)
            self._under_way[place] = held.plus(expected)
        try:
            yield
        finally:
            with self._lock:
                left = self._under_way.pop(place).minus(expected)
                if left.calls:
                    self._under_way[place] = left

    def _check(self, user_id: str, day: date, held: Cost, expected: Cost) -> None:
        rows = self.spending.spent(Scope(user_id=user_id), since=day)
        spent = total(one for one in rows if one.day == day).plus(held)
        problem = budget.exceeded(spent, expected, self.rules)
        if problem is not None:
            raise BudgetSpent(problem, again_at=budget.next_day(self.clock.now()))

    def spend(self, row: Spent, cost: Cost) -> None:
        """Write down what it cost in that row; what has no price is counted in tokens."""
        money = usd(price_of(row.model, self.prices), cost.tokens_in, cost.tokens_out)
        spent = replace(
            row,
            calls=cost.calls,
            tokens_in=cost.tokens_in,
            tokens_out=cost.tokens_out,
            usd=money or 0.0,
            unpriced=cost.tokens if money is None else 0,
        )
        self.spending.spend(spent)
