"""State machines: a store beside plain dicts, driven at random through the same steps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from remanent.core.model.anchor import Note
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Node
from remanent.core.model.relationship import Assertion, Link, Relationship, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.ports.graph import Graph, Nodes
from remanent_conformance.builders import (
    MOMENT,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_assertion,
    an_extraction,
)

_EFFORT: Final = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def drive(machine: Callable[[], RuleBasedStateMachine]) -> None:
    """Fails with the shortest steps after which a store and its model differ."""
    run_state_machine_as_test(cast("type[RuleBasedStateMachine]", machine), settings=_EFFORT)


def run_graph_machine(new_graph: Callable[[], Graph]) -> None:
    """Fails with the shortest steps after which the graph and the dicts differ."""
    drive(lambda: _Machine(new_graph()))


class _Machine(RuleBasedStateMachine):
    users = st.sampled_from(["ann", "bob"])
    names = st.sampled_from(["a", "b", "c"])
    teams = st.sampled_from([None, "red", "blue"])
    scopes = st.builds(
        lambda user, teams, left: a_scope(user, *teams, left=tuple(left)),
        users,
        st.sets(st.sampled_from(["red", "blue"])),
        st.sets(st.sampled_from(["red", "blue"])),
    )

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.nodes: dict[str, Node] = {}
        self.links: dict[tuple[str, str, str], Link] = {}
        self.relations: dict[str, Relationship] = {}

    def _may_read(self, scope: Scope, key: str) -> bool:
        node = self.nodes.get(key)
        if node is None or node.team in scope.left - scope.teams:
            return False
        return bool(set(scope.tokens) & set(node.readers))

    def _owns(self, user: str, key: str) -> bool:
        return key in self.nodes and self.nodes[key].user_id == user

    @rule(user=users, name=names, team=teams, guests=st.sets(users), state=st.sampled_from(State))
    def put(self, user: str, name: str, team: str | None, guests: set[str], state: State) -> None:
        node = a_source(
            name,
            user=user,
            team_id=team,
            participants=tuple(sorted({user, *guests})),
            life=Lifecycle(state=state),
        )
        self.graph.put(a_scope(user), node)
        self.nodes[node.key] = node

    @rule(scope=scopes, user=users, name=names)
    def get(self, scope: Scope, user: str, name: str) -> None:
        key = a_source(name, user=user).key
        expected = self.nodes[key] if self._may_read(scope, key) else None
        assert self.graph.get(scope, key) == expected

    @rule(scope=scopes, states=st.sets(st.sampled_from(State)), limit=st.integers(0, 4))
    def find(self, scope: Scope, states: set[State], limit: int) -> None:
        expected = [
            self.nodes[key]
            for key in sorted(self.nodes)
            if self._may_read(scope, key) and (not states or self.nodes[key].life.state in states)
        ]
        where = {"state": sorted(states) or None}
        nodes = self.graph.select(scope, Nodes(Source, where, limit=limit))
        assert nodes == expected[:limit]

    @rule(user=users, name=names)
    def remove(self, user: str, name: str) -> None:
        key = a_source(name, user="ann").key
        assert self.graph.remove(a_scope(user), key) == self._owns(user, key)
        if self._owns(user, key):
            del self.nodes[key]
            self.links = {ends: one for ends, one in self.links.items() if key not in ends}
            self.relations = {
                name: one for name, one in self.relations.items() if key not in (one.src, one.dst)
            }

    @rule(user=users, src=names, dst=names)
    def link(self, user: str, src: str, dst: str) -> None:
        link = a_link(a_source(src, user=user).key, a_source(dst, user=user).key, user=user)
        scope = a_scope(user)
        if self._may_read(scope, link.src) and self._may_read(scope, link.dst):
            ends = (link.kind, link.src, link.dst)
            assert self.graph.link(scope, link) == (ends not in self.links)
            self.links.setdefault(ends, link)

    @rule(user=users, src=names, dst=names, type_=names)
    def relate(self, user: str, src: str, dst: str, type_: str) -> None:
        ends = [a_source(name, user=user).key for name in (src, dst)]
        if all(self._owns(user, key) for key in ends):
            relationship = a_relationship(*ends, type=type_, user=user)
            self.graph.relate(a_scope(user), relationship)
            self.relations[relationship.key] = relationship

    @rule(user=users, src=names, dst=names)
    def unlink(self, user: str, src: str, dst: str) -> None:
        link = a_link(a_source(src, user="ann").key, a_source(dst, user="ann").key, user=user)
        ends = (link.kind, link.src, link.dst)
        mine = ends in self.links and self.links[ends].user_id == user
        assert self.graph.unlink(a_scope(user), link) == mine
        if mine:
            del self.links[ends]

    @rule(user=users, src=names, dst=names, type_=names)
    def unrelate(self, user: str, src: str, dst: str, type_: str) -> None:
        ends = [a_source(name, user="ann").key for name in (src, dst)]
        key = a_relationship(*ends, type=type_, user="ann").key
        mine = key in self.relations and user == "ann"
        assert self.graph.remove(a_scope(user), key) == mine
        if mine:
            del self.relations[key]

    @rule(scope=scopes, user=users, name=names)
    def edges(self, scope: Scope, user: str, name: str) -> None:
        key = a_source(name, user=user).key
        links = self.graph.links(scope, key)
        assert len(links) == len(set(links))
        assert set(links) == {
            link
            for link in self.links.values()
            if key in (link.src, link.dst)
            and self._may_read(scope, link.src)
            and self._may_read(scope, link.dst)
        }
        related = self.graph.relationships(scope, key)
        assert sorted(one.key for one in related) == sorted(
            one.key
            for one in self.relations.values()
            if key in (one.src, one.dst) and one.user_id == scope.user_id
        )

    @rule(scope=scopes)
    def all_edges(self, scope: Scope) -> None:
        arrays = self.graph.edges(scope)
        linked = [
            (link.src, link.dst)
            for link in self.links.values()
            if link.src != link.dst
            and self._may_read(scope, link.src)
            and self._may_read(scope, link.dst)
        ]
        related = [
            (one.src, one.dst)
            for one in self.relations.values()
            if one.src != one.dst
            and one.user_id == scope.user_id
            and self._may_read(scope, one.src)
            and self._may_read(scope, one.dst)
        ]
        ends = zip(arrays.src.tolist(), arrays.dst.tolist(), strict=True)
        assert sorted((arrays.keys[src], arrays.keys[dst]) for src, dst in ends) == sorted(
            linked + related
        )

    @rule(user=users)
    def count(self, user: str) -> None:
        counts = self.graph.counts(a_scope(user))
        mine = [node for node in self.nodes.values() if node.user_id == user]
        assert counts["source"] == len(mine)
        assert counts["links"] == sum(one.user_id == user for one in self.links.values())
        assert len(list(self.graph.export(a_scope(user)))) == sum(counts.values())


Owned = tuple[str, str]  # a user and a key


def run_assertion_machine(new_graph: Callable[[], Graph]) -> None:
    """Fails with the shortest steps after which the graph and the dicts differ."""
    drive(lambda: _AssertionMachine(new_graph()))


def _person(user: str, name: str) -> str:
    return a_person(name, user=user).key


def _friends(user: str) -> str:
    return a_relationship(_person(user, "a"), _person(user, "b"), user=user).key


class _AssertionMachine(RuleBasedStateMachine):
    """Everyone is in the team of all sources; the sources are ann's."""

    users = st.sampled_from(["ann", "bob"])
    names = st.sampled_from(["a", "b"])
    places = st.sampled_from(["a", "b", "friends"])
    sources = st.sampled_from([None, "one", "two"])
    words = st.sampled_from(["hm", "ah"])
    days = st.integers(0, 2)

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.there: set[Owned] = set()
        self.sources_there: set[str] = set()
        self.notes: dict[tuple[str, str, str | None, str], Note] = {}
        self.assertions: list[Assertion] = []
        self.extractions: dict[Owned, Extraction] = {}

    def _on(self, user: str, place: str) -> str:
        return _friends(user) if place == "friends" else _person(user, place)

    def _drop(self, user: str, *keys: str) -> None:
        """Forget whatever of this user stands on one of these."""
        self.there -= {(user, key) for key in keys}
        self.notes = {name: one for name, one in self.notes.items() if one.on not in keys}
        self.assertions = [
            one for one in self.assertions if one.src not in keys and one.dst not in keys
        ]

    # -- what things stand on -----------------------------------------------------------------

    @rule(user=users, name=names)
    def put(self, user: str, name: str) -> None:
        self.graph.put(a_scope(user), a_person(name, user=user))
        self.there.add((user, _person(user, name)))

    @rule(user=users)
    def relate(self, user: str) -> None:
        ends = [_person(user, name) for name in ("a", "b")]
        if all((user, key) in self.there for key in ends):
            self.graph.relate(a_scope(user), a_relationship(*ends, user=user))
            self.there.add((user, _friends(user)))

    @rule(user=users, name=names)
    def remove(self, user: str, name: str) -> None:
        key = _person(user, name)
        assert self.graph.remove(a_scope(user), key) == ((user, key) in self.there)
        self._drop(user, key, _friends(user))

    @rule(user=users)
    def unrelate(self, user: str) -> None:
        key = _friends(user)
        assert self.graph.remove(a_scope(user), key) == ((user, key) in self.there)
        self._drop(user, key)

    @rule(name=st.sampled_from(["one", "two"]))
    def put_source(self, name: str) -> None:
        source = a_source(name, team_id="red")
        self.graph.put(a_scope("ann"), source)
        self.sources_there.add(source.key)

    @rule(name=st.sampled_from(["one", "two"]))
    def remove_source(self, name: str) -> None:
        key = a_source(name).key
        assert self.graph.remove(a_scope("ann"), key) == (key in self.sources_there)
        self.sources_there.discard(key)
        self.notes = {name: one for name, one in self.notes.items() if one.source_key != key}
        self.assertions = [one for one in self.assertions if one.source_key != key]
        self.extractions = {at: one for at, one in self.extractions.items() if at[1] != key}

    # -- what is said -------------------------------------------------------------------------

    @rule(user=users, place=places, source=sources, text=words, day=days)
    def add_note(self, user: str, place: str, source: str | None, text: str, day: int) -> None:
        on = self._on(user, place)
        source_key = None if source is None else a_source(source).key
        if (user, on) in self.there and (source_key is None or source_key in self.sources_there):
            at = MOMENT + timedelta(days=day)
            note = a_note(on, text, user=user, source_key=source_key, date_added=at)
            name = (user, on, source_key, text)
            assert self.graph.add_note(a_scope(user, "red"), note) == (name not in self.notes)
            self.notes.setdefault(name, note)

    @rule(user=users, place=places, source=sources, text=words)
    def drop_note(self, user: str, place: str, source: str | None, text: str) -> None:
        on = self._on("ann", place)
        source_key = None if source is None else a_source(source).key
        note = a_note(on, text, source_key=source_key)
        note_there = self.notes.pop((user, on, source_key, text), None)
        assert self.graph.drop_note(a_scope(user), note) == (note_there is not None)

    @rule(user=users, src=names, dst=names, source=st.sampled_from(["one", "two"]), day=days)
    def put_assertion(self, user: str, src: str, dst: str, source: str, day: int) -> None:
        one, other, source_key = _person(user, src), _person(user, dst), a_source(source).key
        if source_key in self.sources_there and {(user, one), (user, other)} <= self.there:
            at = MOMENT + timedelta(days=day)
            assertion = an_assertion(one, other, source_key, user=user, at=at)
            is_new = assertion not in self.assertions
            assert self.graph.put_assertion(a_scope(user, "red"), assertion) == is_new
            self.assertions += [assertion] if is_new else []

    @rule(user=users, source=st.sampled_from(["one", "two"]), mind=words)
    def put_extraction(self, user: str, source: str, mind: str) -> None:
        key = a_source(source).key
        if key in self.sources_there:
            self.extractions[user, key] = an_extraction(key, mind=mind)
            self.graph.put_extraction(a_scope(user, "red"), self.extractions[user, key])

    @rule(user=users, source=st.sampled_from(["one", "two"]))
    def retract(self, user: str, source: str) -> None:
        key = a_source(source).key
        gone = [one for one in self.assertions if (one.user_id, one.source_key) == (user, key)]
        retracted = self.graph.retract(a_scope(user), key)
        assert sorted(retracted, key=repr) == sorted(gone, key=repr)
        self.assertions = [one for one in self.assertions if one not in gone]
        self.notes = {
            name: one
            for name, one in self.notes.items()
            if (name[0], one.source_key) != (user, key) or one.on == _friends(user)
        }

    # -- what is there ------------------------------------------------------------------------

    @rule(asking=users, user=users, place=places, limit=st.integers(0, 5))
    def ask_notes(self, asking: str, user: str, place: str, limit: int) -> None:
        on = self._on(user, place)
        known = [one for name, one in self.notes.items() if (name[0], one.on) == (asking, on)]
        known.sort(key=lambda one: (one.date_added, one.source_key or "", one.content))
        newest = known[-limit:] if limit else []
        assert self.graph.notes(a_scope(asking), on, limit=limit) == newest

    @rule(user=users, source=st.sampled_from(["one", "two"]))
    def ask_source(self, user: str, source: str) -> None:
        key = a_source(source).key
        noted = [
            one for name, one in self.notes.items() if (name[0], one.source_key) == (user, key)
        ]
        noted.sort(key=lambda one: (one.on, one.content))
        assert self.graph.notes_of(a_scope(user), key) == noted
        extraction = self.graph.extraction(a_scope(user, "red"), key)
        assert extraction == self.extractions.get((user, key))

    @rule(asking=users, user=users, name=names)
    def ask_assertions(self, asking: str, user: str, name: str) -> None:
        key = _person(user, name)
        mine = [one for one in self.assertions if one.user_id == asking]
        scope = a_scope(asking)
        mine.sort(key=lambda one: (one.at, one.source_key, one.dst))
        kind = RelationshipKind.HAS_RELATIONSHIP_WITH
        assert self.graph.assertions(scope, key, kind, "friend") == [
            one for one in mine if one.src == key
        ]
        at_it = self.graph.assertions(scope, key)
        assert len(at_it) == len(set(at_it))
        assert set(at_it) == {one for one in mine if key in (one.src, one.dst)}

    @rule(user=users)
    def count(self, user: str) -> None:
        scope = a_scope(user)
        counts = self.graph.counts(scope)
        extractions = sum(name[0] == user for name in self.extractions)
        assert counts["notes"] == sum(name[0] == user for name in self.notes)
        assert counts["assertions"] == sum(one.user_id == user for one in self.assertions)
        assert len(list(self.graph.export(scope))) == sum(counts.values()) + extractions
