"""What every graph promises of anchors that may become stories, and of stories that a team reads."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from remanent.core.model.anchor import Anchor, Person
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.story import Storyline
from remanent.core.ports.graph import Graph
from remanent.testing.builders import (
    MOMENT,
    a_link,
    a_person,
    a_scope,
    a_storyline,
    an_entity,
)
from remanent_conformance.part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
DAY = timedelta(days=1)
DAYS = tuple(date(2026, 1, day) for day in (1, 2, 3))


def busy(anchor: Anchor, **fields: object) -> Anchor:
    given = {"source_count": 5, "distinct_days": DAYS, "last_mentioned_at": MOMENT, **fields}
    return replace(anchor, **given)  # type: ignore[arg-type]


def names(graph: Graph, **fields: object) -> list[str]:
    given = {"sources": 5, "days": 3, **fields}
    return [one.name for one in graph.busy_anchors(ANN, **given)]  # type: ignore[arg-type]


class StoriedContract(GraphPart):
    def test_busy_anchors_have_sources_and_days_enough(self, graph: Graph) -> None:
        graph.put(ANN, busy(a_person("Sarah", user="ann")))
        graph.put(ANN, busy(a_person("Tom", user="ann"), source_count=4))
        graph.put(ANN, busy(a_person("Una", user="ann"), distinct_days=DAYS[:2]))
        graph.put(BOB, busy(a_person("Vera", user="bob")))
        assert names(graph) == ["Sarah"]
        assert set(names(graph, sources=4)) == {"Sarah", "Tom"}

    def test_busy_anchors_are_neither_archived_nor_the_owner(self, graph: Graph) -> None:
        owner = busy(a_person("Ann", user="ann"))
        assert isinstance(owner, Person)
        graph.put(ANN, replace(owner, is_owner=True))
        asleep = busy(a_person("Sarah", user="ann"), life=Lifecycle(state=State.ARCHIVED))
        graph.put(ANN, asleep)
        assert names(graph) == []

    def test_busy_anchors_come_page_by_page(self, graph: Graph) -> None:
        for name in ("Acme", "Bolt", "Cask"):
            graph.put(ANN, busy(an_entity(name, user="ann")))
        first = graph.busy_anchors(ANN, sources=5, days=3, limit=2)
        rest = graph.busy_anchors(ANN, sources=5, days=3, after=first[-1].key)
        keys = [one.key for one in (*first, *rest)]
        assert len(keys) == 3
        assert keys == sorted(keys)

    def test_an_open_storyline_keeps_its_anchor_from_being_busy(self, graph: Graph) -> None:
        sarah = busy(a_person("Sarah", user="ann"))
        graph.put(ANN, sarah)
        self._tell(graph, sarah)
        assert names(graph) == []

    def test_a_closed_one_does_until_the_next_mention(self, graph: Graph) -> None:
        sarah = busy(a_person("Sarah", user="ann"))
        graph.put(ANN, sarah)
        story = self._tell(graph, sarah)
        graph.put(ANN, replace(story, closed_at=MOMENT + DAY))
        assert names(graph) == []
        graph.put(ANN, replace(sarah, last_mentioned_at=MOMENT + DAY))
        assert names(graph) == ["Sarah"]

    def test_a_team_reads_its_own_text_of_a_story(self, graph: Graph) -> None:
        sarah = a_person("Sarah", user="ann")
        graph.put(ANN, sarah)
        story = replace(
            a_storyline(sarah.key, user="ann", description="All of it."),
            team_id="crew",
            source_count=9,
            teams={"crew": 5},
            team_description="Ours.",
            team_source_count=5,
            team_started_at=MOMENT,
            team_last_source_at=MOMENT + DAY,
        )
        graph.put(ANN, story)
        member = replace(BOB, teams=frozenset({"crew"}))
        assert graph.get(ANN, story.key) == story
        seen = graph.get(member, story.key)
        assert isinstance(seen, Storyline)
        assert (seen.description, seen.source_count, seen.teams) == ("Ours.", 5, {})
        assert graph.find(member, Kind.STORYLINE) == [seen]
        assert graph.get(BOB, story.key) is None

    def _tell(self, graph: Graph, anchor: Anchor) -> Storyline:
        story = a_storyline(anchor.key, user="ann")
        graph.put(ANN, story)
        graph.link(ANN, a_link(story.key, anchor.key, kind=LinkKind.ABOUT, user="ann"))
        return story
