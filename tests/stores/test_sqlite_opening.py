"""Opening a SQLite memory: what is refused and how, and what is left behind."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from write_schema import from_history, grown

from remanent.errors import (
    BusyMemory,
    DamagedMemory,
    DiskFull,
    EmbedderError,
    NewerMemory,
    NotAMemory,
    ReadOnlyMemory,
    StoreError,
)
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent.stores.sqlite.connection import check_library
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import NEWEST, STEPS, WHOLE
from remanent.testing import HashEmbedder
from remanent_conformance.builders import MOMENT, a_person, a_scope, an_entry, an_event

pytestmark = pytest.mark.quick

ANN = a_scope("ann")


def open_at(path: Path | str, **options: object) -> SqliteStores:
    given = {"embedder_name": "hash", "dimensions": 64, "busy_timeout_s": 5.0, **options}
    return open_stores(path, now=MOMENT, **given)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory with one person in it, closed."""
    place = tmp_path / "memory.db"
    stores = open_at(place)
    stores.graph.put(ANN, a_person())
    stores.close()
    return place


# -- not ours -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"x", b"x" * 511, b"x" * 512, b"Dear diary,\n" * 400, bytes(range(256)) * 64]
)
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "diary.txt"
    place.write_bytes(content)
    with pytest.raises(NotAMemory, match=r"diary\.txt") as caught:
        open_at(place)
    assert caught.value.path == str(place)
    assert place.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["diary.txt"]


@pytest.mark.parametrize("mark", [0, 1234])
def test_another_applications_database_is_left_alone(tmp_path: Path, mark: int) -> None:
    place = tmp_path / "bookmarks.db"
    foreign = sqlite3.connect(place)
    foreign.execute(f"PRAGMA application_id = {mark}")
    foreign.execute("CREATE TABLE bookmarks (url)")
    foreign.commit()
    foreign.close()
    content = place.read_bytes()
    with pytest.raises(NotAMemory, match="another application"):
        open_at(place)
    assert place.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["bookmarks.db"]


def test_a_folder_is_no_memory(tmp_path: Path) -> None:
    with pytest.raises(NotAMemory, match="folder"):
        open_at(tmp_path)


def test_a_pipe_is_no_memory(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotAMemory, match="pipe"):
        open_at(tmp_path / "pipe")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no folder .*nowhere") as caught:
        open_at(tmp_path / "nowhere" / "memory.db")
    assert "memory.db" in caught.value.path
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["", "mem\x00ory.db"])
def test_a_path_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(StoreError):
        open_at(place)


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    place.touch()
    stores = open_at(place)
    stores.graph.put(ANN, a_person())
    stores.close()


# -- ours, and not usable -------------------------------------------------------------------------


def test_a_memory_of_a_later_version_is_left_alone(path: Path) -> None:
    later = sqlite3.connect(path)
    later.execute(f"PRAGMA user_version = {NEWEST + 1}")
    later.close()
    content = path.read_bytes()
    with pytest.raises(NewerMemory, match=f"schema {NEWEST + 1}") as caught:
        open_at(path)
    assert caught.value.path == str(path)
    assert path.read_bytes() == content


def test_a_torn_memory_is_damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[100:] = b"\xa5" * (len(content) - 100)
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedMemory, match=r"memory\.db"):
        open_at(path)


def test_a_memory_torn_in_the_middle_says_so_when_it_is_read(path: Path) -> None:
    stores = open_at(path)
    for number in range(300):
        stores.graph.put(ANN, a_person(f"Person {number}"))
    stores.close()
    content = bytearray(path.read_bytes())
    half = len(content) // 2
    content[half:] = b"\xa5" * (len(content) - half)
    path.write_bytes(bytes(content))
    with pytest.raises(DamagedMemory, match=r"memory\.db"):
        list(open_at(path).graph.export(ANN))


def test_an_old_sqlite_is_refused() -> None:
    check_library("3.51.3")
    check_library("3.100.0")
    for old in ("3.51.2", "3.40.1"):
        with pytest.raises(StoreError, match=old):
            check_library(old)


def test_a_memory_that_another_program_holds_is_busy(path: Path) -> None:
    other = SqliteDatabase(path)
    stores = open_at(path, busy_timeout_s=0.05)
    with other.transaction():
        with pytest.raises(BusyMemory, match=r"memory\.db"):
            stores.graph.put(ANN, a_person("Tom"))
        assert stores.graph.get(ANN, a_person().key) == a_person()
    stores.graph.put(ANN, a_person("Tom"))
    stores.close()
    other.close()


def test_a_full_disk_says_so_and_leaves_nothing_half_written(path: Path) -> None:
    database = SqliteDatabase(path)
    database.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size for the least

    def fill() -> None:
        with database.transaction():
            database.execute("CREATE TABLE a (b)")
            database.execute("INSERT INTO a VALUES (zeroblob(9000000))")

    with pytest.raises(DiskFull, match="full"):
        fill()
    assert database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'a'") == [(0,)]
    database.close()


# -- read-only ------------------------------------------------------------------------------------

