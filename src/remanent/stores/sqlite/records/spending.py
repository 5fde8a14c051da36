"""Spending in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.records.spending import Spent
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_SPEND = """
INSERT INTO spending (user_id, day, job, task, model, calls, tokens_in, tokens_out, usd, unpriced,
                      repairs, failures, fallbacks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, day, job, task, model) DO UPDATE SET
    calls = calls + excluded.calls,
    tokens_in = tokens_in + excluded.tokens_in,
    tokens_out = tokens_out + excluded.tokens_out,
    usd = usd + excluded.usd,
    unpriced = unpriced + excluded.unpriced,
    repairs = repairs + excluded.repairs,
    failures = failures + excluded.failures,
    fallbacks = fallbacks + excluded.fallbacks
"""
_SPENT = """
SELECT user_id, day, job, task, model, calls, tokens_in, tokens_out, usd, unpriced, repairs,
       failures, fallbacks
FROM spending WHERE user_id = ? AND day >= ? ORDER BY day, job, task, model
"""
_BY_ALL = """
SELECT '', min(day), '', task, model, sum(calls), sum(tokens_in), sum(tokens_out), sum(usd),
       sum(unpriced), sum(repairs), sum(failures), sum(fallbacks)
FROM spending GROUP BY task, model ORDER BY task, model
"""
_EVER: Final = "0001-01-01"


class SqliteSpending:
    """What minds cost, summed up by day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def spend(self, spent: Spent) -> None:
        """Add this to its row. Two who spend at once are both counted."""
        values = (
            spent.user_id,
            spent.day.isoformat(),
            spent.job,
            spent.task,
            spent.model,
            spent.calls,
            spent.tokens_in,
            spent.tokens_out,
            spent.usd,
            spent.unpriced,
            spent.repairs,
            spent.failures,
            spent.fallbacks,
        )
        with self._database.transaction():
            self._database.execute(_SPEND, values)

    def spent(self, scope: Scope, since: date | None = None) -> Sequence[Spent]:
        """This caller's rows from that day on, in order of day, job, task and model."""
        first = _EVER if since is None else since.isoformat()
        return [_row(row) for row in self._database.execute(_SPENT, (scope.user_id, first))]

    def spent_by_all(self) -> Sequence[Spent]:
        """What everybody spent together, for each task and model; it names no user, day or job."""
        return [_row(row) for row in self._database.execute(_BY_ALL)]


def _row(row: Row) -> Spent:
    return Spent(
        user_id=row[0],
        day=date.fromisoformat(row[1]),
        job=row[2],
        task=row[3],
        model=row[4],
        calls=row[5],
        tokens_in=row[6],
        tokens_out=row[7],
        usd=row[8],
        unpriced=row[9],
        repairs=row[10],
        failures=row[11],
        fallbacks=row[12],
    )
