"""How likely a message calls for memory, as the trained head reads it; no case is in its training data."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent import Memory
from remanent.minds.reader.need import need_chance

GENERAL = (
    "What's the boiling point of ethanol?", "Who painted The Night Watch?", "hello!", "cheers",
    "Sort these numbers: 4, 19, 3", "how do I centre a div", "translate 'good luck' into Welsh",
)  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        "What did I tell you about the sailing course?", "how is my nephew getting on at school",
        "When is the removal van coming?", "Which of the two estate agents did we like?",
        "whats my locker number", "I had another row with Beate",
    ],
)  # fmt: skip
def test_the_senders_own_life_calls_for_memory(message: str) -> None:
    assert need_chance(message) > 0.7


@pytest.mark.parametrize("message", GENERAL)
def test_what_anybody_could_ask_does_not(message: str) -> None:
    assert need_chance(message) < 0.3


def test_a_follow_up_is_read_after_what_it_follows() -> None:
    own = ["How much did I spend on the car in April?", "310 euros."]
    general = ["How high is Mount Kenya?", "5,199 metres."]

    assert need_chance("and in May?", own) > 0.9
    assert need_chance("and in feet?", general) < 0.5 < need_chance("who paid for it?", own)


def test_what_was_pasted_hides_no_question() -> None:
    log = "INFO nothing of note in the scheduler\n" * 100

    assert need_chance(f"{log}Where is my quartz recipe?") > 0.7
    assert need_chance(f"Where is my quartz recipe?\n{log}") > 0.7


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=3))
def test_any_text_has_a_chance_and_always_the_same(message: str, before: list[str]) -> None:
    chance = need_chance(message, before)

    assert 0 <= chance <= 1
    assert chance == need_chance(message, before)


def test_what_is_stored_is_answered_though_the_wording_could_be_anybodys() -> None:
    with Memory.open(":memory:") as memory:
        ada = memory.user("ada")
        ada.remember("The wifi password of the cabin is moss-and-tern.")
        ada.remember("I prefer tea in the morning.")
        ada.remember("Zoltan moved to Bergen.")

        for asked, answer in (
            ("what is the wifi password of the cabin?", "moss-and-tern"),
            ("What should I drink?", "tea"),
            ("Where is Zoltan?", "Bergen"),
        ):
            found = ada.context(asked)
            assert found.need.needs_search
            assert answer in found.text
        assert not any(ada.needs_memory(one).needs_search for one in GENERAL)