_AS_NOBODY = """
import os, sys
from remanent.stores.sqlite import open_stores
from remanent_conformance.builders import (MOMENT)
import remanent.errors
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    stores = open_stores(sys.argv[1], now=MOMENT, embedder_name="hash", dimensions=64)
    with stores.atomic():
        pass
except remanent.errors.StoreError as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def open_as_nobody(path: Path) -> str:
    """What whoever may not write here is told; root may write anywhere, so not as root."""
    done = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(path)], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("file_mode", "folder_mode"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)]
)
def test_a_read_only_memory_refuses_to_be_written(
    open_folder: Path, file_mode: int, folder_mode: int
) -> None:
    place = open_folder / "memory.db"
    open_at(place).close()
    content = place.read_bytes()
    place.chmod(file_mode)
    open_folder.chmod(folder_mode)
    assert open_as_nobody(place).startswith(f"{ReadOnlyMemory.__name__} {place}")
    assert place.read_bytes() == content
    assert [one.name for one in open_folder.iterdir()] == ["memory.db"]


def test_no_memory_is_made_in_a_read_only_folder(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    said = open_as_nobody(open_folder / "memory.db")
    assert said.startswith(ReadOnlyMemory.__name__)
    assert "memory.db" in said
    assert list(open_folder.iterdir()) == []


def test_a_memory_one_may_not_read_says_so(open_folder: Path) -> None:
    place = open_folder / "memory.db"
    open_at(place).close()
    place.chmod(0o000)
    assert "may not read" in open_as_nobody(place)


# -- migrations -----------------------------------------------------------------------------------


def test_migrations_are_recorded_once_with_their_time(path: Path) -> None:
    open_stores(path, now=MOMENT + timedelta(days=9), embedder_name="hash", dimensions=64).close()
    database = SqliteDatabase(path)
    recorded = database.execute("SELECT number, name, applied_at FROM migrations ORDER BY number")
    micros = int(MOMENT.timestamp()) * 1_000_000 + MOMENT.microsecond
    assert recorded == [(step.number, step.name, micros) for step in STEPS]
    assert [step.number for step in STEPS] == list(range(1, len(STEPS) + 1))
    database.close()


def test_a_new_file_is_made_as_its_history_would_have_made_it(path: Path) -> None:
    """If not: `python -m tests.stores.write_schema`."""
    assert WHOLE.read_text("utf-8") == from_history()

    known = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    for question in (known, "PRAGMA application_id"):
        assert SqliteDatabase(path).execute(question) == grown().execute(question)


def test_opening_what_is_up_to_date_writes_nothing(path: Path) -> None:
    content = path.read_bytes()
    stores = open_at(path)
    assert stores.graph.get(ANN, a_person().key) == a_person()
    stores.close()
    assert path.read_bytes() == content


@pytest.mark.slow
def test_many_processes_open_a_new_memory_at_once(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    script = (
        "import sys\n"
        "from remanent.stores.sqlite import open_stores\n"
        "from remanent_conformance.builders import MOMENT, an_event\n"
        "sys.stdin.read(1)\n"
        f"s = open_stores({str(place)!r}, now=MOMENT, embedder_name='hash', dimensions=64)\n"
        "s.ledger.append(an_event(sys.argv[1]))\n"
        "s.close()\n"
    )
    waiting = [
        subprocess.Popen([sys.executable, "-c", script, str(n)], stdin=subprocess.PIPE)
        for n in range(4)
    ]
    for process in waiting:
        assert process.stdin is not None
        process.stdin.write(b"g")
        process.stdin.flush()
    for process in waiting:
        process.communicate()
    assert [process.returncode for process in waiting] == [0, 0, 0, 0]
    stores = open_at(place)
    assert len(list(stores.ledger.replay(ANN))) == 4
    stores.close()


# -- the embedder ---------------------------------------------------------------------------------


@pytest.fixture
def entered(path: Path) -> Path:
    """With one vector of the embedder `hash`."""
    stores = open_at(path)
    stores.index.put([an_entry("a", "tea", HashEmbedder().embed(["tea"])[0])])
    stores.close()
    return path


@pytest.mark.parametrize(
    "other",
    [{"embedder_name": "granite"}, {"dimensions": 32}, {"embedder_name": "x", "dimensions": 9}],
)
def test_a_memory_of_another_embedder_names_both(entered: Path, other: dict[str, object]) -> None:
    with pytest.raises(EmbedderError, match=r"embedder hash \(64 dimensions\)") as caught:
        open_at(entered, **other)
    assert all(str(value) in str(caught.value) for value in other.values())
    open_at(entered).close()


def test_a_memory_without_vectors_takes_any_embedder(path: Path) -> None:
    stores = open_at(path, embedder_name="granite", dimensions=9)
    stores.index.put([an_entry("a", "tea")])
    stores.close()
    open_at(path).close()


def test_the_first_vector_decides_between_two_that_opened_an_empty_memory(path: Path) -> None:
    first, second = open_at(path), open_at(path, embedder_name="granite")
    vector = HashEmbedder().embed(["tea"])[0]
    first.index.put([an_entry("a", "tea", vector)])
    with pytest.raises(EmbedderError, match="granite"):
        second.index.put([an_entry("b", "tea", vector)])
    assert len(first.index.match(ANN, "tea", kinds=(), limit=9)) == 1
    for stores in (first, second):
        stores.close()


# -- closing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda stores: stores.ledger.append(an_event()),
        lambda stores: stores.graph.get(ANN, "x"),
        lambda stores: stores.queue.jobs(),
    ],
)
def test_a_closed_memory_says_so(path: Path, use: Callable[[SqliteStores], object]) -> None:
    stores = open_at(path)
    stores.close()
    stores.close()
    with pytest.raises(StoreError, match="closed"):
        use(stores)


def test_closing_leaves_one_file(path: Path) -> None:
    stores = open_at(path)
    stores.graph.put(ANN, a_person("Tom"))
    stores.close()
    assert [one.name for one in path.parent.iterdir()] == ["memory.db"]


def test_a_memory_that_is_taken_away_is_not_made_anew(path: Path) -> None:
    stores = open_at(path)
    moved = path.rename(path.with_suffix(".moved"))
    with ThreadPoolExecutor(1) as pool, pytest.raises(StoreError, match="opened"):
        pool.submit(stores.graph.get, ANN, "x").result()
    assert not path.exists()
    moved.rename(path)
    stores.close()
