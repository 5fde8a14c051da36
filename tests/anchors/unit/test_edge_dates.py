"""When relationships were drawn, and last drawn otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules import dates as edge_dates
from remanent.anchors.rules import timeline
from remanent.core.model.relationship import Assertion, RelationshipKind

pytestmark = pytest.mark.quick

START = datetime(2026, 3, 2, tzinfo=UTC)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def said(number: int, dst: str, *, read: int | None = None, ended: bool = False) -> Assertion:
    return Assertion(
        user_id="ann",
        source_key=f"s{number}",
        kind=RelationshipKind.ASSOCIATED_WITH,
        src="tom",
        dst=dst,
        relationship_type="home",
        description=f"lives in {dst}",
        at=day(number),
        recorded_at=day(number if read is None else read),
        ended=ended,
        single=True,
    )


def drawn(*told: Assertion) -> list[tuple[int, int]]:
    """The days of each that is drawn, by when they were recorded, oldest first."""
    dates = edge_dates.drawn_at([(one.recorded_at, one) for one in told])
    found = []
    for span in timeline.spans(told):
        one = timeline.relationship("ann", told[0], span, created_at=START, updated_at=START)
        born, last = dates[one.key]
        found.append(((born - START).days, (last - START).days))
    return found


def test_one_word() -> None:
    assert drawn(said(1, "oslo")) == [(1, 1)]


def test_the_same_again_prolongs_it() -> None:
    assert drawn(said(1, "oslo"), said(3, "oslo")) == [(1, 3)]


def test_what_is_said_of_another_closes_it() -> None:
    assert drawn(said(1, "oslo"), said(4, "bergen")) == [(1, 4), (4, 4)]
    assert drawn(said(1, "oslo"), said(2, "oslo", ended=True)) == [(1, 2)]


def test_what_is_read_late_changes_what_it_changes() -> None:
    assert drawn(said(1, "oslo"), said(4, "bergen"), said(3, "oslo", read=9)) == [(1, 4), (4, 4)]
    # Between two of Oslo it is Bergen, and what comes after that is another stretch of time.
    assert drawn(said(1, "oslo"), said(4, "oslo"), said(3, "bergen", read=9)) == [
        (1, 9),
        (9, 9),
        (9, 9),
    ]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.booleans()), min_size=1))
def test_all_that_is_drawn_has_dates(rows: list[tuple[int, str, bool]]) -> None:
    told = [said(number, dst, read=number + late * 5) for number, (_, dst, late) in enumerate(rows)]
    dates = edge_dates.drawn_at([(one.recorded_at, one) for one in told])
    assert len(dates) == len(timeline.spans(told))
    assert all(born <= last for born, last in dates.values())
    assert {at for both in dates.values() for at in both} <= {one.recorded_at for one in told}
