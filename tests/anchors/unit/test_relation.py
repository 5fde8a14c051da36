"""The two ends fix the kind; words say how it feels (SPEC 3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.node import Kind
from remanent.core.model.relationship import Relationship, RelationshipKind
from remanent.core.relation import SCALES, clamped, kind_of, words
from remanent.errors import InvalidInput

pytestmark = pytest.mark.quick

ANCHORS = (Kind.PERSON, Kind.CONCEPT, Kind.ENTITY)


@pytest.mark.parametrize(
    ("src", "dst", "kind", "swap"),
    [
        (Kind.PERSON, Kind.PERSON, RelationshipKind.HAS_RELATIONSHIP_WITH, False),
        (Kind.PERSON, Kind.CONCEPT, RelationshipKind.ENGAGES_WITH, False),
        (Kind.CONCEPT, Kind.PERSON, RelationshipKind.ENGAGES_WITH, True),
        (Kind.PERSON, Kind.ENTITY, RelationshipKind.ASSOCIATED_WITH, False),
        (Kind.ENTITY, Kind.PERSON, RelationshipKind.ASSOCIATED_WITH, True),
        (Kind.CONCEPT, Kind.CONCEPT, RelationshipKind.RELATES_TO, False),
        (Kind.CONCEPT, Kind.ENTITY, RelationshipKind.INVOLVES, False),
        (Kind.ENTITY, Kind.CONCEPT, RelationshipKind.INVOLVES, True),
        (Kind.ENTITY, Kind.ENTITY, RelationshipKind.CONNECTED_TO, False),
    ],
)
def test_the_ends_fix_the_kind(src, dst, kind, swap) -> None:
    assert kind_of(src, dst) == (kind, swap)


@pytest.mark.parametrize("other", [one for one in Kind if one not in ANCHORS])
def test_only_semantic_nodes_have_relationships(other: Kind) -> None:
    with pytest.raises(InvalidInput, match=other.value):
        kind_of(Kind.PERSON, other)
    with pytest.raises(InvalidInput, match=other.value):
        kind_of(other, Kind.PERSON)


def test_every_kind_has_five_words_of_each_sort_and_no_two_alike() -> None:
    assert set(SCALES) == set(RelationshipKind)
    for kind in RelationshipKind:
        said = {words(kind, *grades) for grades in product(range(1, 6), repeat=2)}
        assert len(said) == 25


def test_words_say_feeling_then_nearness() -> None:
    assert words(RelationshipKind.HAS_RELATIONSHIP_WITH, 4, 5) == "warm, intimate"
    assert words(RelationshipKind.HAS_RELATIONSHIP_WITH, 0, 9) == "hostile, intimate"


@given(value=st.integers() | st.floats(allow_nan=False))
def test_grades_are_whole_and_from_1_to_5(value: float) -> None:
    grade = clamped(value)
    assert isinstance(grade, int)
    assert 1 <= grade <= 5
    if 1 <= value <= 5:
        assert abs(grade - value) <= 0.5


def test_a_relationship_holds_from_its_start_up_to_its_end() -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    open_ended = Relationship(
        key="r1",
        user_id="ada",
        kind=RelationshipKind.ASSOCIATED_WITH,
        src="p1",
        dst="e1",
        relationship_type="lives",
        recorded_by="mind",
        recorded_at=start,
        valid_from=start,
        created_at=start,
        updated_at=start,
    )
    end = start + timedelta(days=30)
    closed = replace(open_ended, valid_to=end)
    assert open_ended.holds_at(end)
    assert not open_ended.holds_at(start - timedelta(seconds=1))
    assert closed.holds_at(start)
    assert not closed.holds_at(end)
