from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.minds.offline.moments import (
    are_opposite,
    figure,
    gerund_base,
    opposite_of,
    plain,
    same_time,
    with_plain_moments,
)
from remanent.minds.offline.wordings import plain_wording, taken_back


class TestMoments:
    @pytest.mark.parametrize(
        ("written", "plain"),
        [
            ("We launch on 4 May", "We launch on May 4"),
            ("We launch on the 4th of May", "We launch on May 4"),
            ("We launch on May 4th", "We launch on May 4"),
            ("on Sept 3", "on September 3"),
            ("at 3 pm", "at 15:00"),
            ("at 12 am", "at 0:00"),
            ("at half past seven", "at 7:30"),
            ("at quarter to one", "at 12:45"),
            ("at 2 in the afternoon", "at 14:00"),
            ("I get up at six", "I get up at 6:00"),
            ("every Monday", "on Mondays"),
            ("I may move", "I may move"),
            ("at 12 Elm Street", "at 12 Elm Street"),
        ],
    )
    def test_have_one_form(self, written, plain):
        assert with_plain_moments(written) == plain

    @pytest.mark.parametrize(
        ("one", "other", "same"),
        [
            ("9:00", "9:00", True),
            ("9:00", "21:00", True),
            ("9:00", "9:30", False),
            ("9:00", "10:00", False),
            ("monday", "tuesday", False),
        ],
    )
    def test_clock_times_may_leave_the_half_of_the_day_open(self, one, other, same):
        assert same_time(one, other) is same

    @given(st.text(max_size=40))
    def test_bringing_them_to_one_form_twice_changes_nothing(self, text):
        once = with_plain_moments(text)
        assert with_plain_moments(once) == once

    @pytest.mark.parametrize(
        ("word", "found"),
        [("three", "3"), ("1,200", "1,200"), ("may", "may"), ("friday", "friday"), ("tea", "")],
    )
    def test_figures(self, word, found):
        assert figure(word) == found


class TestWordings:
    @pytest.mark.parametrize(
        ("said", "ours"),
        [
            ("Oslo is where I live.", "I live in Oslo."),
            ("My home is in Oslo", "I live in Oslo."),
            ("Karen's home is in Oslo", "Karen does live in Oslo."),
            ("I report to Ann", "my boss is Ann."),
            ("Ann isn't my boss anymore", "my boss is not Ann."),
            ("Ann no longer leads the team", "Ann does not lead the team."),
            ("I can't stand jazz", "I hate jazz."),
            ("Ann is not a fan of jazz", "Ann does not like jazz."),
            ("Kenji studies law", "Kenji does study law."),
            ("The leaves are green", "The leaves are green."),
            ("I prefer trains to planes", "I prefer trains to planes."),
            ("I do not want to report to Ann", "I do not want to report to Ann."),
        ],
    )
    def test_are_brought_to_ours(self, said, ours):
        assert plain_wording(said).text == ours

    def test_what_is_said_of_the_change_is_kept(self):
        assert plain_wording("I live in Oslo now").marked
        assert not plain_wording("I live in Oslo").marked

    def test_what_is_added_behind_a_comma_is_kept_apart(self):
        found = plain_wording("Ann lives in Oslo, two stops from the office")
        assert found.text == "Ann does live in Oslo."
        assert {"stops", "office"} <= found.aside

    def test_one_of_several(self):
        found = plain_wording("I have a dog named Rex")
        assert (found.text, found.several) == ("my dog is called Rex.", True)

    @pytest.mark.parametrize(
        ("said", "kept", "gone"),
        [
            ("I drink tea instead of coffee.", "I drink tea now", "I drink coffee"),
            ("I live in Oslo, not Bergen.", "I live in Oslo now", "I live in Bergen"),
            ("Tom is not married.", "Tom is not married.", ""),
        ],
    )
    def test_what_a_statement_takes_back(self, said, kept, gone):
        assert taken_back(said) == (kept, gone)

    @given(st.text(max_size=80))
    def test_any_text_has_one(self, text):
        assert plain_wording(text).text.endswith(".")
        assert isinstance(taken_back(text), tuple)


class TestOpposites:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("open", "closed"), ("ill", "healthy"), ("resolved", "unresolved"), ("red", "blue")],
    )
    def test_exclude_each_other(self, one, other):
        assert are_opposite(frozenset({one}), frozenset({other}))
        assert are_opposite(frozenset({other, "door"}), frozenset({one, "door"}))

    @pytest.mark.parametrize(("one", "other"), [("open", "red"), ("tea", "coffee"), ("a", "a")])
    def test_other_words_do_not(self, one, other):
        assert not are_opposite(frozenset({one}), frozenset({other}))

    def test_words_that_mean_the_same_are_one(self):
        assert plain(["kids", "purchase", "swimming"]) == {"kid", "buy", "swim"}

    @pytest.mark.parametrize(
        ("word", "base"), [("hiking", "hike"), ("running", "run"), ("king", "king"), ("tea", "tea")]
    )
    def test_gerunds(self, word, base):
        assert gerund_base(word) == base

    def test_the_opposite_of_a_word(self):
        assert (opposite_of("younger"), opposite_of("young")) == (None, "old")
