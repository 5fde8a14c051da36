"""Failed jobs come back later and later, and in the end are set aside (SPEC 4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.jobs.rules import JobRules, after_failure

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("attempt", "jitter", "seconds"),
    [(1, 0, 2), (2, 0, 4), (3, 0, 8), (4, 0, 16), (1, 1, 1.6), (4, 0.5, 14.4), (0, 0, 2)],
)
def test_the_wait_doubles(attempt: int, jitter: float, seconds: float) -> None:
    assert after_failure(attempt, jitter) == timedelta(seconds=seconds)


@pytest.mark.parametrize("attempt", [5, 6, 1000])
def test_the_fifth_failure_is_the_last(attempt: int) -> None:
    assert after_failure(attempt, 0.5) is None


def test_no_wait_is_longer_than_the_cap() -> None:
    patient = JobRules(max_attempts=10**6)
    assert after_failure(10**5, 0.0, patient) == timedelta(minutes=10)
    slow = JobRules(base_seconds=10_000)
    assert after_failure(1, 0.0, slow) == timedelta(minutes=10)


@given(attempt=st.integers(-3, 60), jitter=st.floats(-1, 2))
def test_waits_stay_in_bounds_and_never_shrink_but_by_jitter(attempt: int, jitter: float) -> None:
    rules = JobRules(max_attempts=100)
    one, longest = after_failure(attempt, jitter, rules), after_failure(attempt, 0.0, rules)
    following = after_failure(attempt + 1, 0.0, rules)
    assert one is not None
    assert longest is not None
    assert following is not None
    assert 0.8 * longest <= one + timedelta(microseconds=1)
    assert one <= longest <= following <= timedelta(minutes=10)
