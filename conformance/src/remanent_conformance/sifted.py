"""What every graph promises of the questions that searching asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from remanent.core.model.belief import Support
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.relationship import LinkKind
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import ContentType, Sensitivity, SourceType
from remanent.core.ports.graph import Graph
from remanent.retrieval.rules.filters import SEARCHED
from remanent.testing.builders import (
    MOMENT,
    a_belief,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
)
from remanent_conformance.part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY = timedelta(days=1)


def sought(**filters: Any) -> SearchRequest:
    return SearchRequest(query="tea", kinds=SEARCHED, **filters)


class SiftedContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.mark.parametrize(
        ("fields", "filters", "passes"),
        [
            ({}, {}, True),
            ({}, {"since": MOMENT}, True),
            ({}, {"since": MOMENT + DAY}, False),
            ({"ended_at": MOMENT + 2 * DAY}, {"since": MOMENT + DAY}, True),
            ({}, {"until": MOMENT}, True),
            ({}, {"until": MOMENT - DAY}, False),
            ({}, {"as_of": MOMENT - DAY}, False),
            ({}, {"known_at": MOMENT}, True),
            ({}, {"known_at": MOMENT - DAY}, False),
            ({"created_at": MOMENT + DAY}, {"known_at": MOMENT}, False),
            ({"source_type": SourceType.EMAIL}, {"types": frozenset({"email"})}, True),
            ({"content_type": ContentType.MEETING}, {"types": frozenset({"meeting"})}, True),
            ({}, {"types": frozenset({"email", "factual"})}, False),
            ({"team_id": "red"}, {"team": "red"}, True),
            ({"team_id": "red"}, {"team": "blue"}, False),
            ({}, {"sensitivity": frozenset({Sensitivity.NORMAL})}, True),
            ({}, {"sensitivity": frozenset({Sensitivity.HIGH})}, False),
            ({"life": Lifecycle(state=State.ARCHIVED)}, {"since": MOMENT}, False),
            ({"life": Lifecycle(state=State.ARCHIVED)}, {"include_archived": True}, True),
            ({"life": Lifecycle(state=State.CORE)}, {"states": frozenset({State.CORE})}, True),
            ({}, {"states": frozenset({State.CORE})}, False),
            ({}, {"speaker": "tom"}, False),
        ],
    )
    def test_sources_are_narrowed_before_the_search(
        self, graph: Graph, fields: dict[str, Any], filters: dict[str, Any], *, passes: bool
    ) -> None:
        member = a_scope("ann", "red", "blue")
        source = a_source(**fields)
        graph.put(member, source)
        assert graph.sources_like(member, sought(**filters)) == ([source.key] if passes else [])

    def test_sources_are_listed_newest_first_and_page_by_page(self, graph: Graph) -> None:
        old, new = a_source("old"), a_source("new", started_at=MOMENT + DAY)
        twin = a_source("twin", started_at=MOMENT + DAY)
        faded = a_source("faded", life=Lifecycle(state=State.ARCHIVED))
        for one in (old, new, twin, faded):
            graph.put(ANN, one)
        graph.put(BOB, a_source("his", user_id="bob", participants=("bob",)))
        first, second = sorted((new, twin), key=lambda one: one.key)
        assert graph.newest_sources(ANN) == [first, second, old]
        assert graph.newest_sources(ANN, limit=1) == [first]
        assert graph.newest_sources(ANN, after=first.key) == [second, old]
        assert graph.newest_sources(ANN, after=old.key) == []
        assert faded in graph.newest_sources(ANN, include_archived=True)

    def test_a_passage_in_time_or_by_the_speaker_is_enough(self, graph: Graph) -> None:
        source, other = a_source("one"), a_source("two")
        for one in (source, other):
            graph.put(ANN, one)
        late = a_passage(source, 1, speaker="Tom Lie", at=MOMENT + 9 * DAY)
        graph.put_passages(ANN, source.key, [a_passage(source, 0, speaker="Ada"), late])
        graph.put_passages(ANN, other.key, [a_passage(other, 0)])
        for filters in (
            {"since": MOMENT + 8 * DAY},
            {"speaker": "tom"},
            {"speaker": "tom-lie"},
            {"speaker": "thomas", "also": frozenset({canonical_name("Tom Lie")})},
        ):
            assert graph.sources_like(ANN, sought(**filters)) == [source.key]
        assert graph.sources_like(ANN, sought(speaker="tom-hill")) == []
        assert graph.sources_like(ANN, sought(since=MOMENT)) == sorted([source.key, other.key])

    def test_only_visible_sources_are_named(self, graph: Graph) -> None:
        graph.put(ANN, a_source("own"))
        shared = a_source("shared", team_id="red")
        graph.put(a_scope("ann", "red"), shared)
        assert graph.sources_like(BOB, sought()) == []
        assert graph.sources_like(a_scope("bob", "red"), sought()) == [shared.key]
        assert graph.sources_like(a_scope("bob", left=("red",)), sought()) == []

    def test_beliefs_of_sources(self, graph: Graph) -> None:
        source, other = a_source("one"), a_source("two")
        support = Support(event_id="e", statement="s", at=MOMENT, source_key=source.key)
        belief, else_where = a_belief(supports=(support,)), a_belief("I like tea")
        for node in (source, other, belief, else_where):
            graph.put(ANN, node)
        for detail in ("a", "b"):
            graph.link(ANN, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS, detail=detail))
        graph.link(ANN, a_link(source.key, else_where.key, kind=LinkKind.ABOUT))
        assert graph.beliefs_of(ANN, [source.key, other.key, "nothing"]) == [belief]
        assert graph.beliefs_of(ANN, [other.key]) == []
        assert graph.beliefs_of(BOB, [source.key]) == []

    def test_anothers_belief_of_a_shared_source_stays_theirs(self, graph: Graph) -> None:
        ann, bob = a_scope("ann", "red"), a_scope("bob", "red")
        shared = a_source("shared", team_id="red")
        belief = a_belief()
        graph.put(ann, shared)
        graph.put(ann, belief)
        graph.link(ann, a_link(shared.key, belief.key, kind=LinkKind.SUPPORTS))
        assert graph.beliefs_of(ann, [shared.key]) == [belief]
        assert graph.beliefs_of(bob, [shared.key]) == []

    def test_relationships_of_sources(self, graph: Graph) -> None:
        source, sarah, tom = a_source(), a_person("Sarah"), a_person("Tom")
        friends = a_relationship(sarah.key, tom.key, is_dirty=True)
        for node in (source, sarah, tom):
            graph.put(ANN, node)
        graph.relate(ANN, friends)
        note = a_note(friends.key, "They met.", source_key=source.key)
        graph.add_note(ANN, note)
        graph.add_note(ANN, a_note(friends.key, "By hand."))
        graph.add_note(ANN, a_note(sarah.key, "Plays.", source_key=source.key))
        assert graph.relationships_of(ANN, [source.key, source.key]) == [(note, friends)]
        assert graph.relationships_of(ANN, []) == []
        assert graph.relationships_of(BOB, [source.key]) == []
