"""What every store of answers promises."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from remanent.core.ports.records import Answers
from remanent.testing.builders import MOMENT, a_scope, an_answer

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
        found = answers.answer(ANN, "digest-1")
        assert found is not None
        assert found.text == "first"

    def test_answers_are_for_whom_they_were_given_to(self, answers: Answers) -> None:
        answers.keep(an_answer(text="to ann"))
        assert answers.answer(BOB, "digest-1") is None
        answers.keep(an_answer(user="bob", text="to bob"))
        found = answers.answer(BOB, "digest-1")
        assert found is not None
        assert found.text == "to bob"

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
