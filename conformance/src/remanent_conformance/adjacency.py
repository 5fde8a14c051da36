"""What a graph promises of its edges as arrays, and of the graph as it was known at a moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from remanent.core.model.belief import BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Sensitivity
from remanent.core.ports.graph import Edges, Graph
from remanent.retrieval.rules import ranking
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_link,
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
SARAH, TOM, EVE = a_person("Sarah"), a_person("Tom"), a_person("Eve")

Drawn = set[tuple[str, str, str]]


def edges_of(
    graph: Graph, scope: Scope, days: float | None = None, *, known: float | None = None
) -> Drawn:
    """Every edge as (from, word, to): now, or so many days after `MOMENT`; as known by such a day."""
    as_of = None if days is None else MOMENT + days * DAY
    known_at = None if known is None else MOMENT + known * DAY
    edges = graph.edges(scope, as_of=as_of, known_at=known_at)
    _insist_sound(edges)
    return {
        (edges.keys[int(src)], word, edges.keys[int(dst)])
        for src, dst, word in zip(edges.src, edges.dst, edges.words, strict=True)
    }


def _insist_sound(edges: Edges) -> None:
    """The parts agree, and around each node stand just the edges that end at it."""
    count = len(edges.src)
    assert [edges.numbers[key] for key in edges.keys] == list(range(len(edges.keys)))
    assert len(edges.dst) == len(edges.strength) == len(edges.is_link) == count
    assert len(edges.edge_keys) == len(edges.words) == count
    assert all((key == "") == is_link for key, is_link in zip(edges.edge_keys, edges.is_link, strict=True))  # fmt: skip
    starts, neighbours, via = edges.around
    assert len(neighbours) == len(via) == 2 * count
    for node in range(len(edges.keys)):
        here = slice(int(starts[node]), int(starts[node + 1]))
        for other, edge in zip(neighbours[here].tolist(), via[here].tolist(), strict=True):
            assert sorted((node, other)) == sorted((int(edges.src[edge]), int(edges.dst[edge])))


def strengths(graph: Graph) -> dict[str, float]:
    edges = graph.edges(ANN)
    return {key or word: float(one) for key, word, one in zip(edges.edge_keys, edges.words, edges.strength, strict=True)}  # fmt: skip


class Acquainted(GraphPart):
    """Part of `GraphContract`: a graph with three people in it."""

    @pytest.fixture
    def acquainted(self, graph: Graph) -> Graph:
        """With Sarah, Tom and Eve, who are ann's."""
        for one in (SARAH, TOM, EVE):
            graph.put(ANN, one)
        return graph


