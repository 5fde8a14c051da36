"""What every graph promises of its edges as they were known at another time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remanent.core.model.belief import BeliefStatus, Change, ChangeKind, Support
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.relationship import LinkKind
from remanent.core.ports.graph import Graph
from remanent.retrieval.rules import ranking
from remanent.testing.builders import (
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
from remanent_conformance.live import ANN, BOB, DAY, EVE, SARAH, TOM, Acquainted, drawn


class KnownContract(Acquainted):
    """Part of `GraphContract`."""

    def test_relationships_as_they_were_asserted_by_then(self, acquainted: Graph) -> None:
        """Tom is told of on day 1, Eve on day 5, both of day 0; there can be but one."""
        source = a_source()
        acquainted.put(ANN, source)
        for other, day, told in ((TOM, 0, 1), (EVE, 3, 5)):
            acquainted.put_assertion(
                ANN,
                an_assertion(
                    SARAH.key,
                    other.key,
                    source.key,
                    type="boss",
                    at=MOMENT + day * DAY,
                    recorded_at=MOMENT + told * DAY,
                    single=True,
                ),
            )
        tom, eve = (SARAH.key, "boss", TOM.key), (SARAH.key, "boss", EVE.key)
        assert drawn(acquainted, ANN, known=0) == set()
        assert drawn(acquainted, ANN, known=1) == drawn(acquainted, ANN, 4, known=1) == {tom}
        assert drawn(acquainted, ANN, -1, known=1) == set()
        assert drawn(acquainted, ANN, known=5) == drawn(acquainted, ANN, 3, known=5) == {eve}
        assert drawn(acquainted, ANN, 2, known=5) == {tom}

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
        assert drawn(acquainted, ANN) == drawn(acquainted, ANN, known=1) == friends
        assert drawn(acquainted, ANN, known=2) == drawn(acquainted, ANN, known=-1) == set()

    def test_a_relationship_known_then_weighs_what_was_said_then(self, acquainted: Graph) -> None:
        """How present it is, is how present it is today; unless it is no more."""
        source = a_source()
        acquainted.put(ANN, source)
        told = an_assertion(SARAH.key, TOM.key, source.key, proximity=2, confidence=0.5)
        later = replace(told, proximity=5, confidence=1.0, recorded_at=MOMENT + DAY)
        for one in (told, replace(later, at=MOMENT + DAY)):
            acquainted.put_assertion(ANN, one)

        def weighed() -> list[float]:
            return [float(one) for one in acquainted.edges(ANN, known_at=MOMENT).strength]

        assert weighed() == pytest.approx([ranking.strength(0.5, 0.5, 2)])
        key = acquainted.edges(ANN, known_at=MOMENT).edge_keys[0]
        life = Lifecycle(salience=0.75)
        acquainted.relate(ANN, a_relationship(SARAH.key, TOM.key, key=key, life=life))
        assert weighed() == pytest.approx([ranking.strength(0.75, 0.5, 2)])

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
        assert drawn(acquainted, ANN, known=1) == drawn(acquainted, ANN, 9, known=1) == {first}
        assert drawn(acquainted, ANN, known=2) == {first, (early.key, "mentions", newcomer.key)}
        assert len(drawn(acquainted, ANN, known=3)) == len(drawn(acquainted, ANN)) == 4
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
        assert drawn(acquainted, ANN) == drawn(acquainted, ANN, known=0) == set()
        assert drawn(acquainted, ANN, known=1) == drawn(acquainted, ANN, 4, known=4) == about
        assert drawn(acquainted, ANN, -1, known=4) == set()
        assert drawn(acquainted, ANN, known=5) == drawn(acquainted, ANN, 4, known=5) == set()
        assert drawn(acquainted, ANN, 2, known=5) == about

    def test_what_spoke_for_a_belief_then(self, acquainted: Graph) -> None:
        """The links of a belief may since have gone to another; its own episodes tell."""
        one, two = a_source("one"), a_source("two")
        said = [
            Support(event_id=node.key, statement="so", at=MOMENT, source_key=node.key)
            for node in (one, two)
        ]
        merged = Change(kind=ChangeKind.MERGED, recorded_at=MOMENT + DAY, reason="it says the same")
        fell = Change(kind=ChangeKind.INVALIDATED, recorded_at=MOMENT + DAY, reason="merged")
        winner = a_belief("one", supports=tuple(said), changes=(merged,))
        loser = a_belief(
            "two",
            supports=(said[1],),
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
        assert drawn(acquainted, ANN) == {first, (two.key, "supports", winner.key)}
        assert drawn(acquainted, ANN, known=1) == drawn(acquainted, ANN)
        assert drawn(acquainted, ANN, known=0) == {first, (two.key, "supports", loser.key)}

    def test_what_a_team_had_shared_by_then(self, acquainted: Graph) -> None:
        source, story = a_source(team_id="red"), a_storyline(SARAH.key, team_id="red")
        for node in (source, story):
            acquainted.put(ANN, node)
        link = a_link(story.key, source.key, kind=LinkKind.INCLUDES)
        acquainted.link(ANN, replace(link, created_at=MOMENT + 2 * DAY))
        acquainted.put_assertion(ANN, an_assertion(SARAH.key, TOM.key, source.key))
        member, shared = a_scope("bob", "red"), {(story.key, "includes", source.key)}
        assert drawn(acquainted, member, known=1) == drawn(acquainted, BOB, known=9) == set()
        assert drawn(acquainted, member, known=2) == shared
        assert drawn(acquainted, member, -1, known=2) == set()
