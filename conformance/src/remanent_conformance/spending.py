"""What every store of spending promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from remanent.core.ports.records import Spending
from remanent.core.records.spending import Cost, Spent, total
from remanent.testing.builders import a_scope

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY, NEXT = date(2026, 3, 1), date(2026, 3, 2)
ROW = Spent(
    user_id="ann",
    day=DAY,
    job="extract",
    task="agents",
    model="openai:gpt-4.1-mini",
    calls=2,
    tokens_in=1000,
    tokens_out=100,
    usd=0.00056,
    repairs=1,
)


class SpendingContract:
    """Override `new_spending`."""

    @pytest.fixture
    def new_spending(self) -> Callable[[], Spending]:
        raise NotImplementedError("a function that makes a store where nothing was spent")

    @pytest.fixture
    def spending(self, new_spending: Callable[[], Spending]) -> Spending:
        return new_spending()

    def test_a_row_comes_back_as_it_was_spent(self, spending: Spending) -> None:
        assert list(spending.spent(ANN)) == []
        spending.spend(ROW)
        assert list(spending.spent(ANN)) == [ROW]

    def test_what_is_spent_is_added_up(self, spending: Spending) -> None:
        spending.spend(ROW)
        spending.spend(replace(ROW, unpriced=7, failures=1, fallbacks=1, repairs=0))
        (row,) = spending.spent(ANN)
        assert (row.calls, row.tokens_in, row.tokens_out) == (4, 2000, 200)
        assert row.usd == pytest.approx(0.00112)
        assert (row.unpriced, row.repairs, row.failures, row.fallbacks) == (7, 1, 1, 1)

    def test_each_day_job_task_and_model_has_its_row(self, spending: Spending) -> None:
        rows = [
            replace(ROW, job="extract"),
            replace(ROW, job="process"),
            replace(ROW, job="process", task="digest"),
            replace(ROW, job="process", task="digest", model="openai:gpt-5-nano"),
            replace(ROW, day=NEXT),
        ]
        for one in reversed(rows):
            spending.spend(one)
        assert list(spending.spent(ANN)) == rows
        assert list(spending.spent(ANN, since=NEXT)) == rows[-1:]

    def test_everyone_sees_their_own(self, spending: Spending) -> None:
        spending.spend(ROW)
        assert list(spending.spent(BOB)) == []
        spending.spend(replace(ROW, user_id="bob", calls=9))
        assert total(spending.spent(ANN)).calls == 2
        assert total(spending.spent(BOB)).calls == 9

    def test_all_together_name_nobody(self, spending: Spending) -> None:
        assert list(spending.spent_by_all()) == []
        spending.spend(ROW)
        spending.spend(replace(ROW, user_id="bob", day=NEXT, job="process"))
        spending.spend(replace(ROW, task="digest"))
        agents, digest = spending.spent_by_all()
        assert (agents.user_id, agents.job, agents.task, agents.calls) == ("", "", "agents", 4)
        assert (digest.task, digest.calls) == ("digest", 2)

    def test_two_who_spend_at_once_are_both_counted(self, spending: Spending) -> None:
        threads = [threading.Thread(target=spending.spend, args=(ROW,)) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        expected = Cost(calls=16, tokens_in=8000, tokens_out=800, usd=8 * ROW.usd)
        found = total(spending.spent(ANN))
        assert replace(found, usd=0.0) == replace(expected, usd=0.0)
        assert found.usd == pytest.approx(expected.usd)
