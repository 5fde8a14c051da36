"""What a source is worth keeping for: what it alone still tells, above all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.lifecycle_reports import SourceFact, SourceFactKind, SourceFacts
from remanent.lifecycle.rules import SourceValue, WorthRules, allowed, ordered, why

pytestmark = pytest.mark.quick

NOW = datetime(2026, 6, 1, tzinfo=UTC)
RULES = WorthRules()


def source(
    key: str, *things: str, sort: SourceFactKind = SourceFactKind.BELIEF, **fields: Any
) -> SourceFacts:
    given_: dict[str, Any] = {
        "started_at": NOW - timedelta(days=30),
        "salience": 0.5,
        "access_count": 0,
        "is_pinned": False,
        "is_settled": True,
        "told": tuple(SourceFact(thing, sort) for thing in things),
        **fields,
    }
    return SourceFacts(key=key, **given_)


def order(*sources: SourceFacts) -> list[str]:
    return [one.key for one in ordered(sources, NOW)]


class TestOrder:
    def test_a_fact_before_chatter_before_what_no_longer_holds(self) -> None:
        assert order(
            source("superseded", fallen=2, salience=1.0, access_count=50),
            source("chatter"),
            source("fact", "oslo", salience=0.02),
        ) == ["fact", "chatter", "superseded"]

    def test_a_name_in_passing_saves_nothing_that_was_superseded(self) -> None:
        assert order(source("superseded", "sarah", sort=SourceFactKind.MENTION, fallen=1), source("chatter"))[-1] == "superseded"  # fmt: skip

    def test_what_is_told_by_none_else_goes_before_a_second_witness(self) -> None:
        assert order(
            source("first", "a", "b", "c"),
            source("second", "a", "b"),
            source("alone", "d"),
        ) == ["first", "alone", "second"]

    def test_a_second_witness_goes_before_chatter(self) -> None:
        assert order(source("chatter"), source("one", "a"), source("two", "a"))[-1] == "chatter"

    def test_pinned_and_unread_come_first_and_what_they_tell_is_told(self) -> None:
        found = order(
            source("same", "a"),
            source("other", "b"),
            source("pinned", "a", is_pinned=True),
            source("unread", is_settled=False),
        )
        assert set(found[:2]) == {"pinned", "unread"}
        assert found[2:] == ["other", "same"]

    def test_surer_and_more_important_things_count_more(self) -> None:
        sure = source("sure", told=(SourceFact("a", SourceFactKind.BELIEF, 0.9, 8),))
        slight = source("slight", told=(SourceFact("b", SourceFactKind.BELIEF, 0.9, 4),))
        doubted = source("doubted", told=(SourceFact("c", SourceFactKind.BELIEF, 0.1, 8),))
        assert order(doubted, slight, sure) == ["sure", "slight", "doubted"]

    def test_what_was_asked_for_comes_before_what_nobody_wanted_to_know(self) -> None:
        asked = source("asked", told=(SourceFact("a", SourceFactKind.BELIEF, 0.6, 4),))
        unasked = tuple(SourceFact(x, SourceFactKind.BELIEF, 0.6, 6, False) for x in "bc")
        assert order(source("unasked", told=unasked), asked) == ["asked", "unasked"]

    def test_two_small_facts_before_a_great_one_before_any_number_of_chores(self) -> None:
        small = source(
            "small", told=tuple(SourceFact(x, SourceFactKind.BELIEF, 0.6, 4) for x in "ab")
        )
        great = source("great", told=(SourceFact("c", SourceFactKind.BELIEF, 0.6, 9),))
        chores = source(
            "chores", told=tuple(SourceFact(x, SourceFactKind.BELIEF, 0.6, 2) for x in "defg")
        )
        assert order(chores, great, small) == ["small", "great", "chores"]

    def test_of_two_that_tell_the_same_the_newer_is_kept(self) -> None:
        old = source("a", "home", started_at=NOW - timedelta(days=300), salience=1.0)
        new = source("b", "home", started_at=NOW - timedelta(days=2), salience=0.0)
        assert order(old, new) == ["b", "a"]

    def test_what_nobody_could_read_goes_before_small_talk_and_behind_a_fact(self) -> None:
        hinted = source("hinted", "ann atlas", sort=SourceFactKind.HINT)
        assert order(source("talk"), hinted, source("fact", "home")) == ["fact", "hinted", "talk"]

    def test_a_hint_saves_nothing_that_was_superseded(self) -> None:
        gone = source("gone", "ann atlas", sort=SourceFactKind.HINT, fallen=1)
        assert order(gone, source("talk")) == ["talk", "gone"]

    @pytest.mark.parametrize(
        "better",
        [{"started_at": NOW}, {"salience": 0.9}, {"access_count": 3}],
        ids=["newer", "more present", "used"],
    )
    def test_among_equals_the(self, better: dict[str, Any]) -> None:
        assert order(source("a"), source("b", **better)) == ["b", "a"]

    def test_equals_stand_in_order_of_key(self) -> None:
        assert order(source("b", "x"), source("a", "x"), source("c")) == ["a", "b", "c"]


stories = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=4),
        st.integers(0, 2),
        st.sampled_from((False, False, False, True)),
    ),
    max_size=12,
)


def crowd(stories: list[tuple[list[str], int, bool]]) -> list[SourceFacts]:
    return [
        source(f"{number:02}", *things, fallen=fallen, is_pinned=pinned)
        for number, (things, fallen, pinned) in enumerate(stories)
    ]


def plain(sources: list[SourceFacts]) -> list[str]:
    """The same order, worked out anew at every step."""
    left, times, found = {one.key: one for one in sources}, dict.fromkeys("abcdefgh", 0), []

    def gain(one: SourceFacts) -> float:
        aside = next(ordered([source(one.key)], NOW)).worth
        return round(aside + sum(0.5 * RULES.again ** times[told.thing] for told in one.told), 9)

    def rank(one: SourceFacts) -> int:
        return 0 if one.is_pinned else 2 if one.fallen and not one.told else 1

    while left:
        best = min(left.values(), key=lambda one: (rank(one), -gain(one), one.key))
        found.append(left.pop(best.key).key)
        for told in best.told:
            times[told.thing] += 1
    return found


@given(stories=stories)
def test_it_is_the_greedy_order(stories: list[tuple[list[str], int, bool]]) -> None:
    assert order(*crowd(stories)) == plain(crowd(stories))


@given(stories=stories, most=st.integers(0, 12))
def test_letting_the_last_go_changes_nothing_for_the_others(
    stories: list[tuple[list[str], int, bool]], most: int
) -> None:
    sources = crowd(stories)
    kept = order(*sources)[:most]
    assert order(*(one for one in sources if one.key in kept)) == kept


@pytest.mark.parametrize(
    ("every", "sources", "share", "most"),
    [(100, 0, 1.0, 100), (100, 30, 1.0, 30), (100, 0, 0.2, 20), (7, 0, 0.2, 2), (100, 30, 0.2, 20),
     (10, 30, 1.0, 10), (10, 0, 0.0, 0), (10, 0, 3.0, 10), (0, 5, 0.5, 0)],
)  # fmt: skip
def test_how_many_may_stay(every: int, sources: int, share: float, most: int) -> None:
    assert allowed(every, keep_sources=sources, keep_share=share) == most


@pytest.mark.parametrize(
    ("alone", "told", "fallen", "kept", "words"),
    [
        (0, 0, 0, False, "nothing was learned from it"),
        (0, 0, 1, False, "nothing it said still holds (1 thing superseded)"),
        (0, 2, 1, False, "all it tells is told by others as well (2 things)"),
        (1, 2, 0, False, "it alone tells 1 thing that still holds"),
        (3, 3, 0, False, "it alone tells 3 things that still hold"),
        (0, 0, 0, True, "it is pinned, or not read yet"),
    ],
)
def test_why(alone: int, told: int, fallen: int, kept: bool, words: str) -> None:
    assert why(SourceValue("key", NOW, 0.1, alone, told, fallen, kept)) == words
