"""The offline mind's stories: in the chapters' own words, dated for people, the same every time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.mind_types import Chapter, StoryText
from remanent.core.model.node import Kind
from remanent.minds.offline.stories import MOST_CHARACTERS, tell

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def tale(*texts: str, days: int = 5, told: str = "", most: int = 3) -> StoryText:
    chapters = tuple(
        Chapter(at=START + timedelta(days=days * number), text=text)
        for number, text in enumerate(texts)
    )
    return StoryText(name="Kestrel", kind=Kind.ENTITY, told=told, chapters=chapters, most=most)


def arcs(*texts: str) -> StoryText:
    chapters = tuple(
        Chapter(
            at=START + timedelta(days=120 * number),
            until=START + timedelta(days=120 * number + 40),
            text=text,
            source_count=6,
        )
        for number, text in enumerate(texts)
    )
    return StoryText(name="Kestrel", kind=Kind.ENTITY, told="", chapters=chapters, most=4)


def test_a_story_has_a_beginning_a_middle_and_an_end() -> None:
    text = tell(
        tale(
            "Kestrel is the new billing service. It replaces the old tool.",
            "Tom built the import.",
            "Kestrel lost two invoices in the demo.",
            "Kestrel sent 400 invoices to customers.",
        )
    )
    assert text == (
        "It began on 2 March 2026: Kestrel is the new billing service. "
        "On 12 March: Kestrel lost two invoices in the demo. "
        "Most recently, on 17 March: Kestrel sent 400 invoices to customers."
    )


def test_a_sentence_that_names_the_anchor_is_preferred() -> None:
    text = tell(tale("The soup was fine. Kestrel starts in May.", "Then Kestrel started."))
    assert "It began on 2 March 2026: Kestrel starts in May." in text
    assert "soup" not in text


def test_nothing_is_said_twice() -> None:
    text = tell(tale(*["Kestrel meets on Monday at nine."] * 5, "Kestrel is done."))
    assert text.count("Monday") == 1
    assert text.endswith("Kestrel is done.")


def test_what_happened_on_one_day_is_dated_once() -> None:
    text = tell(tale("Kestrel began.", "The import is ready.", "Acme pays.", days=0))
    assert text.count("March") == 1


def test_the_year_is_told_when_it_changes() -> None:
    text = tell(tale("Kestrel began.", "Kestrel was sold to Acme.", days=330))
    assert "It began on 2 March 2026" in text
    assert "Most recently, on 26 January 2027" in text


def test_one_chapter_gives_as_many_sentences_as_asked_for_if_it_has_them() -> None:
    text = tell(tale("Kestrel began. Tom built the import. Acme will pay."))
    assert text == "It began on 2 March 2026: Kestrel began. Tom built the import."
    assert tell(tale("Kestrel began.")) == "It began on 2 March 2026: Kestrel began."


def test_titles_do_not_end_a_sentence_and_long_ones_are_cut_at_a_word() -> None:
    assert "Dr. Chen joined Kestrel." in tell(tale("Dr. Chen joined Kestrel. It rained."))
    text = tell(tale("Kestrel " + "very " * 200 + "long.", "Over."))
    assert "very…" in text
    assert max(len(one) for one in text.split("…")) < MOST_CHARACTERS + 40


def test_a_macro_tells_of_its_arcs_without_their_dates() -> None:
    text = tell(
        arcs(
            "It began on 2 March 2026: Kestrel was planned. Most recently, on 11 April: Kestrel went live.",
            "It began on 30 June 2026: Kestrel failed an audit. Most recently, on 9 August: Kestrel passed.",
        )
    )
    assert text == (
        "From March to April 2026: Kestrel was planned. Kestrel went live. "
        "From June to August 2026: Kestrel failed an audit. Kestrel passed."
    )


def test_a_macro_of_many_arcs_keeps_to_four_sentences() -> None:
    text = tell(arcs(*(f"Arc {name} began. Arc {name} went well for {who}." for name, who in zip("abcdef", ("Tom", "Una", "Vera", "Will", "Xenia", "Yann"), strict=True))))  # fmt: skip
    assert text.startswith("From March to April 2026: Arc a began.")
    assert text.endswith("Arc f went well for Yann.")
    assert len(re.findall(r"\.(?: |$)", text)) <= 4


def test_nothing_to_tell_is_nothing() -> None:
    assert tell(tale()) == ""
    assert tell(tale(" ", "")) == ""


@given(
    st.lists(st.text(alphabet="abcdeKé .!?0", min_size=0, max_size=60), max_size=12),
    st.text(max_size=30),
)
def test_any_chapters_give_one_text_whatever_was_told_before(texts: list[str], told: str) -> None:
    first = tell(tale(*texts))
    assert tell(tale(*texts, told=told)) == first
    for word in re.findall(
        r"[a-zé]+", re.sub(r"(It began|On|Most recently, on) [^:]*:", "", first)
    ):
        assert word in " ".join(texts) or word in "it began on most recently march april may june"
