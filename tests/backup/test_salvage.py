"""`salvage`: a damaged file gives a new memory of all that can still be read, and says what cannot."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rebuilt as lives
from effort import times

from remanent import Memory, SteppedClock
from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.records.admin import Salvaged
from remanent.errors import BusyMemory, DamagedMemory, NotAMemory, StoreError
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

END = lives.START + 12 * lives.STEP
LIVES = {"life", "stability"}
PAGE = 4096


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was lived in; to be copied, not touched."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    clock = SteppedClock(lives.START)
    with lives.opened(path, clock) as memory:
        lives.live(memory, clock, days=6)
    return path


@pytest.fixture
def old(lived: Path, tmp_path: Path) -> Path:
    place = tmp_path / "old.db"
    place.write_bytes(lived.read_bytes())
    return place


def digests(path: Path, without: Any = ()) -> dict[str, str]:
    with lives.opened(path, SteppedClock(END)) as memory:
        return {
            user.user_id: digest(lives.exported(memory, user.user_id), without=frozenset(without))
            for user in memory.users()
        }


def asked(path: Path) -> Any:
    """What is found, and on whose word."""
    with lives.opened(path, SteppedClock(END)) as memory:
        ada = lives.ada_of(memory)
        return [
            [(hit.key, round(hit.score, 6)) for hit in ada.search(words, touch=False)]
            for words in ("Kestrel budget", "boat", "where does Maria live")
        ]


def pages_of(path: Path, table: str) -> list[int]:
    """The leaves of a table, as the file has them."""
    connection = sqlite3.connect(path)
    try:
        sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
        return [number for (number,) in connection.execute(sql, (table,))]
    finally:
        connection.close()


def zero(path: Path, *pages: int) -> None:
    with path.open("r+b") as file:
        for number in pages:
            file.seek((number - 1) * PAGE)
            file.write(b"\0" * PAGE)


def tamper(path: Path, sql: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        assert connection.execute(sql, values).rowcount > 0
    connection.close()


def salvaged(old: Path, new: Path, **more: Any) -> Salvaged:
    return Memory.salvage(
        old,
        new,
        clock=SteppedClock(END),
        mind=lives.QuickMind(),
        embedder=HashEmbedder(),
        **more,
    )


def test_a_whole_memory_comes_over_to_the_last_date(old: Path, tmp_path: Path) -> None:
    before = old.read_bytes()
    seen: list[float] = []
    report = salvaged(old, tmp_path / "new.db", progress=lambda step: seen.append(step.share))

    assert report.is_whole
    assert report.rederived == {}
    assert report.events == len(seen) > 100
    assert seen[-1] == 1.0
    assert old.read_bytes() == before
    assert digests(tmp_path / "new.db") == digests(old)
    assert asked(tmp_path / "new.db") == asked(old)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["new.db", "old.db"]


@pytest.mark.parametrize(
    "table",
    ["nodes", "links", "entries", "passages", "relationships", "nodes_of_user"],
)
def test_a_broken_derived_table_is_derived_again(old: Path, tmp_path: Path, table: str) -> None:
    truth = digests(old, CIRCUMSTANCES | LIVES)
    leaves = pages_of(old, table)
    zero(old, leaves[len(leaves) // 2], leaves[0], leaves[-1])
    report = salvaged(old, tmp_path / "new.db")

    assert report.is_whole
    assert digests(tmp_path / "new.db", CIRCUMSTANCES | LIVES) == truth
    with lives.opened(tmp_path / "new.db", SteppedClock(END)) as memory:
        findings = memory.doctor(deep=True).findings
        assert all(one.level.value == "ok" for one in findings if one.part == "deep")
        assert memory.rebuild().comparison.is_same


def test_what_could_be_read_keeps_the_life_it_had(old: Path, tmp_path: Path) -> None:
    zero(old, *pages_of(old, "links"))
    tamper(old, "UPDATE nodes SET access_count = 77 WHERE kind = 'person'")
    salvaged(old, tmp_path / "new.db")
    with lives.opened(tmp_path / "new.db", SteppedClock(END)) as memory:
        people = lives.ada_of(memory).anchors("person")
        assert {one.life.access_count for one in people} == {77}


def test_lost_pages_of_the_ledger_are_named_one_by_one(old: Path, tmp_path: Path) -> None:
    leaves = pages_of(old, "events")
    connection = sqlite3.connect(old)
    ((total,),) = connection.execute("SELECT count(*) FROM events").fetchall()
    connection.close()
    zero(old, leaves[len(leaves) // 3], leaves[-2])
    report = salvaged(old, tmp_path / "new.db")

    lost = [one for one in report.lost if one.table == "events"]
    assert 0 < len(lost) < total
    assert report.events == total - len(lost)
    assert len({int(one.key) for one in lost}) == len(lost)
    with lives.opened(tmp_path / "new.db", SteppedClock(END)) as memory:
        assert memory.rebuild().comparison.is_same
        assert lives.ada_of(memory).search("Kestrel", touch=False)


def test_flipped_bytes_of_truth_are_told_apart(old: Path, tmp_path: Path) -> None:
    tamper(old, "UPDATE raws SET content = replace(content, 'chess', 'chass') WHERE rowid = 1")
    tamper(old, "UPDATE raws SET content = CAST(X'48FF69' AS TEXT) WHERE rowid = 3")
    tamper(
        old,
        "UPDATE raws SET content = '[{' WHERE rowid = (SELECT min(rowid) FROM raws WHERE is_json)",
    )
    tamper(
        old,
        "UPDATE events SET payload = replace(payload, 'bees', 'beer') WHERE event_id = 'said-1'",
    )
    connection = sqlite3.connect(old)
    connection.text_factory = bytes
    keys = [key.decode() for (key,) in connection.execute("SELECT key FROM raws ORDER BY rowid")]
    connection.close()
    report = salvaged(old, tmp_path / "new.db")

    told = {(one.table, one.key): one.problem for one in report.lost}
    assert "digest" in told["raws", keys[0]]
    assert "digest" in told["raws", keys[2]]
    assert [one for one in told.values() if one == "the raw text is missing"]
    assert [one for (table, _), one in told.items() if table == "events" and "digest" in one]
    with lives.opened(tmp_path / "new.db", SteppedClock(END)) as memory:
        ada = lives.ada_of(memory)
        assert "chass" in (ada.read(keys[0]).raw or "")
        assert not [one for one in ada.beliefs() if "beer" in one.statement]


def test_users_that_are_lost_come_from_the_ledger(old: Path, tmp_path: Path) -> None:
    def users(path: Path) -> list[tuple[str, str, str]]:
        with lives.opened(path, SteppedClock(END)) as memory:
            return [(one.user_id, one.name, one.timezone) for one in memory.users()]

    before = users(old)
    tamper(old, "DELETE FROM users")
    report = salvaged(old, tmp_path / "new.db")
    assert report.users == len(before) >= 2
    assert users(tmp_path / "new.db") == before


def test_nothing_is_written_over_and_what_is_no_memory_is_refused(
    old: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    new.write_text("mine")
    with pytest.raises(StoreError, match="not written over"):
        salvaged(old, new)
    assert new.read_text() == "mine"
    with pytest.raises(StoreError, match="is not there"):
        salvaged(tmp_path / "nowhere.db", tmp_path / "other.db")
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(NotAMemory):
        salvaged(tmp_path / "text.db", tmp_path / "other.db")
    zero(old, 1)
    with pytest.raises((DamagedMemory, NotAMemory)):
        salvaged(old, tmp_path / "other.db")
    assert not list(tmp_path.glob("other.db*"))


KILLED = """
import os, signal, sys
import rebuilt as lives
from remanent import Memory, SteppedClock
from remanent.testing import HashEmbedder

def stop(step):
    if step.done == int(sys.argv[3]):
        print("here", flush=True)
        signal.pause()

Memory.salvage(sys.argv[1], sys.argv[2], clock=SteppedClock(lives.START + 12 * lives.STEP),
    mind=lives.QuickMind(), embedder=HashEmbedder(), progress=stop)
"""


@pytest.mark.slow
@pytest.mark.torture
def test_killed_half_way_it_leaves_no_file_of_that_name_and_goes_well_again(
    old: Path, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    path = os.pathsep.join([str(Path(lives.__file__).parent), *sys.path])
    for place in map(str, (5, 80, *range(1, 110, 9))[: times(2, 15)]):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(old), str(new), place],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        with pytest.raises(BusyMemory):
            salvaged(old, new)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert not new.exists()
    assert salvaged(old, new).is_whole
    assert digests(new) == digests(old)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["new.db", "old.db"]
