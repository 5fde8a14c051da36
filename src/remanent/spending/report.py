"""Account: what a user's paid mind has cost, and what is left of the day's budget."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from remanent.clock import Clock
from remanent.core import checks
from remanent.core.model.scope import Scope
from remanent.core.ports.spending import Spending
from remanent.core.records.spending import Account, total
from remanent.spending.rules import budget
from remanent.spending.rules.budget import BudgetRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Days are those of UTC."""

    spending: Spending
    clock: Clock
    rules: BudgetRules

    def __call__(self, scope: Scope, since: date | datetime | None = None) -> Account:
        """Every row from that day on, their sum, and how today stands."""
        now = self.clock.now()
        rows = tuple(self.spending.spent(scope, _day(since)))
        spent_today = total(self.spending.spent(scope, budget.day_of(now)))
        return Account(
            user_id=scope.user_id,
            rows=rows,
            total=total(rows),
            today=spent_today,
            budget=budget.standing(spent_today, now, self.rules),
        )


def _day(since: date | datetime | None) -> date | None:
    if isinstance(since, datetime):
        moment = checks.aware("since", since)
        return None if moment is None else budget.day_of(moment)
    return since
