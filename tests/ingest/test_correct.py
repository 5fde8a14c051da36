"""Putting right by hand: what the user says outranks every inference, and stays (SPEC 12.14)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import storied
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.anchor import Anchor, Entity
from remanent.core.model.event import MEMORY_CORRECTED
from remanent.core.model.lifecycle import State, TtlPolicy
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import ContextType, Source
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
DAY = timedelta(days=1)


class Mind(PlainMind):
    """Describes somebody by all their notes, whatever was said before."""

    def describe(self, name: str, description: str, notes: Sequence[str]) -> str:
        return f"{name}: {' / '.join(notes)}"


class Life:
    """Ada's memory, day by day."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        self.clock = SteppedClock(START)
        self.memory = Memory.open(path, clock=self.clock, mind=Mind(), embedder=HashEmbedder())
        self.ada = self.memory.user("ada", name="Ada Lindqvist")

    def day(self, *texts: str, days: float = 1) -> list[str]:
        keys = [self.ada.add(text) for text in texts]
        self.ada.work()
        self.clock.advance(days * DAY)
        return keys

    def anchor(self, name: str) -> Anchor:
        found = [one for one in self.ada.anchors(include_archived=True) if one.name == name]
        assert len(found) == 1, f"{name}: {found}"
        return found[0]

    def notes(self, name: str) -> list[str]:
        return [one.content for one in self.ada.read(self.anchor(name).key).notes]

    def bond(self, name: str, **how: Any) -> Relationship:
        found = self.ada.relationships(name, **how)
        assert len(found) == 1, found
        return found[0]

    def rebuild(self) -> None:
        with self.memory.rebuild() as made:
            made.switch()


@pytest.fixture
def life() -> Iterator[Life]:
    made = Life()
    yield made
    made.memory.close()


MARIA = "Maria Lind: Plays chess.\nMaria Lind > job > Equinor"


def state_of(ada: UserMemory) -> dict[str, Any]:
    """All that can be put right, by key."""
    state: dict[str, Any] = {}
    for one in ada.anchors(include_archived=True):
        notes = sorted(note.content for note in ada.read(one.key).notes)
        type_ = one.type if isinstance(one, Entity) else ""
        state[one.key] = (one.name, one.aliases, one.description, type_, notes, one.life.ttl_policy)
        for bond in ada.relationships(one.key, history=True):
            state[bond.key] = (
                bond.relationship_type, bond.src, bond.dst, bond.description, bond.attitude,
                bond.proximity, bond.confidence, bond.valid_from, bond.valid_to,
                [note.content for note in ada.env.graph.notes(ada.scope, bond.key)],
            )  # fmt: skip
    for source in ada.sources(include_archived=True):
        state[source.key] = source.context_type
    return state


def put_right(life: Life) -> str:
    """One of everything; the key of the source."""
    (source,) = life.day(MARIA)
    ada = life.ada
    ada.correct("Maria Lind", "name", "Maria Berg")
    ada.correct("Maria Berg", "alias", "Mia")
    ada.correct("Maria Berg", "description", "A friend from the chess club.")
    ada.correct("Maria Berg", "note", "Her birthday is on 3 May.")
    ada.correct("Maria Berg", "note", "Owes me a book.", lifetime="year")
    ada.correct("Maria Berg", "note", was="Plays chess.")
    ada.correct("Equinor", "type", "organization")
    ada.correct("Equinor", "ttl_policy", "ephemeral")
    ada.correct(source, "context_type", "phone-call")
    bond = life.bond("Maria Berg").key
    ada.correct(bond, "type", "works at")
    ada.correct(bond, "attitude", 5)
    ada.correct(bond, "description", "She leads the wind team.")
    ada.correct(bond, "since", START - 300 * DAY)
    ada.correct(bond, "note", "Hired by Tom.")
    ada.relate("Ada Lindqvist", "Maria Berg", "friend", proximity=4, since=START - 100 * DAY)
    return source


