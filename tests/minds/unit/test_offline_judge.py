from __future__ import annotations

from collections import Counter

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st
from offline_pairs import PAIRS, SECTIONS

from bench import belief_pairs
from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import OfflineMind

MIND = OfflineMind()
SAME, AGAINST, APART = Judgement.SAME, Judgement.CONTRADICTS, Judgement.DIFFERENT


def judged(first: str, second: str) -> Judgement:
    """What the second statement does to the first one, which is believed."""
    return MIND.judge(second, [first])[0]


@pytest.fixture(scope="module")
def verdicts() -> list[tuple[str, str]]:
    return [(want, MIND.judge(new, [old])[0].value) for want, new, old in PAIRS]


@pytest.mark.parametrize("verdict", list(Judgement))
def test_nearly_all_pairs_of_each_kind_are_judged_right(verdict, verdicts):
    seen = Counter(got == want for want, got in verdicts if want == verdict)
    assert seen.total() >= 25
    assert seen[True] / seen.total() >= 0.95


def test_unrelated_facts_are_left_alone(verdicts):
    touched = [got for want, got in verdicts if want == "different" and got != "different"]
    assert len(touched) / sum(want == "different" for want, _ in verdicts) < 0.02


def test_facts_of_different_fields_never_touch_each_other():
    fields = ("homes", "jobs", "preferences", "numbers", "people and relations", "work knowledge")
    told = {field: [new for _, new, _ in SECTIONS[field][::2]] for field in fields}
    touched = []
    for field, statements in told.items():
        others = [one for other in fields if other != field for one in told[other]]
        for statement in statements:
            judged = zip(others, MIND.judge(statement, others), strict=True)
            touched += [(statement, o) for o, got in judged if got is not Judgement.DIFFERENT]
    assert touched == []


def test_each_believed_statement_gets_its_own_answer_in_order():
    believed = ["I like tea.", "I live in Oslo.", "My home is in Bergen."]
    assert MIND.judge("I live in Bergen", believed) == [
        Judgement.DIFFERENT,
        Judgement.CONTRADICTS,
        Judgement.SAME,
    ]


def test_nothing_believed_is_nothing_to_judge():
    assert MIND.judge("I live in Oslo.", []) == []


def test_one_clause_of_two_is_enough_to_contradict():
    said = "I work at Telenor and I live in Bergen."
    assert MIND.judge(said, ["I live in Oslo."]) == [Judgement.CONTRADICTS]


def test_a_statement_that_adds_something_is_not_the_same():
    said = "I live in Oslo with three flatmates, a parrot and an old piano."
    assert MIND.judge(said, ["I live in Oslo."]) == [Judgement.DIFFERENT]


@pytest.mark.parametrize("text", ["", " ", "...", "?!", "🙂", "42", "Oslo", "a\x00b", "x" * 500])
def test_odd_texts_are_judged_too(text):
    assert MIND.judge(text, ["I live in Oslo."]) == [Judgement.DIFFERENT]
    assert MIND.judge("I live in Oslo.", [text]) == [Judgement.DIFFERENT]


