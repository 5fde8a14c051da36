"""What the offline mind says to many statements at once, and to a whole conversation."""

from __future__ import annotations

import pytest
from effort import times
from hypothesis import given, settings
from hypothesis import strategies as st
from offline_readings import FRIENDS, conversation

from remanent.minds.offline import OfflineMind

MIND = OfflineMind()


@pytest.mark.parametrize(
    ("statements", "subject", "said"),
    [
        (
            ["Tom likes green tea.", "Tom drinks tea every morning.", "Tom buys tea in Bergen."],
            "tom",
            "Tea is a recurring theme for Tom (3 statements).",
        ),
        (
            ["I have a dog called Rex.", "My dog is afraid of thunder.", "I walk the dogs at six."],
            "owner",
            "Dogs are a recurring theme for me (3 statements).",
        ),
        (
            ["I love hiking.", "I hiked Besseggen in July.", "I hike every weekend with Per."],
            "owner",
            "Hiking is a recurring theme for me (3 statements).",
        ),
        (
            ["My sister lives in Bergen.", "My sister works in Bergen.", "My sister loves Bergen."],
            "sister",
            "Bergen is a recurring theme for my sister (3 statements).",
        ),
        (
            ["Maria cooks on Sundays.", "Maria collects recipes.", "Maria runs a restaurant."],
            "maria",
            "Food is a recurring theme for Maria (3 statements).",
        ),
    ],
)
def test_what_most_statements_speak_of_is_the_principle(
    statements: list[str], subject: str, said: str
) -> None:
    assert MIND.principle(statements, subject) == said


@pytest.mark.parametrize(
    "statements",
    [
        [],
        ["I like tea."],
        ["I like tea.", "I like tea."],
        ["I live in Oslo.", "I am allergic to nuts.", "I work at Equinor."],
        ["Tom likes tea.", "Tom hates coffee.", "Tom prefers juice."],
        ["Tom likes tea.", "Tom likes tea a lot.", "Tom works at Acme.", "Tom has a son."],
    ],
)
def test_where_nothing_is_shared_nothing_is_said(statements: list[str]) -> None:
    assert MIND.principle(statements, "tom") == ""


def test_the_number_is_that_of_the_statements_that_speak_of_it() -> None:
    statements = [f"Tom likes {kind} tea." for kind in ("green", "black", "white", "red")]

    assert MIND.principle([*statements, "Tom works at Acme."], "tom").endswith("(4 statements).")


@settings(max_examples=times(10, 150))
@given(st.lists(st.text(max_size=40), max_size=6), st.text(max_size=10))
def test_any_text_may_be_asked_about(statements: list[str], subject: str) -> None:
    first = MIND.principle(statements, subject)

    assert first == MIND.principle(statements, subject)
    assert "\n" not in first


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (FRIENDS, "Project Falcon"),
        (
            (
                "Ada: We have decided to postpone the launch to June.\nBob: Who tells the customers?\n"
                "Ada: Karen will write to Acme on Monday.\nBob: Good. I booked the room in Bergen."
            ),
            "postpone the launch to June",
        ),
    ],
)
def test_a_conversation_leaves_its_telling_sentences(talk: str, words: str) -> None:
    gist = MIND.gist(conversation(talk))

    assert words in gist
    assert len(gist) <= 400
    assert gist == MIND.gist(conversation(talk))


@pytest.mark.parametrize(
    "talk",
    [
        "Ada: Hi!\nBob: Hello Ada, how are you?\nAda: I'm fine, thanks. And you?\nBob: Very well!",
        (
            "Ada: Nice weather today.\nBob: Yes, it is really sunny and warm.\n"
            "Ada: I hope it stays like this for the weekend.\nBob: The forecast says rain on Sunday.\n"
            "Ada: See you later, have a nice day!"
        ),
        (
            "User: Thanks so much for your help yesterday.\nAssistant: You're welcome!\n"
            "User: I feel great today.\nAssistant: Glad to hear it.\nUser: It was a lovely evening."
        ),
        (
            "User: Good morning\nAssistant: Good morning! How did you sleep?\n"
            "User: I slept well, thank you.\nAssistant: Anything I can do?\nUser: No, just saying hi."
        ),
    ],
)
def test_small_talk_leaves_nothing(talk: str) -> None:
    assert MIND.gist(conversation(talk)) == ""


def test_what_only_the_assistant_said_leaves_nothing() -> None:
    talk = "User: Hi\nAssistant: Paris is the capital of France and lies on the Seine.\nUser: ok"

    assert MIND.gist(conversation(talk)) == ""