def test_everything_is_as_the_hand_says(life: Life) -> None:
    source = put_right(life)
    maria = life.anchor("Maria Berg")
    assert maria.aliases == ("Maria Lind", "Mia")
    assert maria.description == "A friend from the chess club."
    assert sorted(life.notes("Maria Berg")) == ["Her birthday is on 3 May.", "Owes me a book."]
    equinor = life.anchor("Equinor")
    assert isinstance(equinor, Entity)
    assert equinor.type == "organization"
    assert equinor.life.ttl_policy is TtlPolicy.EPHEMERAL
    node = life.ada.read(source).node
    assert isinstance(node, Source)
    assert node.context_type is ContextType.PHONE_CALL
    work = life.bond("Equinor")
    assert (work.relationship_type, work.attitude) == ("works_at", 5)
    assert work.valid_from == START - 300 * DAY
    assert work.description == "She leads the wind team."
    notes = [one.content for one in life.ada.env.graph.notes(life.ada.scope, work.key)]
    assert sorted(notes) == ["Hired by Tom.", "Maria Lind > job > Equinor"]
    friend = life.bond("Maria Berg", other="Ada Lindqvist")
    assert (friend.relationship_type, friend.proximity) == ("friend", 4)
    assert [one.field for one in life.ada.corrections(work.key)] == [
        "note", "since", "description", "attitude", "type",
    ]  # fmt: skip


def test_it_survives_sleep_and_further_sources(life: Life) -> None:
    put_right(life)
    before = state_of(life.ada)
    life.day("Maria Lind: Swims.\nMaria Lind > job > Equinor", days=3)
    life.ada.sleep()
    maria = life.anchor("Maria Berg")
    assert maria.description == "A friend from the chess club."
    assert "Swims." in life.notes("Maria Berg")
    assert "Plays chess." not in life.notes("Maria Berg")
    work = life.bond("Equinor")
    assert before[work.key][:2] == (work.relationship_type, work.src)
    assert (work.attitude, work.description) == (5, "She leads the wind team.")


def test_it_survives_a_rebuild(life: Life) -> None:
    put_right(life)
    life.day("Maria Lind: Swims.\nMaria Lind > job > Equinor", days=3)
    life.ada.sleep()
    before = state_of(life.ada)
    life.rebuild()
    assert state_of(life.ada) == before


def test_it_survives_a_mind_that_reads_nothing_any_more(tmp_path: Path) -> None:
    """Whom no reading finds again is there by the user's word alone, and all that it says of them."""
    life = Life(tmp_path / "memory.db")
    put_right(life)
    hand = {one.field for one in life.ada.corrections()}
    life.memory.close()
    blind = Memory.open(
        tmp_path / "memory.db", clock=life.clock, mind=ScriptedMind(), embedder=HashEmbedder()
    )
    with blind.rebuild() as made:
        made.switch()
    life.memory, life.ada = blind, blind.user("ada")
    assert {one.field for one in life.ada.corrections()} == hand
    maria = life.anchor("Maria Berg")
    assert (maria.aliases, maria.description) == (
        ("Maria Lind", "Mia"),
        "A friend from the chess club.",
    )
    assert sorted(life.notes("Maria Berg")) == ["Her birthday is on 3 May.", "Owes me a book."]
    work = life.bond("Equinor")
    assert (work.relationship_type, work.attitude) == ("works_at", 5)
    assert work.valid_from == START - 300 * DAY
    assert life.bond("Maria Berg", other="Ada Lindqvist").proximity == 4
    blind.close()


def test_it_survives_being_read_again(life: Life) -> None:
    source = put_right(life)
    before = state_of(life.ada)
    life.ada.redo(source)
    assert state_of(life.ada) == before


def test_it_survives_undo_of_the_source(life: Life) -> None:
    source = put_right(life)
    before = state_of(life.ada)
    life.ada.undo(source)
    after = state_of(life.ada)
    maria = life.anchor("Maria Berg").key
    assert after[maria] == before[maria]
    work = life.bond("Equinor")
    assert work.attitude == 5
    assert work.valid_from == START - 300 * DAY
    life.ada.redo(source)
    assert state_of(life.ada) == before


