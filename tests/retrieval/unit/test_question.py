"""What a question asks for, seen from its words alone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core import passage_features
from remanent.retrieval.rules import question
from remanent.retrieval.rules.ranking import RankingRules

pytestmark = pytest.mark.quick

RULES = RankingRules()
TODAY = date(2024, 5, 15)  # a Wednesday


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Can you tell me about the boat?", "Can you me about the boat"),
        ("Remind me what Ann said", "me what Ann"),
        ("tell say", "tell say"),
        ("", ""),
    ],
)
def test_words_about_the_asking_are_left_out_unless_they_are_all(asked: str, told: str) -> None:
    assert question.without_asking_words(asked) == told


@pytest.mark.parametrize(
    "asked",
    [
        "What other books did Ana read?",
        "Which cities has Tom lived in?",
        "Where have we been on holiday?",
        "Who are Maria's friends?",
        "How many bicycles do I own?",
        "What kinds of pets does she have?",
        "Would Ana enjoy a trip to Rome?",
        "What might Tom want for his birthday?",
    ],
)
def test_several_things_or_a_conclusion_from_several(asked: str) -> None:
    assert question.is_of_several(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What did Ana read last?",
        "When was Tom's party?",
        "What is his address?",
        "Which bus does she take?",
        "Why has Maria left?",
        "What was this about?",
        "Where does Ana keep her books?",
        "",
    ],
)
def test_one_thing(asked: str) -> None:
    assert not question.is_of_several(asked)


@pytest.mark.parametrize(
    "asked", ["Which boat did you suggest?", "What is your advice?", "What did We settle on?"]
)
def test_who_speaks_to_a_program(asked: str) -> None:
    assert question.is_to_the_assistant(asked)
    assert not question.is_to_the_assistant(
        "Which boat did I buy with Tom, and whose were the oars?"
    )


def test_a_long_message_compares_nothing() -> None:
    short = "Which came first, the kettle or the red boat?"
    long = f"{short} {'I have been thinking of it all day. ' * 3}"
    assert question.is_a_message(long)
    assert not question.is_a_message(short)
    assert question.compared_things(short)
    assert not question.compared_things(long)


class TestWanted:
    @pytest.mark.parametrize(
        ("asked", "mark"),
        [
            ("When did Ann move?", passage_features.TIMED),
            ("How long is the boat?", passage_features.TIMED),
            ("How many boats do I have?", passage_features.COUNTED),
            ("Could you show me how to sail?", passage_features.DIRECTING),
        ],
    )
    def test_an_answer_of_that_kind(self, asked: str, mark: str) -> None:
        assert mark in question.feature_weights(asked, RULES)[mark]

    def test_who_the_boat_belongs_to_is_no_such_question(self) -> None:
        found = question.feature_weights("Who owns the boat?", RULES)
        assert (
            not {
                passage_features.TIMED,
                passage_features.COUNTED,
                passage_features.DIRECTING,
                "time",
            }
            & found.keys()
        )

    def test_a_program_counts_less_unless_it_is_spoken_to(self) -> None:
        told = question.feature_weights("Which boat did I buy?", RULES)["voice"][
            passage_features.ASSISTANT
        ]
        asked = question.feature_weights("Which boat did you suggest?", RULES)["voice"][
            passage_features.ASSISTANT
        ]
        assert told < asked


class TestDated:
    @pytest.mark.parametrize(
        ("asked", "found"),
        [
            ("what happened in june?", {"-06"}),
            ("what happened in june 2023?", {"2023-06"}),
            ("what happened on june 3rd, 2023?", {"2023-06", "2023-06-03"}),
            ("what happened in 2023?", {"2023"}),
            ("what may ann march for?", set()),
            ("what did ann do in may?", {"-05"}),
            ("what did ann do on 4 march?", {"-03", "-03-04"}),
        ],
    )
    def test_the_days_a_question_names(self, asked: str, found: set[str]) -> None:
        assert set(question.dated(asked, RULES)) == found


class TestPeriods:
    @pytest.mark.parametrize(
        ("asked", "first", "last"),
        [
            ("What did I buy 5 days ago?", date(2024, 5, 9), date(2024, 5, 11)),
            ("Whom did I meet a week ago?", date(2024, 5, 6), date(2024, 5, 10)),
            ("What did I read yesterday?", date(2024, 5, 14), date(2024, 5, 14)),
            ("What did I hear last Friday?", date(2024, 5, 10), date(2024, 5, 10)),
            ("What did I hear last Wednesday?", date(2024, 5, 8), date(2024, 5, 8)),
            ("Which bike did I fix the past weekend?", date(2024, 5, 10), date(2024, 5, 13)),
            ("Who came on 14 October 2023?", date(2023, 10, 14), date(2023, 10, 14)),
            ("What was on May 3rd, 2021?", date(2021, 5, 3), date(2021, 5, 3)),
            ("2023-10-14", date(2023, 10, 14), date(2023, 10, 14)),
            ("What did I say on 20 May?", date(2023, 5, 20), date(2023, 5, 20)),
            ("What happened in February 2024?", date(2024, 2, 1), date(2024, 2, 29)),
            ("What happened in 2023?", date(2023, 1, 1), date(2023, 12, 31)),
            ("Where did we go last summer?", date(2023, 6, 1), date(2023, 8, 31)),
            ("What did I plant last spring?", date(2023, 3, 1), date(2023, 5, 31)),
            ("What did I plant this spring?", date(2024, 3, 1), date(2024, 5, 31)),
            ("Who stayed in the winter of 2022?", date(2022, 12, 1), date(2023, 2, 28)),
        ],
    )
    def test_days_told_from_today(self, asked: str, first: date, last: date) -> None:
        assert question.periods(asked, TODAY) == [(first, last)]

    def test_the_past_months_reach_until_today(self) -> None:
        ((first, last),) = question.periods("How often in the past three months?", TODAY)
        assert (TODAY - first).days == 100
        assert last == TODAY

    @pytest.mark.parametrize(
        "asked",
        [
            "Where is the boat?",
            "How long ago is it?",
            "last but not least",
            "on 31 June 2024",
            "did I fall?",
        ],
    )
    def test_others_name_none(self, asked: str) -> None:
        assert question.periods(asked, TODAY) == []

    @given(st.integers(0, 999), st.sampled_from(["day", "week", "month", "year"]))
    def test_any_number_is_a_period_before_its_end(self, count: int, unit: str) -> None:
        ((first, last),) = question.periods(f"what {count} {unit}s ago", TODAY)
        assert first < last <= TODAY + timedelta(days=40)


class TestCompared:
    @pytest.mark.parametrize(
        ("asked", "parts"),
        [
            (
                "Which came first, the copper kettle or the red boat?",
                ["the copper kettle", "the red boat"],
            ),
            (
                "How many days passed between my trip to Oslo and the visit of my aunt (Hilda)?",
                ["my trip to Oslo", "visit of my aunt"],
            ),
            (
                "Which did I read first, 'War and Peace' or \"Ann or Bo\"?",
                ["'War and Peace'", '"Ann or Bo"'],
            ),
        ],
    )
    def test_each_is_a_question_of_its_own(self, asked: str, parts: list[str]) -> None:
        assert question.compared_things(asked)[-2:] == parts

    @pytest.mark.parametrize(
        "asked", ["Where is the boat?", "What do Ann and Bo like?", "Is it tea or not?", "or", ""]
    )
    def test_other_questions_are_asked_whole(self, asked: str) -> None:
        assert question.compared_things(asked) == []

    @given(st.text(alphabet="ab 'or,?\x1f01:(", max_size=80))
    def test_any_text_gives_none_or_a_few(self, text: str) -> None:
        assert len(question.compared_things(text)) in (0, 2, 3, 4, 5)


def test_now_and_then() -> None:
    assert question.of_now("Where do I currently live?")
    assert question.of_then("Where did I live first?")
    assert not question.of_now("Where did I live?")
    assert not question.of_then("How many boats do I have?")


@given(st.text(max_size=200))
def test_any_text_is_a_question(text: str) -> None:
    question.without_asking_words(text)
    question.feature_weights(text, RULES)
    question.periods(text, TODAY)
    question.of_now(text)
    question.of_then(text)
