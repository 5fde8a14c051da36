"""What a description and a story say, and from whose mouth."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from remanent.core.model.mind_types import Chapter, Judgement, StoryText
from remanent.core.model.node import Kind
from remanent.minds.offline.stories import describe, tell

pytestmark = pytest.mark.quick


def _apart(_newest: str, older: Sequence[str]) -> list[Judgement]:
    return [Judgement.DIFFERENT for _ in older]


def _chapter(day: int, text: str) -> Chapter:
    return Chapter(at=datetime(2026, 3, day, 12, tzinfo=UTC), text=text)


def test_who_said_it_is_left_out_where_the_words_do_not_turn_on_that() -> None:
    notes = ["Ada: Maria works at the hospital now.", "Tom: Maria lends me her boat."]
    assert describe(_apart, "Maria", "", notes) == (
        "Maria works at the hospital now. Tom: Maria lends me her boat."
    )


def test_a_story_is_of_the_days_that_name_it() -> None:
    tale = StoryText(
        name="Maria",
        kind=Kind.PERSON,
        told="",
        chapters=(
            _chapter(1, "The ferry was late. We had soup."),
            _chapter(2, "We had soup. Ada: Maria moved to Bergen."),
            _chapter(9, "Maria found a flat by the harbour."),
            _chapter(10, "The ferry was on time."),
        ),
        fewest=2,
        most=3,
    )
    assert tell(tale) == (
        "It began on 2 March 2026: Maria moved to Bergen. "
        "Most recently, on 9 March: Maria found a flat by the harbour."
    )
