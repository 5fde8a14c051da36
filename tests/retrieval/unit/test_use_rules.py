"""The rules of use and of the archive: pure, for every figure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from remanent.core.lifecycle import LifecycleRules, accessed, used
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.retrieval.rules.ranking import answering, any_within, used_from

START = datetime(2026, 5, 4, tzinfo=UTC)
shares = some.floats(0, 1)
days = some.dates(date(2026, 1, 1), date(2026, 3, 1))


@given(some.lists(some.integers(0, 3000), max_size=60), some.floats(0.1, 48))
def test_uses_count_at_most_once_in_so_many_hours(minutes: list[int], hours: float) -> None:
    life, counted = Lifecycle(), list[int]()
    for minute in sorted(minutes):
        after = used(life, START + timedelta(minutes=minute), LifecycleRules(use_again_hours=hours))
        if after is not life:
            counted.append(minute)
            assert after == accessed(life, START + timedelta(minutes=minute))
        life = after
    assert life.access_count == len(counted)
    assert counted[:1] == sorted(minutes)[:1]
    assert all(later - one >= hours * 60 - 1e-3 for one, later in pairwise(counted))


@given(some.integers(0, 10_000))
def test_what_is_archived_is_called_back_whenever_it_is_used(minute: int) -> None:
    last = START + timedelta(minutes=minute)
    life = Lifecycle(state=State.ARCHIVED, last_accessed_at=last, access_count=3)
    assert used(life, last).state is State.ACTIVE
    assert used(life, last).access_count == 4


@given(some.lists(some.floats(-2, 2), min_size=1), shares, shares)
def test_the_best_hit_is_always_used_and_no_share_takes_more_than_a_lower_one(
    scores: list[float], one: float, two: float
) -> None:
    low, high = sorted((one, two))
    assert used_from(scores, low) <= used_from(scores, high) <= max(scores)
    assert used_from(scores, 1) == max(scores)
    if max(scores) > 0:
        assert used_from(scores, 0) == 0
    assert used_from([], one) == 0


@given(shares, shares, shares)
def test_a_hit_answers_better_by_words_and_by_meaning(one: float, two: float, other: float) -> None:
    low, high = sorted((one, two))
    assert 0 <= answering(low, other) <= answering(high, other) <= 1
    assert 0 <= answering(other, low) <= answering(other, high) <= 1
    assert answering(1, 1) == 1
    assert answering(0, other) == answering(other, 0) == 0


@given(
    some.lists(some.tuples(days, days).map(sorted), max_size=4), some.tuples(days, days).map(sorted)
)
def test_a_time_lies_in_the_archive_where_they_have_a_day_in_common(
    periods: list[list[date]], cold: list[date]
) -> None:
    def every(first: date, last: date) -> set[int]:
        return set(range(first.toordinal(), last.toordinal() + 1))

    shared = any(every(*one) & every(*cold) for one in periods)
    assert any_within([(one[0], one[1]) for one in periods], (cold[0], cold[1])) is shared
