"""Threads and processes on one SQLite memory at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.anchor import Person
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.ports.graph import Nodes
from remanent.core.ports.index import Vector
from remanent.errors import StoreError
from remanent.stores.engine.vectors import Label, VectorMatrix
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import migrate
from remanent_conformance.builders import (
    MOMENT,
    a_job,
    a_person,
    a_scope,
    a_source,
    an_entry,
    an_event,
)

pytestmark = pytest.mark.quick

ANN = a_scope("ann")
DIMENSIONS = 16
THREADS = 8
ROUNDS = 15
SHARED = 10


def open_at(path: Path | str) -> SqliteStores:
    return open_stores(path, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)


def direction(number: int) -> Vector:
    return np.random.default_rng(number).normal(size=DIMENSIONS).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def stores(path: Path) -> Iterator[SqliteStores]:
    opened = open_at(path)
    yield opened
    opened.close()


# -- two processes of eight threads each ----------------------------------------------------------


def write(path: str, process: str) -> list[str]:
    """What each process does: writes of its own, writes that all repeat, and work for all."""
    stores = open_at(path)

    def one(thread: int) -> list[str]:
        claimed = []
        for number in range(ROUNDS):
            name = f"{process}-{thread}-{number}"
            person = a_person(f"Person {name}")
            with stores.atomic(durable=number % 5 == 0):
                stores.ledger.append(an_event(name))
                stores.graph.put(ANN, person)
                stores.queue.enqueue(a_job(name))
            stores.index.put([an_entry(person.key, f"tea {process}", direction(number))])
            stores.ledger.append(an_event(f"shared-{number % SHARED}"))
            stores.queue.enqueue(a_job(f"shared-{number % SHARED}"))
            assert stores.index.near(ANN, direction(number), kinds=(), limit=3)
            job = stores.queue.claim(name, now=MOMENT, lease=timedelta(hours=1))
            if job is not None:
                claimed.append(job.key)
        return claimed

    with ThreadPoolExecutor(THREADS) as pool:
        claimed = [key for keys in pool.map(one, range(THREADS)) for key in keys]
    stores.close()
    return claimed


@pytest.mark.slow
def test_nothing_is_lost_doubled_or_refused(path: Path, stores: SqliteStores) -> None:
    assert stores.index.near(ANN, direction(0), kinds=(), limit=9) == []
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, str(path), name], stdout=subprocess.PIPE, text=True
        )
        for name in ("left", "right")
    ]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]

    own = 2 * THREADS * ROUNDS
    events = list(stores.ledger.replay(ANN, limit=10_000))
    assert len({event.event_id for event in events}) == len(events) == own + SHARED
    assert [event.seq for event in events] == sorted({event.seq for event in events})
    people = stores.graph.select(ANN, Nodes(Person))
    assert len(people) == own
    jobs = stores.queue.jobs(limit=10_000)
    assert len({job.key for job in jobs}) == len(jobs) == own + SHARED
    claimed = [key for output in outputs for key in json.loads(output)]
    assert len(set(claimed)) == len(claimed)
    assert set(claimed) == {job.key for job in jobs if job.worker is not None}
    near = stores.index.near(ANN, direction(3), kinds=(), limit=10_000)
    assert {match.key for match in near} == {person.key for person in people}
    assert len(stores.index.match(ANN, "left", kinds=(), limit=10_000)) == own // 2


# -- vectors in step ------------------------------------------------------------------------------


def put(stores: SqliteStores, *numbers: int, of: int | None = None) -> None:
    stores.index.put(
        [an_entry(f"e{n:04}", "tea", direction(n if of is None else of)) for n in numbers]
    )


def test_what_another_opening_writes_is_seen_at_once(path: Path, stores: SqliteStores) -> None:
    other = open_at(path)

    def both() -> list[str]:
        found = [
            [match.key for match in one.index.near(ANN, direction(7), kinds=(), limit=999)]
            for one in (stores, other)
        ]
        assert found[0] == found[1]
        return found[0]

    put(other, *range(100))
    assert both()[0] == "e0007"
    put(stores, *range(100, 300))
    assert len(both()) == 300
    put(other, 5, of=7)
    assert both()[:2] == ["e0005", "e0007"]
    stores.index.remove(["e0007", "e0100"])
    assert len(both()) == 298
    other.index.remove(["e0005"])
    put(other, 7)
    put(stores, 400)
    assert len(both()) == 299
    assert both()[0] == "e0007"
    other.close()


def test_a_search_in_a_transaction_leaves_no_trace(stores: SqliteStores) -> None:
    put(stores, *range(50))
    before = stores.index.near(ANN, direction(7), kinds=(), limit=99)

    class Oops(Exception):
        pass

    def fail() -> None:
        with stores.atomic():
            put(stores, 60)
            put(stores, 3, of=7)
            stores.index.remove(["e0001"])
            inside = stores.index.near(ANN, direction(7), kinds=(), limit=99)
            assert [match.key for match in inside[:2]] == ["e0003", "e0007"]
            assert len(inside) == 50
            raise Oops

    for _ in range(2):
        with pytest.raises(Oops):
            fail()
        assert stores.index.near(ANN, direction(7), kinds=(), limit=99) == before
    put(stores, 61)  # the version that was taken back is given again, to something else
    found = {match.key for match in stores.index.near(ANN, direction(7), kinds=(), limit=99)}
    assert found == {f"e{n:04}" for n in (*range(50), 61)}


def test_a_search_in_a_transaction_reads_only_what_changed_since_the_last(
    path: Path, stores: SqliteStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(stores, *range(50))
    read: list[int] = []
    renewed = VectorMatrix.renewed

    def counted(
        shelf: VectorMatrix, version: int, labels: Sequence[Label], *rest: Any, **by: Any
    ) -> VectorMatrix:
        read.append(len(labels))
        return renewed(shelf, version, labels, *rest, **by)

    monkeypatch.setattr(VectorMatrix, "renewed", counted)
    other = open_at(path)  # has looked at nothing yet
    with other.atomic():
        for number in range(60, 64):
            put(other, number)
            assert len(other.index.near(ANN, direction(7), kinds=(), limit=99)) == number - 9
    other.close()
    assert read == [51, 1, 1, 1]


class TakenBackError(Exception):
    """Ends a transaction that must leave no trace."""


@pytest.mark.parametrize("way", ["put", "touch", "fade", "remove"])
def test_a_source_that_was_nearly_archived_lies_where_it_lay(
    stores: SqliteStores, way: str
) -> None:
    source = a_source()
    stores.graph.put(ANN, source)
    stores.index.put(
        [an_entry(source.key, "Oslo", direction(1), kind=Kind.SOURCE, owner_key=source.key)]
    )
    gone = replace(source, life=replace(source.life, state=State.ARCHIVED))

    def at_hand() -> list[str]:
        return [match.key for match in stores.index.near(ANN, direction(1), kinds=(), limit=9)]

    def nearly() -> None:
        with stores.atomic():
            if way == "put":
                stores.graph.put(ANN, gone)
            elif way == "touch":
                stores.graph.touch(ANN, [source.key], lambda _: gone.life)
            elif way == "fade":
                stores.graph.fade(ANN, MOMENT + timedelta(days=9000), LifecycleRules())
            else:
                stores.index.remove([source.key])
                stores.graph.remove(ANN, source.key)
            assert at_hand() == []
            raise TakenBackError

    with pytest.raises(TakenBackError):
        nearly()
    assert at_hand() == [source.key]


def test_what_a_transaction_finds_before_it_writes_is_kept_for_all(stores: SqliteStores) -> None:
    put(stores, *range(50))
    rows = 0

    def counting(labels: Sequence[object]) -> None:
        nonlocal rows
        rows += len(labels)

    with stores.atomic():
        stores.graph.put(ANN, a_person())
        stores.index.near(ANN, direction(7), kinds=(), limit=9)
    with pytest.MonkeyPatch.context() as patch:
        renewed = VectorMatrix.renewed
        patch.setattr(
            VectorMatrix,
            "renewed",
            lambda self, version, labels, *rest, **more: (
                counting(labels) or renewed(self, version, labels, *rest, **more)
            ),
        )
        with stores.atomic():
            put(stores, 60)
            stores.index.near(ANN, direction(7), kinds=(), limit=9)
    assert rows == 1


def test_others_do_not_see_what_is_not_committed(stores: SqliteStores) -> None:
    put(stores, *range(5))
    with ThreadPoolExecutor(1) as pool:

        def elsewhere() -> int:
            search = pool.submit(stores.index.near, ANN, direction(1), kinds=(), limit=99)
            return len(search.result())

        with stores.atomic():
            put(stores, 6)
            assert len(stores.index.near(ANN, direction(1), kinds=(), limit=99)) == 6
            assert elsewhere() == 5
        assert elsewhere() == 6


def test_searches_stay_true_while_others_write(stores: SqliteStores) -> None:
    """Every search sees all that was there when it began, and each vector under its own key."""
    put(stores, *range(200))
    done = threading.Event()

    def searching(number: int) -> None:
        while not done.is_set():
            found = stores.index.near(ANN, direction(number), kinds=(), limit=1000)
            keys = [match.key for match in found]
            assert keys[0] == f"e{number:04}"
            assert len(set(keys)) == len(keys) >= 150

    def writing() -> None:
        try:
            for number in range(200, 320):
                put(stores, number)
                if number % 3 == 0:
                    put(stores, number - 150)  # in its own place again
                if number % 4 == 0:
                    stores.index.remove([f"e{number - 100:04}"])
        finally:
            done.set()

    with ThreadPoolExecutor(5) as pool:
        searches = [pool.submit(searching, number) for number in range(4)]
        pool.submit(writing).result()
        for search in searches:
            search.result()


# -- the database itself --------------------------------------------------------------------------


def test_the_threads_of_one_database_take_turns(path: Path) -> None:
    database = SqliteDatabase(path, busy_timeout_s=30)
    migrate(database, MOMENT)
    with database.transaction():
        database.execute("CREATE TABLE tally (n)")
        database.execute("INSERT INTO tally VALUES (0)")

    def add(_: int) -> None:
        for _round in range(25):
            with database.transaction():
                ((n,),) = database.execute("SELECT n FROM tally")
                database.execute("UPDATE tally SET n = ?", (n + 1,))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert database.execute("SELECT n FROM tally") == [(200,)]
    database.close()


def test_a_read_block_sees_one_moment(path: Path) -> None:
    database, other = SqliteDatabase(path), SqliteDatabase(path)
    migrate(database, MOMENT)
    with database.transaction():
        database.execute("CREATE TABLE tally (n)")
    with database.read():
        assert database.execute("SELECT count(*) FROM tally") == [(0,)]
        with other.transaction():
            other.execute("INSERT INTO tally VALUES (1)")
        assert database.execute("SELECT count(*) FROM tally") == [(0,)]
        with pytest.raises(StoreError, match="inside `read`"), database.transaction():
            pass
    assert database.execute("SELECT count(*) FROM tally") == [(1,)]
    database.close()
    other.close()


def test_a_thread_that_ends_gives_its_connection_back(path: Path) -> None:
    database = SqliteDatabase(path)

    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    database.execute("SELECT 1")
    before = descriptors()
    for _ in range(30):
        thread = threading.Thread(target=database.execute, args=("PRAGMA user_version",))
        thread.start()
        thread.join()
    assert descriptors() <= before + 3
    database.close()


def test_a_memory_that_lives_in_the_process_has_many_threads() -> None:
    stores = open_at(":memory:")

    def one(number: int) -> None:
        with stores.atomic():
            put(stores, number)
            stores.ledger.append(an_event(str(number)))
        stores.index.near(ANN, direction(1), kinds=(), limit=9)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(64)))
    assert len(stores.index.near(ANN, direction(1), kinds=(), limit=99)) == 64
    assert len(list(stores.ledger.replay(ANN))) == 64
    stores.close()


# -- forks ----------------------------------------------------------------------------------------

unadvised = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


def _append(stores: SqliteStores, name: str) -> None:
    for number in range(20):
        stores.ledger.append(an_event(f"{name}-{number}"))
    stores.close()


def forked(stores: SqliteStores, name: str) -> multiprocessing.process.BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=_append, args=(stores, name))
    process.start()
    return process


@unadvised
def test_a_child_writes_on_after_its_parent_has_closed(path: Path) -> None:
    """SQLite in the child must hold locks of its own, or the parent takes the log away under it."""
    stores = open_at(path)
    before = [stores.ledger.append(an_event(f"before-{n}")) for n in range(3)]
    children = [forked(stores, name) for name in ("first", "second")]
    stores.ledger.append(an_event("after"))
    stores.close()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    stores = open_at(path)
    assert len(list(stores.ledger.replay(ANN))) == len(before) + 1 + 40
    stores.close()


@unadvised
def test_a_fork_while_other_threads_write_disturbs_neither(path: Path) -> None:
    stores = open_at(path)

    def one(thread: int) -> None:
        for number in range(20):
            stores.ledger.append(an_event(f"{thread}-{number}"))

    with ThreadPoolExecutor(3) as pool:
        busy = [pool.submit(one, thread) for thread in range(3)]
        children = [forked(stores, f"child-{number}") for number in range(3)]
        for job in busy:
            job.result()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0, 0]
    assert len(list(stores.ledger.replay(ANN))) == 60 + 60
    stores.close()


@unadvised
def test_a_memory_in_the_process_stays_in_that_process() -> None:
    stores = open_at(":memory:")
    child = forked(stores, "child")
    child.join()
    assert child.exitcode == 1
    stores.ledger.append(an_event())
    stores.close()


if __name__ == "__main__":
    print(json.dumps(write(sys.argv[1], sys.argv[2])))