class AdjacencyContract(Acquainted):
    """Part of `GraphContract`."""

    # -- edges --------------------------------------------------------------------------------

    def test_no_edges(self, graph: Graph) -> None:
        edges = graph.edges(ANN)
        assert (len(edges.keys), len(edges.src), len(edges.around.neighbours)) == (0, 0, 0)

    def test_relationships_and_links_are_edges(self, acquainted: Graph) -> None:
        source = a_source()
        acquainted.put(ANN, source)
        friend = a_relationship(SARAH.key, TOM.key, proximity=2, confidence=0.5)
        acquainted.relate(ANN, friend)
        acquainted.link(ANN, a_link(source.key, SARAH.key, weight=0.25))
        assert edges_of(acquainted, ANN) == {
            (SARAH.key, "friend", TOM.key),
            (source.key, "mentions", SARAH.key),
        }
        wanted = ranking.strength(0.5, 0.5, 2)
        assert strengths(acquainted) == pytest.approx({friend.key: wanted, "mentions": 0.25})

    def test_several_edges_between_two_nodes_are_several(self, acquainted: Graph) -> None:
        for one in (
            a_relationship(SARAH.key, TOM.key),
            a_relationship(TOM.key, SARAH.key, type="colleague"),
        ):
            acquainted.relate(ANN, one)
        acquainted.link(ANN, a_link(SARAH.key, TOM.key, kind=LinkKind.SAME_AS))
        assert len(edges_of(acquainted, ANN)) == 3

    def test_an_edge_that_leads_nowhere_else_is_none(self, acquainted: Graph) -> None:
        acquainted.link(ANN, a_link(SARAH.key, SARAH.key, kind=LinkKind.NEIGHBOUR))
        assert edges_of(acquainted, ANN) == set()

    def test_edges_follow_every_write(self, acquainted: Graph) -> None:
        friend, link = a_relationship(SARAH.key, TOM.key), a_link(TOM.key, EVE.key)
        ends = (SARAH.key, "friend", TOM.key)
        assert edges_of(acquainted, ANN) == set()
        acquainted.relate(ANN, friend)
        assert edges_of(acquainted, ANN) == {ends}
        acquainted.link(ANN, link)
        assert edges_of(acquainted, ANN) == {ends, (TOM.key, "mentions", EVE.key)}
        acquainted.relate(ANN, replace(friend, proximity=5))
        assert strengths(acquainted)[friend.key] == pytest.approx(0.5)
        acquainted.relate(ANN, replace(friend, proximity=5, life=Lifecycle(salience=1.0)))
        assert strengths(acquainted)[friend.key] == pytest.approx(1.0)
        acquainted.unlink(ANN, link)
        assert edges_of(acquainted, ANN) == {ends}
        acquainted.relate(ANN, replace(friend, valid_to=MOMENT + DAY))
        assert edges_of(acquainted, ANN) == set()
        acquainted.relate(ANN, friend)
        assert edges_of(acquainted, ANN) == {ends}
        acquainted.remove(ANN, friend.key)
        assert edges_of(acquainted, ANN) == set()
        acquainted.relate(ANN, friend)
        acquainted.remove(ANN, TOM.key)
        assert edges_of(acquainted, ANN) == set()
        assert TOM.key not in acquainted.edges(ANN).numbers

    def test_what_is_handed_out_stays_as_it_is(self, acquainted: Graph) -> None:
        friend = a_relationship(SARAH.key, TOM.key)
        acquainted.relate(ANN, friend)
        before = acquainted.edges(ANN)
        old = before.strength.tolist()
        acquainted.relate(ANN, replace(friend, proximity=5))
        assert before.strength.tolist() == old
        assert acquainted.edges(ANN).strength.tolist() != old

    def test_relationships_that_held_then(self, acquainted: Graph) -> None:
        acquainted.relate(
            ANN,
            a_relationship(
                SARAH.key, TOM.key, valid_from=MOMENT, valid_to=MOMENT + 10 * DAY, type="friend"
            ),
        )
        acquainted.relate(
            ANN, a_relationship(SARAH.key, EVE.key, type="boss", valid_from=MOMENT + 10 * DAY)
        )
        old, new = (SARAH.key, "friend", TOM.key), (SARAH.key, "boss", EVE.key)
        assert edges_of(acquainted, ANN) == {new}
        assert edges_of(acquainted, ANN, -1) == set()
        assert edges_of(acquainted, ANN, 0) == {old}
        assert edges_of(acquainted, ANN, 9) == {old}
        assert edges_of(acquainted, ANN, 10) == {new}

    def test_what_had_not_happened_then_is_no_part_of_it(self, acquainted: Graph) -> None:
        source = a_source(started_at=MOMENT + 5 * DAY)
        story = a_storyline(SARAH.key, started_at=MOMENT + 6 * DAY)
        acquainted.put(ANN, source)
        acquainted.put(ANN, story)
        acquainted.link(ANN, a_link(source.key, SARAH.key))
        acquainted.link(ANN, a_link(story.key, source.key, kind=LinkKind.INCLUDES))
        mention = (source.key, "mentions", SARAH.key)
        assert edges_of(acquainted, ANN, 4) == set()
        assert edges_of(acquainted, ANN, 5) == {mention}
        assert edges_of(acquainted, ANN, 6) == {mention, (story.key, "includes", source.key)}
        assert source.key not in acquainted.edges(ANN, as_of=MOMENT).numbers

    def test_beliefs_are_part_of_it_while_they_stand(self, acquainted: Graph) -> None:
        belief = a_belief(since=MOMENT)
        acquainted.put(ANN, belief)
        acquainted.link(ANN, a_link(belief.key, SARAH.key, kind=LinkKind.ABOUT))
        about = (belief.key, "about", SARAH.key)
        assert edges_of(acquainted, ANN) == edges_of(acquainted, ANN, 1) == {about}
        fallen = replace(belief, status=BeliefStatus.INVALIDATED, until=MOMENT + 3 * DAY)
        acquainted.put(ANN, fallen)
        assert (
            edges_of(acquainted, ANN)
            == edges_of(acquainted, ANN, 3)
            == edges_of(acquainted, ANN, -1)
            == set()
        )
        assert edges_of(acquainted, ANN, 2) == {about}
        acquainted.put(ANN, replace(fallen, status=BeliefStatus.FORGOTTEN))
        assert edges_of(acquainted, ANN, 2) == set()

    def test_archived_nodes_and_relationships_are_part_of_it(self, acquainted: Graph) -> None:
        archived = Lifecycle(state=State.ARCHIVED, salience=0.001)
        acquainted.put(ANN, replace(TOM, life=archived))
        acquainted.relate(ANN, a_relationship(SARAH.key, TOM.key, life=archived))
        assert edges_of(acquainted, ANN) == {(SARAH.key, "friend", TOM.key)}

    def test_edges_are_between_what_the_caller_sees(self, acquainted: Graph) -> None:
        source = a_source(team_id="red")
        acquainted.put(ANN, source)
        acquainted.link(ANN, a_link(source.key, SARAH.key))
        acquainted.relate(ANN, a_relationship(SARAH.key, TOM.key))
        mine = a_person("Mine", user="bob")
        acquainted.put(BOB, mine)
        member = a_scope("bob", "red")
        acquainted.link(member, a_link(source.key, mine.key, user="bob"))
        mentions = {(source.key, "mentions", mine.key)}
        assert edges_of(acquainted, member) == edges_of(acquainted, member, 1) == mentions
        assert (
            edges_of(acquainted, BOB)
            == edges_of(acquainted, a_scope("bob", left=("red",)))
            == set()
        )
        assert source.key not in acquainted.edges(BOB).numbers
        assert edges_of(acquainted, member) == mentions
        assert len(edges_of(acquainted, ANN)) == 2
        assert edges_of(acquainted, a_scope("ann", left=("red",))) == {
            (SARAH.key, "friend", TOM.key)
        }
        acquainted.put(ANN, replace(source, sensitivity=Sensitivity.HIGH))
        assert edges_of(acquainted, member) == set()

    def test_a_team_shares_the_links_of_its_stories(self, acquainted: Graph) -> None:
        source, story = a_source(team_id="red"), a_storyline(SARAH.key, team_id="red")
        for node in (source, story):
            acquainted.put(ANN, node)
        acquainted.link(ANN, a_link(story.key, source.key, kind=LinkKind.INCLUDES))
        acquainted.link(ANN, a_link(story.key, SARAH.key, kind=LinkKind.ABOUT))
        shared = {(story.key, "includes", source.key)}
        assert (
            edges_of(acquainted, a_scope("bob", "red"))
            == edges_of(acquainted, a_scope("bob", "red"), 1)
            == shared
        )
        assert edges_of(acquainted, a_scope("bob", "red"), -1) == set()
        assert edges_of(acquainted, BOB) == set()

    # -- lives --------------------------------------------------------------------------------

    def test_touching_changes_lives_and_nothing_else(self, acquainted: Graph) -> None:
        friend = a_relationship(SARAH.key, TOM.key)
        acquainted.relate(ANN, friend)
        life = Lifecycle(salience=0.75, state=State.CORE, access_count=3, last_accessed_at=MOMENT)
        keys = [SARAH.key, friend.key, "nothing", SARAH.key]
        assert acquainted.touch(ANN, keys, lambda _: life) == 2
        assert acquainted.get(ANN, SARAH.key) == replace(SARAH, life=life)
        assert acquainted.relationship(ANN, friend.key) == replace(friend, life=life)
        assert acquainted.get(ANN, TOM.key) == TOM
        assert acquainted.touch(ANN, [], lambda _: life) == 0

    def test_touching_starts_from_the_life_there_is(self, acquainted: Graph) -> None:
        for _ in range(2):
            acquainted.touch(
                ANN, [TOM.key], lambda one: replace(one, access_count=one.access_count + 1)
            )
        touched = acquainted.get(ANN, TOM.key)
        assert touched is not None
        assert touched.life.access_count == 2

    def test_nobody_touches_what_is_anothers(self, acquainted: Graph) -> None:
        source = a_source(team_id="red")
        acquainted.put(ANN, source)
        member = a_scope("bob", "red")
        assert acquainted.get(member, source.key) == source
        assert (
            acquainted.touch(member, [source.key, SARAH.key], lambda _: Lifecycle(salience=1.0))
            == 0
        )
        assert acquainted.get(ANN, source.key) == source

    def test_a_touched_relationship_weighs_what_it_does(self, acquainted: Graph) -> None:
        friend = a_relationship(SARAH.key, TOM.key, proximity=5)
        acquainted.relate(ANN, friend)
        assert strengths(acquainted) == pytest.approx({friend.key: 0.5})
        acquainted.touch(ANN, [friend.key], lambda one: replace(one, salience=0.75))
        assert strengths(acquainted) == pytest.approx({friend.key: 0.75})

    # -- keywords and tags --------------------------------------------------------------------

    def test_sources_are_found_by_keyword_and_tag(self, graph: Graph) -> None:
        soup = a_source("one", keywords=("Fish soup", "Bergen"))
        boat = a_source("two", tags=("Ærø", "travel"), team_id="red")
        for one in (soup, boat):
            graph.put(ANN, one)
        assert graph.tagged(ANN, ["fish SOUP"]) == [soup.key]
        assert graph.tagged(ANN, ["ÆRØ", "bergen"]) == sorted([soup.key, boat.key])
        assert len(graph.tagged(ANN, ["ærø", "bergen"], limit=1)) == 1
        assert graph.tagged(ANN, ["soup"]) == graph.tagged(ANN, []) == []
        assert graph.tagged(a_scope("bob", "red"), ["travel", "bergen"]) == [boat.key]
        assert graph.tagged(BOB, ["travel", "bergen"]) == []


