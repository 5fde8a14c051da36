"""What a description is made of, and how the offline mind words it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.mind_types import Judgement
from remanent.minds.offline import OfflineMind
from remanent.minds.offline.stories import describe
from remanent.sleep import rules
from remanent.sleep.rules import NightlyRules
from remanent_conformance.builders import MOMENT, a_note

DAY = timedelta(days=1)
LINES = st.lists(st.sampled_from([f"Sarah likes number {n}." for n in range(9)]), max_size=9)


def apart(_new: str, old: Sequence[str]) -> list[Judgement]:
    return [Judgement.DIFFERENT for _ in old]


def by_city(new: str, old: Sequence[str]) -> list[Judgement]:
    """Homes exclude each other."""
    at_odds = [" lives in " in new and " lives in " in one for one in old]
    return [Judgement.CONTRADICTS if one else Judgement.DIFFERENT for one in at_odds]


def test_what_has_expired_is_read_before_what_holds() -> None:
    old = a_note("x", "For ever.", date_added=MOMENT)
    gone = a_note("x", "For a day.", date_added=MOMENT + DAY, expires_at=MOMENT + 2 * DAY)
    assert rules.in_reading_order([old, gone], MOMENT + DAY) == [old, gone]
    assert rules.in_reading_order([old, gone], MOMENT + 2 * DAY) == [gone, old]


def test_notes_of_some_sources() -> None:
    notes = [
        a_note("x", "A.", source_key="s"),
        a_note("x", "B."),
        a_note("x", "C.", source_key="t"),
    ]
    assert rules.notes_of_sources(notes, {"s", ""}) == notes[:2]


def test_only_what_was_called_on_is_a_matter_of_days() -> None:
    assert rules.accessed_since(MOMENT, NightlyRules()) is None
    assert rules.accessed_since(MOMENT, NightlyRules(only_accessed=7)) == MOMENT - 7 * DAY


def test_the_newest_three_in_their_own_words() -> None:
    notes = [f"Sarah likes number {n}" for n in range(5)]
    expected = "Sarah likes number 4. Sarah likes number 3. Sarah likes number 2."
    assert describe(apart, "Sarah", "", notes) == expected


def test_what_a_newer_sentence_contradicts_is_left_out() -> None:
    notes = ["Sarah lives in Oslo. Sarah plays the cello.", "Sarah lives in Bergen."]
    assert describe(by_city, "Sarah", "Sarah lives in Rome.", notes) == (
        "Sarah lives in Bergen. Sarah plays the cello."
    )


def test_what_is_gone_from_the_notes_lives_on_while_there_is_room() -> None:
    before = "Sarah plays the cello. Sarah has a dog."
    assert describe(apart, "Sarah", before, ["Sarah lives in Oslo."]) == (
        "Sarah lives in Oslo. Sarah plays the cello. Sarah has a dog."
    )


def test_whom_it_is_about_comes_before_what_held_for_a_day() -> None:
    notes = ["Sarah Chen is a geologist.", "I had lunch with Sarah today.", "Tom knows Sarah."]
    assert describe(apart, "Sarah Chen", "", notes) == (
        "Sarah Chen is a geologist. Tom knows Sarah. I had lunch with Sarah today."
    )


def test_the_owner_speaks_of_themselves() -> None:
    notes = ["I live in Oslo.", "The office is in Oslo."]
    assert describe(apart, "Ada Lindqvist", "", notes) == "I live in Oslo. The office is in Oslo."


def test_titles_and_initials_end_no_sentence() -> None:
    note = "Sarah met Dr. Berg and J. Moe. She liked both."
    assert describe(apart, "Sarah", "", [note]) == note


def test_nothing_said_is_nothing_told() -> None:
    assert describe(apart, "Sarah", "", ["  ", "..."]) == ""


def test_a_long_sentence_is_cut_at_a_word() -> None:
    told = describe(apart, "Sarah", "", ["word " * 200])
    assert len(told) <= 401
    assert told.endswith("word…")


@given(LINES, LINES)
def test_the_same_notes_again_change_nothing(before: list[str], notes: list[str]) -> None:
    once = describe(apart, "Sarah", " ".join(before), notes)
    assert describe(apart, "Sarah", once, notes) == once


@given(LINES.filter(lambda notes: len(set(notes)) >= 3), LINES)
def test_enough_notes_leave_no_room_for_what_was(notes: list[str], before: list[str]) -> None:
    assert describe(apart, "Sarah", " ".join(before), notes) == describe(apart, "Sarah", "", notes)


def test_the_offline_mind_tells_what_holds() -> None:
    notes = [
        "Sarah Chen lives in Oslo.",
        "Sarah Chen plays the cello.",
        "Sarah Chen has moved from Oslo to Bergen.",
        "Sarah Chen lives in Bergen.",
    ]
    told = OfflineMind().describe("Sarah Chen", "Sarah Chen lives in Rome.", notes)
    assert told.startswith("Sarah Chen lives in Bergen.")
    assert "plays the cello" in told
    assert "lives in Oslo" not in told
    assert "Rome" not in told
