"""How often one may ask."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.jobs.rules import Bucket, ServerRules, take_from_bucket

pytestmark = pytest.mark.quick

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
RULES = ServerRules(requests_per_minute=60, burst=3)


def asked(gaps: list[float], rules: ServerRules) -> list[float]:
    """How long each request has to wait, that comes so many seconds after the one before."""
    bucket: Bucket | None = None
    now, waits = NOW, []
    for gap in gaps:
        now += timedelta(seconds=gap)
        bucket, wait = take_from_bucket(bucket, now, rules)
        waits.append(wait)
    return waits


def test_a_burst_comes_in_and_then_one_each_second() -> None:
    assert asked([0, 0, 0], RULES) == [0, 0, 0]
    assert asked([0, 0, 0, 0], RULES)[-1] == pytest.approx(1.0)
    assert asked([0, 0, 0, 0.25], RULES)[-1] == pytest.approx(0.75)
    assert asked([0, 0, 0, 1, 0], RULES)[-2:] == [0, pytest.approx(1.0)]


def test_who_comes_too_early_takes_nothing() -> None:
    assert asked([0, 0, 0, *[0.1] * 9, 0.2], RULES)[-1] == 0


def test_a_long_rest_gives_no_more_than_a_burst() -> None:
    assert asked([0, 10_000, 0, 0, 0], RULES)[1:4] == [0, 0, 0]
    assert asked([0, 10_000, 0, 0, 0], RULES)[4] > 0


def test_nought_is_no_limit() -> None:
    assert not any(asked([0] * 1000, ServerRules(requests_per_minute=0)))


def test_a_clock_that_is_set_back_gives_nothing() -> None:
    assert asked([0, 0, 0, -100], RULES)[-1] == pytest.approx(1.0)


def test_origins_are_named_with_commas_between() -> None:
    assert ServerRules(origins=" https://a.example ,,https://b.example").allowed_origins == (
        "https://a.example",
        "https://b.example",
    )
    assert ServerRules().allowed_origins == ()


GAPS = st.lists(st.floats(0, 30), min_size=1, max_size=60)


@given(GAPS, st.integers(1, 20), st.floats(1, 600))
def test_in_any_span_no_more_come_in_than_the_burst_and_the_rate_allow(
    gaps: list[float], burst: int, rate: float
) -> None:
    waits = asked(gaps, ServerRules(requests_per_minute=rate, burst=burst))
    at = [sum(gaps[: number + 1]) for number in range(len(gaps))]
    let_in = [time for time, wait in zip(at, waits, strict=True) if wait == 0]
    for first, begin in enumerate(let_in):
        for last in range(first, len(let_in)):
            most = burst + (let_in[last] - begin) * rate / 60
            assert last - first + 1 <= most + 1e-6


@given(GAPS, st.integers(1, 20), st.floats(1, 600))
def test_who_waits_as_long_as_told_comes_in(gaps: list[float], burst: int, rate: float) -> None:
    rules = ServerRules(requests_per_minute=rate, burst=burst)
    wait = asked(gaps, rules)[-1]
    assert wait == 0 or asked([*gaps, wait + 1e-5], rules)[-1] == 0
