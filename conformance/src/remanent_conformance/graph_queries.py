"""What a graph promises of its queries: anchors by word, stories, search filters, events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from remanent.core.model.anchor import Anchor, Name
from remanent.core.model.belief import Belief, Support
from remanent.core.model.event import EventNode
from remanent.core.model.keys import canonical_name
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.search import SearchRequest
from remanent.core.model.source import ContentType, Sensitivity, Source, SourceType
from remanent.core.model.story import Storyline
from remanent.core.ports.graph import Found, Graph, Nodes, Wanted
from remanent.retrieval.rules.filters import SEARCHED
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_link,
    a_note,
    a_passage,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    a_storyline,
    an_entity,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")


def _names_with(graph: Graph, *words: str, kind: Kind = Kind.PERSON) -> set[str]:
    return {name.name for name in graph.names(ANN, kind, words)}


class NamesContract(GraphPart):
    """Part of `GraphContract`."""

    def test_names_are_what_the_callers_anchors_are_called(self, graph: Graph) -> None:
        owner = a_person("Ann Lee", aliases=("Ann", "A."), is_owner=True)
        entity = an_entity("Acme", type="project")
        for node in (owner, entity, a_concept("peace"), a_belief(), a_source()):
            graph.put(ANN, node)
        graph.put(BOB, a_person("Eve", user="bob"))
        expected = [
            Name(
                key=owner.key,
                kind=Kind.PERSON,
                name="Ann Lee",
                aliases=("Ann", "A."),
                is_owner=True,
            ),
            Name(key=entity.key, kind=Kind.ENTITY, name="Acme", type="project"),
            Name(key=a_concept("peace").key, kind=Kind.CONCEPT, name="peace"),
        ]
        assert graph.names(ANN) == sorted(expected, key=lambda name: name.key)

    def test_named_finds_by_a_word_of_the_name_or_of_an_alias(self, graph: Graph) -> None:
        people = [
            a_person("Sarah Chen", aliases=("Sal", "Dr. Chen")),
            a_person("Wei Chen"),
            a_person("Tom Berg", aliases=("Sarah's Tom",), is_owner=True),
        ]
        company = an_entity("Chen Ltd", type="organization")
        graph.put(ANN, *people, company, a_belief("Chen"))
        names = {name.key: name for name in graph.names(ANN)}
        sarah, wei, tom = (names[person.key] for person in people)
        by_key = sorted((sarah, wei), key=lambda name: name.key)
        assert graph.names(ANN, Kind.PERSON, ["chen"]) == by_key
        by_words = sorted((sarah, wei, names[company.key]), key=lambda name: name.key)
        assert graph.names(ANN, words=["chen"]) == by_words
        assert graph.names(ANN, words=["nobody"]) == []
        assert graph.names(ANN, Kind.PERSON, ["sal"]) == [sarah]
        assert graph.names(ANN, Kind.PERSON, {"berg", "nobody"}) == [tom]
        assert _names_with(graph, "SARAH") == {"Sarah Chen", "Tom Berg"}
        assert _names_with(graph, "chen", "tom") == {"Sarah Chen", "Wei Chen", "Tom Berg"}
        assert _names_with(graph, "chen", kind=Kind.ENTITY) == {"Chen Ltd"}
        assert _names_with(graph, "sar") == _names_with(graph, "") == _names_with(graph) == set()
        assert _names_with(graph, "%", "*") == set()

    @pytest.mark.parametrize(
        "name",
        ["Sarah Chén", "ǅemal", "İnci Öz", "Σίσυφος", "Ms. ẞtraße", "ﬀion", "ᾼδης", "ΐ", "नीला"],
    )
    def test_words_are_compared_as_canonical_names_are_written(
        self, graph: Graph, name: str
    ) -> None:
        graph.put(ANN, a_person(name))
        for word in (*canonical_name(name).split("-"), *name.split()):
            assert _names_with(graph, word) == {name}, word

    def test_named_follows_what_an_anchor_is_called_now(self, graph: Graph) -> None:
        sarah = a_person("Sarah Chen", aliases=("Sal",))
        graph.put(ANN, sarah)
        counted = replace(sarah, source_count=3, updated_at=MOMENT + timedelta(days=1))
        graph.put(ANN, counted)
        assert _names_with(graph, "sal") == {"Sarah Chen"}
        graph.put(ANN, replace(counted, aliases=("Sally",)))
        assert _names_with(graph, "sal") == set()
        assert _names_with(graph, "sally") == _names_with(graph, "chen") == {"Sarah Chen"}
        graph.put(ANN, replace(counted, name="Sarah Berg", canonical_name="sarah-berg"))
        assert _names_with(graph, "chen") == _names_with(graph, "sally") == set()
        assert _names_with(graph, "berg") == {"Sarah Berg"}
        graph.remove(ANN, sarah.key)
        assert _names_with(graph, "berg") == set()

    def test_named_gives_the_callers_own(self, graph: Graph) -> None:
        graph.put(BOB, a_person("Sarah Chen", user="bob"))
        assert _names_with(graph, "sarah") == set()
        assert len(graph.names(BOB, Kind.PERSON, ["sarah"])) == 1


DAY = timedelta(days=1)


class StoryQueriesContract(GraphPart):
    def test_nodes_are_found_by_numbers_and_by_what_they_are_about(self, graph: Graph) -> None:
        sarah, tom = a_person("Sarah", user="ann"), a_person("Tom", user="ann")
        acme = replace(an_entity("Acme", user="ann"), source_count=5)
        for anchor in (replace(sarah, source_count=6), replace(tom, source_count=4), acme):
            graph.put(ANN, anchor)
        graph.put(BOB, replace(a_person("Vera", user="bob"), source_count=9))
        often = graph.select(ANN, Nodes(Anchor, {"source_count >=": 5}, own=True))
        assert [one.key for one in often] == sorted([sarah.key, acme.key])
        rest = graph.select(ANN, Nodes(Anchor, {"source_count >=": 5}, after=often[0].key))
        assert rest == often[1:]
        story = a_storyline(sarah.key, user="ann")
        graph.put(ANN, story)
        about = Nodes(Storyline, {"anchor_key": [sarah.key, tom.key]})
        assert graph.select(ANN, about) == [story]

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
        assert graph.select(member, Nodes(Storyline)) == [seen]
        assert graph.get(BOB, story.key) is None


def search_request(**filters: Any) -> SearchRequest:
    return SearchRequest(query="tea", kinds=SEARCHED, **filters)


def newest(limit: int | None = None, after: str = "", **time: Any) -> Nodes[Source]:
    where = {
        "started_at >=": time.get("since"),
        "started_at <=": time.get("until"),
        "state <>": None if time.get("include_archived") else State.ARCHIVED,
    }
    return Nodes(Source, where, ("-started_at",), after=after, limit=limit)


def weighty(least: int) -> Nodes[Belief]:
    return Nodes(Belief, {"weight >=": least}, own=True)


class SearchQueriesContract(GraphPart):
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
        assert graph.sources_like(member, search_request(**filters)) == (
            [source.key] if passes else []
        )

    def test_sources_are_listed_newest_first_and_page_by_page(self, graph: Graph) -> None:
        old, new = a_source("old"), a_source("new", started_at=MOMENT + DAY)
        twin = a_source("twin", started_at=MOMENT + DAY)
        faded = a_source("faded", life=Lifecycle(state=State.ARCHIVED))
        for one in (old, new, twin, faded):
            graph.put(ANN, one)
        graph.put(BOB, a_source("his", user_id="bob", participants=("bob",)))
        first, second = sorted((new, twin), key=lambda one: one.key)
        assert graph.select(ANN, newest()) == [first, second, old]
        assert graph.select(ANN, newest(limit=1)) == [first]
        assert graph.select(ANN, newest(after=first.key)) == [second, old]
        assert graph.select(ANN, newest(after=old.key)) == []
        assert faded in graph.select(ANN, newest(include_archived=True))
        assert graph.select(ANN, newest(until=MOMENT)) == [old]
        assert graph.select(ANN, newest(since=MOMENT + DAY, limit=1)) == [first]
        assert graph.select(ANN, newest(since=MOMENT + DAY, after=first.key)) == [second]

    def test_the_newest_sources_are_those_of_the_team_too(self, graph: Graph) -> None:
        own, shared = a_source("own"), a_source("shared", team_id="red", started_at=MOMENT + DAY)
        for one in (own, shared):
            graph.put(a_scope("ann", "red"), one)
        assert graph.select(a_scope("ann", "red"), newest()) == [shared, own]
        assert graph.select(a_scope("ann", "red"), newest(after=shared.key)) == [own]
        assert graph.select(a_scope("bob", "red"), newest()) == [shared]
        assert graph.select(a_scope("bob", left=("red",)), newest()) == []

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
            assert graph.sources_like(ANN, search_request(**filters)) == [source.key]
        assert graph.sources_like(ANN, search_request(speaker="tom-hill")) == []
        assert graph.sources_like(ANN, search_request(since=MOMENT)) == sorted(
            [source.key, other.key]
        )

    def test_only_visible_sources_are_named(self, graph: Graph) -> None:
        graph.put(ANN, a_source("own"))
        shared = a_source("shared", team_id="red")
        graph.put(a_scope("ann", "red"), shared)
        assert graph.sources_like(BOB, search_request()) == []
        assert graph.sources_like(a_scope("bob", "red"), search_request()) == [shared.key]
        assert graph.sources_like(a_scope("bob", left=("red",)), search_request()) == []

    def test_important_beliefs_and_what_instructs(self, graph: Graph) -> None:
        some, most = a_belief("I row", importance=7), a_belief("I like tea", importance=6)
        order = a_belief("Answer in verse", importance=1, instructs="")
        for node in (some, most, order, a_person("Sarah")):
            graph.put(ANN, node)
        assert graph.select(ANN, weighty(7)) == sorted((some, order), key=lambda one: one.key)
        assert graph.select(ANN, weighty(11)) == [order]
        assert graph.select(BOB, weighty(1)) == []
        graph.put(ANN, replace(most, importance=8))
        assert len(graph.select(ANN, weighty(7))) == 3

    def test_beliefs_of_sources(self, graph: Graph) -> None:
        source, other = a_source("one"), a_source("two")
        support = Support(event_id="e", statement="s", at=MOMENT, source_key=source.key)
        belief, else_where = a_belief(supports=(support,)), a_belief("I like tea")
        for node in (source, other, belief, else_where):
            graph.put(ANN, node)
        for detail in ("a", "b"):
            graph.link(ANN, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS, detail=detail))
        graph.link(ANN, a_link(source.key, else_where.key, kind=LinkKind.ABOUT))
        assert graph.learned_from(ANN, [source.key, other.key, "nothing"]) == ([belief], [])
        assert graph.learned_from(ANN, [other.key]) == ([], [])
        assert graph.learned_from(BOB, [source.key]) == ([], [])

    def test_anothers_belief_of_a_shared_source_stays_theirs(self, graph: Graph) -> None:
        ann, bob = a_scope("ann", "red"), a_scope("bob", "red")
        shared = a_source("shared", team_id="red")
        belief = a_belief()
        graph.put(ann, shared)
        graph.put(ann, belief)
        graph.link(ann, a_link(shared.key, belief.key, kind=LinkKind.SUPPORTS))
        assert graph.learned_from(ann, [shared.key]) == ([belief], [])
        assert graph.learned_from(bob, [shared.key]) == ([], [])

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
        assert graph.learned_from(ANN, [source.key, source.key]) == ([], [(note, friends)])
        assert graph.learned_from(ANN, []) == ([], [])
        assert graph.learned_from(BOB, [source.key]) == ([], [])

    def test_what_is_read_at_once_is_what_each_would_be_alone(self, graph: Graph) -> None:
        source, sarah, tom = a_source(), a_person("Sarah"), a_person("Tom")
        belief, friends = a_belief(), a_relationship(sarah.key, tom.key, is_dirty=True)
        for node in (source, sarah, tom, belief):
            graph.put(ANN, node)
        graph.relate(ANN, friends)
        graph.link(ANN, a_link(source.key, belief.key, kind=LinkKind.SUPPORTS))
        passages = [a_passage(source, 0, "First."), a_passage(source, 1, "Second.")]
        graph.put_passages(ANN, source.key, passages)
        told = a_note(friends.key, "They met.", source_key=source.key)
        for note in (told, a_note(friends.key, "By hand."), a_note(tom.key, "Rows.")):
            graph.add_note(ANN, note)
        keys = (tom.key, "nothing", source.key)
        wanted = Wanted(
            nodes=keys,
            passages=[passages[1].key, "nothing"],
            relationships=[friends.key, sarah.key],
            noted=[tom.key, friends.key],
            latest=1,
            sources=[source.key],
        )
        found = graph.read(ANN, wanted)
        assert list(found.nodes) == [tom.key, source.key]
        assert found.nodes == graph.get_many(ANN, keys)
        assert found.passages == {passages[1].key: passages[1]}
        assert found.relationships == graph.relationships_by_key(ANN, [friends.key])
        assert found.notes == graph.notes(ANN, tom.key, friends.key, limit=1)
        assert (found.beliefs, found.told) == ([belief], [(told, friends)])
        nothing = Found(nodes={}, passages={}, relationships={}, notes=[], beliefs=[], told=[])
        assert graph.read(BOB, wanted) == graph.read(ANN, Wanted()) == nothing


SECOND = timedelta(seconds=1)


def an_event_node(key: str, after: float = 0.0, *, user: str = "ann", **fields: Any) -> EventNode:
    given = {
        "user_id": user,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "event_id": key,
        "event_type": "message",
        "text": key,
        "occurred_at": MOMENT + after * SECOND,
        **fields,
    }
    return EventNode(key=key, **given)


def keys(graph: Graph, limit: int = 99, **wanted: Any) -> list[str]:
    return [one.key for one in graph.select(ANN, newest_events(limit, **wanted))]


def newest_events(limit: int = 99, *, own: bool = True, **wanted: Any) -> Nodes[EventNode]:
    where = {
        "state <>": State.ARCHIVED,
        "occurred_at >=": wanted.pop("since", None),
        "occurred_at <=": wanted.pop("until", None),
        **wanted,
    }
    return Nodes(EventNode, where, ("-occurred_at",), limit=limit, own=own)


class EventQueriesContract(GraphPart):
    """Part of `GraphContract`."""

    def test_the_newest_come_first(self, graph: Graph) -> None:
        times = {"a": 0.0, "d": 0.5, "c": 0.5, "e": 2.0, "b": 0.000001}
        for key, after in times.items():
            graph.put(ANN, an_event_node(key, after))

        assert keys(graph) == ["e", "c", "d", "b", "a"]
        assert keys(graph, limit=2) == ["e", "c"]
        assert keys(graph, limit=0) == []

    def test_an_event_comes_back_whole(self, graph: Graph) -> None:
        event = an_event_node(
            "a", payload={"n": [1, None]}, keywords=("x",), seq=7, importance_hint=3
        )
        graph.put(ANN, event)

        assert graph.select(ANN, newest_events(1)) == [event]

    def test_only_ones_own_events_and_nothing_else(self, graph: Graph) -> None:
        graph.put(ANN, a_person())
        graph.put(ANN, an_event_node("a"))
        graph.put(BOB, an_event_node("b", user="bob"))

        assert keys(graph) == ["a"]

    def test_events_of_a_team_are_found_by_its_members_when_asked_for(self, graph: Graph) -> None:
        graph.put(ANN, an_event_node("a", 1))
        graph.put(BOB, an_event_node("b", 2, user="bob", team_id="red"))
        graph.put(BOB, an_event_node("c", 3, user="bob", team_id="blue"))
        graph.put(BOB, an_event_node("d", 4, user="bob"))
        inside = Scope(user_id="ann", teams=frozenset({"red"}))
        others = newest_events(own=False)

        assert [one.key for one in graph.select(inside, others)] == ["b"]
        assert [one.key for one in graph.select(inside, replace(others, own=None))] == ["b", "a"]
        assert graph.select(ANN, others) == []
        assert [one.key for one in graph.select(inside, newest_events())] == ["a"]
        assert graph.get(inside, "b") is not None
        assert graph.get(inside, "c") is None

    def test_archived_events_are_left_out(self, graph: Graph) -> None:
        graph.put(ANN, an_event_node("a", life=Lifecycle(state=State.ARCHIVED)))

        assert keys(graph) == []

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({"session_id": "s1"}, ["b", "a"]),
            ({"agent_id": "x"}, ["c", "a"]),
            ({"agent_id": ""}, ["d"]),
            ({"event_type": "tool"}, ["d"]),
            ({"session_id": "s1", "agent_id": "y"}, ["b"]),
            ({"since": MOMENT + SECOND}, ["d", "c", "b"]),
            ({"until": MOMENT + SECOND}, ["b", "a"]),
            ({"since": MOMENT + SECOND, "until": MOMENT + 2 * SECOND}, ["c", "b"]),
            ({"session_id": "nobody's"}, []),
        ],
    )
    def test_it_can_be_narrowed(
        self, graph: Graph, wanted: dict[str, Any], expected: list[str]
    ) -> None:
        graph.put(ANN, an_event_node("a", 0, session_id="s1", agent_id="x"))
        graph.put(ANN, an_event_node("b", 1, session_id="s1", agent_id="y"))
        graph.put(ANN, an_event_node("c", 2, session_id="s2", agent_id="x"))
        graph.put(ANN, an_event_node("d", 3, event_type="tool"))

        assert keys(graph, **wanted) == expected
