"""What shows on the face of a passage."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core import passage_features

pytestmark = pytest.mark.quick

AT = datetime(2024, 5, 7, 9, tzinfo=UTC)


def of(text: str, speaker: str | None = "Ann", *, among_people: bool = True) -> set[str]:
    found = passage_features.marks(text, speaker=speaker, at=AT, among_people=among_people)
    return {one for one in found if not one[-1].isdigit()}


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("I saw her yesterday.", passage_features.TIMED),
        ("We moved in March.", passage_features.TIMED),
        ("MONDAYS are slow.", passage_features.TIMED),
        ("Built in 1904, they say.", passage_features.TIMED),
        ("I have three boats.", passage_features.COUNTED),
        ("It was $40.", passage_features.COUNTED),
        ("Always answer in metres when I ask about boats.", passage_features.DIRECTING),
        ("For the kitchen I prefer wood.", passage_features.DIRECTING),
        ("Do you sail?", passage_features.ONLY_ASKING),
        ("Nice. Do you sail?", passage_features.ASKING),
        ("Yes.", passage_features.SHORT),
    ],
)
def test_a_mark(text: str, mark: str) -> None:
    assert mark in of(text)


def test_a_plain_statement_has_none() -> None:
    assert (
        of(
            "The lamp in the hall was a present from my aunt, and it hangs above the old green door."
        )
        == set()
    )


def test_a_part_of_a_word_is_no_mark() -> None:
    assert passage_features.TIMED not in of("The lastling of x1904 and the mayor of Dayton.")
    assert passage_features.COUNTED not in of("Someone often attends the honest house.")
    assert passage_features.DIRECTING not in of("Whether she never came is from another tale.")


def test_who_talks_to_a_program_tells_by_asking() -> None:
    assert passage_features.ASKING in of("Do you sail?")
    assert passage_features.ASKING not in of("Do you sail?", among_people=False)


def test_a_program_directs_nobody() -> None:
    found = of("Always wear a helmet.", "Assistant")
    assert passage_features.ASSISTANT in found
    assert passage_features.DIRECTING not in found


@pytest.mark.parametrize("speaker", [None, "", "Ann", "Claudette"])
def test_people_are_no_programs(speaker: str | None) -> None:
    assert not passage_features.is_assistant(speaker)


def test_the_day_in_every_way_a_question_may_name_it() -> None:
    found = passage_features.marks("Hello there.", speaker=None, at=AT, among_people=True)
    assert {"2024", "-05", "2024-05", "-05-07", "2024-05-07"} <= found
    assert "2024" not in passage_features.marks(
        "Hello there.", speaker=None, at=None, among_people=True
    )


@given(st.text(max_size=300))
def test_a_mark_is_one_word(text: str) -> None:
    assert all(
        one.split() == [one]
        for one in passage_features.marks(text, speaker=None, at=AT, among_people=True)
    )


class TestParts:
    LONG = (
        "I am looking for a good book about sailing and knots for the summer. By the way, my sister "
        "moved to Oslo last week with her two cats. Could you also tell me how long one has to boil "
        "an egg so that it is soft in the middle and firm outside?"
    )

    def test_a_long_text_falls_into_sentences(self) -> None:
        found = passage_features.parts(self.LONG)
        assert len(found) == 3
        assert found[1].startswith("By the way")

    def test_a_short_one_is_one(self) -> None:
        assert passage_features.parts("It rains. It pours.") == []

    def test_no_more_than_so_many(self) -> None:
        assert (
            len(
                passage_features.parts(
                    " ".join(["This is a sentence that is long enough."] * 30), most=4
                )
            )
            == 4
        )

    @given(st.text(max_size=600))
    def test_parts_are_parts_of_the_text(self, text: str) -> None:
        joined = " ".join(text.split())
        assert all(
            " ".join(part.split()) in joined for part in passage_features.parts(text, least_words=1)
        )