def test_a_bond_by_hand_outlives_the_source_of_both_its_ends(life: Life) -> None:
    (source,) = life.day("Maria Lind: Plays chess.\nEquinor: Drills.")
    life.ada.relate("Maria Lind", "Equinor", "advises", attitude=4)
    before = life.bond("Equinor")
    life.ada.undo(source)
    after = life.bond("Equinor")
    assert (after.key, after.relationship_type, after.attitude) == (before.key, "advises", 4)
    state = state_of(life.ada)
    life.rebuild()
    assert state_of(life.ada) == state
    life.ada.redo(source)
    life.ada.erase(source)
    assert life.ada.corrections() == []
    assert "Equinor" not in written(life)


def test_it_survives_export_and_import(life: Life, tmp_path: Path) -> None:
    put_right(life)
    life.memory.export(tmp_path / "all.jsonl")
    other = Memory.open(
        tmp_path / "other.db", clock=life.clock, mind=Mind(), embedder=HashEmbedder()
    )
    other.import_memory(tmp_path / "all.jsonl")
    assert state_of(other.user("ada")) == state_of(life.ada)
    listed = [(one.field, one.value) for one in other.user("ada").corrections()]
    assert listed == [(one.field, one.value) for one in life.ada.corrections()]
    other.close()


def test_the_same_again_changes_nothing(life: Life) -> None:
    put_right(life)
    told = list(life.ada.env.ledger.replay(life.ada.scope))
    before = state_of(life.ada)
    ada, work = life.ada, life.bond("Equinor").key
    for given in (
        ("Maria Berg", "name", "Maria Berg"),
        ("Maria Berg", "alias", "Mia"),
        ("Maria Berg", "description", "A friend from the chess club."),
        ("Maria Berg", "note", "Her birthday is on 3 May."),
        ("Equinor", "type", "organization"),
        ("Equinor", "ttl_policy", "ephemeral"),
        (work, "attitude", 5),
        (work, "note", "Hired by Tom."),
    ):
        assert not ada.correct(*given).changed, given
    assert not ada.correct("Maria Berg", "note", was="Plays chess.").changed
    assert not ada.relate("Ada Lindqvist", "Maria Berg", "friend", proximity=4).changed
    assert state_of(ada) == before
    assert list(ada.env.ledger.replay(ada.scope)) == told


def test_all_of_it_can_be_undone(life: Life) -> None:
    life.day(MARIA)
    before = state_of(life.ada)
    life = Life()
    put_right(life)
    for one in dict.fromkeys(each.correction_id for each in life.ada.corrections()):
        assert life.ada.undo_correction(one).changed
        assert not life.ada.undo_correction(one).changed
    assert life.ada.corrections() == []
    after = state_of(life.ada)
    assert after.keys() == before.keys()
    for key, was in before.items():
        if isinstance(was, tuple) and len(was) == 6:
            assert after[key] == (*was[:2], after[key][2], *was[3:])
        else:
            assert after[key] == was, key


def test_an_end_by_hand_holds_whatever_sources_say(life: Life) -> None:
    life.day(MARIA)
    work = life.bond("Maria Lind")
    life.clock.advance(9 * DAY)
    ended = START + 5 * DAY
    life.ada.correct(work.key, "until", ended)
    assert life.ada.relationships("Maria Lind") == []
    life.day(MARIA.replace("chess", "go"))
    assert life.ada.relationships("Maria Lind") == []
    assert life.bond("Maria Lind", history=True).valid_to == ended
    assert life.ada.relationships("Maria Lind", as_of=START + 2 * DAY)
    life.ada.correct(work.key, "until")
    assert life.bond("Maria Lind").key == work.key
    life.day("Maria Lind > job > Equinor!")
    assert life.bond("Maria Lind").valid_to is None


def test_what_a_hand_began_ends_with_the_news(life: Life) -> None:
    life.day("Maria Lind: Plays chess.", "Tom Vance > home > Oslo", "Tom Vance: Came by.")
    life.ada.relate("Tom Vance", "Oslo", "mayor")
    life.clock.advance(DAY)
    life.day("Tom Vance > mayor > Oslo!")
    assert life.ada.relationships("Tom Vance", history=True)[-1].valid_to is not None
    assert [one.relationship_type for one in life.ada.relationships("Tom Vance")] == ["home"]