@settings(max_examples=times(20, 400), deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_the_same_as_itself_or_says_nothing(text):
    assert MIND.judge(text, [text]) == [Judgement.SAME]


@pytest.mark.parametrize("file", ["held_out", "fresh"])
def test_pairs_that_nobody_tuned_on_are_judged_right(file):
    wanted = {"change": AGAINST, "negation": AGAINST, "paraphrase": SAME, "beside": APART}
    least = {"change": 0.90, "negation": 0.90, "paraphrase": 0.90, "beside": 0.98}
    seen: dict[str, list[bool]] = {kind: [] for kind in wanted}
    for pair in belief_pairs.pairs(file):
        seen[pair.kind].append(judged(pair.first, pair.second) is wanted[pair.kind])
    shares = {kind: sum(right) / len(right) for kind, right in seen.items()}
    assert {kind: share for kind, share in shares.items() if share < least[kind]} == {}


class TestChanges:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Maria lives in Oslo, two tram stops from the office.", "Maria lives in Bergen."),
            ("The office is in Oslo.", "The office is in Bergen."),
            ("The keys are in the drawer.", "The keys are on the shelf."),
            ("Ann leads the project.", "Ben leads the project."),
            ("The project is led by Ann.", "Ben is in charge of the project."),
            ("The payroll is done by Ann.", "The payroll is done by Ben."),
            ("I prefer coffee in the morning.", "I prefer green tea in the morning."),
            ("I prefer tea to coffee.", "I like coffee better than tea."),
            ("We launch on 4 May.", "We launch on 20 April."),
            ("The call is at 3 pm.", "The call has been moved to half past four."),
            ("The rent is 900 euros.", "The rent went up to 9,500 kroner."),
            ("My dog is called Rex.", "My dog is called Bella."),
            ("Ann is my girlfriend.", "Ann is my wife."),
            ("Ann is older than Ben.", "Ben is older than Ann."),
            ("I live alone.", "I live with Ann."),
            ("I own a boat.", "I sold my boat."),
            ("The ticket is resolved.", "The ticket is unresolved."),
            ("I take my tea with sugar.", "I take my tea without sugar."),
            ("I drink coffee.", "I drink tea instead of coffee."),
            ("My favourite drink is tea.", "My favourite drink used to be tea, but now it's beer."),
        ],
    )
    def test_what_has_one_value_at_a_time_changes(self, first, second):
        assert judged(first, second) is AGAINST

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I like coffee.", "I like tea."),
            ("I have a dog named Rex.", "I have a dog named Bella."),
            ("Ann is my friend.", "Ben is my friend now."),
            ("Google has an office in Oslo.", "Google has an office in Bergen now."),
            ("I have a meeting on Monday.", "I have a meeting on Tuesday."),
            ("I work on Mondays.", "I work on Tuesdays."),
            ("I have lived in Oslo.", "I have lived in Bergen."),
            ("I live in Oslo.", "I live in Norway."),
            ("The shop opens at 8.", "The shop closes at 6."),
            ("My exam in maths is on Monday.", "My exam in physics is on Tuesday."),
            ("Ann is a lawyer.", "Ann is a good cook."),
            ("I like hot drinks.", "I like cold drinks."),
            ("I bought a red scarf.", "I bought a blue scarf."),
            ("Ann speaks French.", "Ann speaks Danish now."),
            ("The first draft is finished.", "The second draft is unfinished."),
        ],
    )
    def test_what_may_have_many_does_not(self, first, second):
        assert judged(first, second) is APART

    @pytest.mark.parametrize(
        "plan",
        [
            "Maria moves to Bergen next Saturday.",
            "Maria is moving to Bergen.",
            "Maria will move to Bergen in May.",
            "Maria is going to move to Bergen.",
            "Maria might move to Bergen.",
            "Maria plans to move to Bergen.",
            "If she gets the job, Maria moves to Bergen.",
        ],
    )
    def test_a_plan_leaves_what_is_so_alone(self, plan):
        assert judged("Maria lives in Oslo.", plan) is APART

    def test_when_the_plan_has_come_true_it_counts(self):
        assert judged("Maria lives in Oslo.", "Maria has moved to Bergen.") is AGAINST

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("Ann works at Google.", "Ann is joining Spotify in May."),
            ("I drink coffee.", "I might stop drinking coffee."),
            ("My rent is 900 euros.", "My rent will be 950 euros from June."),
            ("Ann runs the marketing team.", "Ben will run the marketing team from January."),
        ],
    )
    def test_nor_do_other_plans_count(self, first, second):
        assert judged(first, second) is APART


class TestDenials:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I drink coffee.", "I no longer drink coffee."),
            ("I drink coffee.", "I've given up coffee."),
            ("Ann leads the project.", "Ann no longer leads the project."),
            ("Ann works at Google.", "Ann was fired from Google."),
            ("The meeting is on Monday.", "The meeting was cancelled."),
            ("The shop is open on Sundays.", "The shop is closed on Sundays."),
            ("I drink coffee in the evening.", "I don't drink coffee."),
            ("A dog is licking a baby.", "There is no dog licking a baby."),
        ],
    )
    def test_a_denial_contradicts_what_it_covers(self, first, second):
        assert judged(first, second) is AGAINST

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I like tea.", "I don't like tea in the evening."),
            ("I play chess.", "I don't play chess with Ann."),
            ("I work at Google.", "I never worked at Spotify."),
        ],
    )
    def test_and_leaves_what_is_wider_alone(self, first, second):
        assert judged(first, second) is APART


class TestOtherWords:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("I live in Oslo.", "Oslo is where I live."),
            ("My boss is Ann.", "I report to Ann."),
            ("Ann leads the Delta project.", "The Delta project is led by Ann."),
            ("A man is cutting a box.", "A box is being cut by a man."),
            ("Ann is older than Ben.", "Ben is younger than Ann."),
            ("Ann is married to Ben.", "Ben's wife is Ann."),
            ("We launch on 4 May.", "The launch date is May 4th."),
            ("The call is at 3 pm.", "The call is at 15:00."),
            ("We meet every Monday.", "We meet on Mondays."),
            ("The shop closes at 8.", "The shop is open until 8."),
            ("I am 31 years old.", "My age is 31."),
            ("I prefer tea to coffee.", "I'd rather have tea than coffee."),
            ("I'm a vegetarian.", "I don't eat meat."),
            ("My dog is called Rex.", "I have a dog named Rex."),
            ("Ann will arrive on Monday.", "Ann arrives on Monday."),
        ],
    )
    def test_say_the_same(self, first, second):
        assert judged(first, second) is SAME
