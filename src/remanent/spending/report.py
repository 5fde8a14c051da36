"""Account: what a user's paid mind has cost, and what is left of the day's budget.

Days are those of UTC.
"""

from __future__ import annotations

from datetime import date, datetime

from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.records.spending import Account, total
from remanent.spending.rules import budget


def spending_report(env: Env, scope: Scope, since: date | datetime | None = None) -> Account:
    """Every row from that day on, their sum, and how today stands."""
    now = env.clock.now()
    rows = tuple(env.stores.spending.spent(scope, _day(since)))
    spent_today = total(env.stores.spending.spent(scope, budget.day_of(now)))
    return Account(
        user_id=scope.user_id,
        rows=rows,
        total=total(rows),
        today=spent_today,
        budget=budget.standing(spent_today, now, env.config.budget),
    )


def _day(since: date | datetime | None) -> date | None:
    if isinstance(since, datetime):
        moment = checks.aware("since", since)
        return None if moment is None else budget.day_of(moment)
    return since
