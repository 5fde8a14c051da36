"""Memories fade by one curve whatever the schedule, and being called on keeps them (SPEC 7, 12.2)."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from remanent.core.lifecycle import (
    LifecycleRules,
    accessed,
    archives_after,
    decay_rate,
    faded,
    fades_from,
    half_life,
    pinned,
    restored,
    rules_for,
    spaced,
    unpinned,
)
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Kind

pytestmark = pytest.mark.quick

BORN = datetime(2026, 1, 1, tzinfo=UTC)
RULES = LifecycleRules()


def later(days: float) -> datetime:
    return BORN + timedelta(days=days)


def after(
    life: Lifecycle, days: float, *, confidence: float = 1.0, episodic: bool = True
) -> Lifecycle:
    return faded(life, confidence=confidence, created_at=BORN, now=later(days), episodic=episodic)


ACTIVE = Lifecycle(state=State.ACTIVE)

lives = st.builds(
    Lifecycle,
    salience=st.floats(0.0, 1.0),
    state=st.sampled_from(State),
    ttl_policy=st.sampled_from(TtlPolicy),
    access_count=st.integers(0, 50),
    recall_frequency=st.integers(0, 10_000),
    last_recall_interval=st.floats(0.0, 400.0),
    decay_gradient=st.floats(0.0, 200.0),
    last_accessed_at=st.none() | st.floats(0.0, 50.0).map(later),
    decayed_at=st.none() | st.floats(0.0, 50.0).map(later),
)


class TestFading:
    @pytest.mark.parametrize(("days", "share"), [(35, 0.5), (70, 0.25), (105, 0.125)])
    def test_half_of_it_is_gone_every_35_days(self, days: float, share: float) -> None:
        assert after(ACTIVE, days).salience == pytest.approx(0.5 * share, rel=0.03)

    def test_half_a_salience_reaches_the_threshold_after_196_days(self) -> None:
        assert after(ACTIVE, 195).state is State.ACTIVE
        assert after(ACTIVE, 196).state is State.ARCHIVED
        assert after(ACTIVE, 195.6).salience == pytest.approx(0.01, rel=1e-3)

    @pytest.mark.parametrize(("days", "share"), [(35, 0.95), (70, 0.90)])
    def test_what_was_recalled_often_hardly_fades(self, days: float, share: float) -> None:
        life = replace(ACTIVE, recall_frequency=5, decay_gradient=1.5)
        assert decay_rate(life, 0.4) == pytest.approx(0.02 / (1 + 5**1.5))
        assert decay_rate(life, 0.4) == pytest.approx(0.0015, abs=2e-4)
        assert after(life, days).salience == pytest.approx(0.5 * share, rel=0.02)

    @pytest.mark.parametrize(
        ("confidence", "rate"), [(0.4, 0.044), (0.5, 0.04), (0.7, 0.032), (0.8, 0.0), (0.85, 0.0)]
    )
    def test_candidates_fade_by_doubt(self, confidence: float, rate: float) -> None:
        assert decay_rate(Lifecycle(), confidence) == pytest.approx(rate)

    def test_a_doubtful_candidate_loses_half_in_17_days(self) -> None:
        assert after(Lifecycle(), 17, confidence=0.5).salience == pytest.approx(0.25, rel=0.02)

    def test_doubt_is_over_once_something_was_called_on(self) -> None:
        assert decay_rate(ACTIVE, 0.4) == pytest.approx(0.02)
        assert decay_rate(replace(ACTIVE, state=State.ARCHIVED), 0.4) == pytest.approx(0.02)

    def test_a_certain_candidate_waits(self) -> None:
        assert after(Lifecycle(), 3650, confidence=0.9).salience == 0.5

    def test_never_recalled_fades_at_the_base_rate_whatever_the_gradient(self) -> None:
        assert decay_rate(replace(ACTIVE, decay_gradient=0.0), 1.0) == 0.02

    def test_an_enormous_gradient_is_no_overflow(self) -> None:
        life = replace(ACTIVE, recall_frequency=10**6, decay_gradient=1e6)
        assert 0.0 <= decay_rate(life, 1.0) < 1e-300

    def test_a_negative_gradient_counts_as_none(self) -> None:
        life = replace(ACTIVE, recall_frequency=9, decay_gradient=-3.0)
        assert decay_rate(life, 1.0) == pytest.approx(0.01)

    def test_what_is_kept_forever_stays_whole(self) -> None:
        kept = replace(ACTIVE, ttl_policy=TtlPolicy.KEEP_FOREVER, salience=0.3)
        assert after(kept, 5000) == replace(kept, salience=1.0, decayed_at=later(5000))
        assert decay_rate(kept, 0.1) == 0.0

    @pytest.mark.parametrize(("episodic", "deadline"), [(True, 30), (False, 90)])
    def test_the_ephemeral_goes_at_its_deadline(self, episodic: bool, deadline: float) -> None:
        life = Lifecycle(ttl_policy=TtlPolicy.EPHEMERAL, salience=1.0)
        assert after(life, deadline - 0.1, episodic=episodic).state is State.CANDIDATE
        assert after(life, deadline, episodic=episodic).state is State.ARCHIVED

    def test_an_ephemeral_called_back_goes_again_the_next_night(self) -> None:
        life = after(Lifecycle(ttl_policy=TtlPolicy.EPHEMERAL), 31)
        back = accessed(life, later(40))
        assert back.state is State.ACTIVE
        assert after(back, 40).state is State.ARCHIVED

    def test_time_that_has_not_come_changes_nothing(self) -> None:
        life = replace(ACTIVE, decayed_at=later(10))
        assert after(life, 9) == life

    def test_a_threshold_of_zero_archives_nothing(self) -> None:
        rules = LifecycleRules(archive_below=0.0)
        life = faded(
            ACTIVE, confidence=1, created_at=BORN, now=later(2000), episodic=True, rules=rules
        )
        assert life.state is State.ACTIVE

    def test_it_counts_from_the_latest_of_birth_access_and_last_fading(self) -> None:
        assert fades_from(ACTIVE, BORN) == BORN
        life = replace(ACTIVE, last_accessed_at=later(3), decayed_at=later(2))
        assert fades_from(life, BORN) == later(3)
        assert fades_from(replace(life, decayed_at=later(4)), BORN) == later(4)

    @given(
        life=lives,
        confidence=st.floats(0.0, 1.0),
        episodic=st.booleans(),
        hours=st.lists(st.integers(0, 24 * 120), max_size=8),
    )
    def test_any_schedule_ends_where_one_step_does(
        self, life: Lifecycle, confidence: float, episodic: bool, hours: list[int]
    ) -> None:
        stepwise, now = life, later(50)
        for step in (0, *hours):
            now += timedelta(hours=step)
            stepwise = faded(
                stepwise, confidence=confidence, created_at=BORN, now=now, episodic=episodic
            )
        at_once = faded(life, confidence=confidence, created_at=BORN, now=now, episodic=episodic)
        assert stepwise.salience == pytest.approx(at_once.salience, rel=1e-6, abs=1e-300)
        assume(not math.isclose(at_once.salience, RULES.archive_below, rel_tol=1e-6))
        assert stepwise == replace(at_once, salience=stepwise.salience)

    @given(life=lives, confidence=st.floats(0.0, 1.0), days=st.floats(50.0, 4000.0))
    def test_twice_at_one_moment_is_once_and_nothing_grows(
        self, life: Lifecycle, confidence: float, days: float
    ) -> None:
        once = after(life, days, confidence=confidence)
        assert after(once, days, confidence=confidence) == once
        assert once.salience <= life.salience or life.ttl_policy is TtlPolicy.KEEP_FOREVER
        assert 0.0 <= once.salience <= 1.0

    @given(
        life=lives,
        state=st.sampled_from(sorted(set(State) - {State.ARCHIVED})),
        policy=st.sampled_from(sorted(set(TtlPolicy) - {TtlPolicy.KEEP_FOREVER})),
        rate_at=st.floats(0.0, 1.0),
        days=st.floats(0.0, 400.0),
    )
    def test_the_closed_form_holds_until_it_leaves_the_mind(
        self, life: Lifecycle, state: State, policy: TtlPolicy, rate_at: float, days: float
    ) -> None:
        life = replace(life, state=state, ttl_policy=policy)
        start = fades_from(life, BORN)
        end = faded(
            life,
            confidence=rate_at,
            created_at=BORN,
            now=start + timedelta(days=days),
            episodic=True,
        )
        closed = life.salience * math.exp(-decay_rate(life, rate_at) * days)
        assume(closed > RULES.archive_below)  # below, it has left
        assert end.salience == pytest.approx(closed, rel=1e-6)


class TestAccess:
    def test_once_makes_a_candidate_active(self) -> None:
        life = accessed(Lifecycle(), later(5))
        assert life == Lifecycle(
            salience=0.55,
            state=State.ACTIVE,
            access_count=1,
            recall_frequency=1,
            last_accessed_at=later(5),
        )

    def test_every_three_days_makes_it_core_within_a_month(self) -> None:
        life = Lifecycle()
        states = []
        for day in range(3, 33, 3):
            life = accessed(life, later(day))
            states.append(life.state)
        assert states == [State.ACTIVE] * 9 + [State.CORE]
        assert life.salience == pytest.approx(1.0)

    def test_the_archived_comes_back_active_however_often_it_was_seen(self) -> None:
        gone = Lifecycle(state=State.ARCHIVED, access_count=40, salience=0.004)
        back = accessed(gone, later(1))
        assert back.state is State.ACTIVE
        assert back.salience == pytest.approx(0.054)
        assert accessed(back, later(2)).state is State.CORE

    def test_what_began_as_core_stays_core(self) -> None:
        assert accessed(Lifecycle(state=State.CORE), later(1)).state is State.CORE

    @pytest.mark.parametrize(
        ("before", "interval", "gradient"), [(3.0, 7.0, 1.1), (7.0, 3.0, 0.95), (5.0, 5.0, 1.0)]
    )
    def test_spacing(self, before: float, interval: float, gradient: float) -> None:
        life = Lifecycle(last_recall_interval=before, last_accessed_at=later(10))
        again = accessed(life, later(10 + interval))
        assert again.decay_gradient == pytest.approx(gradient)
        assert again.last_recall_interval == pytest.approx(interval)

    def test_a_clock_set_back_loses_no_time(self) -> None:
        life = Lifecycle(last_accessed_at=later(10))
        again = accessed(life, later(8))
        assert (again.last_accessed_at, again.last_recall_interval) == (later(10), 0.0)

    @given(
        gradient=st.floats(0.0, 50.0),
        before=st.floats(0.0, 400.0),
        short=st.floats(0.0, 400.0),
        long=st.floats(0.0, 400.0),
    )
    def test_a_longer_interval_never_leaves_less(
        self, gradient: float, before: float, short: float, long: float
    ) -> None:
        short, long = sorted((short, long))
        assert 0.0 <= spaced(gradient, before, short) <= spaced(gradient, before, long)
        if long >= before:
            assert spaced(gradient, before, long) >= gradient - 1e-9

    @given(life=lives, days=st.floats(50.0, 4000.0))
    def test_access_makes_more_present_and_never_archived(
        self, life: Lifecycle, days: float
    ) -> None:
        after_it = accessed(life, later(days))
        assert life.salience <= after_it.salience <= 1.0
        assert after_it.state in (State.ACTIVE, State.CORE)
        assert after_it.access_count == life.access_count + 1
        assert fades_from(after_it, BORN) == later(days)


class TestWithoutConfidence:
    def test_what_has_none_is_neither_sure_nor_doubtful(self) -> None:
        assert decay_rate(Lifecycle(), None) == 0.02

    def test_a_source_nobody_asks_for_goes_after_196_days(self) -> None:
        life = faded(Lifecycle(), confidence=None, created_at=BORN, now=later(196), episodic=True)
        assert life.state is State.ARCHIVED


def test_a_belief_fades_without_end() -> None:
    rules = rules_for(Kind.BELIEF)
    life = faded(
        ACTIVE, confidence=0.6, created_at=BORN, now=later(5000), episodic=False, rules=rules
    )
    assert life.state is State.ACTIVE
    assert rules_for(Kind.SOURCE) == RULES


@pytest.mark.parametrize(
    ("life", "days"),
    [
        (ACTIVE, math.log(50) / 0.02),
        (replace(ACTIVE, ttl_policy=TtlPolicy.KEEP_FOREVER), None),
        (replace(ACTIVE, ttl_policy=TtlPolicy.EPHEMERAL), 30.0),
        (replace(ACTIVE, ttl_policy=TtlPolicy.EPHEMERAL, salience=0.011), math.log(1.1) / 0.02),
        (replace(ACTIVE, state=State.ARCHIVED), 0.0),
    ],
)
def test_when_it_is_archived(life: Lifecycle, days: float | None) -> None:
    found = archives_after(life, confidence=None, created_at=BORN, episodic=True)
    assert found == (None if days is None else pytest.approx(days))


@given(life=lives, confidence=st.floats(0.0, 1.0) | st.none(), episodic=st.booleans())
def test_it_is_archived_just_then(
    life: Lifecycle, confidence: float | None, episodic: bool
) -> None:
    assume(life.state is not State.ARCHIVED and life.salience > RULES.archive_below)
    days = archives_after(life, confidence=confidence, created_at=BORN, episodic=episodic)
    assume(days is None or 1.0 < days < 100_000)
    start = fades_from(life, BORN)

    def state(at: float) -> State:
        now = start + timedelta(days=at)
        told = faded(life, confidence=confidence, created_at=BORN, now=now, episodic=episodic)
        return told.state

    if days is None:
        assert state(100_000) is life.state
    else:
        assert state(days - 0.01) is life.state
        assert state(days + 0.01) is State.ARCHIVED


class TestByHand:
    def test_pinned_is_whole_and_in_mind(self) -> None:
        gone = Lifecycle(state=State.ARCHIVED, salience=0.001, access_count=3)
        life = pinned(gone, later(9))
        assert (life.salience, life.state) == (1.0, State.ACTIVE)
        assert life.ttl_policy is TtlPolicy.KEEP_FOREVER
        assert pinned(Lifecycle(), later(9)).state is State.CANDIDATE

    def test_unpinned_fades_from_then_on(self) -> None:
        life = unpinned(pinned(ACTIVE, later(1)), later(100))
        assert after(life, 135).salience == pytest.approx(math.exp(-0.02 * 35))

    def test_restored_stays_for_a_while(self) -> None:
        gone = after(ACTIVE, 400)
        back = restored(gone, later(400))
        assert (back.salience, back.state, back.access_count) == (0.5, State.ACTIVE, 1)
        assert after(back, 500).state is State.ACTIVE

    def test_restored_is_ephemeral_no_longer(self) -> None:
        gone = after(replace(ACTIVE, ttl_policy=TtlPolicy.EPHEMERAL), 31)
        back = restored(gone, later(40))
        assert after(back, 41).state is State.ACTIVE

    def test_half_life(self) -> None:
        assert half_life(0.02) == pytest.approx(34.657, abs=1e-3)
        assert half_life(0.0) is None


def test_the_curve_is_the_fading_drawn() -> None:
    life = replace(ACTIVE, last_accessed_at=later(7))
    drawn = [
        faded(
            life,
            confidence=1.0,
            created_at=BORN,
            now=fades_from(life, BORN) + timedelta(days=days),
            episodic=True,
        ).salience
        for days in (0, 35, 196)
    ]
    assert drawn == pytest.approx((0.5, 0.5 * math.exp(-0.7), 0.5 * math.exp(-3.92)))
