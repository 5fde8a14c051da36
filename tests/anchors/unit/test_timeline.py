"""What held from when to when, from what was asserted in any order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.anchors.rules.timeline import histories, recorded_by, relationship, spans
from remanent.core.model.relationship import Assertion, RelationshipKind

pytestmark = pytest.mark.quick

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def said(
    dst: str, day: int, *, ended: bool = False, single: bool = True, by: str = ""
) -> Assertion:
    return Assertion(
        user_id="ada",
        source_key=by or f"s{day}",
        kind=RelationshipKind.ASSOCIATED_WITH,
        src="maria",
        dst=dst,
        relationship_type="home",
        description=f"in {dst}",
        at=DAY + timedelta(days=day),
        recorded_at=DAY + timedelta(days=100 - day),
        ended=ended,
        single=single,
    )


def told(*assertions: Assertion) -> list[tuple[str, int, int | None]]:
    return [
        (
            span.dst,
            (span.valid_from - DAY).days,
            None if span.valid_to is None else (span.valid_to - DAY).days,
        )
        for span in spans(assertions)
    ]


def test_a_move_closes_one_and_opens_another() -> None:
    assert told(said("oslo", 1), said("bergen", 9)) == [("oslo", 1, 9), ("bergen", 9, None)]


def test_a_confirmation_opens_nothing() -> None:
    assert told(said("oslo", 1), said("oslo", 5)) == [("oslo", 1, None)]
    assert len(spans([said("oslo", 1), said("oslo", 5)])[0].assertions) == 2


def test_moving_back_is_a_third_stretch() -> None:
    assert told(said("oslo", 1), said("oslo", 9), said("bergen", 5)) == [
        ("oslo", 1, 5),
        ("bergen", 5, 9),
        ("oslo", 9, None),
    ]


def test_what_can_be_many_stands_side_by_side() -> None:
    tea, coffee = said("tea", 1, single=False), said("coffee", 2, single=False)

    assert told(tea, coffee) == [("tea", 1, None), ("coffee", 2, None)]


def test_an_end_closes_its_own_only() -> None:
    assert told(said("oslo", 1), said("bergen", 3, ended=True)) == [("oslo", 1, None)]
    assert told(said("oslo", 1), said("oslo", 3, ended=True)) == [("oslo", 1, 3)]
    assert told(said("oslo", 3, ended=True)) == []


def test_left_and_joined_at_once() -> None:
    assert told(said("a", 1), said("b", 5), said("a", 5, ended=True)) == [
        ("a", 1, 5),
        ("b", 5, None),
    ]


def test_two_words_at_one_moment_leave_no_empty_stretch() -> None:
    assert told(said("a", 1, by="s1"), said("b", 1, by="s2")) == [("b", 1, None)]


def test_what_was_known_then() -> None:
    assertions = [said("oslo", 1), said("bergen", 9)]  # the older was recorded later

    assert [one.dst for one in recorded_by(assertions, DAY + timedelta(days=95))] == ["bergen"]


assertions = st.lists(
    st.builds(
        said,
        st.sampled_from("abc"),
        st.integers(0, 6),
        ended=st.booleans(),
        single=st.just(True),
        by=st.sampled_from(["s1", "s2", "s3"]),
    )
)


@given(assertions, st.randoms())
def test_order_does_not_matter(told: list[Assertion], dice: object) -> None:
    shuffled = list(told)
    dice.shuffle(shuffled)  # type: ignore[attr-defined]

    assert spans(told) == spans(shuffled)


@given(assertions)
def test_single_stretches_never_overlap(told: list[Assertion]) -> None:
    history = spans(told)

    for one, other in pairwise(history):
        assert one.valid_to is not None
        assert one.valid_from < one.valid_to <= other.valid_from


# --- of whatever there is ----------------------------------------------------------------------


def test_histories_of_several_nodes_and_types_do_not_mix() -> None:
    tom = replace(said("oslo", 3), src="tom")
    job = replace(said("bergen", 5), relationship_type="job")
    all_told = [said("oslo", 1), tom, job, said("bergen", 9)]

    found = {
        (group.src, group.relationship_type, span.dst, span.valid_to is None)
        for group, span in histories(all_told)
    }

    assert found == {
        ("maria", "home", "oslo", False),
        ("maria", "home", "bergen", True),
        ("tom", "home", "oslo", True),
        ("maria", "job", "bergen", True),
    }
    assert list(histories([])) == []


def test_a_relationship_says_what_its_span_says() -> None:
    first, last = said("oslo", 1), said("oslo", 5)
    told = [replace(first, confidence=0.9, proximity=1), replace(last, confidence=0.5, proximity=4)]
    ((group, span),) = histories([*told, said("oslo", 9, ended=True)])

    dates = {"created_at": DAY, "updated_at": DAY + timedelta(days=1)}
    drawn = relationship("ada", group, span, **dates)

    assert (drawn.src, drawn.dst, drawn.relationship_type) == ("maria", "oslo", "home")
    assert (drawn.confidence, drawn.proximity, drawn.description) == (0.9, 4, "in oslo")
    assert (drawn.valid_from, drawn.valid_to) == (first.at, DAY + timedelta(days=9))
    assert drawn.recorded_at == last.recorded_at  # the later day was told of first
    assert (drawn.created_at, drawn.updated_at) == (DAY, DAY + timedelta(days=1))
    assert relationship("ada", group, replace(span, valid_to=None), **dates).key == drawn.key
    assert relationship("bob", group, span, **dates).key != drawn.key
    for days in (0, 1, 8, 9):
        moment = DAY + timedelta(days=days)
        assert span.holds_at(moment) == drawn.holds_at(moment) == (1 <= days < 9)


@given(
    st.lists(
        st.builds(
            said,
            st.sampled_from(["oslo", "bergen", "rome"]),
            st.integers(0, 9),
            ended=st.booleans(),
            single=st.booleans(),
        ),
        max_size=8,
        unique_by=lambda one: (one.dst, one.at, one.ended, one.single),
    ),
    st.integers(90, 101),
)
def test_what_is_told_later_changes_nothing_known_before(told: list[Assertion], day: int) -> None:
    moment = DAY + timedelta(days=day)
    before = [one for one in told if one.recorded_at <= moment]

    assert list(histories(recorded_by(told, moment))) == list(histories(before))
    assert all(
        one.recorded_at <= moment
        for _, span in histories(recorded_by(told, moment))
        for one in span.assertions
    )