def test_a_home_by_hand_takes_the_place_of_another(life: Life) -> None:
    life.day("Tom Vance > home > Oslo", "Maria Lind > home > Bergen", days=10)
    life.ada.relate("Tom Vance", "Bergen", "home", since=START + 4 * DAY)
    history = life.ada.relationships("Tom Vance", history=True)
    assert [(one.valid_from, one.valid_to) for one in history] == [
        (START, START + 4 * DAY),
        (START + 4 * DAY, None),
    ]
    known = life.ada.relationships("Tom Vance", known_at=START + DAY)
    assert [one.dst for one in known] == [life.anchor("Oslo").key]
    now = life.ada.relationships("Tom Vance", known_at=life.clock.now())
    assert [one.dst for one in now] == [life.anchor("Bergen").key]


def test_cypher_and_walks_know_what_the_hand_had_said_by_then(life: Life) -> None:
    """As `relationships` does: before the hand spoke, what sources say; after it, what it says."""
    life.day(MARIA, "Tom Vance: Sails.")
    ada, before = life.ada, life.clock.now()
    life.clock.advance(DAY)
    work = life.bond("Maria Lind").key
    ada.correct(work, "type", "works at")
    ada.correct(work, "attitude", 5)
    ada.correct(work, "note", "Hired by Tom.")
    ada.correct(work, "note", was="Maria Lind > job")
    ada.relate("Ada Lindqvist", "Tom Vance", "friend", proximity=4)
    after = life.clock.now()
    life.clock.advance(DAY)
    ada.correct(work, "denied")
    ada.correct("Maria Lind", "note", "Later.")

    def told(known_at: datetime | None) -> set[tuple[Any, ...]]:
        query = (
            "MATCH (a)-[r:ASSOCIATED_WITH|HAS_RELATIONSHIP_WITH]->(b) RETURN a.name, b.name,"
            " r.relationship_type, r.attitude, r.proximity, [n IN r.notes | n.content] AS said"
        )
        rows = ada.cypher(query, known_at=known_at).rows
        return {(*row[:5], *(row[5] or ())) for row in rows}

    sources = ("Maria Lind", "Equinor", "job", 3, 3, "Maria Lind > job > Equinor")
    by_hand = ("Maria Lind", "Equinor", "works_at", 5, 3, "Hired by Tom.")
    friends = ("Ada Lindqvist", "Tom Vance", "friend", 3, 4)
    assert told(before) == {sources}
    assert told(after) == {by_hand, friends}
    assert told(None) == told(life.clock.now()) == {friends}
    (known,) = ada.relationships("Maria Lind", known_at=after)
    assert (known.relationship_type, known.attitude) == ("works_at", 5)
    tom, me = life.anchor("Tom Vance").key, life.anchor("Ada Lindqvist").key
    for known_at, is_there in ((before, False), (after, True)):
        walk = ada.traverse(tom, known_at=known_at, include_links=False)
        assert (me in {one.key for one in walk.reached}) is is_there


def test_what_was_never_so_is_denied(life: Life) -> None:
    (source,) = life.day(MARIA)
    done = life.ada.correct(life.bond("Maria Lind").key, "denied")
    assert life.ada.relationships("Maria Lind", history=True) == []
    life.ada.redo(source)
    life.day(MARIA.replace("chess", "go"))
    assert life.ada.relationships("Maria Lind", history=True) == []
    life.ada.undo_correction(done.correction_id)
    assert life.bond("Maria Lind").valid_from == START


def test_of_two_that_are_merged_the_hand_wins(life: Life) -> None:
    life.day("Maria Lind: Plays chess.\nMaria Lind > job > Equinor", "Mary Line: Swims.")
    ada = life.ada
    ada.correct("Mary Line", "description", "By hand.")
    ada.correct("Mary Line", "note", "Written by hand.")
    ada.relate("Ada Lindqvist", "Mary Line", "friend")
    gone, kept = life.anchor("Mary Line").key, life.anchor("Maria Lind").key
    before = state_of(ada)
    ada.merge(gone, kept)
    maria = life.anchor("Maria Lind")
    assert maria.description == "By hand."
    assert sorted(life.notes("Maria Lind")) == ["Plays chess.", "Swims.", "Written by hand."]
    assert life.bond("Ada Lindqvist").dst == kept
    merged = state_of(ada)
    life.rebuild()
    assert state_of(life.ada) == merged
    ada.split(gone)
    assert life.notes("Maria Lind") == ["Plays chess."]
    assert life.anchor("Mary Line").description == "By hand."
    assert life.bond("Ada Lindqvist").dst == gone
    assert state_of(ada).keys() == before.keys()


