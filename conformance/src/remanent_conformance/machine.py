"""A graph beside plain dicts, driven at random through the same steps."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Link, Relationship
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.testing.builders import a_link, a_relationship, a_scope, a_source
from remanent_conformance.effort import drive


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

    def _sees(self, scope: Scope, key: str) -> bool:
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
        expected = self.nodes[key] if self._sees(scope, key) else None
        assert self.graph.get(scope, key) == expected

    @rule(scope=scopes, states=st.sets(st.sampled_from(State)), limit=st.integers(0, 4))
    def find(self, scope: Scope, states: set[State], limit: int) -> None:
        expected = [
            self.nodes[key]
            for key in sorted(self.nodes)
            if self._sees(scope, key) and (not states or self.nodes[key].life.state in states)
        ]
        found = self.graph.find(scope, Kind.SOURCE, states=sorted(states), limit=limit)
        assert found == expected[:limit]

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
        if self._sees(scope, link.src) and self._sees(scope, link.dst):
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
        assert self.graph.unrelate(a_scope(user), key) == mine
        if mine:
            del self.relations[key]

    @rule(scope=scopes, user=users, name=names)
    def edges(self, scope: Scope, user: str, name: str) -> None:
        key = a_source(name, user=user).key
        found = self.graph.links(scope, key)
        assert len(found) == len(set(found))
        assert set(found) == {
            link
            for link in self.links.values()
            if key in (link.src, link.dst)
            and self._sees(scope, link.src)
            and self._sees(scope, link.dst)
        }
        related = self.graph.relationships(scope, key)
        assert sorted(one.key for one in related) == sorted(
            one.key
            for one in self.relations.values()
            if key in (one.src, one.dst) and one.user_id == scope.user_id
        )

    @rule(scope=scopes)
    def all_edges(self, scope: Scope) -> None:
        found = self.graph.edges(scope)
        linked = [
            (link.src, link.dst)
            for link in self.links.values()
            if link.src != link.dst and self._sees(scope, link.src) and self._sees(scope, link.dst)
        ]
        related = [
            (one.src, one.dst)
            for one in self.relations.values()
            if one.src != one.dst
            and one.user_id == scope.user_id
            and self._sees(scope, one.src)
            and self._sees(scope, one.dst)
        ]
        ends = zip(found.src.tolist(), found.dst.tolist(), strict=True)
        assert sorted((found.keys[src], found.keys[dst]) for src, dst in ends) == sorted(
            linked + related
        )

    @rule(user=users)
    def count(self, user: str) -> None:
        counts = self.graph.counts(a_scope(user))
        mine = [node for node in self.nodes.values() if node.user_id == user]
        assert counts["source"] == len(mine)
        assert counts["links"] == sum(one.user_id == user for one in self.links.values())
        assert len(list(self.graph.export(a_scope(user)))) == sum(counts.values())
