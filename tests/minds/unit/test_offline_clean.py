from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.source import ContentType
from remanent.minds.offline import OfflineMind

MIND = OfflineMind()


def spoken(text: str) -> str:
    return MIND.clean([text], ContentType.CONVERSATION)[0]


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("Um, I think, uh, we should go.", "I think, we should go."),
        ("So, um, the thing is late.", "So, the thing is late."),
        ("I I went to the the shop.", "I went to the shop."),
        ("We could, you know, just ask her.", "We could, just ask her."),
        ("I mean, it was fine.", "It was fine."),
        ("I went to, I went to the office.", "I went to the office."),
        ("It was, like, really cold.", "It was, really cold."),
        ("Th- that was hard.", "That was hard."),
        ("Erm... maybe tomorrow.", "Maybe tomorrow."),
    ],
)
def test_speech_loses_its_disfluencies(raw, clean):
    assert spoken(raw) == clean


@pytest.mark.parametrize(
    "text",
    [
        "I mean it.",
        "I like coffee, like my brother.",
        "You know Maria, right?",
        "We went to the ER last night.",
        "Uh-huh, exactly.",
        "It is 5 mm wide.",
        "I know that that is true.",
        "He had had enough.",
        "It was very very cold.",
        "My number is 12 34 12 34.",
        "No no, stay!",
    ],
)
def test_speech_keeps_what_means_something(text):
    assert spoken(text) == text


@pytest.mark.parametrize("text", ["", "   ", "Um.", "uh...", "Hmm"])
def test_a_piece_with_nothing_to_say_becomes_empty(text):
    assert spoken(text) == ""


def test_meetings_are_speech_too():
    assert MIND.clean(["Uh, we ship on Friday."], ContentType.MEETING) == ["We ship on Friday."]


def test_notes_get_one_kind_of_bullet_and_no_stray_marks():
    raw = "Shopping\u200b list \r\n\r\n\r\n\r\n•  milk\n*   bread\n  – rye\nall\x07done"
    want = "Shopping list\n\n- milk\n- bread\n  - rye\nall done"
    assert MIND.clean([raw], ContentType.TEXT_NOTE) == [want]


def test_notes_keep_um_as_they_were_written():
    assert MIND.clean(["um, no"], ContentType.TEXT_NOTE) == ["um, no"]


@pytest.mark.parametrize("kind", [ContentType.EMAIL, ContentType.SLACK_THREAD])
def test_mail_and_chat_are_only_tidied(kind):
    assert MIND.clean(["* hi   all  \n\n\n\nuh,\tok "], kind) == ["* hi all\n\nuh, ok"]


def visible(text: str) -> str:
    return re.sub(r"[\u200b\u200e\u200f\u2060\ufeff]", "", text)


@given(st.lists(st.text(max_size=80), max_size=4), st.sampled_from(list(ContentType)))
def test_one_piece_out_for_each_in_and_no_word_is_invented(pieces, kind):
    cleaned = MIND.clean(pieces, kind)
    assert len(cleaned) == len(pieces)
    for raw, clean in zip(map(visible, pieces), cleaned, strict=True):
        assert set(re.findall(r"[a-z]+", clean.lower())) <= set(re.findall(r"[a-z]+", raw.lower()))
