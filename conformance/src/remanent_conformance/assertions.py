"""What every graph promises of what sources assert."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from typing import Any, Final

import pytest

from remanent.core.model.relationship import RelationshipKind
from remanent.core.ports.graph import Graph
from remanent.errors import Forbidden, InvalidInput
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_person,
    a_scope,
    a_source,
    an_assertion,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
MEMBER = a_scope("bob", "red")
DAY = timedelta(days=1)
SARAH, TOM, EVE = (a_person(name) for name in ("Sarah", "Tom", "Eve"))
BOBS_TOM, BOBS_EVE = (a_person(name, user="bob") for name in ("Tom", "Eve"))
SOURCE = a_source(team_id="red")
LATER = a_source("Another day.")
FRIENDS: Final = (RelationshipKind.HAS_RELATIONSHIP_WITH, "friend")
OTHERS: Final[tuple[dict[str, Any], ...]] = (
    {"source_key": LATER.key},
    {"kind": RelationshipKind.RELATES_TO},
    {"src": TOM.key, "dst": SARAH.key},
    {"dst": EVE.key},
    {"relationship_type": "colleague"},
    {"description": "Old friends."},
    {"at": MOMENT + timedelta(microseconds=1)},
    {"attitude": 5},
    {"proximity": 5},
    {"confidence": 0.25},
    {"ended": True},
    {"single": True},
)


class AssertionsContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.fixture
    def with_people(self, graph: Graph) -> Graph:
        """With three people and two sources of ann's, one of them for her team, and two of bob's."""
        for node in (SARAH, TOM, EVE, SOURCE, LATER):
            graph.put(ANN, node)
        for person in (BOBS_TOM, BOBS_EVE):
            graph.put(BOB, person)
        return graph

    def test_an_assertion_comes_back_as_it_was_made(self, with_people: Graph) -> None:
        assertion = an_assertion(
            SARAH.key,
            TOM.key,
            SOURCE.key,
            recorded_at=MOMENT + DAY,
            attitude=5,
            proximity=1,
            confidence=0.125,
            ended=True,
            single=True,
        )
        assert with_people.put_assertion(ANN, assertion)
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == [assertion]
        assert with_people.assertions_at(ANN, TOM.key) == [assertion]

    def test_a_source_asserts_one_thing_once(self, with_people: Graph) -> None:
        first = an_assertion(SARAH.key, TOM.key, SOURCE.key)
        assert with_people.put_assertion(ANN, first)
        assert not with_people.put_assertion(ANN, replace(first, recorded_at=MOMENT + DAY))
        oslo = MOMENT.astimezone(timezone(timedelta(hours=1)))
        assert not with_people.put_assertion(ANN, replace(first, at=oslo, confidence=0.7))
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == [first]

    @pytest.mark.parametrize("change", OTHERS, ids=lambda change: "-".join(change))
    def test_whatever_differs_is_another_assertion(
        self, with_people: Graph, change: dict[str, Any]
    ) -> None:
        first = an_assertion(SARAH.key, TOM.key, SOURCE.key)
        other = replace(first, **change)
        assert with_people.put_assertion(ANN, first)
        assert with_people.put_assertion(ANN, other)
        assertions = with_people.assertions_at(ANN, SARAH.key)
        assert len(assertions) == 2
        assert first in assertions
        assert other in assertions

    def test_an_assertion_needs_the_callers_own_ends_and_a_source_they_see(
        self, with_people: Graph
    ) -> None:
        secret = a_source("bob's own", user="bob")
        with_people.put(BOB, secret)
        good = an_assertion(SARAH.key, TOM.key, SOURCE.key)
        for field, bad in (
            ("src", replace(good, src="nothing")),
            ("src", replace(good, src=BOBS_TOM.key)),
            ("dst", replace(good, dst="nothing")),
            ("dst", replace(good, dst=BOBS_TOM.key)),
            ("source_key", replace(good, source_key="nothing")),
            ("source_key", replace(good, source_key=TOM.key)),
            ("source_key", replace(good, source_key=secret.key)),
        ):
            with pytest.raises(InvalidInput) as caught:
                with_people.put_assertion(ANN, bad)
            assert caught.value.field == field
        assert (
            with_people.assertions_at(ANN, SARAH.key)
            == with_people.assertions_at(ANN, TOM.key)
            == []
        )

    def test_a_belief_may_assert_like_a_source(self, with_people: Graph) -> None:
        belief = a_belief("Sarah and Tom no longer speak")
        with_people.put(ANN, belief)
        end = an_assertion(SARAH.key, TOM.key, belief.key, ended=True)
        assert with_people.put_assertion(ANN, end)
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == [end]
        with_people.retract(ANN, SOURCE.key)
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == [end]

    def test_nobody_asserts_for_another(self, with_people: Graph) -> None:
        with pytest.raises(Forbidden):
            with_people.put_assertion(BOB, an_assertion(SARAH.key, TOM.key, SOURCE.key))
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == []

    def test_assertions_are_of_one_node_kind_and_type_in_order(self, with_people: Graph) -> None:
        one, two = sorted((SOURCE.key, LATER.key))
        near, far = sorted((TOM.key, EVE.key))
        expected = [
            an_assertion(SARAH.key, far, two, at=MOMENT - DAY),
            an_assertion(SARAH.key, near, one),
            an_assertion(SARAH.key, far, one),
            an_assertion(SARAH.key, near, two),
            an_assertion(SARAH.key, near, one, at=MOMENT + DAY),
        ]
        beside = [
            an_assertion(TOM.key, SARAH.key, one),
            an_assertion(SARAH.key, TOM.key, one, type="colleague"),
            an_assertion(SARAH.key, TOM.key, one, kind=RelationshipKind.RELATES_TO),
        ]
        for assertion in (*expected[::-1], *beside):
            assert with_people.put_assertion(ANN, assertion)
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS) == expected
        assert with_people.assertions(ANN, SARAH.key, FRIENDS[0], "colleague") == [beside[1]]
        assert (
            with_people.assertions(ANN, SARAH.key, RelationshipKind.RELATES_TO, "friend")
            == beside[2:]
        )
        assert with_people.assertions(ANN, "nothing", *FRIENDS) == []
        for dst in (near, far):
            assertions = with_people.assertions(ANN, SARAH.key, *FRIENDS, dst=dst)
            assert assertions == [one for one in expected if one.dst == dst]
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS, dst=SARAH.key) == []
        assert with_people.assertions(ANN, SARAH.key, *FRIENDS, dst="nothing") == []

    def test_assertions_are_found_at_both_ends_in_the_same_order(self, with_people: Graph) -> None:
        one, two = sorted((SOURCE.key, LATER.key))
        near, far = sorted((TOM.key, EVE.key))
        expected = [
            an_assertion(far, SARAH.key, two, type="sister", at=MOMENT - DAY),
            an_assertion(near, SARAH.key, one),
            an_assertion(SARAH.key, far, one),
            an_assertion(SARAH.key, near, two),
        ]
        for assertion in expected[::-1]:
            with_people.put_assertion(ANN, assertion)
        with_people.put_assertion(ANN, an_assertion(near, far, one))
        assert with_people.assertions_at(ANN, SARAH.key) == expected
        assert with_people.assertions_at(ANN, "nothing") == []

    def test_what_is_asserted_of_one_node_and_itself_is_found_once(
        self, with_people: Graph
    ) -> None:
        assertion = an_assertion(SARAH.key, SARAH.key, SOURCE.key)
        with_people.put_assertion(ANN, assertion)
        assert with_people.assertions_at(ANN, SARAH.key) == [assertion]

    def test_assertions_are_their_users_alone(self, with_people: Graph) -> None:
        anns = an_assertion(SARAH.key, TOM.key, SOURCE.key)
        bobs = an_assertion(BOBS_TOM.key, BOBS_EVE.key, SOURCE.key, user="bob")
        assert with_people.put_assertion(ANN, anns)
        assert with_people.put_assertion(MEMBER, bobs)
        assert with_people.assertions(MEMBER, SARAH.key, *FRIENDS) == []
        assert with_people.assertions_at(MEMBER, SARAH.key) == []
        assert with_people.assertions_at(ANN, BOBS_TOM.key) == []
        assert with_people.assertions_at(ANN, TOM.key) == [anns]
        assert with_people.assertions_at(a_scope("bob", left=("red",)), BOBS_TOM.key) == [bobs]

    @pytest.mark.parametrize("gone", [SARAH, TOM, SOURCE], ids=["src", "dst", "source"])
    def test_a_removed_node_takes_its_assertions_along(self, with_people: Graph, gone: Any) -> None:
        with_people.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, SOURCE.key))
        kept = an_assertion(TOM.key, EVE.key, LATER.key)
        if gone is not TOM:
            with_people.put_assertion(ANN, kept)
        with_people.remove(ANN, gone.key)
        with_people.put(ANN, gone)
        assert with_people.assertions_at(ANN, SARAH.key) == []
        assert with_people.assertions_at(ANN, TOM.key) == ([] if gone is TOM else [kept])
        assert with_people.counts(ANN)["assertions"] == (0 if gone is TOM else 1)
