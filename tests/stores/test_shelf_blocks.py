"""Blocks of shelves: whoever opens a memory finds the same with them, without them, and with bad ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import on_postgres
import pytest

from remanent.core.model.node import Kind
from remanent.core.ports.index import Entry, PassageFilter, Question, Vector
from remanent.errors import DamagedMemory
from remanent.stores import postgres, sqlite
from remanent.stores.engine import blocks
from remanent.stores.engine.vectors import Label, VectorMatrix
from remanent.stores.postgres.wall import eyes_of
from remanent.stores.sql.index import SqlIndex
from remanent.stores.sql.stores import SqlStores
from remanent.stores.sqlite.database import SqliteDatabase
from remanent_conformance.builders import MOMENT, a_scope, a_source, an_entry

pytestmark = pytest.mark.quick

ANN, BOB, EVE = a_scope("ann", "crew"), a_scope("bob", "crew"), a_scope("eve")
DIMENSIONS = 16
WORDS = ("tea", "rain", "boat", "lamp", "oslo", "night", "bread")


def direction(number: int) -> Vector:
    return np.random.default_rng(number).normal(size=DIMENSIONS).astype(np.float32)


def passage(number: int, *words: str, readers: Sequence[str] = ("user:ann",)) -> Entry:
    text = " ".join(words or (WORDS[number % 7], WORDS[number % 5], f"only{number}"))
    source = f"s{number // 10}"
    given: dict[str, Any] = {"kind": Kind.PASSAGE, "owner_key": source, "readers": readers}
    given |= {"day": date(2024, 1, 1 + number % 28), "marks": frozenset({f"m{number % 3}"})}
    given |= {"team": "crew"} if "team:crew" in readers else {}
    if number % 9 == 0:
        given["parts"] = np.stack([direction(number + 5000), direction(number + 6000)])
    vector = None if number % 13 == 0 else direction(number)
    return an_entry(f"{source}#{number % 10}", text, vector, user="ann", **given)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LEAST", 20)
    monkeypatch.setattr(blocks, "_MOST", 40)


ON_SERVER = pytest.param("postgresql", marks=[pytest.mark.server, pytest.mark.slow])


@pytest.fixture(scope="module")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()


@pytest.fixture(params=["file", ON_SERVER])
def place(
    request: pytest.FixtureRequest, schemas: on_postgres.Schemas, tmp_path: Path
) -> Iterator[str]:
    if request.param == "file":
        yield str(tmp_path / "memory.db")
        return
    with schemas.given() as url:
        yield url


def open_at(place: str) -> SqlStores:
    dialect: Any = postgres if place.startswith("postgresql:") else sqlite
    stores: SqlStores = dialect.open_stores(
        place, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS
    )
    return stores


def filled(place: str) -> SqlStores:
    stores = open_at(place)
    stores.index.put([passage(number) for number in range(100)])
    stores.index.put([passage(n, readers=("user:ann", "team:crew")) for n in range(100, 130)])
    return stores


@pytest.fixture
def stores(place: str) -> Iterator[SqlStores]:
    stores = filled(place)
    yield stores
    stores.close()


def everything(stores: SqlStores, scope: Any = ANN) -> list[Any]:
    """What is found, in all ways there are of asking."""
    found: list[Any] = []
    within = {Kind.PASSAGE: [f"s{number}" for number in range(0, 13, 2)]}
    early = PassageFilter(last=date(2024, 1, 9))
    weights = {"lexical": 0.3, "around": 0.1, "session": 0.1, "dense": 0.2, "part": 0.2}
    for number in range(5):
        text, unit = f"{WORDS[number]} only{number * 20}", direction(number + 900)
        question = Question(text=text, vector=unit, weights=weights)
        found += [
            stores.index.near(scope, unit, kinds=(), limit=30),
            stores.index.near(scope, unit, kinds=(Kind.PASSAGE,), limit=30, within=within),
            stores.index.match(scope, text, kinds=(), limit=30),
            stores.index.weigh(scope, question, kinds=(), limit=30, within=within),
            stores.index.weigh(scope, question, kinds=(), limit=30, passages=early, cold=True),
        ]
    return found


def kept(stores: SqlStores) -> list[tuple[Any, ...]]:
    """Of each block its reader, its first and its last entry as they were put, and what it holds."""
    with stores.database.for_everybody(), stores.database.read():
        rows = stores.database.execute(
            "SELECT token, first, last, data FROM shelf_blocks ORDER BY token, first"
        )
        ids = [one for (one,) in stores.database.execute("SELECT min(id) FROM entries")]
    return [
        (token, first - ids[0], last - ids[0], bytes(data)) for token, first, last, data in rows
    ]


def places(stores: SqlStores) -> list[tuple[Any, ...]]:
    return [row[:3] for row in kept(stores)]


def held(stores: SqlStores) -> bytes:
    return b"".join(row[3] for row in kept(stores))


def write(stores: SqlStores, sql: str, values: Sequence[Any] = ()) -> None:
    with stores.database.for_everybody(), stores.database.transaction():
        stores.database.execute(sql, values)


def found_anew(place: str, scope: Any = ANN) -> list[Any]:
    other = open_at(place)
    try:
        return everything(other, scope)
    finally:
        other.close()


def without_blocks(stores: SqlStores, place: str, scope: Any = ANN) -> list[Any]:
    write(stores, "DELETE FROM shelf_blocks")
    return found_anew(place, scope)


ALL = [
    ("team:crew", 100, 129),
    ("user:ann", 0, 39),
    ("user:ann", 40, 79),
    ("user:ann", 80, 119),
    ("user:ann", 120, 129),
]


def test_whoever_comes_next_reads_no_row_and_finds_the_same(
    place: str, stores: SqlStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = everything(stores), everything(stores, BOB)
    assert places(stores) == ALL
    read: list[int] = []
    renewed = VectorMatrix.renewed

    def counted(
        shelf: VectorMatrix, version: int, labels: Sequence[Label], *rest: Any, **by: Any
    ) -> VectorMatrix:
        read.append(len(labels))
        return renewed(shelf, version, labels, *rest, **by)

    monkeypatch.setattr(VectorMatrix, "renewed", counted)
    assert (found_anew(place), found_anew(place, BOB)) == built
    assert sum(read) == 0


def torn(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "harm",
    [
        torn,
        lambda data: torn(data)[:-1],
        lambda data: data[:-1],
        lambda _: b"",
        lambda _: b"\0" * 4,
    ],
    ids=["bit", "bit-and-end", "end", "empty", "zeros"],
)
def test_a_damaged_block_is_none_and_is_made_again(
    place: str, stores: SqlStores, harm: Callable[[bytes], bytes]
) -> None:
    built = everything(stores), everything(stores, BOB)
    before = kept(stores)
    write(
        stores, "UPDATE shelf_blocks SET data = ? WHERE token = 'team:crew'", (harm(before[0][3]),)
    )

    assert (found_anew(place), found_anew(place, BOB)) == built
    assert kept(stores) == before


@pytest.mark.parametrize(
    "mixed",
    [
        "data = (SELECT b.data FROM shelf_blocks AS b WHERE b.token = 'team:crew')",
        "version = version + 1",
    ],
)
def test_a_block_that_is_not_what_it_is_called_is_none(
    place: str, stores: SqlStores, mixed: str
) -> None:
    found = everything(stores)
    everything(stores, BOB)
    write(stores, f"UPDATE shelf_blocks SET {mixed} WHERE token = 'user:ann'")

    assert found_anew(place) == found


def test_what_changed_or_went_is_in_no_block(place: str, stores: SqlStores) -> None:
    everything(stores)
    other = open_at(place)
    everything(other)
    other.index.put([passage(3, "changed", "tea")])
    other.index.remove(["s8#5", "s12#0"])
    other.index.put([passage(200, "new", "rain")])

    assert b'"only45"' in held(stores)
    for word in (b'"only3"', b'"only85"', b'"only120"'):
        assert word not in held(stores)
    assert [first for token, first, *_ in kept(stores) if token == "user:ann"] == [40]
    found = found_anew(place)
    assert everything(stores) == everything(other) == found == without_blocks(stores, place)
    other.close()


def test_a_block_of_another_time_is_not_written(
    place: str, stores: SqlStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = blocks.packed

    def late(*shelf: Any) -> Any:
        stores.index.remove(["s4#5"])  # after it was read, and before it is written
        return packed(*shelf)

    monkeypatch.setattr(blocks, "packed", late)
    found_anew(place)

    assert b'"only45"' not in held(stores)
    assert [first for token, first, *_ in kept(stores) if token == "user:ann"] == [0, 80, 120]


def test_no_block_is_written_while_anybody_writes(place: str, stores: SqlStores) -> None:
    """It may be a change to what is in it, of which the search cannot know yet."""
    writer = open_at(place)
    with writer.atomic(EVE):
        writer.index.remove(["s4#5"])
        everything(stores)
    writer.close()

    assert kept(stores) == []
    assert found_anew(place) == everything(stores)


def test_a_source_that_is_archived_changes_blocks(place: str, stores: SqlStores) -> None:
    source = a_source("of old", user="ann")
    stores.graph.put(ANN, source)
    whose = {"kind": Kind.PASSAGE, "owner_key": source.key, "readers": ("user:ann",)}
    stores.index.put([
        an_entry(f"{source.key}#{n}", f"tea only{n}", direction(n), user="ann", **whose)
        for n in range(30)
    ])  # fmt: skip
    found = everything(stores)
    write(stores, "UPDATE nodes SET state = 'archived' WHERE key = ?", (source.key,))
    cold = everything(stores)
    assert cold != found
    assert found_anew(place) == cold
    assert ("user:ann", 130, 159) in places(stores)  # of the archived ones
    assert found_anew(place) == cold == without_blocks(stores, place)

    write(stores, "UPDATE nodes SET state = 'active' WHERE key = ?", (source.key,))
    assert found_anew(place) == found


def test_nothing_is_left_of_a_user_who_is_erased(stores: SqlStores) -> None:
    everything(stores)
    everything(stores, BOB)
    for store in stores.erasing:
        store.strike_user(ANN, "somebody")

    assert b"only45" not in held(stores)
    assert not [row for row in kept(stores) if row[0] == "user:ann"]


def test_a_transaction_keeps_nothing_of_what_it_may_take_back(stores: SqlStores) -> None:
    with stores.atomic():
        stores.index.put([passage(300, "secret")])
        everything(stores)

    assert kept(stores) == []


def test_nobody_finds_the_blocks_of_others(stores: SqlStores) -> None:
    everything(stores)
    everything(stores, BOB)
    if not isinstance(stores.database, SqliteDatabase):
        asked: Any = stores.database
        with asked.seen_by(eyes_of(BOB)):
            rows = asked.execute("SELECT DISTINCT token FROM shelf_blocks")
        assert rows == [("team:crew",)]


def test_what_cannot_be_written_to_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    filled(str(path)).close()
    before = path.read_bytes()
    database = SqliteDatabase(path, read_only=True)
    reader = SqlIndex(database, dimensions=DIMENSIONS, embedder_name="hash")
    assert len(reader.near(ANN, direction(1), kinds=(), limit=200)) == 120
    database.close()
    assert path.read_bytes() == before


def test_a_page_that_is_torn_under_a_block_costs_no_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_MOST", 1000)  # of several pages
    path = tmp_path / "memory.db"
    stores = filled(str(path))
    found = everything(stores)
    (_, _, _, data) = kept(stores)[-1]
    stores.close()
    content = bytearray(path.read_bytes())
    wide = int.from_bytes(content[16:18])  # a page, as the head of the file has it
    middle = len(data) // 2
    start = content.index(data[middle : middle + 64]) // wide * wide
    content[start : start + wide] = bytes(wide)
    path.write_bytes(content)

    other = open_at(str(path))
    with pytest.raises(DamagedMemory):
        kept(other)
    assert everything(other) == found
    other.close()


KILLED = """
import os, signal, sys
from remanent.stores.sql import index
from test_shelf_blocks import ANN, blocks, everything, open_at
blocks.LEAST, blocks._MOST = 20, 40
stores, written = open_at(sys.argv[1]), []
execute = stores.database.execute

def executed(sql, values=()):
    rows = execute(sql, values)
    written.extend([1] * (sql == index._KEEP))
    if len(written) == 3:  # the third is not committed yet
        os.kill(os.getpid(), signal.SIGKILL)
    return rows

stores.database.execute = executed
everything(stores)
"""


def test_whoever_is_killed_at_it_leaves_whole_blocks(tmp_path: Path) -> None:
    place = str(tmp_path / "memory.db")
    filled(place).close()
    folders = [str(Path(__file__).parent), *sys.path]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, place],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(folders)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    stores = open_at(place)
    assert [row[1] for row in places(stores)] == [0, 40]
    assert everything(stores) == without_blocks(stores, place)
    stores.close()
