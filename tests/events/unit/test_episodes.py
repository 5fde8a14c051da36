"""Episodes: where a run of events is cut, and what belongs together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.story import Level, Summary
from remanent.events.rules.episodes import (
    EpisodeRules,
    home,
    is_closed,
    link_weight,
    runs,
    summarized_events,
)
from remanent_conformance.builders import MOMENT

pytestmark = pytest.mark.quick

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Moment:
    occurred_at: datetime


def at(*minutes: float) -> list[Moment]:
    return [Moment(MOMENT + one * MINUTE) for one in minutes]


def lengths(found: Sequence[Sequence[Moment]]) -> list[int]:
    return [len(one) for one in found]


def an_episode(first: float, last: float, count: int = 1) -> Summary:
    return Summary(
        key=f"s{first}",
        user_id="ann",
        created_at=MOMENT,
        updated_at=MOMENT,
        text="t",
        level=Level.EPISODE,
        covers_from=MOMENT + first * MINUTE,
        covers_to=MOMENT + last * MINUTE,
        event_count=count,
    )


def test_a_pause_longer_than_the_gap_begins_an_episode() -> None:
    assert lengths(runs(at(0, 10, 40, 71, 80))) == [3, 2]
    assert runs([]) == []


def test_a_long_run_is_cut() -> None:
    assert lengths(runs(at(*range(5)), EpisodeRules(episode_events=2))) == [2, 2, 1]


def test_an_episode_is_over_when_the_pause_is_longer_than_the_gap() -> None:
    assert not is_closed(at(0, 10), MOMENT + 40 * MINUTE)
    assert is_closed(at(0, 10), MOMENT + 41 * MINUTE)


def test_what_comes_late_finds_its_episode() -> None:
    early, late = an_episode(0, 20), an_episode(100, 110)

    assert home(at(45), [late, early]) is early
    assert home(at(75), [late, early]) is late
    assert home(at(60), [late, early]) is None
    assert home(at(10), [an_episode(0, 20, count=200)]) is None


@given(st.lists(st.floats(0, 10_000), max_size=40))
def test_runs_are_the_events_in_order_with_no_gap_inside(minutes: list[float]) -> None:
    events = at(*sorted(minutes))
    found = runs(events)

    assert [one for run in found for one in run] == events
    for run in found:
        for one, following in itertools.pairwise(run):
            assert following.occurred_at - one.occurred_at <= 30 * MINUTE
    for run, following_run in itertools.pairwise(found):
        assert following_run[0].occurred_at - run[-1].occurred_at > 30 * MINUTE


def test_two_shared_anchors_or_one_rare_one_tie_two_events() -> None:
    assert link_weight(0.0, 0, None) == 0.0
    assert link_weight(0.0, 1, 50) == 0.5
    assert link_weight(0.0, 2, 50) == 0.75
    assert link_weight(0.0, 1, 2) == 0.75
    assert link_weight(0.9, 1, 50) == 0.9


@given(st.floats(-1, 1), st.integers(0, 20), st.integers(2, 500))
def test_a_tie_is_a_share_and_more_in_common_never_loosens_it(
    similarity: float, shared: int, rarest: int
) -> None:
    weight = link_weight(similarity, shared, rarest)

    assert 0.0 <= weight <= 1.0
    assert link_weight(similarity, shared + 1, rarest) >= weight


def test_a_summary_is_written_from_what_weighs_no_less_than_average() -> None:
    assert summarized_events([5.0, 3.0, 3.5, 8.0]) == [True, False, False, True]
    assert summarized_events([3.3, 3.3, 3.3]) == [True, True, True]
    assert summarized_events([]) == []


@given(st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_something_is_always_told(weights: list[float]) -> None:
    assert summarized_events(weights)[weights.index(max(weights))]
