"""A memory is written down whole, and lives on elsewhere as if nothing had happened."""

from __future__ import annotations

import gzip
import io
import random
import stat
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import exported as files
import pytest
import rebuilt as lives
from effort import times

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.codec import to_record
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.source import RawSource
from remanent.core.ports.records import Select
from remanent.core.records.export import HOUSEHOLD, MoveProgress, RecordKind
from remanent.core.records.spending import Spent
from remanent.errors import Forbidden, InvalidInput
from remanent.testing import HashEmbedder
from remanent_conformance.builders import an_event

WORDS = (
    *("Kestrel", "launch", "Maria", "Berg", "Oslo", "Tom", "Vance", "Northwind", "budget", "chess"),
    *("tea", "boat", "river", "Sarah", "manager", "married", "Bergen", "dogs", "bees", "number"),
    *("week", "crew", "lives", "works", "plans", "enjoy", "home", "red", "lake", "sister", "car"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("lived") / "memory.db"
    files.lived(place)
    return place


@pytest.fixture(scope="module")
def source(path: Path) -> Iterator[Memory]:
    """The memory that is exported; nobody changes it."""
    with files.opened(path) as memory:
        yield memory


@pytest.fixture(scope="module")
def whole(source: Memory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files") / "all.jsonl"
    source.export(place)
    return place


@pytest.fixture(scope="module")
def target(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory that the file was taken into; nobody changes it."""
    with files.opened(tmp_path_factory.mktemp("taken") / "memory.db") as memory:
        memory.import_memory(whole)
        yield memory


@pytest.fixture(scope="module")
def ours(path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A copy of the first, to be asked: asking leaves traces."""
    with files.opened(copied(path, tmp_path_factory.mktemp("ours"))) as memory:
        yield memory


@pytest.fixture(scope="module")
def theirs(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A copy of the second, to be asked the same."""
    with files.opened(tmp_path_factory.mktemp("theirs") / "memory.db") as memory:
        memory.import_memory(whole)
        yield memory


def copied(path: Path, folder: Path) -> Path:
    with files.opened(path) as memory:
        memory.env.stores.database.execute("VACUUM INTO ?", (str(folder / "copy.db"),))
    return folder / "copy.db"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Memory]:
    with files.opened(tmp_path / "empty.db") as memory:
        yield memory


# --- to the same effect ------------------------------------------------------------------------


def test_an_empty_memory_takes_it_in_to_the_same_digest(source: Memory, target: Memory) -> None:
    assert files.digests(target) == files.digests(source)


def test_every_sort_of_record_was_there_to_be_carried(whole: Path) -> None:
    seen = {one["record"] for one in files.records(whole)[1:-1]}

    assert seen == {sort.value for sort in set(RecordKind) - HOUSEHOLD}


def test_what_was_taken_in_is_exported_line_by_line_as_it_was(
    whole: Path, target: Memory, tmp_path: Path
) -> None:
    target.export(tmp_path / "again.jsonl")

    first, again = files.records(whole), files.records(tmp_path / "again.jsonl")
    assert again[1:-1] == first[1:-1]
    assert again[-1]["content"] == first[-1]["content"]


def _questions(count: int) -> list[str]:
    dice = random.Random(8)
    return [" ".join(dice.sample(WORDS, dice.randint(1, 4))) for _ in range(count)]


def _answers(me: UserMemory, question: str) -> Any:
    env, scope = me.env, me.scope
    vector = HashEmbedder().embed([question])[0]
    kinds = (Kind.PASSAGE, Kind.BELIEF, Kind.PERSON, Kind.SOURCE, Kind.RELATIONSHIP)
    return [
        to_record(env.index.near(scope, vector, kinds=kinds, limit=20)),
        to_record(env.stores.index.match(scope, question, kinds=kinds, limit=20)),
        to_record(me.search(question, limit=10)),
    ]


@pytest.mark.torture
def test_questions_get_the_same_answers_to_the_last_bit(ours: Memory, theirs: Memory) -> None:
    for question in _questions(times(30, 100)):
        for user in ("ada", "bob"):
            told = _answers(ours.user(user), question)
            assert _answers(theirs.user(user), question) == told


def test_what_was_known_when_is_known_still(ours: Memory, theirs: Memory) -> None:
    for days in (3, 12, 20, 33, 45):
        at = lives.START + timedelta(days=days)
        for user in ("ada", "bob"):
            me, there = ours.user(user), theirs.user(user)
            assert there.beliefs(known_at=at) == me.beliefs(known_at=at)
            found = me.search("Maria Berg in Oslo", known_at=at)
            assert there.search("Maria Berg in Oslo", known_at=at) == found
        for anchor in ours.user("ada").anchors("person"):
            known = ours.user("ada").relationships(anchor.key, known_at=at)
            assert theirs.user("ada").relationships(anchor.key, known_at=at) == known


def test_registry_jobs_and_nights_are_the_same(ours: Memory, theirs: Memory) -> None:
    first, second = ours.env, theirs.env

    assert theirs.users() == ours.users()
    for user in ("ada", "bob"):
        assert second.registry.memberships(user) == first.registry.memberships(user)
        assert second.registry.scope_of(user) == first.registry.scope_of(user)
        assert theirs.user(user).timetable() == ours.user(user).timetable()
        scope, spent = Scope(user_id=user), Select(Spent)
        assert second.records.find(scope, spent) == first.records.find(scope, spent)
    ada, there = ours.user("ada"), theirs.user("ada")
    assert there.invitations() == ada.invitations()
    assert there.abbreviations() == ada.abbreviations()
    assert there.events(limit=50) == ada.events(limit=50)
    assert there.lag() == ada.lag()


def test_a_job_that_somebody_is_at_waits_there_anew(source: Memory, target: Memory) -> None:
    ours = {one.key: one for one in source.user("ada").jobs(limit=1000)}
    states = {one.key: (one.state.value, one.worker) for one in target.user("ada").jobs(limit=1000)}

    assert {one.state.value for one in ours.values()} >= {"ready", "running", "parked"}
    assert set(states.values()) == {("ready", None), ("parked", None)}
    assert states.keys() == {key for key, one in ours.items() if one.state.value != "done"}


def test_work_goes_on_and_a_rebuild_finds_the_same(path: Path, whole: Path, tmp_path: Path) -> None:
    place, there = copied(path, tmp_path), tmp_path / "there.db"
    with files.opened(place) as first, files.opened(there) as second:
        second.import_memory(whole)
        for memory in (first, second):
            memory.env.clock.advance(timedelta(days=1))  # type: ignore[attr-defined]
            assert memory.work().done > 0
            memory.sleep()
        assert files.digests(second) == files.digests(first)
        told = [one.rebuild(dry_run=True).comparison for one in (first, second)]
        assert told[0] == told[1]


# --- files and streams -------------------------------------------------------------------------


def test_streams_and_compressed_files_carry_the_same(
    source: Memory, whole: Path, tmp_path: Path, empty: Memory
) -> None:
    stream = io.StringIO()
    source.export(stream)
    source.export(tmp_path / "all.jsonl.gz")
    lines = whole.read_text("utf-8").split("\n")[1:-2]

    assert stream.getvalue().split("\n")[1:-2] == lines
    packed = gzip.decompress((tmp_path / "all.jsonl.gz").read_bytes()).decode("utf-8")
    assert packed.split("\n")[1:-2] == lines
    stream.seek(0)
    assert empty.import_memory(stream, dry_run=True).records == len(lines)
    assert files.untouched(empty)
    assert empty.import_memory(tmp_path / "all.jsonl.gz").records == len(lines)
    assert files.digests(empty) == files.digests(source)


def test_taken_in_twice_it_is_there_once(source: Memory, whole: Path, empty: Memory) -> None:
    first = empty.import_memory(whole)
    before, deeds = files.digests(empty), len(empty.audit())
    again = empty.import_memory(whole)

    assert (first.already, again.already, again.records) == (False, True, 0)
    assert (files.digests(empty), len(empty.audit())) == (before, deeds)


def test_who_lived_on_since_is_not_overwritten(whole: Path, empty: Memory) -> None:
    empty.import_memory(whole)
    empty.user("ada").remember("I keep a cat")
    before = files.digests(empty)

    with pytest.raises(InvalidInput, match="users: 'ada' is in this memory already"):
        empty.import_memory(whole)
    assert files.digests(empty) == before


def test_a_dry_run_says_what_would_come_and_leaves_nothing(whole: Path, empty: Memory) -> None:
    told = empty.import_memory(whole, dry_run=True)

    assert told.dry_run
    assert files.untouched(empty)
    assert empty.import_memory(whole).counts == told.counts


def test_progress_ends_at_the_end(source: Memory, whole: Path, empty: Memory) -> None:
    out: list[MoveProgress] = []
    back: list[MoveProgress] = []
    source.export(io.StringIO(), progress=out.append)
    empty.import_memory(whole, progress=back.append)

    for told in (out, back):
        shares = [one.share for one in told]
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


def test_the_file_is_for_its_owner_alone_and_appears_whole(
    source: Memory, whole: Path, tmp_path: Path
) -> None:
    assert stat.S_IMODE(whole.stat().st_mode) == 0o600
    assert [one.name for one in whole.parent.iterdir()] == [whole.name]
    with pytest.raises(InvalidInput, match=r"path: .* is a folder"):
        source.export(tmp_path)
    with pytest.raises(InvalidInput, match=r"path: .* cannot be written"):
        source.export(tmp_path / "none" / "a.jsonl")
    with pytest.raises(RuntimeError, match="enough"):
        source.export(tmp_path / "a.jsonl", progress=_stop)
    assert list(tmp_path.iterdir()) == []


def _stop(_: MoveProgress) -> None:
    raise RuntimeError("enough")


def test_without_answers_nothing_of_a_paid_mind_is_in_it(source: Memory, tmp_path: Path) -> None:
    place = tmp_path / "a.jsonl"
    told = source.user("ada").export(place, with_answers=False)

    assert not {"answer", "spent"} & told.counts.keys()
    assert "aha" not in place.read_text("utf-8")


def test_an_export_is_of_one_moment_and_written_down(tmp_path: Path) -> None:
    with files.opened(tmp_path / "m.db") as memory:
        ada = lives.ada_of(memory)
        ada.add("One letter.")
        ada.export(tmp_path / "a.jsonl")
        memory.export(tmp_path / "b.jsonl")
        deeds = [(one.actor, one.act, one.subject) for one in memory.audit()]
    assert ("ada", "memory.exported", "ada") in deeds
    assert ("", "memory.exported", "") in deeds


def test_large_memories_need_no_more_room_than_small_ones(tmp_path: Path) -> None:
    peaks = []
    for count in (500, 4000):
        with files.opened(tmp_path / f"{count}.db") as memory:
            lives.ada_of(memory)
            with memory.env.stores.atomic():
                for number in range(count):
                    memory.env.ledger.append(
                        an_event(f"event-{number}", user="ada"),
                        RawSource(
                            key=f"raw-{number}",
                            user_id="ada",
                            content=f"{number} " * 2000,
                            is_json=False,
                            recorded_at=files.NOW,
                        ),
                    )
            place = tmp_path / f"{count}.jsonl"
            with files.opened(tmp_path / f"{count}-new.db") as other:
                tracemalloc.start()
                memory.export(place)
                other.import_memory(place)
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


# --- whose ----------------------------------------------------------------------------------


def test_one_users_file_holds_what_they_own_and_no_source_of_others(
    source: Memory, tmp_path: Path, empty: Memory
) -> None:
    place = tmp_path / "bob.jsonl"
    told = source.user("bob").export(place)

    assert {one.get("user", "bob") for one in files.records(place)[1:-1]} == {"bob"}
    assert not files.of_sort(place, RecordKind.RAW) + files.of_sort(place, RecordKind.PASSAGE)
    assert "source" not in {one["kind"] for one in files.of_sort(place, RecordKind.NODE)}
    assert told.elsewhere == sum(bool(one.get("elsewhere")) for one in files.records(place))
    assert told.elsewhere > 0
    back = empty.import_memory(place)
    assert sum(back.left_out.values()) == told.elsewhere
    assert empty.import_memory(place).already
    assert empty.user("bob").beliefs() == source.user("bob").beliefs()


def test_one_users_file_alone_is_taken_in_to_the_same_digest(
    source: Memory, tmp_path: Path, empty: Memory
) -> None:
    source.user("ada").export(tmp_path / "ada.jsonl")
    told = empty.import_memory(tmp_path / "ada.jsonl")

    assert told.left_out == {}
    assert files.digests(empty) == {"ada": files.digests(source)["ada"]}


def test_what_a_leaver_lost_is_not_in_their_file(path: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    with files.opened(copied(path, tmp_path)) as memory:
        bob = memory.user("bob")
        bob.export(before)
        memory.env.registry.leave("crew", "bob", files.NOW)
        told = bob.export(after)

    assert files.of_sort(before, RecordKind.EXTRACTION)
    assert not files.of_sort(after, RecordKind.EXTRACTION)
    assert told.elsewhere == 0


def test_a_narrowed_handle_exports_nothing(source: Memory, tmp_path: Path) -> None:
    with pytest.raises(Forbidden, match="export"):
        source.user("ada").within("crew").export(tmp_path / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_secrets_are_not_in_it(tmp_path: Path) -> None:
    with files.opened(tmp_path / "m.db") as memory:
        lives.ada_of(memory)
        made = memory.create_key("ada", name="a key of mine")
        memory.export(tmp_path / "a.jsonl")
    text = (tmp_path / "a.jsonl").read_text("utf-8")
    assert made.secret not in text
    assert made.key.key_id not in text
    assert "a key of mine" not in text


# --- where others are ----------------------------------------------------------------------------


def test_beside_others_places_in_the_ledger_move_and_nothing_else(
    source: Memory, whole: Path, tmp_path: Path
) -> None:
    with files.opened(tmp_path / "m.db") as memory:
        eve = memory.user("eve", name="Eve")
        eve.add("Something of Eve's own about Maria Berg.")
        memory.work()
        before = files.digests(memory)["eve"]
        told = memory.import_memory(whole)
        found = files.digests(memory, without=("seq",))
        assert told.renumbered
        assert files.digests(memory)["eve"] == before
        for user, one in files.digests(source, without=("seq",)).items():
            assert found[user] == one
        assert memory.user("ada").lag() == source.user("ada").lag()
        assert not memory.rebuild(dry_run=True).comparison.tallies["event"].removed
        memory.work()


def test_an_embedder_that_was_brought_along_makes_its_own_vectors_at_once(
    ours: Memory, source: Memory, whole: Path, tmp_path: Path
) -> None:
    with files.opened(tmp_path / "m.db", embedder=files.OtherEmbedder()) as memory:
        told = memory.import_memory(whole)
        assert not told.reembedding
        assert files.digests(memory) == files.digests(source)
        assert memory.embedding().embedder == "other-64"
        for question in _questions(10):  # the other embedder gives the same vectors
            vector = HashEmbedder().embed([question])[0]
            found = [
                one.env.stores.index.near(
                    one.user("ada").scope, vector, kinds=(Kind.PASSAGE,), limit=20
                )
                for one in (ours, memory)
            ]
            assert found[0] == found[1]


def test_an_embedder_of_the_settings_makes_its_own_vectors_later(tmp_path: Path) -> None:
    with files.opened(tmp_path / "m.db") as memory:
        lives.ada_of(memory).add("My cello teacher lives in Bergen.")
        memory.work()
        memory.export(tmp_path / "a.jsonl")
    with Memory.open(tmp_path / "n.db", clock=SteppedClock(files.NOW)) as memory:
        told = memory.import_memory(tmp_path / "a.jsonl")
        ada, database = memory.user("ada"), memory.env.stores.database
        assert told.reembedding
        assert database.execute("SELECT count(vector) FROM entries") == [(0,)]
        assert ada.search("cello")  # by words alone, meanwhile
        assert memory.work().done == 1
        assert memory.embedding().embedder == "remanent-embed-1"
        assert database.execute("SELECT count(*) FROM entries WHERE vector IS NULL") == [(0,)]
        assert ada.search("a musical instrument")[0].text.startswith("My cello")
