"""What every store of spending and of a mind's answers promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from remanent.core.ports.records import Answers, Spending
from remanent.core.records.spending import Cost, Spent, total
from remanent_conformance.builders import MOMENT, a_scope, an_answer

ANN, BOB = a_scope("ann"), a_scope("bob")


class AnswersContract:
    """Override `new_answers`."""

    @pytest.fixture
    def new_answers(self) -> Callable[[], Answers]:
        raise NotImplementedError("a function that makes empty answers")

    @pytest.fixture
    def answers(self, new_answers: Callable[[], Answers]) -> Answers:
        return new_answers()

    def test_an_answer_comes_back_as_it_was_kept(self, answers: Answers) -> None:
        kept = an_answer(text="Ja – «naturligvis» 🌍\n", tokens_in=12, tokens_out=3, source_key="s")
        answers.keep(kept)
        assert answers.answer(ANN, kept.digest) == kept

    def test_what_was_never_asked_has_no_answer(self, answers: Answers) -> None:
        assert answers.answer(ANN, "digest-1") is None

    def test_the_first_answer_stands(self, answers: Answers) -> None:
        answers.keep(an_answer(text="first"))
        answers.keep(an_answer(text="second"))
        answer = answers.answer(ANN, "digest-1")
        assert answer is not None
        assert answer.text == "first"

    def test_answers_are_for_whom_they_were_given_to(self, answers: Answers) -> None:
        answers.keep(an_answer(text="to ann"))
        assert answers.answer(BOB, "digest-1") is None
        answers.keep(an_answer(user="bob", text="to bob"))
        answer = answers.answer(BOB, "digest-1")
        assert answer is not None
        assert answer.text == "to bob"

    def test_answers_can_be_unlearnt(self, answers: Answers) -> None:
        answers.keep(an_answer("a"))
        answers.keep(an_answer("b", source_key="one"))
        answers.keep(an_answer("c", source_key="other"))
        answers.keep(an_answer("a", user="bob", source_key="one"))
        assert answers.unlearn(ANN, "one") == 1
        assert answers.unlearn(ANN, "one") == 0
        assert answers.answer(ANN, "b") is None
        assert answers.answer(ANN, "c") is not None
        assert answers.unlearn(ANN) == 2
        assert answers.spent(ANN) == (0, 0)
        assert answers.answer(BOB, "a") is not None

    def test_answers_about_many_things_can_be_unlearnt_from_a_time_on(
        self, answers: Answers
    ) -> None:
        answers.keep(an_answer("a", answered_at=MOMENT))
        answers.keep(an_answer("b", answered_at=MOMENT + timedelta(days=1)))
        answers.keep(an_answer("c", answered_at=MOMENT + timedelta(days=1), source_key="one"))
        answers.keep(an_answer("b", user="bob", answered_at=MOMENT + timedelta(days=1)))
        assert answers.unlearn_since(ANN, MOMENT + timedelta(days=1)) == 1
        assert answers.answer(ANN, "a") is not None
        assert answers.answer(ANN, "b") is None
        assert answers.answer(ANN, "c") is not None
        assert answers.answer(BOB, "b") is not None

    def test_spent_is_the_sum_of_the_callers_tokens(self, answers: Answers) -> None:
        assert answers.spent(ANN) == (0, 0)
        answers.keep(an_answer("a", tokens_in=10, tokens_out=1))
        answers.keep(an_answer("b", tokens_in=20, tokens_out=2))
        answers.keep(an_answer("b", tokens_in=999, tokens_out=999))
        answers.keep(an_answer("a", user="bob", tokens_in=40, tokens_out=4))
        assert answers.spent(ANN) == (30, 3)
        assert answers.spent(BOB) == (40, 4)


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
        spent_total = total(spending.spent(ANN))
        assert replace(spent_total, usd=0.0) == replace(expected, usd=0.0)
        assert spent_total.usd == pytest.approx(expected.usd)
