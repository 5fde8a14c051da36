"""How an exploration is checked, gathers, ranks and is cut to size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.checks import IntakeRules
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.search import Mode
from remanent.errors import InvalidInput
from remanent.retrieval.model import (
    ExploreRequest,
    Granularity,
    Query,
    RelationshipFilters,
)
from remanent.retrieval.rules import explore
from remanent.retrieval.rules import explore as explore_request
from remanent.retrieval.rules.explore import ExploringRules, Speller
from remanent.retrieval.rules.ranking import RankingRules
from remanent_conformance.builders import (
    MOMENT,
    a_note,
    a_person,
    a_relationship,
    a_source,
    a_storyline,
)

pytestmark = pytest.mark.quick

DAY = timedelta(days=1)
grades = st.integers(1, 5)
scores = st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 1), max_size=6)


def checked(**given: Any) -> Any:
    return explore_request.checked(
        ExploreRequest(**given),
        rules=ExploringRules(),
        ranking=RankingRules(),
        intake=IntakeRules(),
    )


# --- the question ----------------------------------------------------------------------------


def test_a_text_is_a_query_with_the_usual_threshold() -> None:
    asked = checked(queries="fish soup")

    assert asked.queries == (Query(query="fish soup", threshold=0.30),)
    assert (asked.granularity, asked.mode) == (Granularity.MICRO, Mode.FAST)
    assert asked.weights == {"time": 0.3, "salience": 0.4, "semantic": 0.3}
    assert asked.checked_filters == RelationshipFilters()


def test_queries_may_name_their_thresholds() -> None:
    asked = checked(queries=[{"query": "a", "threshold": 0.75}, "b", {"query": "c"}])

    assert [one.threshold for one in asked.queries] == [0.75, 0.30, 0.30]


def test_weights_may_be_given_in_part() -> None:
    weights = checked(queries="a", weights={"time": 0}).weights

    assert weights == {"time": 0.0, "salience": 0.4, "semantic": 0.3}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "queries"),
        ({"queries": [], "text_matches": []}, "queries"),
        ({"queries": ""}, "queries[0].query"),
        ({"queries": "  "}, "queries[0].query"),
        ({"queries": ["a", "x" * 100_000]}, "queries[1].query"),
        ({"queries": 3}, "queries"),
        ({"queries": b"abc"}, "queries"),
        ({"queries": [3]}, "queries[0].query"),
        ({"queries": ["a"] * 11}, "queries"),
        ({"queries": [{"query": "a", "treshold": 0.5}]}, "queries[0]"),
        ({"queries": [{"query": "a", "threshold": 1.5}]}, "queries[0].threshold"),
        ({"queries": [{"query": "a", "threshold": -0.1}]}, "queries[0].threshold"),
        ({"queries": [{"query": "a", "threshold": "high"}]}, "queries[0].threshold"),
        ({"queries": [{"query": "a", "threshold": float("nan")}]}, "queries[0].threshold"),
        ({"queries": [{"threshold": 0.5}]}, "queries[0].query"),
        ({"text_matches": ["ok", ""]}, "text_matches[1]"),
        ({"text_matches": ["\x00"]}, "text_matches[0]"),
        ({"text_matches": ["a"] * 21}, "text_matches"),
        ({"granularity": 4}, "granularity"),
        ({"granularity": 0}, "granularity"),
        ({"granularity": True}, "granularity"),
        ({"granularity": "1"}, "granularity"),
        ({"mode": "slow"}, "mode"),
        ({"weights": {"time": -0.1}}, "weights.time"),
        ({"weights": {"time": 0, "salience": 0, "semantic": 0}}, "weights"),
        ({"weights": {"luck": 1}}, "weights"),
        ({"weights": {"time": float("inf")}}, "weights.time"),
        ({"weights": [1, 2, 3]}, "weights"),
        ({"relationship_filters": {"min_attitude": 0}}, "relationship_filters.min_attitude"),
        ({"relationship_filters": {"max_proximity": 6}}, "relationship_filters.max_proximity"),
        ({"relationship_filters": {"min_attitude": 2.5}}, "relationship_filters.min_attitude"),
        (
            {"relationship_filters": {"min_proximity": 4, "max_proximity": 3}},
            "relationship_filters.min_proximity",
        ),
        ({"relationship_filters": {"closeness": 3}}, "relationship_filters"),
        ({"relationship_filters": "friend"}, "relationship_filters"),
        (
            {"relationship_filters": {"relationship_types": [7]}},
            "relationship_filters.relationship_types",
        ),
        ({"as_of": datetime(2026, 1, 1)}, "as_of"),  # noqa: DTZ001
        ({"known_at": "2026-01-01"}, "known_at"),
    ],
)
def test_what_is_off_is_named(given: dict[str, Any], field: str) -> None:
    if "queries" not in given and "text_matches" not in given and given:
        given = {"queries": "a", **given}

    with pytest.raises(InvalidInput) as caught:
        checked(**given)

    assert caught.value.field == field


def test_unknown_relationship_types_are_fine() -> None:
    filters = {"relationship_types": ["nemesis"], "exclude_relationship_types": "friend"}
    asked = checked(text_matches="a", relationship_filters=filters)

    assert asked.checked_filters.relationship_types == ("nemesis",)
    assert asked.checked_filters.exclude_relationship_types == ("friend",)
    again = checked(text_matches="a", relationship_filters=asked.checked_filters)
    assert again.checked_filters == asked.checked_filters


# --- filters ---------------------------------------------------------------------------------


@given(grades, grades, grades, grades, grades, grades)
def test_grades_are_bounds(a: int, p: int, low: int, high: int, near: int, far: int) -> None:
    one = a_relationship("x", "y", attitude=a, proximity=p)
    filters = RelationshipFilters(
        min_attitude=low, max_attitude=high, min_proximity=near, max_proximity=far
    )

    assert explore.passes(one, filters) == (low <= a <= high and near <= p <= far)


def test_types_are_wanted_or_not() -> None:
    one = a_relationship("x", "y", type="Friend")

    assert explore.passes(one, RelationshipFilters(relationship_types=("friend", "boss")))
    assert not explore.passes(one, RelationshipFilters(relationship_types=("boss",)))
    assert not explore.passes(one, RelationshipFilters(exclude_relationship_types=("FRIEND",)))


def test_what_was_there_then() -> None:
    source = a_source(started_at=MOMENT, created_at=MOMENT + 9 * DAY)
    person = a_person(first_mentioned_at=MOMENT, created_at=MOMENT + 9 * DAY)
    owner = a_person("Ann", is_owner=True)
    for one in (source, person):
        assert explore.was_there(one, None, None)
        assert explore.was_there(one, MOMENT, None)
        assert not explore.was_there(one, MOMENT - DAY, None)
        assert not explore.was_there(one, None, MOMENT + 8 * DAY)
        assert explore.was_there(one, None, MOMENT + 9 * DAY)
    assert explore.was_there(owner, MOMENT - 900 * DAY, None)
    assert not explore.was_there(replace(source, life=Lifecycle(state=State.ARCHIVED)), None, None)


# --- text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "name", "least", "most"),
    [
        ("sarah chen", "Sarah Chen", 1, 1),
        ("SARAH-CHEN", "Sarah Chen", 1, 1),
        ("sarah", "Sarah Chen", 0.9, 0.9),
        ("chen", "Sarah Chen", 0.9, 0.9),
        ("sarha chen", "Sarah Chen", 0.8, 0.99),
        ("andrw", "Andrew Smith", 0.7, 0.9),
        ("arah", "Sarah Chen", 0.7, 0.9),
        ("tom", "Sarah Chen", 0, 0),
        ("ann", "Annika", 0, 0),
        ("...", "Sarah", 0, 0),
    ],
)
def test_names(wanted: str, name: str, least: float, most: float) -> None:
    assert least <= Speller(wanted).names([name, "Zz"]) <= most


def test_a_speller_forgets_what_it_compared_before() -> None:
    speller = Speller("sarah chen")

    assert speller.names(["Tom"]) == 0
    assert speller.names(["Sarah Chen"]) == 1
    assert speller.names(["Sara Chen"]) == speller.names(["Sara Chen"]) > 0.9


@given(st.text(max_size=20), st.text(max_size=20))
def test_likenesses_run_from_nought_to_one(one: str, other: str) -> None:
    assert 0 <= Speller(one).names([other]) <= 1
    assert 0 <= explore.text_match(one, other) <= 1


@given(st.text(alphabet="abc äØ", min_size=1, max_size=20))
def test_everything_is_called_by_its_own_name(name: str) -> None:
    own = Speller(name).names([name])

    assert own == explore.text_match(name, f"so: {name}!") == (1.0 if name.strip() else 0.0)


def test_a_text_says_it_word_for_word_or_in_part() -> None:
    text = "The red boats leak badly in autumn."

    assert explore.text_match("red boats", text) == 1
    assert explore.text_match("autumn boats", text) < 1
    assert explore.text_match("boat", text) > 0.8
    assert explore.text_match("red umbrella", text) == 0.5
    assert explore.text_match("umbrella", text) == 0


# --- ranking ---------------------------------------------------------------------------------


def test_one_list_speaks_for_itself() -> None:
    assert explore.semantic([{"a": 0.4, "b": 0.9}]) == {"a": 0.4, "b": 0.9}
    assert explore.semantic([{}, {"a": 0.4}]) == {"a": 0.4}
    assert explore.semantic([]) == {}


def test_several_are_fused_by_reciprocal_rank() -> None:
    fused = explore.semantic([{"a": 0.9, "b": 0.5}, {"a": 0.8, "c": 0.7}])

    assert fused["a"] == pytest.approx(1.0)
    assert fused["b"] == fused["c"] == pytest.approx(0.5 * 61 / 62)


@given(st.lists(scores, max_size=4))
def test_fusion_is_bounded_and_has_no_order(lists: list[Mapping[str, float]]) -> None:
    fused = explore.semantic(lists)

    assert all(0 < one <= 1 for one in fused.values())
    assert explore.semantic(lists[::-1]) == pytest.approx(fused)


def test_the_score_is_the_weighted_sum() -> None:
    person = a_person(life=Lifecycle(salience=0.6), updated_at=MOMENT - 35 * DAY)
    weights = {"time": 0.3, "salience": 0.4, "semantic": 0.3}
    fit = explore.fit(person, 0.5, MOMENT, weights, 0.02)

    assert fit.time == pytest.approx(0.3 * 0.4965853)
    assert fit.salience == pytest.approx(0.24)
    assert fit.semantic == pytest.approx(0.15)
    assert fit.score == pytest.approx(0.3 * 0.4965853 + 0.39)


def test_an_episode_is_as_fresh_as_its_own_end() -> None:
    long_ago = MOMENT - 400 * DAY

    assert explore.fresh_at(a_source(started_at=long_ago, updated_at=MOMENT)) == long_ago
    assert explore.fresh_at(a_storyline("x", last_source_at=long_ago)) == long_ago
    assert explore.fresh_at(a_person(updated_at=MOMENT)) == MOMENT


# --- limits and snippets ---------------------------------------------------------------------


def test_the_limits_are_those_of_the_spec() -> None:
    micro, meso, macro = (explore.limits(one) for one in Granularity)

    assert (micro.sources, micro.nodes, micro.relationships) == (5, 5, 10)
    assert (micro.storyline_names, micro.macro_names) == (3, 2)
    assert (micro.storylines, micro.macros, micro.source_previews) == (0, 0, 0)
    assert (meso.storylines, meso.nodes, meso.relationships) == (5, 5, 10)
    assert (meso.source_previews, meso.macro_names) == (10, 2)
    assert (meso.sources, meso.storyline_names, meso.macros) == (0, 0, 0)
    assert (macro.macros, macro.nodes, macro.relationships) == (5, 5, 10)
    assert (macro.sources, macro.source_previews, macro.storylines) == (0, 0, 0)


def test_snippets_are_unexpired_and_newest_first() -> None:
    notes = [
        a_note("x", "old", date_added=MOMENT - 3 * DAY),
        a_note("x", "gone", date_added=MOMENT - DAY, expires_at=MOMENT),
        a_note("x", "new", date_added=MOMENT, expires_at=MOMENT + DAY),
    ]

    assert explore.snippets(notes, MOMENT) == ("new", "old")


def test_snippets_are_ten_at_most_and_cut() -> None:
    notes = [a_note("x", f"{n} " * 400, date_added=MOMENT + n * DAY) for n in range(30)]
    found = explore.snippets(notes, MOMENT)

    assert len(found) == 10
    assert [one.split()[0] for one in found] == [str(29 - n) for n in range(10)]
    assert {len(one) for one in found} == {500}


@given(
    st.lists(st.text(min_size=1, max_size=900), max_size=15),
    st.integers(0, 600),
    st.integers(0, 2000),
    st.integers(0, 12),
)
def test_snippets_never_exceed_their_room(
    texts: list[str], each: int, all_: int, most: int
) -> None:
    rules = ExploringRules(snippets=most, snippet_characters=each, snippets_characters=all_)
    notes = [a_note("x", text, date_added=datetime(2026, 1, 1, tzinfo=UTC)) for text in texts]
    found = explore.snippets(notes, MOMENT, rules)

    assert len(found) <= most
    assert all(0 < len(one) <= each for one in found)
    assert sum(map(len, found)) <= all_


def test_one_line() -> None:
    assert explore.one_liner(" Ann moved. Then she rested.") == "Ann moved."
    assert explore.one_liner("") == ""
