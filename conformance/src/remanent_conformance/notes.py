"""What every graph promises of notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, timedelta

import pytest

from remanent.core.model.anchor import Note
from remanent.core.model.node import Node
from remanent.core.ports.graph import Graph
from remanent.errors import InvalidInput
from remanent_conformance.builders import (
    MOMENT,
    a_belief,
    a_concept,
    a_note,
    a_person,
    a_relationship,
    a_scope,
    a_source,
    an_entity,
)
from remanent_conformance.graph_part import GraphPart

ANN, BOB = a_scope("ann"), a_scope("bob")
MEMBER = a_scope("bob", "red")
DAY = timedelta(days=1)
SARAH, TOM, BOBS = a_person("Sarah"), a_person("Tom"), a_person("Sarah", user="bob")
FRIENDS = a_relationship(SARAH.key, TOM.key)
SOURCE = a_source(team_id="red")
LATER = a_source("Another day.")


class NotesContract(GraphPart):
    """Part of `GraphContract`."""

    @pytest.fixture
    def known(self, graph: Graph) -> Graph:
        """With two friends and two sources of ann's, one for her team, and a person of bob's."""
        for node in (SARAH, TOM, SOURCE, LATER):
            graph.put(ANN, node)
        graph.relate(ANN, FRIENDS)
        graph.put(BOB, BOBS)
        return graph

    @pytest.mark.parametrize("on", [SARAH.key, FRIENDS.key], ids=["anchor", "relationship"])
    @pytest.mark.parametrize(
        "note",
        [
            a_note("", source_key=SOURCE.key, expires_at=MOMENT + DAY, added_by="a mind"),
            a_note("", "Ærlig\n'talt' 🎻"),
        ],
        ids=["whole", "plain"],
    )
    def test_a_note_comes_back_as_it_was_added(self, known: Graph, on: str, note: Note) -> None:
        note = replace(note, on=on)
        assert known.add_note(ANN, note)
        assert known.notes(ANN, on) == [note]
        assert known.notes(ANN, on)[0].date_added.tzinfo is UTC

    @pytest.mark.parametrize("node", [a_concept(), an_entity()], ids=["concept", "entity"])
    def test_every_kind_of_anchor_takes_notes(self, graph: Graph, node: Node) -> None:
        graph.put(ANN, node)
        assert graph.add_note(ANN, a_note(node.key))
        assert graph.notes(ANN, node.key) == [a_note(node.key)]

    @pytest.mark.parametrize("source_key", [SOURCE.key, None])
    def test_one_source_says_one_thing_once_in_a_place(
        self, known: Graph, source_key: str | None
    ) -> None:
        note = a_note(SARAH.key, source_key=source_key)
        assert known.add_note(ANN, note)
        repeated = replace(note, date_added=MOMENT + DAY, added_by="else", expires_at=MOMENT)
        assert not known.add_note(ANN, repeated)
        assert known.notes(ANN, SARAH.key) == [note]

    def test_place_source_and_content_make_another_note(self, known: Graph) -> None:
        note = a_note(SARAH.key, source_key=SOURCE.key)
        others = [
            replace(note, source_key=LATER.key),
            replace(note, source_key=None),
            replace(note, content=f"{note.content} "),
            replace(note, on=TOM.key),
            replace(note, on=FRIENDS.key),
        ]
        assert all(known.add_note(ANN, one) for one in (note, *others))
        notes = known.notes(ANN, SARAH.key)
        assert len(notes) == 4
        assert all(one in notes for one in (note, *others[:3]))
        assert known.notes(ANN, TOM.key) == [others[3]]
        assert known.notes(ANN, FRIENDS.key) == [others[4]]

    def test_a_note_stands_on_the_callers_own_anchor_or_relationship(self, known: Graph) -> None:
        belief = a_belief()
        known.put(ANN, belief)
        for scope, on in (
            (ANN, "nothing"),
            (ANN, BOBS.key),
            (ANN, belief.key),
            (ANN, SOURCE.key),
            (BOB, SARAH.key),
            (BOB, FRIENDS.key),
        ):
            with pytest.raises(InvalidInput) as caught:
                known.add_note(scope, a_note(on))
            assert caught.value.field == "on"
        assert known.notes(ANN, SARAH.key) == known.notes(ANN, FRIENDS.key) == []

    def test_the_source_of_a_note_is_one_the_caller_sees(self, known: Graph) -> None:
        for source_key in ("nothing", TOM.key, LATER.key, SOURCE.key):
            with pytest.raises(InvalidInput) as caught:
                known.add_note(BOB, a_note(BOBS.key, source_key=source_key))
            assert caught.value.field == "source_key"
        assert known.add_note(MEMBER, a_note(BOBS.key, source_key=SOURCE.key))

    @pytest.mark.parametrize("on", [SARAH.key, FRIENDS.key], ids=["anchor", "relationship"])
    def test_notes_go_by_date_then_source_then_content(self, known: Graph, on: str) -> None:
        one, two = sorted((SOURCE.key, LATER.key))
        expected = [
            a_note(on, "z", source_key=two, date_added=MOMENT - DAY),
            a_note(on, "b"),
            a_note(on, "a", source_key=one),
            a_note(on, "c", source_key=one),
            a_note(on, "B", source_key=two),
            a_note(on, "a", source_key=two, date_added=MOMENT + DAY),
        ]
        for note in (*expected[1::2], *expected[::2]):
            known.add_note(ANN, note)
        assert known.notes(ANN, on) == expected
        assert known.notes(ANN, on, limit=6) == expected
        assert known.notes(ANN, on, limit=4) == expected[2:]
        assert known.notes(ANN, on, limit=1) == expected[-1:]
        assert known.notes(ANN, on, limit=0) == []

    def test_the_newest_fifty_unless_told_otherwise(self, known: Graph) -> None:
        notes = [a_note(SARAH.key, str(n), date_added=MOMENT + n * DAY) for n in range(60)]
        for note in notes:
            known.add_note(ANN, note)
        assert known.notes(ANN, SARAH.key) == notes[10:]
        assert known.notes(ANN, SARAH.key, limit=100) == notes

    def test_of_several_places_each_has_its_newest(self, known: Graph) -> None:
        places = sorted((SARAH.key, FRIENDS.key))
        notes = [a_note(on, str(n), date_added=MOMENT + n * DAY) for on in places for n in range(3)]
        for note in reversed(notes):
            known.add_note(ANN, note)
        assert known.notes(ANN, *reversed(places), "nothing", places[0], limit=2) == [
            *notes[1:3],
            *notes[4:],
        ]
        assert known.notes(ANN) == known.notes(BOB, *places) == []

    def test_notes_are_hidden_where_their_place_is(self, known: Graph) -> None:
        for on in (SARAH.key, FRIENDS.key):
            known.add_note(ANN, a_note(on, source_key=SOURCE.key))
            assert known.notes(MEMBER, on) == known.notes(BOB, on) == []
        assert known.notes(ANN, "nothing") == []

    def test_notes_of_a_source_are_the_callers_in_order(self, known: Graph) -> None:
        places = sorted((SARAH.key, TOM.key, FRIENDS.key))
        mine = [a_note(on, said, source_key=SOURCE.key) for on in places for said in ("a", "b")]
        for note in mine[::-1]:
            known.add_note(ANN, note)
        known.add_note(ANN, a_note(SARAH.key, source_key=LATER.key))
        known.add_note(ANN, a_note(SARAH.key))
        bobs = a_note(BOBS.key, source_key=SOURCE.key)
        known.add_note(MEMBER, bobs)
        assert known.notes_of(ANN, SOURCE.key) == mine
        assert known.notes_of(MEMBER, SOURCE.key) == [bobs]
        assert known.notes_of(a_scope("eve", "red"), SOURCE.key) == []
        assert known.notes_of(ANN, "nothing") == []

    def test_what_was_noted_stays_with_whoever_leaves(self, known: Graph) -> None:
        note = a_note(BOBS.key, source_key=SOURCE.key)
        known.add_note(MEMBER, note)
        left = a_scope("bob", left=("red",))
        assert known.notes(left, BOBS.key) == known.notes_of(left, SOURCE.key) == [note]
        assert known.drop_note(left, note)

    def test_dropping_takes_one_note_away(self, known: Graph) -> None:
        note = a_note(SARAH.key, source_key=SOURCE.key)
        others = [
            replace(note, source_key=None),
            replace(note, content="else"),
            replace(note, on=TOM.key),
        ]
        for one in (note, *others):
            known.add_note(ANN, one)
        assert known.drop_note(ANN, replace(note, date_added=MOMENT + DAY, added_by="else"))
        assert not known.drop_note(ANN, note)
        assert not known.drop_note(ANN, a_note("nothing"))
        notes = [*known.notes(ANN, SARAH.key), *known.notes(ANN, TOM.key)]
        assert len(notes) == 3
        assert all(one in notes for one in others)
        assert known.add_note(ANN, note)

    def test_nobody_drops_anothers_note(self, known: Graph) -> None:
        note = a_note(SARAH.key, source_key=SOURCE.key)
        known.add_note(ANN, note)
        assert not known.drop_note(BOB, note)
        assert not known.drop_note(MEMBER, note)
        assert known.notes(ANN, SARAH.key) == [note]

    def test_what_is_put_again_keeps_its_notes(self, known: Graph) -> None:
        for on in (SARAH.key, FRIENDS.key):
            known.add_note(ANN, a_note(on, source_key=SOURCE.key))
        known.put(ANN, replace(SARAH, description="new"))
        known.put(ANN, replace(SOURCE, summary="new"))
        known.relate(ANN, replace(FRIENDS, description="new"))
        for on in (SARAH.key, FRIENDS.key):
            assert known.notes(ANN, on) == [a_note(on, source_key=SOURCE.key)]

    @pytest.mark.parametrize("gone", [SARAH, SOURCE], ids=["anchor", "source"])
    def test_a_removed_node_takes_its_notes_along(self, known: Graph, gone: Node) -> None:
        for on in (SARAH.key, FRIENDS.key):
            known.add_note(ANN, a_note(on, source_key=SOURCE.key))
        kept = a_note(TOM.key, source_key=LATER.key)
        known.add_note(ANN, kept)
        known.remove(ANN, gone.key)
        assert known.counts(ANN)["notes"] == 1
        known.put(ANN, gone)
        assert known.notes_of(ANN, SOURCE.key) == known.notes(ANN, SARAH.key) == []
        assert known.notes(ANN, FRIENDS.key) == []
        assert known.notes(ANN, TOM.key) == [kept]

    def test_a_source_that_goes_takes_every_readers_notes_along(self, known: Graph) -> None:
        known.add_note(MEMBER, a_note(BOBS.key, source_key=SOURCE.key))
        assert not known.remove(MEMBER, SOURCE.key)
        assert len(known.notes(MEMBER, BOBS.key)) == 1
        known.remove(ANN, SOURCE.key)
        assert known.notes(MEMBER, BOBS.key) == []
