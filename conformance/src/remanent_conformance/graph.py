"""What every graph promises of nodes and passages, with all its other parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, timedelta
from typing import Any

import pytest

from remanent.core.model.anchor import Anchor, Concept, Entity, Person
from remanent.core.model.belief import Belief, Change, ChangeKind, Support
from remanent.core.model.codec import to_record
from remanent.core.model.event import EventNode
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import INDEX_ONLY, Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Sensitivity, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.ports.graph import Graph, N, Nodes
from remanent.core.visibility import Consents
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent_conformance.adjacency import AdjacencyContract, AsOfContract
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
    an_assertion,
    an_entity,
    an_extraction,
)
from remanent_conformance.consolidation import ConsolidationContract
from remanent_conformance.decay import DecayContract
from remanent_conformance.event_nodes import EventNodesContract
from remanent_conformance.extractions import ExtractionsContract
from remanent_conformance.graph_queries import (
    EventQueriesContract,
    NamesContract,
    SearchQueriesContract,
    StoryQueriesContract,
)
from remanent_conformance.ledger import positions_are_kept
from remanent_conformance.machine import run_assertion_machine, run_graph_machine
from remanent_conformance.notes import NotesContract
from remanent_conformance.relationships import AssertionsContract, RelationshipsContract
from remanent_conformance.sensitivity import SensitivityContract

ANN, BOB = a_scope("ann"), a_scope("bob")
_COMMON = {"user_id": "ann", "created_at": MOMENT, "updated_at": MOMENT + timedelta(hours=1)}
_LIFE = Lifecycle(
    salience=0.123456789,
    state=State.CORE,
    ttl_policy=TtlPolicy.KEEP_FOREVER,
    access_count=7,
    recall_frequency=3,
    last_recall_interval=2.5,
    decay_gradient=0.75,
    last_accessed_at=MOMENT + timedelta(microseconds=1),
    decayed_at=MOMENT - timedelta(days=9),
)

EVERY_KIND: tuple[Node, ...] = (
    a_person(
        aliases=("Sal", "S. Chén"),
        distinct_days=(date(2026, 1, 2), date(2026, 1, 3)),
        confidence=0.25,
        life=_LIFE,
    ),
    a_concept("Ro og fred", is_dirty=True),
    an_entity("Acme", description="a firm", first_mentioned_at=MOMENT),
    a_source(provenance={"file": "a.txt", "n": [1, {"b": None}]}, participants=("ann", "bob")),
    Artifact(key="artifact", name="memo", sensitivity=Sensitivity.HIGH, **_COMMON),  # type: ignore[arg-type]
    a_storyline("anchor", team_id="red"),
    Macro(key="m", anchor_key="a", name="all", started_at=MOMENT, last_event_at=MOMENT, **_COMMON),  # type: ignore[arg-type]
    a_belief(
        supports=(Support(event_id="e", statement="s", at=MOMENT),),
        changes=(Change(kind=ChangeKind.CREATED, recorded_at=MOMENT, reason="told"),),
        until=MOMENT + timedelta(days=1),
        life=_LIFE,
    ),
    EventNode(
        key="e",
        event_id="e",
        event_type="x",
        text="t",
        occurred_at=MOMENT,
        payload={"a": 1},
        **_COMMON,  # type: ignore[arg-type]
    ),
    Summary(key="s", text="t", level="session", covers_from=MOMENT, covers_to=MOMENT, **_COMMON),  # type: ignore[arg-type]
)

SEEN_BY = [
    (ANN, True),
    (BOB, False),
    (a_scope("gus"), True),
    (a_scope("bob", "red"), True),
    (a_scope("bob", "blue"), False),
    (a_scope("gus", left=("red",)), False),
    (a_scope("ann", left=("red",)), False),
    (a_scope("ann", "red", left=("red",)), True),
    (a_scope("red"), False),
]


class GraphContract(
    EventNodesContract,
    EventQueriesContract,
    NamesContract,
    RelationshipsContract,
    AssertionsContract,
    NotesContract,
    ConsolidationContract,
    ExtractionsContract,
    SearchQueriesContract,
    AdjacencyContract,
    DecayContract,
    AsOfContract,
    StoryQueriesContract,
    SensitivityContract,
):
    """Override `new_graph`."""

    # -- nodes --------------------------------------------------------------------------------

    @pytest.mark.parametrize("node", EVERY_KIND, ids=lambda node: str(node.kind))
    def test_a_node_comes_back_as_it_was_put(self, graph: Graph, node: Node) -> None:
        graph.put(ANN, node)
        found = graph.get(ANN, node.key)
        assert found == node
        assert type(found) is type(node)

    def test_every_kind_of_node_is_among_these(self) -> None:
        assert {node.kind for node in EVERY_KIND} == set(Kind) - INDEX_ONLY

    def test_times_come_back_in_utc(self, graph: Graph) -> None:
        graph.put(ANN, a_person())
        node = graph.get(ANN, a_person().key)
        assert node is not None
        assert node.created_at.tzinfo is UTC

    def test_a_put_replaces_what_stood_there_and_keeps_its_edges(self, graph: Graph) -> None:
        source, person = a_source(), a_person()
        for node in (source, person):
            graph.put(ANN, node)
        graph.put_passages(ANN, source.key, [a_passage(source)])
        graph.link(ANN, a_link(source.key, person.key))
        changed = replace(source, summary="new", updated_at=MOMENT + timedelta(days=1), life=_LIFE)
        graph.put(ANN, changed)
        assert graph.get(ANN, source.key) == changed
        assert graph.links(ANN, person.key) == [a_link(source.key, person.key)]
        assert graph.passages(ANN, source.key) == [a_passage(source)]

    def test_a_renamed_node_keeps_its_key(self, graph: Graph) -> None:
        graph.put(ANN, a_person("Sarah"))
        renamed = replace(a_person("Sarah"), name="Sara", canonical_name="sara")
        graph.put(ANN, renamed)
        assert graph.select(ANN, _natural(Person, "sara")) == [renamed]
        assert graph.select(ANN, _natural(Person, "sarah")) == []
        graph.put(ANN, a_person("Sarah", key="another"))

    def test_two_nodes_of_a_kind_never_have_one_natural_key(self, graph: Graph) -> None:
        graph.put(ANN, a_person("Sarah"))
        with pytest.raises(InvalidInput, match="sarah") as caught:
            graph.put(ANN, a_person("Sarah", key="another"))
        assert caught.value.field == "natural"
        assert graph.get(ANN, "another") is None
        graph.put(ANN, a_concept("Sarah"))
        graph.put(BOB, a_person("Sarah", user="bob"))

    def test_a_scope_writes_only_its_own_users_nodes(self, graph: Graph) -> None:
        with pytest.raises(Forbidden):
            graph.put(BOB, a_person())
        graph.put(ANN, a_person())
        with pytest.raises(Forbidden):
            graph.put(BOB, a_person("Eve", user="bob", key=a_person().key))
        assert graph.get(ANN, a_person().key) == a_person()

    def test_get_many_gives_those_that_there_are(self, graph: Graph) -> None:
        people = [a_person(f"Person {number}") for number in range(1500)]
        for person in people[::100]:
            graph.put(ANN, person)
        graph.put(BOB, a_person("Person 1", user="bob"))
        keys = [person.key for person in people] + [a_person("Person 1", user="bob").key]
        assert graph.get_many(ANN, keys) == {one.key: one for one in people[::100]}
        assert graph.get_many(ANN, []) == {}
        assert graph.get(ANN, "no such key") is None

    def test_a_natural_key_is_one_nodes_of_its_kind_and_user(self, graph: Graph) -> None:
        graph.put(ANN, an_entity("Acme", type="project"))
        (found,) = graph.select(ANN, _natural(Entity, "acme|project"))
        assert found == an_entity("Acme", type="project")
        assert graph.select(ANN, _natural(Concept, "acme|project")) == []
        assert graph.select(BOB, _natural(Entity, "acme|project")) == []

    def test_select_goes_through_a_kind_in_order_of_key(self, graph: Graph) -> None:
        people = sorted((a_person(f"Person {n}") for n in range(7)), key=lambda one: one.key)
        for person in reversed(people):
            graph.put(ANN, person)
        graph.put(ANN, a_concept())
        graph.put(BOB, a_person(user="bob"))
        assert graph.select(ANN, Nodes(Person)) == people
        assert graph.select(ANN, Nodes(Person, limit=2)) == people[:2]
        assert graph.select(ANN, Nodes(Person, limit=2, after=people[1].key)) == people[2:4]
        assert graph.select(ANN, Nodes(Macro)) == []

    def test_select_can_be_for_some_states(self, graph: Graph) -> None:
        for state in State:
            graph.put(ANN, a_person(state.value, life=Lifecycle(state=state)))
        nodes = graph.select(ANN, Nodes(Person, {"state": [State.CORE, State.ARCHIVED]}))
        assert {node.life.state for node in nodes} == {State.CORE, State.ARCHIVED}
        awake = graph.select(ANN, Nodes(Anchor, {"state <>": State.ARCHIVED}))
        assert len(awake) == len(State) - 1
        assert len(graph.select(ANN, Nodes(Person))) == len(State)

    def test_keys_can_be_found_by_how_they_begin(self, graph: Graph) -> None:
        for key in ("ab1", "ab2", "ab%", "ac", "b", "AB3"):
            graph.put(ANN, a_person(f"Person {key} {key.isupper()}", key=key))
        graph.put(BOB, a_person(user="bob", key="ab0"))
        assert graph.keys_beginning(ANN, "ab") == ["ab%", "ab1", "ab2"]
        assert graph.keys_beginning(ANN, "ab", limit=2) == ["ab%", "ab1"]
        assert graph.keys_beginning(ANN, "ab%") == ["ab%"]
        assert graph.keys_beginning(ANN, "ab_") == []
        assert graph.keys_beginning(ANN, "b", "ab", "ab1") == ["ab%", "ab1", "ab2", "b"]

    def test_a_removed_node_takes_its_edges_and_passages_along(self, graph: Graph) -> None:
        source, person, friend = a_source(), a_person("Sarah"), a_person("Tom")
        for node in (source, person, friend):
            graph.put(ANN, node)
        graph.put_passages(ANN, source.key, [a_passage(source)])
        graph.link(ANN, a_link(source.key, person.key))
        graph.relate(ANN, a_relationship(person.key, friend.key))
        assert graph.remove(ANN, person.key)
        assert not graph.remove(ANN, person.key)
        assert graph.relationships(ANN, friend.key, history=True) == []
        assert graph.links(ANN, source.key) == []
        assert graph.remove(ANN, source.key, "unknown") == 1
        assert graph.remove(ANN) == 0
        assert graph.passages_by_key(ANN, [a_passage(source).key]) == {}
        counts = graph.counts(ANN)
        assert {name: count for name, count in counts.items() if count} == {"person": 1}

    def test_nobody_removes_anothers_node(self, graph: Graph) -> None:
        source = a_source(participants=("ann", "bob"))
        graph.put(ANN, source)
        assert graph.get(BOB, source.key) == source
        assert not graph.remove(BOB, source.key)
        assert graph.get(ANN, source.key) == source

    # -- who may read what --------------------------------------------------------------------

    @pytest.mark.parametrize(("scope", "visible"), SEEN_BY)
    def test_a_team_source_is_for_members_and_guests_who_have_not_left(
        self, graph: Graph, scope: Scope, *, visible: bool
    ) -> None:
        source = a_source(team_id="red", participants=("ann", "gus"))
        graph.put(ANN, source)
        graph.put_passages(ANN, source.key, [a_passage(source)])
        passage = a_passage(source)
        expected = [source] if visible else []
        assert graph.get(scope, source.key) == (source if visible else None)
        assert graph.select(scope, Nodes(Source)) == expected
        assert graph.keys_beginning(scope, source.key[:8]) == [one.key for one in expected]
        assert graph.passages(scope, source.key) == ([passage] if visible else [])
        assert graph.passages_by_key(scope, [passage.key]) == (
            {passage.key: passage} if visible else {}
        )

    def test_high_sensitivity_keeps_the_team_out(self, graph: Graph) -> None:
        source = a_source(team_id="red", participants=("ann", "gus"), sensitivity=Sensitivity.HIGH)
        graph.put(ANN, source)
        assert graph.get(a_scope("bob", "red"), source.key) is None
        assert graph.get(a_scope("gus"), source.key) == source
        graph.put(ANN, replace(source, sensitivity=Sensitivity.LOW))
        assert graph.get(a_scope("bob", "red"), source.key) is not None
        graph.put(ANN, source)
        assert graph.get(a_scope("bob", "red"), source.key) is None

    def test_whoever_has_not_accepted_is_told_only_that_it_waits(self, graph: Graph) -> None:
        old = a_source("old", participants=("ann", "gus"), accepted=())
        later = old.created_at + timedelta(days=1)
        new = a_source("new", participants=("ann", "gus"), accepted=(), created_at=later)
        team = a_source("team", participants=("ann", "gus"), accepted=(), team_id="red")
        for one in (old, new):
            graph.put(ANN, one)
            graph.put_passages(ANN, one.key, [a_passage(one)])
        gus = a_scope("gus")
        assert graph.waiting(gus) == [new, old]
        assert not graph.select(gus, Nodes(Source))
        assert not graph.passages(gus, new.key)
        assert graph.waiting(ANN) == graph.waiting(BOB) == []
        assert graph.waiting(gus, prefix=old.key[:9]) == [old]
        assert graph.waiting(gus, limit=1) == [new]
        assert graph.waiting(gus, but=Consents(declined=frozenset({new.key}))) == [old]
        assert graph.waiting(gus, but=Consents(blocked={"ann": None})) == []
        assert graph.waiting(gus, but=Consents(blocked={"ann": old.created_at})) == [new]
        graph.put(ANN, team)
        left = Scope(user_id="gus", left=frozenset({"red"}))
        assert graph.waiting(left) == [new, old]
        graph.put(ANN, replace(new, accepted=("gus", "bob")))
        seen = replace(new, accepted=("gus",))
        assert graph.get(gus, new.key) == seen
        assert graph.select(gus, Nodes(Source, order=("-started_at",))) == [seen]
        assert new.key not in {one.key for one in graph.waiting(gus)}

    def test_a_source_seen_two_ways_is_found_once(self, graph: Graph) -> None:
        source = a_source(team_id="red", participants=("ann", "bob"))
        graph.put(ANN, source)
        assert graph.select(a_scope("bob", "red"), Nodes(Source)) == [source]

    def test_anchors_and_beliefs_are_their_users_alone(self, graph: Graph) -> None:
        member = a_scope("bob", "red")
        for node in (a_person(), a_belief(), a_storyline("x", team_id="red")):
            graph.put(ANN, node)
        assert not graph.select(member, Nodes(Person))
        assert not graph.select(member, Nodes(Belief))
        assert graph.select(member, Nodes(Storyline)) == [a_storyline("x", team_id="red")]
        assert graph.names(member) == []

    # -- passages -----------------------------------------------------------------------------

    def test_passages_come_in_order_and_replace_those_before(self, graph: Graph) -> None:
        source = a_source()
        graph.put(ANN, source)
        first = [a_passage(source, n, f"piece {n}", speaker="ann", ref=f"r{n}") for n in range(3)]
        graph.put_passages(ANN, source.key, first[::-1])
        assert graph.passages(ANN, source.key) == first
        second = [a_passage(source, 0, "whole", at=MOMENT)]
        graph.put_passages(ANN, source.key, second)
        assert graph.passages(ANN, source.key) == second
        assert graph.passages_by_key(ANN, [one.key for one in first]) == {second[0].key: second[0]}
        graph.put_passages(ANN, source.key, first)
        graph.put_passages(ANN, source.key, first[2:], first=2)
        assert graph.passages(ANN, source.key) == first
        graph.put_passages(ANN, source.key, [a_passage(source, 1, "more")], first=1)
        assert [one.text for one in graph.passages(ANN, source.key)] == ["piece 0", "more"]
        graph.put_passages(ANN, source.key, [])
        assert graph.passages(ANN, source.key) == []

    def test_passages_belong_to_the_callers_own_source(self, graph: Graph) -> None:
        source = a_source(participants=("ann", "bob"))
        with pytest.raises(UnknownKey):
            graph.put_passages(ANN, source.key, [a_passage(source)])
        graph.put(ANN, source)
        with pytest.raises(Forbidden):
            graph.put_passages(BOB, source.key, [a_passage(source)])
        with pytest.raises(UnknownKey):
            graph.put_passages(a_scope("eve"), source.key, [a_passage(source)])
        with pytest.raises(InvalidInput, match="source_key"):
            graph.put_passages(ANN, source.key, [a_passage(source, source_key="another")])
        assert graph.passages(ANN, source.key) == []

    def test_a_passage_is_of_one_source(self, graph: Graph) -> None:
        one, two = a_source("one"), a_source("two")
        for source in (one, two):
            graph.put(ANN, source)
        graph.put_passages(ANN, one.key, [a_passage(one)])
        graph.put_passages(ANN, two.key, [a_passage(two)])
        stolen = a_passage(two, 1, key=a_passage(one).key)
        with pytest.raises(InvalidInput, match="key"):
            graph.put_passages(ANN, two.key, [stolen])
        with pytest.raises(InvalidInput, match="key"):
            graph.put_passages(ANN, two.key, [a_passage(two), a_passage(two)])
        assert graph.passages(ANN, two.key) == [a_passage(two)]

    # -- the whole ----------------------------------------------------------------------------

    def test_a_position_is_a_users_own_and_never_goes_back(self, graph: Graph) -> None:
        positions_are_kept(graph)

    def test_counts_are_of_what_the_caller_owns(self, graph: Graph) -> None:
        source, person, friend = a_source(), a_person("Sarah"), a_person("Tom")
        for node in (source, person, friend):
            graph.put(ANN, node)
        graph.put_passages(ANN, source.key, [a_passage(source, n) for n in range(3)])
        graph.link(ANN, a_link(source.key, person.key))
        graph.relate(ANN, a_relationship(person.key, friend.key))
        graph.put_assertion(ANN, an_assertion(person.key, friend.key, source.key))
        for on in (person.key, friend.key, a_relationship(person.key, friend.key).key):
            graph.add_note(ANN, a_note(on, source_key=source.key))
        counts = graph.counts(ANN)
        assert {name: count for name, count in counts.items() if count} == {
            "source": 1,
            "person": 2,
            "passages": 3,
            "links": 1,
            "relationships": 1,
            "assertions": 1,
            "notes": 3,
        }
        assert set(graph.counts(BOB)) == set(counts)
        assert not any(graph.counts(BOB).values())

    def test_equal_memories_export_equally(self, new_graph: Callable[[], Graph]) -> None:
        source, person, friend = a_source(), a_person("Sarah"), a_person("Tom")
        exports = []
        for order in ((source, person, friend), (friend, source, person)):
            graph = new_graph()
            graph.put(BOB, a_person(user="bob"))
            for node in order:
                graph.put(ANN, node)
            graph.put_passages(ANN, source.key, [a_passage(source, n) for n in range(3)])
            for end in sorted((person, friend), key=lambda one: order.index(one)):
                graph.link(ANN, a_link(source.key, end.key))
                graph.relate(ANN, a_relationship(person.key, friend.key, type=end.canonical_name))
                graph.put_assertion(ANN, an_assertion(source.key, end.key, source.key))
                graph.add_note(ANN, a_note(end.key, source_key=source.key))
                graph.add_note(ANN, a_note(end.key))
            graph.put_extraction(ANN, an_extraction(source.key))
            exports.append(list(graph.export(ANN)))
        assert exports[0] == exports[1]
        assert len(exports[0]) == 3 + 3 + 2 + 2 + 2 + 4 + 1
        assert list(new_graph().export(ANN)) == []

    def test_a_long_export_leaves_nothing_out(self, graph: Graph) -> None:
        people: list[Person] = [a_person(f"Person {number}") for number in range(1203)]
        for person in people:
            graph.put(ANN, person)
        for number in range(1203):
            graph.add_note(ANN, a_note(people[0].key, str(number)))
        export = list(graph.export(ANN))
        assert len(export) == len(people) + 1203
        notes = [one["value"]["content"] for one in export if one["record"] == "note"]
        assert sorted(notes, key=int) == [str(number) for number in range(1203)]

    def test_an_export_holds_the_callers_own(self, graph: Graph) -> None:
        source, person, friend = a_source(team_id="red"), a_person("Sarah"), a_person("Tom")
        for node in (source, person, friend):
            graph.put(ANN, node)
        parts: dict[str, Any] = {
            "assertion": an_assertion(person.key, friend.key, source.key),
            "note": a_note(person.key, source_key=source.key),
            "extraction": an_extraction(source.key),
        }
        graph.put_assertion(ANN, parts["assertion"])
        graph.add_note(ANN, parts["note"])
        graph.put_extraction(ANN, parts["extraction"])
        export = list(graph.export(ANN))
        for sort, thing in parts.items():
            assert [one["value"] for one in export if one["record"] == sort] == [to_record(thing)]
        member = a_scope("bob", "red")
        assert list(graph.export(member)) == []
        graph.put_extraction(member, an_extraction(source.key, mind="bob's"))
        assert [one["record"] for one in graph.export(member)] == ["extraction"]

    def test_what_was_said_behaves_as_dicts_would(self, new_graph: Callable[[], Graph]) -> None:
        run_assertion_machine(new_graph)

    def test_it_behaves_as_dicts_would(self, new_graph: Callable[[], Graph]) -> None:
        run_graph_machine(new_graph)


def _natural(type_: type[N], natural: str) -> Nodes[N]:
    return Nodes(type_, {"natural": natural}, own=True)