def test_a_name_by_hand_is_understood_in_what_comes(life: Life) -> None:
    life.day("Maria Lind: Plays chess.", "Tom Vance > job > Harbor")
    life.ada.correct("Maria Lind", "name", "Maria Berg")
    life.ada.correct("Harbor", "type", "project")
    life.day("Maria Berg: Married.", "Maria Lind: Swims.", "Tom Vance > boss > Harbor")
    assert sorted(life.notes("Maria Berg")) == ["Married.", "Plays chess.", "Swims."]
    assert len([one for one in life.ada.anchors() if one.name == "Harbor"]) == 1


def test_notes_by_hand_expire(life: Life) -> None:
    life.day(MARIA)
    ada, work = life.ada, life.bond("Maria Lind").key
    ada.correct("Maria Lind", "note", "Is on holiday.", lifetime="week")
    ada.correct(work, "note", "On leave.", expires_at=life.clock.now() + 3 * DAY)
    ada.correct(work, "note", "Stays.")
    life.clock.advance(8 * DAY)
    ada.sleep()
    life.clock.advance(DAY)
    ada.sleep()
    assert "Is on holiday." not in life.notes("Maria Lind")
    notes = [one.content for one in ada.env.graph.notes(ada.scope, work)]
    assert "On leave." not in notes
    assert "Stays." in notes
    life.day("Maria Lind > job > Equinor")
    assert "On leave." not in [o.content for o in ada.env.graph.notes(ada.scope, work)]
    before = state_of(ada)
    life.rebuild()
    assert state_of(ada) == before


def test_a_note_is_changed_and_removed(life: Life) -> None:
    life.day(MARIA)
    ada = life.ada
    ada.sleep()
    changed = ada.correct("Maria Lind", "note", "Plays go.", was="plays")
    assert life.notes("Maria Lind") == ["Plays go."]
    life.clock.advance(DAY)
    ada.sleep()
    assert "chess" not in life.anchor("Maria Lind").description
    ada.correct("Maria Lind", "note", "Plays shogi.", was="Plays go.")
    assert life.notes("Maria Lind") == ["Plays shogi."]
    ada.correct("Maria Lind", "note", was="Plays shogi.")
    assert life.notes("Maria Lind") == []
    ada.undo_correction(changed.correction_id)
    assert life.notes("Maria Lind") == ["Plays chess."]


def test_ephemeral_goes_in_its_time(life: Life) -> None:
    life.day(MARIA)
    life.ada.correct("Equinor", "ttl_policy", "ephemeral")
    life.ada.correct("Maria Lind", "ttl_policy", "keep_forever")
    life.clock.advance(91 * DAY)
    life.ada.sleep()
    assert life.anchor("Equinor").life.state is State.ARCHIVED
    assert life.anchor("Maria Lind").life.salience == 1.0


BAD: Sequence[tuple[str, tuple[Any, ...], dict[str, Any]]] = (
    ("field", ("Maria Lind", "type", "robot"), {}),
    ("field", ("Maria Lind", "nonsense", "x"), {}),
    ("value", ("Maria Lind", "name", "   "), {}),
    ("value", ("Maria Lind", "name", "!?"), {}),
    ("value", ("Maria Lind", "name", None), {}),
    ("value", ("Maria Lind", "name", "Tom Vance"), {}),
    ("key", ("Ada Lindqvist", "name", "Somebody"), {}),
    ("key", ("Lind", "name", "Somebody"), {}),
    ("alias", ("Maria Lind", "alias", ""), {}),
    ("was", ("Maria Lind", "alias", None), {"was": "Nobody"}),
    ("value", ("Maria Lind", "description", "  "), {}),
    ("value", ("Maria Lind", "ttl_policy", "soon"), {}),
    ("value", ("Maria Lind", "note", None), {}),
    ("lifetime", ("Maria Lind", "note", "x"), {"lifetime": "decade"}),
    ("expires_at", ("Maria Lind", "note", "x"), {"expires_at": START - DAY}),
    ("was", ("Maria Lind", "note", "x"), {"was": "What nobody wrote"}),
    ("lifetime", ("Maria Lind", "name", "Maria"), {"lifetime": "week"}),
    ("value", ("bond", "attitude", 6), {}),
    ("value", ("bond", "confidence", 2), {}),
    ("value", ("bond", "until", START - 9 * DAY), {}),
    ("value", ("bond", "until", START + 900 * DAY), {}),
    ("value", ("bond", "since", "last year"), {}),
    ("value", ("source", "context_type", "party"), {}),
    ("field", ("source", "name", "x"), {}),
)


