"""What every graph promises of links and relationships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.errors import Forbidden, InvalidInput
from remanent.model.anchor import Note
from remanent.model.lifecycle import Lifecycle, State
from remanent.model.relationship import LinkKind
from remanent.ports.graph import Graph
from remanent.testing.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
)

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY = timedelta(days=1)
SARAH, TOM = a_person("Sarah"), a_person("Tom")


class EdgesContract:
    """Part of `GraphContract`."""

    @pytest.fixture
    def new_graph(self) -> Callable[[], Graph]:
        raise NotImplementedError("a function that makes an empty graph")

    @pytest.fixture
    def graph(self, new_graph: Callable[[], Graph]) -> Graph:
        return new_graph()

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
        found = friends.links(ANN, TOM.key)
        assert len(found) == 4
        assert all(link in found for link in links)

    def test_links_can_be_of_some_kinds_and_one_direction(self, friends: Graph) -> None:
        out = a_link(SARAH.key, TOM.key)
        back = a_link(TOM.key, SARAH.key, kind=LinkKind.ABOUT)
        for link in (out, back):
            friends.link(ANN, link)
        assert friends.links(ANN, SARAH.key, outward=True) == [out]
        assert friends.links(ANN, SARAH.key, outward=False) == [back]
        assert friends.links(ANN, SARAH.key, kinds=[LinkKind.ABOUT]) == [back]
        assert friends.links(ANN, SARAH.key, kinds=[LinkKind.ABOUT], outward=True) == []
        assert friends.links(ANN, "no such key") == []

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

    # -- relationships ------------------------------------------------------------------------

    def test_a_relationship_comes_back_as_it_was_put(self, friends: Graph) -> None:
        relationship = a_relationship(
            SARAH.key,
            TOM.key,
            notes=(Note(content="since school", added_by="ann", date_added=MOMENT),),
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
