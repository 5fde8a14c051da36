"""What every graph promises of links and relationships, and of what sources assert of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone
from functools import partial
from typing import Any, Final

import pytest

from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.errors import Forbidden, InvalidInput
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
    an_assertion,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY = timedelta(days=1)
SARAH, TOM, EVE = (a_person(name) for name in ("Sarah", "Tom", "Eve"))
MEMBER = a_scope("bob", "red")
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


class RelationshipsContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.fixture
    def friends(self, graph: Graph) -> Graph:
        """With Sarah and Tom, who are ann's."""
        graph.put(ANN, SARAH)
        graph.put(ANN, TOM)
        return graph

    # -- links --------------------------------------------------------------------------------

    def test_a_link_is_drawn_once(self, friends: Graph) -> None:
        link = a_link(SARAH.key, TOM.key, weight=0.25)
        assert friends.link(ANN, link)
        assert not friends.link(ANN, replace(link, weight=0.75))
        assert friends.links(ANN, SARAH.key) == [link]

    def test_kind_direction_and_detail_make_another_link(self, friends: Graph) -> None:
        links = [
            a_link(SARAH.key, TOM.key),
            a_link(TOM.key, SARAH.key),
            a_link(SARAH.key, TOM.key, kind=LinkKind.ABOUT),
            a_link(SARAH.key, TOM.key, detail="twice"),
        ]
        assert all(friends.link(ANN, link) for link in links)
        stored = friends.links(ANN, TOM.key)
        assert len(stored) == 4
        assert all(link in stored for link in links)

    def test_links_can_be_of_some_kinds_and_one_direction(self, friends: Graph) -> None:
        out = a_link(SARAH.key, TOM.key)
        back = a_link(TOM.key, SARAH.key, kind=LinkKind.ABOUT)
        for link in (out, back):
            friends.link(ANN, link)
        assert friends.links(ANN, SARAH.key, outward=True) == [out]
        assert friends.links(ANN, SARAH.key, outward=False) == [back]
        assert friends.links(ANN, SARAH.key, kinds=[LinkKind.ABOUT]) == [back]
        assert friends.links(ANN, SARAH.key, kinds=[LinkKind.ABOUT], outward=True) == []
        assert friends.links(ANN, "no such key") == friends.links(ANN) == []
        assert friends.links(ANN, SARAH.key, TOM.key) == [back, out]

    def test_a_link_to_itself_is_found_once(self, friends: Graph) -> None:
        link = a_link(SARAH.key, SARAH.key, kind=LinkKind.NEIGHBOUR)
        friends.link(ANN, link)
        assert friends.links(ANN, SARAH.key) == [link]

    def test_a_link_needs_both_ends(self, friends: Graph) -> None:
        for field, link in (
            ("src", a_link("nothing", TOM.key)),
            ("dst", a_link(SARAH.key, "nothing")),
        ):
            with pytest.raises(InvalidInput) as caught:
                friends.link(ANN, link)
            assert caught.value.field == field
        assert friends.links(ANN, SARAH.key) == friends.links(ANN, TOM.key) == []

    def test_an_end_that_is_hidden_is_an_end_that_is_missing(self, friends: Graph) -> None:
        mine = a_person("Eve", user="bob")
        friends.put(BOB, mine)
        with pytest.raises(InvalidInput, match="dst"):
            friends.link(BOB, a_link(mine.key, SARAH.key, user="bob"))

    def test_nobody_draws_links_for_another(self, friends: Graph) -> None:
        with pytest.raises(Forbidden):
            friends.link(BOB, a_link(SARAH.key, TOM.key))
        assert friends.links(ANN, SARAH.key) == []

    def test_links_are_seen_where_both_ends_are(self, graph: Graph) -> None:
        source = a_source(team_id="red")
        story = a_storyline("x", team_id="red")
        belief = a_belief()
        for node in (source, story, belief):
            graph.put(ANN, node)
        shown = a_link(story.key, source.key, kind=LinkKind.INCLUDES)
        hidden = a_link(source.key, belief.key, kind=LinkKind.SUPPORTS)
        for link in (shown, hidden):
            graph.link(ANN, link)
        assert len(graph.links(ANN, source.key)) == 2
        assert graph.links(a_scope("bob", "red"), source.key) == [shown]
        assert graph.links(a_scope("bob", "red"), belief.key) == []
        assert graph.links(BOB, source.key) == []
        assert graph.links(a_scope("ann", left=("red",)), source.key) == []

    def test_unlinking_takes_one_link_away(self, friends: Graph) -> None:
        link = a_link(SARAH.key, TOM.key)
        others = [
            a_link(TOM.key, SARAH.key),
            a_link(SARAH.key, TOM.key, kind=LinkKind.ABOUT),
            a_link(SARAH.key, TOM.key, detail="twice"),
        ]
        for one in (link, *others):
            friends.link(ANN, one)
        assert friends.unlink(ANN, replace(link, weight=0.1, created_at=MOMENT + DAY))
        assert not friends.unlink(ANN, link)
        assert not friends.unlink(ANN, a_link("nothing", TOM.key))
        links = friends.links(ANN, SARAH.key)
        assert len(links) == 3
        assert all(one in links for one in others)
        assert friends.link(ANN, link)

    def test_only_the_callers_own_links_can_be_unlinked(self, graph: Graph) -> None:
        source, story = a_source(team_id="red"), a_storyline("x", team_id="red")
        for node in (source, story):
            graph.put(ANN, node)
        link = a_link(story.key, source.key, kind=LinkKind.INCLUDES)
        graph.link(ANN, link)
        member = a_scope("bob", "red")
        assert graph.links(member, source.key) == [link]
        assert not graph.unlink(member, link)
        assert not graph.unlink(member, replace(link, user_id="bob"))
        assert graph.links(ANN, source.key) == [link]

    # -- relationships ------------------------------------------------------------------------

    def test_a_relationship_comes_back_as_it_was_put(self, friends: Graph) -> None:
        relationship = a_relationship(
            SARAH.key,
            TOM.key,
            attitude=5,
            confidence=0.5,
            life=Lifecycle(state=State.ACTIVE, salience=0.9, decayed_at=MOMENT),
        )
        friends.relate(ANN, relationship)
        assert friends.relationships(ANN, SARAH.key) == [relationship]
        assert friends.relationships(ANN, TOM.key) == [relationship]

    def test_relating_again_replaces_the_whole(self, friends: Graph) -> None:
        friends.relate(ANN, a_relationship(SARAH.key, TOM.key, description="old"))
        newer = a_relationship(SARAH.key, TOM.key, description="new", proximity=1)
        friends.relate(ANN, newer)
        assert friends.relationships(ANN, SARAH.key, history=True) == [newer]

    def test_open_ones_ones_of_a_day_and_all_there_were(self, friends: Graph) -> None:
        past = a_relationship(SARAH.key, TOM.key, type="colleague", valid_to=MOMENT + 2 * DAY)
        now = a_relationship(TOM.key, SARAH.key, type="spouse", valid_from=MOMENT + 2 * DAY)
        for relationship in (now, past):
            friends.relate(ANN, relationship)
        assert friends.relationships(ANN, SARAH.key) == [now]
        assert friends.relationships(ANN, SARAH.key, history=True) == [past, now]
        for as_of, expected in (
            (MOMENT - DAY, []),
            (MOMENT, [past]),
            (MOMENT + 2 * DAY - timedelta(microseconds=1), [past]),
            (MOMENT + 2 * DAY, [now]),
            (MOMENT + 900 * DAY, [now]),
        ):
            assert friends.relationships(ANN, SARAH.key, as_of=as_of) == expected

    def test_relationships_of_one_moment_are_in_order_of_key(self, friends: Graph) -> None:
        for key in ("b", "a", "c"):
            friends.relate(ANN, a_relationship(SARAH.key, TOM.key, type=key, key=key))
        friends.relate(ANN, a_relationship(SARAH.key, TOM.key, key="z", valid_from=MOMENT - DAY))
        assert [one.key for one in friends.relationships(ANN, TOM.key)] == ["z", "a", "b", "c"]

    def test_relationships_can_be_with_one_node_and_of_one_type(self, friends: Graph) -> None:
        eve = a_person("Eve")
        friends.put(ANN, eve)
        out = a_relationship(SARAH.key, TOM.key)
        back = a_relationship(TOM.key, SARAH.key, type="colleague", valid_from=MOMENT + DAY)
        past = a_relationship(SARAH.key, TOM.key, type="spouse", valid_to=MOMENT + DAY)
        beside = a_relationship(SARAH.key, eve.key, valid_from=MOMENT + 2 * DAY)
        for relationship in (out, back, past, beside):
            friends.relate(ANN, relationship)
        find = partial(friends.relationships, ANN, SARAH.key)
        assert find(other=TOM.key) == [out, back]
        assert find(other=eve.key) == [beside]
        assert find(relationship_type="friend") == [out, beside]
        assert find(other=TOM.key, relationship_type="colleague") == [back]
        assert find(other=TOM.key, relationship_type="spouse") == []
        assert find(other=TOM.key, relationship_type="spouse", history=True) == [past]
        assert find(other=TOM.key, relationship_type="spouse", as_of=MOMENT) == [past]
        assert find(other="nothing") == find(relationship_type="none") == []
        assert find(other=SARAH.key) == []
        changed = replace(out, relationship_type="rival")
        friends.relate(ANN, changed)
        assert find(relationship_type="rival") == [changed]

    def test_a_relationship_is_found_by_its_key(self, friends: Graph) -> None:
        relationship = a_relationship(SARAH.key, TOM.key, valid_to=MOMENT + DAY)
        friends.relate(ANN, relationship)
        assert friends.relationship(ANN, relationship.key) == relationship
        assert friends.relationship(BOB, relationship.key) is None
        assert friends.relationship(ANN, SARAH.key) is None
        keys = [SARAH.key, relationship.key, relationship.key]
        assert friends.relationships_by_key(ANN, keys) == {relationship.key: relationship}
        assert (
            friends.relationships_by_key(BOB, keys) == friends.relationships_by_key(ANN, []) == {}
        )

    def test_unrelating_takes_the_relationship_and_its_notes(self, friends: Graph) -> None:
        gone = a_relationship(SARAH.key, TOM.key, valid_to=MOMENT + DAY)
        kept = a_relationship(SARAH.key, TOM.key, type="colleague", is_dirty=True)
        for relationship in (gone, kept):
            friends.relate(ANN, relationship)
            friends.add_note(ANN, a_note(relationship.key))
        assert friends.remove(ANN, gone.key)
        assert not friends.remove(ANN, gone.key)
        assert friends.relationships(ANN, SARAH.key, history=True) == [kept]
        assert friends.notes(ANN, gone.key) == []
        assert friends.notes(ANN, kept.key) == [a_note(kept.key)]
        friends.relate(ANN, gone)
        assert friends.notes(ANN, gone.key) == []

    def test_nobody_unrelates_what_is_anothers(self, friends: Graph) -> None:
        relationship = a_relationship(SARAH.key, TOM.key)
        friends.relate(ANN, relationship)
        assert not friends.remove(BOB, relationship.key)
        assert friends.relationships(ANN, SARAH.key) == [relationship]

    def test_a_relationship_needs_the_callers_own_ends(self, friends: Graph) -> None:
        eve = a_person("Eve", user="bob")
        friends.put(BOB, eve)
        for field, relationship in (
            ("src", a_relationship("nothing", TOM.key)),
            ("dst", a_relationship(SARAH.key, eve.key)),
        ):
            with pytest.raises(InvalidInput) as caught:
                friends.relate(ANN, relationship)
            assert caught.value.field == field
        assert friends.relationships(ANN, SARAH.key, history=True) == []

    def test_relationships_are_their_users_alone(self, friends: Graph) -> None:
        relationship = a_relationship(SARAH.key, TOM.key)
        with pytest.raises(Forbidden):
            friends.relate(BOB, relationship)
        friends.relate(ANN, relationship)
        assert friends.relationships(BOB, SARAH.key, history=True) == []
        eve, max_ = a_person("Eve", user="bob"), a_person("Max", user="bob")
        for person in (eve, max_):
            friends.put(BOB, person)
        with pytest.raises(Forbidden):
            friends.relate(BOB, a_relationship(eve.key, max_.key, user="bob", key=relationship.key))
        assert friends.relationships(ANN, SARAH.key) == [relationship]


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
        assert with_people.assertions(ANN, TOM.key) == [assertion]

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
        assertions = with_people.assertions(ANN, SARAH.key)
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
        assert with_people.assertions(ANN, SARAH.key) == with_people.assertions(ANN, TOM.key) == []

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
        assert with_people.assertions(ANN, SARAH.key) == expected
        assert with_people.assertions(ANN, "nothing") == []

    def test_what_is_asserted_of_one_node_and_itself_is_found_once(
        self, with_people: Graph
    ) -> None:
        assertion = an_assertion(SARAH.key, SARAH.key, SOURCE.key)
        with_people.put_assertion(ANN, assertion)
        assert with_people.assertions(ANN, SARAH.key) == [assertion]

    def test_assertions_are_their_users_alone(self, with_people: Graph) -> None:
        anns = an_assertion(SARAH.key, TOM.key, SOURCE.key)
        bobs = an_assertion(BOBS_TOM.key, BOBS_EVE.key, SOURCE.key, user="bob")
        assert with_people.put_assertion(ANN, anns)
        assert with_people.put_assertion(MEMBER, bobs)
        assert with_people.assertions(MEMBER, SARAH.key, *FRIENDS) == []
        assert with_people.assertions(MEMBER, SARAH.key) == []
        assert with_people.assertions(ANN, BOBS_TOM.key) == []
        assert with_people.assertions(ANN, TOM.key) == [anns]
        assert with_people.assertions(a_scope("bob", left=("red",)), BOBS_TOM.key) == [bobs]

    def test_what_ones_own_sources_assert_can_be_left_out(self, with_people: Graph) -> None:
        own, shared = a_source(user="bob"), a_source("For all.", user="bob", team_id="red")
        held = a_belief("I live in Bergen", user="bob")
        for node in (own, shared, held):
            with_people.put(MEMBER, node)
        told = {
            one.key: an_assertion(BOBS_TOM.key, BOBS_EVE.key, one.key, user="bob")
            for one in (SOURCE, own, shared, held)
        }
        for one in told.values():
            assert with_people.put_assertion(MEMBER, one)

        def asserting(scope: Scope, dst: str | None = None) -> set[str]:
            rest = with_people.assertions(
                scope, BOBS_TOM.key, *FRIENDS, dst=dst, but_own_sources=True
            )
            assert all(told[one.source_key] == one for one in rest)
            return {one.source_key for one in rest}

        assert asserting(MEMBER) == asserting(MEMBER, dst=BOBS_EVE.key) == {SOURCE.key, held.key}
        assert asserting(MEMBER, dst="nothing") == set()
        left = a_scope("bob", left=("red",))
        assert asserting(left) == {SOURCE.key, shared.key, held.key}

    @pytest.mark.parametrize("gone", [SARAH, TOM, SOURCE], ids=["src", "dst", "source"])
    def test_a_removed_node_takes_its_assertions_along(self, with_people: Graph, gone: Any) -> None:
        with_people.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, SOURCE.key))
        kept = an_assertion(TOM.key, EVE.key, LATER.key)
        if gone is not TOM:
            with_people.put_assertion(ANN, kept)
        with_people.remove(ANN, gone.key)
        with_people.put(ANN, gone)
        assert with_people.assertions(ANN, SARAH.key) == []
        assert with_people.assertions(ANN, TOM.key) == ([] if gone is TOM else [kept])
        assert with_people.counts(ANN)["assertions"] == (0 if gone is TOM else 1)