class AsOfContract(Acquainted):
    """Part of `GraphContract`."""

    def test_relationships_as_they_were_asserted_by_then(self, acquainted: Graph) -> None:
        """Tom is told of on day 1, Eve on day 5, both of day 0; there can be but one."""
        source = a_source()
        acquainted.put(ANN, source)
        for other, day, recorded_day in ((TOM, 0, 1), (EVE, 3, 5)):
            acquainted.put_assertion(
                ANN,
                an_assertion(
                    SARAH.key,
                    other.key,
                    source.key,
                    type="boss",
                    at=MOMENT + day * DAY,
                    recorded_at=MOMENT + recorded_day * DAY,
                    single=True,
                ),
            )
        tom, eve = (SARAH.key, "boss", TOM.key), (SARAH.key, "boss", EVE.key)
        assert edges_of(acquainted, ANN, known=0) == set()
        assert edges_of(acquainted, ANN, known=1) == edges_of(acquainted, ANN, 4, known=1) == {tom}
        assert edges_of(acquainted, ANN, -1, known=1) == set()
        assert edges_of(acquainted, ANN, known=5) == edges_of(acquainted, ANN, 3, known=5) == {eve}
        assert edges_of(acquainted, ANN, 2, known=5) == {tom}

    def test_what_nobody_had_asserted_was_not_known(self, acquainted: Graph) -> None:
        """Relationships as they stand tell of today; of another day, what was asserted by then."""
        source = a_source()
        acquainted.put(ANN, source)
        acquainted.relate(ANN, a_relationship(SARAH.key, TOM.key))
        ended = an_assertion(SARAH.key, TOM.key, source.key, ended=True, at=MOMENT + 2 * DAY,
                             recorded_at=MOMENT + 2 * DAY)  # fmt: skip
        for one in (an_assertion(SARAH.key, TOM.key, source.key), ended):
            acquainted.put_assertion(ANN, one)
        friends = {(SARAH.key, "friend", TOM.key)}
        assert edges_of(acquainted, ANN) == edges_of(acquainted, ANN, known=1) == friends
        assert edges_of(acquainted, ANN, known=2) == edges_of(acquainted, ANN, known=-1) == set()

    def test_a_relationship_known_then_weighs_what_was_said_then(self, acquainted: Graph) -> None:
        """How present it is, is how present it is today; unless it is no more."""
        source = a_source()
        acquainted.put(ANN, source)
        assertion = an_assertion(SARAH.key, TOM.key, source.key, proximity=2, confidence=0.5)
        later = replace(assertion, proximity=5, confidence=1.0, recorded_at=MOMENT + DAY)
        for one in (assertion, replace(later, at=MOMENT + DAY)):
            acquainted.put_assertion(ANN, one)

        def strengths() -> list[float]:
            return [float(one) for one in acquainted.edges(ANN, known_at=MOMENT).strength]

        assert strengths() == pytest.approx([ranking.strength(0.5, 0.5, 2)])
        key = acquainted.edges(ANN, known_at=MOMENT).edge_keys[0]
        life = Lifecycle(salience=0.75)
        acquainted.relate(ANN, a_relationship(SARAH.key, TOM.key, key=key, life=life))
        assert strengths() == pytest.approx([ranking.strength(0.75, 0.5, 2)])

    def test_nodes_and_links_that_came_later_were_not_known(self, acquainted: Graph) -> None:
        early, late = a_source("one"), a_source("two", created_at=MOMENT + 2 * DAY)
        newcomer = a_person("Max", created_at=MOMENT + 2 * DAY)
        for node in (early, late, newcomer):
            acquainted.put(ANN, node)
        acquainted.link(ANN, a_link(early.key, SARAH.key))
        for link in (a_link(early.key, TOM.key), a_link(late.key, SARAH.key)):
            acquainted.link(ANN, replace(link, created_at=MOMENT + 3 * DAY))
        acquainted.link(ANN, a_link(early.key, newcomer.key))  # it may say what it likes
        first = (early.key, "mentions", SARAH.key)
        assert (
            edges_of(acquainted, ANN, known=1) == edges_of(acquainted, ANN, 9, known=1) == {first}
        )
        assert edges_of(acquainted, ANN, known=2) == {first, (early.key, "mentions", newcomer.key)}
        assert len(edges_of(acquainted, ANN, known=3)) == len(edges_of(acquainted, ANN)) == 4
        numbers = acquainted.edges(ANN, known_at=MOMENT + DAY).numbers
        assert early.key in numbers
        assert {late.key, newcomer.key}.isdisjoint(numbers)

    def test_beliefs_as_their_log_leaves_them(self, acquainted: Graph) -> None:
        """Told on day 1 of day 0, found on day 5 to have ended on day 3."""
        made = Change(kind=ChangeKind.CREATED, recorded_at=MOMENT + DAY, reason="first stated")
        fell = Change(kind=ChangeKind.INVALIDATED, recorded_at=MOMENT + 5 * DAY, reason="it ended")
        belief = a_belief(
            created_at=MOMENT + DAY,
            status=BeliefStatus.INVALIDATED,
            until=MOMENT + 3 * DAY,
            changes=(made, fell),
        )
        acquainted.put(ANN, belief)
        acquainted.link(ANN, a_link(belief.key, SARAH.key, kind=LinkKind.ABOUT))
        about = {(belief.key, "about", SARAH.key)}
        assert edges_of(acquainted, ANN) == edges_of(acquainted, ANN, known=0) == set()
        assert edges_of(acquainted, ANN, known=1) == edges_of(acquainted, ANN, 4, known=4) == about
        assert edges_of(acquainted, ANN, -1, known=4) == set()
        assert edges_of(acquainted, ANN, known=5) == edges_of(acquainted, ANN, 4, known=5) == set()
        assert edges_of(acquainted, ANN, 2, known=5) == about

    def test_what_spoke_for_a_belief_then(self, acquainted: Graph) -> None:
        """The links of a belief may since have gone to another; its own episodes tell."""
        one, two = a_source("one"), a_source("two")
        supports_ = [
            Support(event_id=node.key, statement="so", at=MOMENT, source_key=node.key)
            for node in (one, two)
        ]
        merged = Change(kind=ChangeKind.MERGED, recorded_at=MOMENT + DAY, reason="it says the same")
        fell = Change(kind=ChangeKind.INVALIDATED, recorded_at=MOMENT + DAY, reason="merged")
        winner = a_belief("one", supports=tuple(supports_), changes=(merged,))
        loser = a_belief(
            "two",
            supports=(supports_[1],),
            changes=(fell,),
            status=BeliefStatus.INVALIDATED,
            until=MOMENT,
            created_at=MOMENT,
        )
        made = Change(kind=ChangeKind.CREATED, recorded_at=MOMENT, reason="first stated")
        for node in (
            one,
            two,
            replace(winner, changes=(made, *winner.changes)),
            replace(loser, changes=(made, *loser.changes)),
        ):
            acquainted.put(ANN, node)
        for node in (one, two):
            acquainted.link(ANN, a_link(node.key, winner.key, kind=LinkKind.SUPPORTS))
        first = (one.key, "supports", winner.key)
        assert edges_of(acquainted, ANN) == {first, (two.key, "supports", winner.key)}
        assert edges_of(acquainted, ANN, known=1) == edges_of(acquainted, ANN)
        assert edges_of(acquainted, ANN, known=0) == {first, (two.key, "supports", loser.key)}

    def test_what_a_team_had_shared_by_then(self, acquainted: Graph) -> None:
        source, story = a_source(team_id="red"), a_storyline(SARAH.key, team_id="red")
        for node in (source, story):
            acquainted.put(ANN, node)
        link = a_link(story.key, source.key, kind=LinkKind.INCLUDES)
        acquainted.link(ANN, replace(link, created_at=MOMENT + 2 * DAY))
        acquainted.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, source.key))
        member, shared = a_scope("bob", "red"), {(story.key, "includes", source.key)}
        assert edges_of(acquainted, member, known=1) == edges_of(acquainted, BOB, known=9) == set()
        assert edges_of(acquainted, member, known=2) == shared
        assert edges_of(acquainted, member, -1, known=2) == set()
