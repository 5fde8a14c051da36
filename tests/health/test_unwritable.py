"""Where nothing can be written, everything can be read: on read-only media, and on a full disk."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remanent import Memory, SteppedClock
from remanent.errors import DamagedMemory, DiskFull, StoreError
from remanent.surfaces.cli.errors import explain
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 12, tzinfo=UTC)

_AS_NOBODY = """
import importlib.metadata, io, json, os, sys
import remanent.errors
from remanent import Memory
from remanent.core.later import load_all
from remanent.surfaces.cli import main  # noqa: F401 - loaded while modules can be read
from remanent.testing import HashEmbedder, ScriptedMind

load_all()

def attempt(verb):
    try:
        return verb()
    except remanent.errors.RemanentError as problem:
        return f"{type(problem).__name__}: {problem}"

importlib.metadata.version("remanent")  # as an export asks: what it imports may not be nobody's
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
try:
    memory = Memory.open(sys.argv[1], mind=ScriptedMind(), embedder=HashEmbedder())
except remanent.errors.RemanentError as problem:
    print(json.dumps({"open": f"{type(problem).__name__}: {problem}"}))
    sys.exit()
with memory:
    ada, lines = memory.user("ada"), io.StringIO()
    print(json.dumps({
        "search": [hit.text for hit in ada.search("peanuts")],
        "recall": [one.belief.statement for one in ada.recall("tea")],
        "read": ada.read(ada.sources()[0].key).node.key,
        "context": ada.context("What am I allergic to? peanuts", touch=False).text,
        "touching": ada.context("What am I allergic to? peanuts").text,
        "status": str(ada.status()),
        "sound": [one.told for one in memory.doctor(offline=True, deep=True).findings
                  if one.level.value == "fail" and one.part != "disk"],
        "export": attempt(lambda: memory.export(lines) and len(lines.getvalue().splitlines())),
        "remember": attempt(lambda: str(ada.remember("I like coffee."))),
        "work": attempt(lambda: str(ada.add("Something new."))),
        "bob": attempt(lambda: str(memory.user("bob"))),
    }))
"""


def opened(path: Path) -> Memory:
    return Memory.open(
        path, clock=SteppedClock(START), mind=ScriptedMind(), embedder=HashEmbedder()
    )


@pytest.fixture
def path() -> Iterator[Path]:
    """In a folder that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        place = folder / "memory.db"
        with opened(place) as memory:
            ada = memory.user("ada")
            ada.add("I am allergic to peanuts.")
            ada.remember("I like tea.")
            ada.work()
        yield place
        folder.chmod(0o755)


def as_nobody(path: Path, first: str = "") -> dict[str, Any]:
    code = first + _AS_NOBODY
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize(
    ("file_mode", "folder_mode"), [(0o444, 0o777), (0o444, 0o555), (0o666, 0o555)]
)
def test_a_memory_that_cannot_be_written_can_be_read(
    path: Path, file_mode: int, folder_mode: int
) -> None:
    content = path.read_bytes()
    path.chmod(file_mode)
    path.parent.chmod(folder_mode)
    answers = as_nobody(path)

    assert any("peanuts" in text for text in answers["search"])
    assert "I like tea." in answers["recall"]
    assert answers["read"]
    assert "peanuts" in answers["context"]
    assert "peanuts" in answers["touching"]
    assert answers["sound"] == []
    assert int(answers["export"]) > 3
    for verb in ("remember", "work", "bob"):
        assert answers[verb].startswith("ReadOnlyMemory: ")
    assert path.read_bytes() == content
    assert [one.name for one in path.parent.iterdir()] == ["memory.db"]


def test_a_log_that_cannot_be_taken_in_is_said(path: Path) -> None:
    with opened(path) as memory:
        memory.user("ada").remember("I like cocoa.")
        content, log = path.read_bytes(), path.with_name("memory.db-wal").read_bytes()
    assert log
    path.write_bytes(content)
    path.with_name("memory.db-wal").write_bytes(log)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    assert "-wal" in as_nobody(path)["open"]


# -- a full disk ----------------------------------------------------------------------------------


@pytest.fixture
def full(path: Path) -> Iterator[Memory]:
    """Every write to a node needs more pages than the file may have: SQLite's own error."""
    with opened(path) as memory:
        database: Any = memory.env.stores.database  # type: ignore[attr-defined]
        for change in ("INSERT", "UPDATE"):
            database.execute(
                f"CREATE TEMP TRIGGER full_{change} BEFORE {change} ON nodes BEGIN "
                "INSERT INTO meta VALUES ('x', zeroblob(9000000)); END"
            )
        database.execute("PRAGMA max_page_count = 1")  # SQLite takes the present size for the least
        yield memory


def test_a_full_disk_is_no_damage(full: Memory) -> None:
    with pytest.raises(DiskFull, match="full") as caught:
        full.user("ada").add("Something new.")
    assert isinstance(caught.value, StoreError)
    assert not isinstance(caught.value, DamagedMemory)
    assert "room" in explain(caught.value).hint


def test_reading_goes_on_on_a_full_disk(full: Memory) -> None:
    ada = full.user("ada")
    key = ada.sources()[0].key
    assert ada.read(key).node.key == key
    assert [one.belief.statement for one in ada.recall("tea")] == ["I like tea."]
    assert any("peanuts" in hit.text for hit in ada.search("peanuts"))
    assert "peanuts" in ada.context("What am I allergic to? peanuts").text
    assert ada.explore("peanuts") is not None
    assert ada.traverse(key) is not None


_NO_FILE_GROWS = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))\n"


def test_a_memory_opened_on_a_full_disk_can_be_read(path: Path) -> None:
    """Not even SQLite's own file beside the memory can be made."""
    path.chmod(0o666)
    path.parent.chmod(0o777)
    answers = as_nobody(path, _NO_FILE_GROWS)
    assert any("peanuts" in text for text in answers["search"])
    assert "I like tea." in answers["recall"]
    assert answers["read"]
    assert "peanuts" in answers["touching"]
    for verb in ("remember", "work", "bob"):
        assert answers[verb].startswith("DiskFull: ")
    with opened(path) as memory:  # there is room again
        memory.user("ada").remember("I like cocoa.")