def test_what_is_wrong_is_named_and_nothing_is_written(life: Life) -> None:
    (source, *_) = life.day(
        MARIA, "Tom Vance: Sails.", "Anna Lind aka Lind: x", "Eva Lind aka Lind: y"
    )
    keys = {"bond": life.bond("Maria Lind").key, "source": source}
    told, before = list(life.ada.env.ledger.replay(life.ada.scope)), state_of(life.ada)
    for field, (key, *rest), more in BAD:
        with pytest.raises(InvalidInput) as problem:
            life.ada.correct(keys.get(key, key), *rest, **more)
        assert problem.value.field == field, (key, rest, more, problem.value)
    for wrong in (("Nobody", "Maria Lind", "friend"), ("Maria Lind", "Maria Lind", "friend"),
                  ("Maria Lind", "Tom Vance", " "), (source, "Tom Vance", "friend")):  # fmt: skip
        with pytest.raises((InvalidInput, UnknownKey)):
            life.ada.relate(*wrong)
    with pytest.raises(InvalidInput):
        life.ada.relate("Maria Lind", "Tom Vance", "friend", until=START - 5 * DAY)
    for unknown in ("Nobody at all", "feedbeef-no-such-key"):
        with pytest.raises(UnknownKey):
            life.ada.correct(unknown, "name", "x")
        with pytest.raises(UnknownKey):
            life.ada.undo_correction(unknown)
    assert list(life.ada.env.ledger.replay(life.ada.scope)) == told
    assert state_of(life.ada) == before


def test_nobody_puts_right_what_is_another_s(life: Life) -> None:
    team = life.ada.create_team("Crew").team_id
    bob = life.memory.user("bob", name="Bob Hale")
    bob.accept(life.ada.invite(team, "bob").invitation_id)
    key = life.ada.add(MARIA, team=team)
    life.memory.work()
    assert bob.read(key).node.key == key
    with pytest.raises(Forbidden):
        bob.correct(key, "context_type", "planning")
    assert bob.audit()[-1].detail == {"wanted": "memory.correct"}
    for theirs in (life.anchor("Maria Lind").key, life.bond("Maria Lind").key):
        with pytest.raises(UnknownKey):
            bob.correct(theirs, "description", "Mine.")
    done = life.ada.correct(key, "context_type", "planning")
    with pytest.raises(UnknownKey):
        bob.undo_correction(done.correction_id)
    seen = bob.read(key).node
    assert isinstance(seen, Source)
    assert (seen.context_type, seen.by_hand) == (ContextType.PLANNING, None)
    assert bob.corrections() == []


def test_the_ledger_tells_of_it(life: Life) -> None:
    life.day(MARIA)
    done = life.ada.correct("Maria Lind", "name", "Maria Berg")
    event = life.ada.env.ledger.event(life.ada.scope, done.correction_id)
    assert event is not None
    assert event.event_type == MEMORY_CORRECTED
    assert event.payload["words"][0]["value"] == "Maria Berg"


def written(life: Life) -> str:
    """Every word that the ledger and the graph hold."""
    env, scope = life.ada.env, life.ada.scope
    events = [one.payload for one in env.ledger.replay(scope)]
    return f"{events} {list(env.graph.export(scope))}"


