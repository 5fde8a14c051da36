"""Time is told in one place, and in tests it moves only when told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from remanent.clock import Clock, SteppedClock, SystemClock, stopwatch

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_both_are_clocks() -> None:
    assert isinstance(SystemClock(), Clock)
    assert isinstance(SteppedClock(START), Clock)


def test_the_machines_clock_is_aware_and_in_utc() -> None:
    assert SystemClock().now().tzinfo is UTC


def test_it_stands_still_until_told() -> None:
    clock = SteppedClock(START)
    assert clock.now() == clock.now() == START
    assert clock.advance(timedelta(days=365)) == clock.now() == START + timedelta(days=365)
    later = START + timedelta(days=400)
    assert clock.move_to(later) == clock.now() == later


def test_it_tells_utc_wherever_it_was_set() -> None:
    oslo = timezone(timedelta(hours=1))
    clock = SteppedClock(START.astimezone(oslo))
    assert clock.now().tzinfo is UTC
    assert clock.move_to((START + timedelta(hours=1)).astimezone(oslo)).tzinfo is UTC


def test_it_never_runs_backwards() -> None:
    clock = SteppedClock(START)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(timedelta(seconds=-1))
    assert clock.now() == START


def test_a_naive_start_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        SteppedClock(START.replace(tzinfo=None))


def test_the_stopwatch_only_runs_forward() -> None:
    assert stopwatch() <= stopwatch()
