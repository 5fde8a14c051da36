"""Erasing users, people and what teams share; and that no byte of it is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import erased
import pytest
from test_undo import Mind

from remanent import Memory, SteppedClock
from remanent.core.model.codec import to_record
from remanent.core.model.event import SOURCE_ERASED
from remanent.core.model.job import Job, JobKind, JobState
from remanent.core.model.scope import Scope
from remanent.core.records.access import Role, Team
from remanent.core.records.admin import Erasable
from remanent.core.records.export import OWED, Mark
from remanent.core.records.spending import Answer
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownKey, UnknownUser
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.testing import HashEmbedder

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
QUERIES = ("who likes what", "chess", "Maria", "Kestrel", "Tom Vance")


class World:
    """Ada and Bob in one crew, on one clock."""

    def __init__(self, path: Path | str = ":memory:") -> None:
        self.path = path
        self.clock = SteppedClock(START)
        self.memory = Memory.open(path, clock=self.clock, mind=Mind(), embedder=HashEmbedder())
        self.ada = self.memory.user("ada", name="Ada Lindqvist")
        self.bob = self.memory.user("bob", name="Bob Hale")
        registry = self.memory.env.registry
        registry.put_team(Team(team_id="crew", name="Crew", created_at=START))
        registry.join("crew", "ada", Role.OWNER, START)
        registry.join("crew", "bob", Role.MEMBER, START)

    def day(self, number: int) -> None:
        self.memory.work()
        self.clock.move_to(START + timedelta(days=number, hours=21))
        self.memory.sleep()
        self.clock.move_to(START + timedelta(days=number + 1))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    one = World(tmp_path / "memory.db")
    yield one
    one.memory.close()


def bytes_of(path: Path | str) -> bytes:
    return b"".join(
        Path(f"{path}{end}").read_bytes()
        for end in ("", "-wal", "-shm")
        if Path(f"{path}{end}").exists()
    )


# -- teams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eraser", ["ada", "bob"])
def test_a_team_source_goes_from_every_reader(eraser: str, place: str) -> None:
    one, other, key = World(place), World(), ""
    for each in (one, other):
        each.bob.add("Maria Berg: sings", title="own")
        each.day(0)
        if each is one:
            key = each.bob.add("Maria Berg: likes Kestrel\nTom Vance: rows", team="crew")
        each.memory.work()
        each.ada.adopt("crew")
        each.day(1)
        each.ada.add("Maria Berg: swims", title="hers")
        each.day(2)
    done = one.memory.user(eraser).erase(key)  # Ada owns the team, Bob contributed it
    assert done.users == 2
    for user in ("ada", "bob"):
        erased.same(one.memory, other.memory, user, QUERIES)
    one.memory.close()
    other.memory.close()


def test_who_only_reads_it_may_not_erase_it() -> None:
    world = World()
    key = world.ada.add("Maria Berg: likes Kestrel", team="crew")
    world.memory.work()
    with pytest.raises(Forbidden, match="contributed"):
        world.bob.erase(key)
    assert world.ada.read(key).passages
    hidden = world.ada.add("Maria Berg: has a secret")
    with pytest.raises(UnknownKey):
        world.bob.erase(hidden)
    world.memory.close()


def test_who_has_left_erases_what_they_gave_and_reads_none_of_it(place: str) -> None:
    one, other, key, hers = World(place), World(), "", ""
    for each in (one, other):
        each.ada.add("Maria Berg: sings", title="hers")
        if each is one:
            key = each.bob.add("Maria Berg: likes Kestrel\nTom Vance: rows", team="crew", title="T")
        each.memory.work()
        each.ada.adopt("crew")
        hers = each.ada.add("Sal Lund: swims", team="crew", title="not his")
        each.day(0)
        each.bob.leave_team("crew")
    with pytest.raises(UnknownKey):
        one.bob.read(key)
    for hidden in (hers, "", key[:1] + "no such"):
        with pytest.raises((UnknownKey, InvalidInput)):
            one.bob.erase(hidden)
    planned = one.bob.erase(key[:12], dry_run=True)
    assert planned.titles == ("source: T",)
    assert one.bob.erase(key).users == 2
    for user in ("ada", "bob"):
        erased.same(one.memory, other.memory, user, QUERIES)
    one.memory.close()
    other.memory.close()


def test_a_handle_narrowed_to_one_team_does_not_erase_from_another() -> None:
    world = World()
    key = world.bob.add("Maria Berg: likes Kestrel", team="crew")
    world.memory.work()
    world.bob.create_team("Other", team_id="other")
    world.bob.leave_team("crew")
    with pytest.raises(UnknownKey):
        world.bob.within("other").erase(key)
    assert world.bob.erase(key).users == 1
    world.memory.close()


def test_a_user_who_had_left_leaves_nothing_with_those_who_stay(place: str) -> None:
    one, other = World(place), World()
    for each in (one, other):
        each.ada.add("Maria Berg: sings")
        if each is one:
            each.bob.add("Maria Berg: likes Kestrel\nTom Vance: rows", team="crew")
        each.memory.work()
        each.ada.adopt("crew")
        each.day(0)
        each.bob.leave_team("crew")
    one.memory.erase_user("bob")
    erased.same(one.memory, other.memory, "ada", QUERIES)
    one.memory.close()
    other.memory.close()


# -- people -----------------------------------------------------------------------------------------


def test_derived_personal_data_does_not_survive_a_person(world: World) -> None:
    ada = world.ada
    ada.add("Maria Berg: likes zebracanary\nTom Vance: rows", title="both")
    ada.add("Tom Vance: sails", title="his")
    ada.add("A walk by the lake with Maria Berg and nobody else", title="unlinked")
    ada.remember("It is so that Maria Berg keeps bees")
    ada.remember("It is so that Tom Vance keeps goats")
    ada.record({"event_type": "message", "payload": {"text": "call Maria Berg"}, "session_id": "s"})
    team = world.bob.add("Maria Berg: chairs the crew", team="crew")
    world.memory.work()
    ada.adopt("crew")
    world.day(0)
    (maria,) = (one for one in ada.anchors("person") if one.name == "Maria Berg")
    planned = ada.erase(maria.key, dry_run=True)
    assert planned.dry_run
    assert any("both" in one for one in planned.titles)
    assert any(one.startswith("taken back") for one in planned.titles)
    assert ada.read(maria.key).notes  # nothing happened yet
    done = ada.erase(maria.key)
    assert done.kind is Erasable.PERSON
    assert not done.titles
    assert not any("Maria" in line for line in erased.told(world.memory, "ada", ()))
    assert {one.name for one in ada.anchors("person")} == {"Ada Lindqvist", "Tom Vance"}
    assert [one.statement for one in ada.beliefs()] == ["It is so that Tom Vance keeps goats"]
    assert b"zebracanary" not in bytes_of(world.path).lower()
    assert "Maria Berg" in str(to_record(world.bob.read(team)))  # it is not Ada's to erase
    ledger = world.memory.env.ledger
    assert not any("Maria" in str(one.payload) for one in ledger.replay(ada.scope))


def test_the_owner_is_no_person_to_erase(world: World) -> None:
    (me,) = (one for one in world.ada.anchors("person"))
    with pytest.raises(InvalidInput, match="erase_user"):
        world.ada.erase(me.key)


# -- users ------------------------------------------------------------------------------------------

CANARY = "zebracanary"


def fill(world: World, user: str) -> str:
    """Put a canary into every corner that a user has."""
    me, env = world.memory.user(user), world.memory.env
    me.add(f"Maria {CANARY}a: likes {CANARY}b", title=f"{CANARY}title")
    key = me.add(f"Tom {CANARY}c: rows {CANARY}d", team="crew", origin_id=f"{CANARY}origin")
    me.remember(f"It is so that I keep {CANARY}e")
    me.record(
        {
            "event_type": "message",
            "payload": {"text": f"{CANARY}f said so"},
            "agent_id": f"{CANARY}agent",
            "session_id": f"{CANARY}session",
        }
    )
    world.memory.work()
    me.produce(key, f"{CANARY}plan", f"make {CANARY}g")
    me.define(f"{CANARY}H", f"{CANARY} expanded")
    me.consolidate([{"speaker": "x", "text": f"{CANARY}i is decided {n}"} for n in range(5)])
    undone = me.add(f"Sal {CANARY}j: sings")
    world.memory.work()
    me.undo(undone)
    me.search(f"where is {CANARY}k")
    me.context(f"tell me of {CANARY}l", budget=200)
    me.explore([f"{CANARY}m"], mode="deep")
    now = world.clock.now()
    env.records.put(
        Scope(user_id=user),
        Answer(
            digest=f"{CANARY}digest",
            user_id=user,
            mind="m",
            task="t",
            text=f"{CANARY}n",
            answered_at=now,
        ),
    )
    job = Job(
        key=f"x:{CANARY}o",
        kind=JobKind.PROCESS,
        user_id=user,
        payload={"source_key": f"{CANARY}p"},
        created_at=now,
        run_at=now + timedelta(days=900),
    )
    env.queue.enqueue(job)
    failed = replace(job, key=f"x:{CANARY}q", run_at=now)
    env.queue.enqueue(failed)
    env.queue.claim("w", key=failed.key, now=now, lease=timedelta(hours=1))
    env.queue.settle(failed.key, "w", JobState.PARKED, at=now, error=f"could not read {CANARY}r")
    return key


def test_no_byte_of_a_user_is_left(world: World) -> None:
    world.memory.user("zebracanary-eve", name="Eve Zebracanary")
    world.memory.env.registry.join("crew", "zebracanary-eve", Role.MEMBER, START)
    key = fill(world, "zebracanary-eve")
    mine = world.ada.add("Maria Berg: rows", participants=["ada", "zebracanary-eve"])
    world.memory.work()
    world.ada.adopt("crew")
    world.day(0)
    assert CANARY.encode() in bytes_of(world.path).lower()
    assert "Tom" in str(to_record(world.ada.read(key)))
    dry = world.memory.erase_user("zebracanary-eve", dry_run=True)
    assert any("zebracanarytitle" in one for one in dry.titles)
    done = world.memory.erase_user("zebracanary-eve")
    assert done.is_compacted
    assert done.probe.found == 0
    assert done.probe.bytes > 0
    assert re.findall(rb".{0,30}zebracanar.{0,30}", bytes_of(world.path).lower()) == []
    with pytest.raises(UnknownUser):
        world.memory.user("zebracanary-eve", create=False)
    with pytest.raises(UnknownUser):
        world.memory.erase_user("zebracanary-eve")
    with pytest.raises(UnknownKey):
        world.ada.read(key)
    assert [one.name for one in world.ada.anchors("person")] == ["Maria Berg", "Ada Lindqvist"]
    page = world.ada.read(mine)
    assert page.node.participants == ("ada",)  # type: ignore[attr-defined]
    assert world.memory.verify_erasure(done)


def test_others_are_as_if_the_user_had_never_been(place: str) -> None:
    one, other = World(place), World()
    for each in (one, other):
        each.ada.add("Maria Berg: sings")
        each.day(0)
        if each is one:
            eve = each.memory.user("eve", name="Eve")
            each.memory.env.registry.join("crew", "eve", Role.MEMBER, START)
            eve.add("Maria Berg: likes Kestrel\nTom Vance: rows", team="crew")
            eve.add("Tom Vance: is mine", title="private")
        each.memory.work()
        each.ada.adopt("crew")
        each.day(1)
    one.memory.erase_user("eve")
    for user in ("ada", "bob"):
        erased.same(one.memory, other.memory, user, QUERIES)
    one.memory.close()
    other.memory.close()


def test_a_user_who_comes_back_under_the_same_name_finds_nothing(world: World) -> None:
    eve = world.memory.user("eve", name="Eve")
    eve.add("Maria Berg: likes chess")
    world.memory.work()
    assert eve.search("chess")
    world.memory.erase_user("eve")
    again = world.memory.user("eve", name="Eve Two")
    assert again.search("chess") == []
    again.add("Tom Vance: rows")
    world.memory.work()
    assert not any("chess" in one.text for one in again.search("chess"))
    assert any("rows" in one.text for one in again.search("rows"))


def test_the_log_keeps_a_pseudonym_and_nothing_else(world: World) -> None:
    world.memory.user("eve", name="Eve").create_team("Eve's", team_id="eves")
    world.memory.erase_user("eve")
    told = str([to_record(one) for one in world.memory.audit(limit=100)])
    assert "memory.erased" in told
    assert "'eve'" not in told
    assert "erased-" in told


# -- one source, its bytes, and the paper -----------------------------------------------------------------


def test_the_log_keeps_no_word_of_what_a_user_was_refused(world: World) -> None:
    key = world.bob.add("Tom Vance plays chess with me.")
    with pytest.raises(NotFound):
        world.bob.accept(f"extract:bob:{key}")
    world.memory.erase_user("bob")

    assert key.encode() not in bytes_of(world.path)


def test_what_a_team_is_called_stays_and_hinders_nothing(world: World) -> None:
    words = "The annual summer regatta of the northern fjord"
    once = "The yearly winter gathering of the southern islands"
    world.ada.create_team(once, "islands")
    world.ada.change_team("islands", name="Islands")
    world.ada.change_team("crew", name=words)
    world.ada.add(f"{words} was fun. {once} was not.")
    world.memory.work()

    assert world.memory.erase_user("ada").probe.found == 0
    assert [one.team.name for one in world.bob.teams()] == [words]


def test_no_byte_of_a_source_is_left(world: World) -> None:
    key = world.ada.add(f"Maria {CANARY}a: likes {CANARY}b at the old mill", title=f"{CANARY}title")
    world.ada.add("Maria Berg: rows")
    world.memory.work()
    world.ada.produce(key, f"{CANARY}plan", f"make {CANARY}c")
    world.day(0)
    assert CANARY.encode() in bytes_of(world.path).lower()
    done = world.ada.erase(key)
    assert done.is_compacted
    assert re.findall(rb".{0,30}zebracanar.{0,30}", bytes_of(world.path).lower()) == []
    assert key.encode() not in bytes_of(world.path)


def test_without_compacting_it_is_owed_and_work_does_it(world: World) -> None:
    key = world.ada.add(f"Maria Berg: likes {CANARY}b", title="x")
    world.memory.work()
    done = world.ada.erase(key, compact=False)
    assert not done.is_compacted
    assert world.ada.search(CANARY) == []
    world.memory.work()
    assert CANARY.encode() not in bytes_of(world.path)


def test_who_dies_while_the_file_is_written_anew_owes_it_still(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = world.ada.add(f"Maria Berg: likes {CANARY}b", title="x")
    world.memory.work()
    execute = SqliteDatabase.execute

    def dies(self: SqliteDatabase, sql: str, *rest: Any) -> Any:
        if sql == "VACUUM":
            raise KeyboardInterrupt
        return execute(self, sql, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteDatabase, "execute", dies)
        with pytest.raises(KeyboardInterrupt):
            world.ada.erase(key)
    assert world.memory.env.records.get(None, Mark, OWED) == Mark(name=OWED, value="files")
    world.memory.work()
    assert CANARY.encode() not in bytes_of(world.path)
    assert world.memory.env.records.get(None, Mark, OWED) is None


def test_a_word_that_the_memory_has_for_itself_is_no_trace(world: World) -> None:
    for _ in range(2):  # from the first on it notes how many erasures there were
        key = world.ada.add("erasure")
        world.memory.work()
        assert world.ada.erase(key).is_compacted


def test_a_paper_says_what_went_and_holds_no_content(world: World) -> None:
    key = world.ada.add("Maria Berg: likes chess", title="A secret title")
    world.memory.work()
    done = world.ada.erase(key)
    told = to_record(done)
    assert "chess" not in str(told)
    assert "secret" not in str(told)
    assert {(one.store, one.what) for one in done.removed} >= {
        ("graph", "source"),
        ("graph", "person"),
        ("graph", "passage"),
        ("ledger", "event"),
        ("ledger", "raw"),
        ("index", "entry"),
        ("queue", "job"),
    }
    assert world.memory.verify_erasure(done)
    assert world.memory.verify_erasure(told)
    assert not world.memory.verify_erasure({**told, "by": "bob"})
    assert not world.memory.verify_erasure({**told, "removed": told["removed"][1:]})
    assert not world.memory.verify_erasure({"nothing": 1})
    other = World()
    assert not other.memory.verify_erasure(done)
    other.memory.close()


def test_only_a_tombstone_without_words_stays(world: World) -> None:
    key = world.ada.add("Maria Berg: likes chess", origin_id="mail-7")
    world.memory.work()
    world.ada.erase(key)
    events = list(world.memory.env.ledger.replay(world.ada.scope))
    assert [one.event_type for one in events] == ["user.registered", SOURCE_ERASED]
    assert key not in str(events[1].payload)
    assert set(events[1].payload) == {"marks"}


def test_an_import_does_not_bring_it_back_but_adding_does(world: World, tmp_path: Path) -> None:
    note = tmp_path / "vault"
    note.mkdir()
    (note / "maria.md").write_text("# Maria\n\nMaria Berg: likes chess\n", encoding="utf-8")
    first = world.ada.import_file(note)
    assert first.added == 1
    world.memory.work()
    (source,) = world.ada.sources()
    world.ada.erase(source.key)
    again = world.ada.import_file(note)
    assert (again.added, len(again.skipped)) == (0, 1)
    assert "erased" in again.skipped[0].why
    key = world.ada.add("Maria Berg: likes chess")
    world.memory.work()
    assert world.ada.read(key).passages
    world.ada.erase(key)
    assert world.ada.add("Maria Berg: likes chess") == key
    world.memory.work()
    with world.memory.rebuild() as derived:
        assert derived.comparison.samples == ()
        derived.discard()


def test_a_tombstone_holds_where_the_memory_has_moved_to(world: World, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "maria.md").write_text("# Maria\n\nMaria Berg: likes chess\n", encoding="utf-8")
    world.ada.import_file(vault)
    world.memory.work()
    (source,) = world.ada.sources()
    world.ada.erase(source.key)
    world.ada.export(tmp_path / "ada.jsonl")
    written = (tmp_path / "ada.jsonl").read_text(encoding="utf-8")
    assert world.memory.env.secret().hex() not in written
    assert "chess" not in written
    moved = Memory.open(":memory:", clock=world.clock, mind=Mind(), embedder=HashEmbedder())
    with moved:
        moved.import_memory(tmp_path / "ada.jsonl")
        again = moved.user("ada").import_file(vault)
        assert (again.added, len(again.skipped)) == (0, 1)
        assert "erased" in again.skipped[0].why
        assert moved.user("eve", name="Eve").import_file(vault).added == 1  # it is Ada's alone


def test_a_pending_rebuild_is_thrown_away(world: World) -> None:
    key = world.ada.add(f"Maria Berg: likes {CANARY}")
    world.memory.work()
    world.memory.rebuild().close()
    place = Path(f"{world.path}.rebuild")
    assert place.exists()
    world.ada.erase(key)
    assert not place.exists()


# How the rows of each table go when what they tell of is erased.
WAYS = {
    table: way
    for way, tables in {
        "by the verb, one by one, and with their user": (
            "answers", "bygones", "entries", "events", "item_vectors", "items",
            "jobs", "nodes", "raws", "relationships", "replays",
        ),
        "with the node, by reference": (
            "anchor_words", "assertions", "bearers", "extractions", "links", "notes", "passages",
        ),
        "with the entry, by reference or trigger": ("reembedded", "shelf_blocks"),
        "with their user": (
            "api_keys", "edge_versions", "invitations", "memberships", "positions", "rounds",
            "spending", "stays", "users",
        ),
        "with their reader": ("node_readers", "token_versions", "vector_readers"),
        "with the team; the name of who made it is taken out": ("teams",),
        "holds nothing of anybody": ("meta", "migrations"),
        "names are exchanged for a pseudonym": ("deeds",),
    }.items()
    for table in tables
}  # fmt: skip


def test_every_table_is_erased_somehow(world: World) -> None:
    rows = world.memory.env.stores.database.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main'"
        " AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    )
    tables = {row[0] for row in rows}
    assert tables - WAYS.keys() == set(), "say above how its rows are erased"
    assert WAYS.keys() - tables == set()