def test_erasing_the_only_source_takes_the_corrections_along(life: Life) -> None:
    source = put_right(life)
    life.ada.erase(source)
    assert [one.name for one in life.ada.anchors(include_archived=True)] == ["Ada Lindqvist"]
    assert life.ada.corrections() == []
    left = written(life)
    for word in ("Maria", "Mia", "birthday", "wind team", "Equinor", "Hired"):
        assert word not in left, word


def test_erasing_one_of_two_sources_leaves_what_was_put_right(life: Life) -> None:
    source = put_right(life)
    life.day("Maria Lind: Swims.")
    life.ada.erase(source)
    maria = life.anchor("Maria Berg")
    assert maria.description == "A friend from the chess club."
    assert "Her birthday is on 3 May." in life.notes("Maria Berg")
    assert "Equinor" not in written(life)
    before = state_of(life.ada)
    life.rebuild()
    assert state_of(life.ada) == before


def test_erasing_a_person_takes_along_what_a_hand_wrote_of_them(life: Life) -> None:
    put_right(life)
    life.day("Tom Vance: Sails.")
    life.ada.correct("Tom Vance", "note", "Married to Maria Berg.")
    life.ada.correct("Tom Vance", "note", "Sails alone.")
    life.ada.erase(life.anchor("Maria Berg").key)
    assert sorted(life.notes("Tom Vance")) == ["Sails alone.", "Sails."]
    left = written(life)
    for word in ("Maria", "Mia", "birthday", "wind team", "Hired"):
        assert word not in left, word
    before = state_of(life.ada)
    life.rebuild()
    assert state_of(life.ada) == before


def test_erasing_the_user_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    life = Life(path)
    put_right(life)
    life.memory.erase_user("ada")
    life.memory.close()
    for file in tmp_path.iterdir():
        held = file.read_bytes()
        assert b"birthday" not in held, file
        assert b"wind team" not in held, file


def test_a_story_keeps_the_name_and_the_text_that_a_hand_gave_it() -> None:
    clock = SteppedClock(storied.START)
    memory = Memory.open(":memory:", clock=clock, mind=storied.a_mind(), embedder=HashEmbedder())
    tale = storied.Life(memory.user("ada", name="Ada Lindqvist"), clock)
    tale.burst(range(8), "Kestrel")
    tale.night(8)
    (story,) = tale.storylines()
    tale.me.correct(story.key, "name", "The year of the bird")
    done = tale.me.correct(story.key, "description", "How we learned to fly.")
    tale.burst(range(9, 12), "Kestrel")
    tale.night(12)
    (after,) = tale.storylines()
    assert (after.name, after.description) == ("The year of the bird", "How we learned to fly.")
    assert after.source_count == 11
    assert story.key in {hit.key for hit in tale.me.search("year of the bird", limit=20)}
    with memory.rebuild() as made:
        made.switch()
    assert [one.name for one in tale.storylines()] == ["The year of the bird"]
    tale.me.undo_correction(done.correction_id)
    tale.burst([13], "Kestrel")
    tale.night(13)
    (after,) = tale.storylines()
    assert after.name == "The year of the bird"
    assert after.description not in ("", "How we learned to fly.")
    memory.close()


def test_killed_after_it_was_acknowledged_nothing_is_lost(tmp_path: Path) -> None:
    """A child puts right one thing after the other, says which, and is killed in the middle of the next."""
    path, said = tmp_path / "memory.db", tmp_path / "said"
    life = Life(path)
    life.day(MARIA)
    life.memory.close()
    pid = os.fork()
    if pid == 0:
        try:
            child = Life(path).ada
            for number in range(5):
                child.correct("Maria Lind", "note", f"Number {number}.")
                with said.open("a") as file:
                    file.write(f"{number}\n")
            with child.env.atomic():
                child.correct("Maria Lind", "name", "Half written")
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    again = Life(path)
    acknowledged = [f"Number {one}." for one in said.read_text("utf-8").split()]
    assert len(acknowledged) == 5
    assert sorted(again.notes("Maria Lind")) == [*acknowledged, "Plays chess."]
    before = state_of(again.ada)
    again.rebuild()
    assert state_of(again.ada) == before
    again.memory.close()
