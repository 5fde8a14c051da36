"""Scores are joined without regard to order, and put in one order (SPEC 7, 8)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.beliefs.rules.explain import normalised
from remanent.retrieval.rules.ranking import (
    RankingRules,
    newest_first,
    of_several,
    ordered,
    recency,
    reciprocal_rank,
    weights,
)

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SAID = {"a": (date(2024, 1, 1), 0), "b": (date(2024, 1, 2), 0)}
SAID |= {"c": (date(2024, 1, 3), 4), "d": (date(2024, 1, 3), 5)}
keys = st.sampled_from("abcdefgh")
scores = st.dictionaries(keys, st.floats(-1e6, 1e6))
unit = st.floats(0, 1)


class TestNormalised:
    def test_keeps_the_margins(self) -> None:
        assert normalised({"a": 10.0, "b": 4.0, "c": 2.0}) == {"a": 1.0, "b": 0.25, "c": 0.0}

    @pytest.mark.parametrize("given_", [{}, {"a": -3.0}, {"a": 0.0, "b": 0.0}])
    def test_equals_are_all_best(self, given_: dict[str, float]) -> None:
        assert normalised(given_) == dict.fromkeys(given_, 1.0)

    @given(given_=scores)
    def test_stays_between_0_and_1_and_keeps_the_order(self, given_: dict[str, float]) -> None:
        result = normalised(given_)
        assert all(0.0 <= value <= 1.0 for value in result.values())
        assert all(result[a] <= result[b] for a in given_ for b in given_ if given_[a] <= given_[b])


class TestReciprocalRank:
    def test_adds_up_over_rankings(self) -> None:
        joined = reciprocal_rank([["a", "b"], ["b"]])
        assert joined == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61})

    def test_a_repeat_in_one_ranking_counts_once(self) -> None:
        assert reciprocal_rank([["a", "a", "b"]], k=0) == {"a": 1.0, "b": 0.5}

    @given(
        rankings=st.lists(st.lists(keys, unique=True), max_size=6),
        random=st.randoms(use_true_random=False),
    )
    def test_does_not_depend_on_order(self, rankings, random) -> None:
        shuffled = random.sample(rankings, len(rankings))
        assert reciprocal_rank(shuffled) == reciprocal_rank(rankings)


class TestNewestFirst:
    def test_those_said_change_places_and_nothing_else_moves(self) -> None:
        said = {key: SAID[key] for key in "ab"}
        assert newest_first(["a", "x", "b", "c"], said) == ["b", "x", "a", "c"]

    def test_on_one_day_the_later_place_is_newer(self) -> None:
        assert newest_first(["c", "d", "a"], SAID) == ["d", "c", "a"]

    @given(order=st.lists(keys, unique=True), said=st.sets(st.sampled_from("abcd")))
    def test_the_places_of_the_others_are_theirs(self, order: list[str], said: set[str]) -> None:
        chosen = {key: SAID[key] for key in said}
        placed = newest_first(order, chosen)
        assert sorted(placed) == sorted(order)
        assert all(new == old for new, old in zip(placed, order, strict=True) if old not in said)
        times = [SAID[key] for key in placed if key in said]
        assert times == sorted(times, reverse=True)


def test_every_signal_has_its_weight() -> None:
    rules = replace(RankingRules(), lexical=0.5, session_dense=0.25)
    assert weights(rules)["lexical"] == 0.5
    assert weights(rules)["session_dense"] == 0.25


def test_for_several_things_meaning_counts_more_and_the_source_less() -> None:
    plain, many = weights(), of_several(weights())
    assert many["dense"] == 3 * plain["dense"]
    assert many["part"] == 3 * plain["part"]
    assert many["session"] == plain["session"] / 2
    assert many["session_dense"] == plain["session_dense"] / 2
    assert {name for name in plain if plain[name] == many[name]} == {
        "lexical", "around", "recent", "period", "cold",
    }  # fmt: skip


@given(given_=scores, random=st.randoms(use_true_random=False))
def test_order_is_by_score_then_key(given_: dict[str, float], random) -> None:
    shuffled = dict(random.sample(list(given_.items()), len(given_)))
    assert ordered(shuffled) == ordered(given_)
    ranked = [(-given_[key], key) for key in ordered(given_)]
    assert ranked == sorted(ranked)


class TestExploring:
    def test_recency_halves_in_35_days(self) -> None:
        assert recency(0) == recency(-4) == 1.0
        assert recency(35) == pytest.approx(0.5, rel=0.01)
        assert recency(30, 0.023) == pytest.approx(0.5, rel=0.01)
