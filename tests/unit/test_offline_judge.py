from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from offline_pairs import PAIRS, SECTIONS

from remanent.minds.offline import OfflineMind
from remanent.model.reading import Judgement

MIND = OfflineMind()


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


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_the_same_as_itself_or_says_nothing(text):
    assert MIND.judge(text, [text]) == [Judgement.SAME]
