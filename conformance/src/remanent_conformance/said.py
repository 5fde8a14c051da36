"""What sources said in a graph beside plain dicts, driven at random through the same steps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from remanent.core.model.anchor import Note
from remanent.core.model.mind_types import Extraction
from remanent.core.model.relationship import Assertion, RelationshipKind
from remanent.core.ports.graph import Graph
from remanent.testing.builders import (
    MOMENT,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_assertion,
    an_extraction,
)
from remanent_conformance.effort import drive

Owned = tuple[str, str]  # a user and a key


def run_said_machine(new_graph: Callable[[], Graph]) -> None:
    """Fails with the shortest steps after which the graph and the dicts differ."""
    drive(lambda: _Machine(new_graph()))


def _person(user: str, name: str) -> str:
    return a_person(name, user=user).key


def _friends(user: str) -> str:
    return a_relationship(_person(user, "a"), _person(user, "b"), user=user).key


class _Machine(RuleBasedStateMachine):
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
        assert self.graph.unrelate(a_scope(user), key) == ((user, key) in self.there)
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

    @rule(user=users, place=places, source=sources, said=words, day=days)
    def add_note(self, user: str, place: str, source: str | None, said: str, day: int) -> None:
        on = self._on(user, place)
        source_key = None if source is None else a_source(source).key
        if (user, on) in self.there and (source_key is None or source_key in self.sources_there):
            at = MOMENT + timedelta(days=day)
            note = a_note(on, said, user=user, source_key=source_key, date_added=at)
            name = (user, on, source_key, said)
            assert self.graph.add_note(a_scope(user, "red"), note) == (name not in self.notes)
            self.notes.setdefault(name, note)

    @rule(user=users, place=places, source=sources, said=words)
    def drop_note(self, user: str, place: str, source: str | None, said: str) -> None:
        on = self._on("ann", place)
        source_key = None if source is None else a_source(source).key
        note = a_note(on, said, source_key=source_key)
        found = self.notes.pop((user, on, source_key, said), None)
        assert self.graph.drop_note(a_scope(user), note) == (found is not None)

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
        found = self.graph.retract(a_scope(user), key)
        assert sorted(found, key=repr) == sorted(gone, key=repr)
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
        found = self.graph.extraction(a_scope(user, "red"), key)
        assert found == self.extractions.get((user, key))

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
        at_it = self.graph.assertions_at(scope, key)
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
