"""The jail in which queries run: nothing gets out of it, and nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from remanent.core.ports.cypher import Bounds, Question
from remanent.cypher import jail
from remanent.errors import QueryLimit, StoreError
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance.builders import MOMENT, a_person, a_scope

pytestmark = pytest.mark.quick

CELL = Path(jail.__file__).with_name("cell.py")
ROOT = CELL.parents[2]


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[SqliteStores]:
    opened = open_stores(tmp_path / "m.db", now=MOMENT, embedder_name="hash", dimensions=8)
    opened.graph.put(a_scope(), a_person("Sarah"))
    yield opened
    opened.close()


def ask(
    stores: SqliteStores, text: str = "MATCH (p:Person) RETURN p.name", **bounds: float
) -> object:
    question = Question(text=text, now=MOMENT)
    limits = Bounds(**{"seconds": 20.0, **bounds})  # type: ignore[arg-type]
    return stores.cypher.query(a_scope(), question, bounds=limits).rows


def children() -> set[int]:
    """The processes whose parent is this one, dead or alive."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(path.parent.name))
    return found


def warden(stores: SqliteStores, before: set[int]) -> int:
    (pid,) = children() - before
    return pid


ATTEMPTS = """
import sys
sys.argv = ["cell", {root!r}]
sys.path.insert(0, {folder!r})
import os, socket, cell
cell.lock_up()
def tried(what):
    try:
        what()
    except (OSError, BlockingIOError):
        return
    os._exit(1)
tried(lambda: open("/etc/hostname"))
tried(lambda: open("/tmp/remanent-escape", "w"))
tried(socket.socket)
tried(os.pipe)
tried(lambda: os.listdir("/"))
os._exit(0)
"""


def test_in_the_cell_no_file_and_no_socket_can_be_opened() -> None:
    script = ATTEMPTS.format(root=str(ROOT), folder=str(CELL.parent))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], check=False)

    assert done.returncode == 0
    assert not Path("/tmp/remanent-escape").exists()


def test_the_jail_loads_no_store_no_mind_and_no_database() -> None:
    script = (
        f"import sys; sys.argv = ['cell', {str(ROOT)!r}]; sys.path.insert(0, {str(CELL.parent)!r})\n"
        "import cell\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())

    assert "remanent.cypher.language.running" in loaded
    assert not loaded & {
        "apsw",
        "sqlite3",
        "numpy",
        "onnxruntime",
        "http",
        "urllib.request",
        "ctypes",
    }
    ours = {name for name in loaded if name.startswith("remanent.")}
    assert {name.split(".")[1] for name in ours} <= {"clock", "core", "cypher", "errors"}
    assert not [name for name in ours if name.startswith("remanent.core.ports")]


def test_one_warden_serves_many_and_goes_with_the_memory(stores: SqliteStores) -> None:
    before = children()
    for _ in range(5):
        assert ask(stores) == (("Sarah",),)
    pid = warden(stores, before)

    stores.close()

    assert children() == before
    assert not Path(f"/proc/{pid}").exists()


def test_a_query_that_is_ended_leaves_nothing_behind(stores: SqliteStores) -> None:
    before = children()
    with pytest.raises(QueryLimit):
        ask(
            stores,
            "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)",
            seconds=0.2,
        )
    pid = warden(stores, before)

    assert ask(stores) == (("Sarah",),)
    assert warden(stores, before) == pid
    left = Path(f"/proc/{pid}/task/{pid}/children")
    while left.read_text().split():  # the cell of the last answer may still be on its way out
        time.sleep(0.01)


def test_a_warden_that_was_killed_is_replaced(stores: SqliteStores) -> None:
    before = children()
    ask(stores)
    pid = warden(stores, before)
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    answers = [_asked_again(stores) for _ in range(3)]

    assert answers[-1] == (("Sarah",),)
    assert pid not in children()


def _asked_again(stores: SqliteStores) -> object:
    """The first question may still go to the line of the dead one."""
    try:
        return ask(stores)
    except StoreError:
        return None


def test_threads_ask_at_once(stores: SqliteStores) -> None:
    answers: list[object] = []
    threads = [threading.Thread(target=lambda: answers.append(ask(stores))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [(("Sarah",),)] * 6


def test_a_fork_asks_through_a_warden_of_its_own(stores: SqliteStores) -> None:
    before = children()
    ask(stores)
    pid = warden(stores, before)

    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if ask(stores) == (("Sarah",),) else 2
            stores.close()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert ask(stores) == (("Sarah",),)
    assert warden(stores, before) == pid


def test_a_closed_memory_answers_nothing(stores: SqliteStores) -> None:
    stores.close()

    with pytest.raises(StoreError):
        ask(stores)
    stores.close()


def test_a_memory_that_nobody_closed_takes_its_warden_along(tmp_path: Path) -> None:
    script = f"""
from remanent.stores.sqlite import open_stores
from remanent.core.ports.cypher import *
from remanent_conformance.builders import (MOMENT, a_scope)
stores = open_stores({str(tmp_path / "m.db")!r}, now=MOMENT, embedder_name="hash", dimensions=8)
stores.cypher.query(a_scope(), Question(text="RETURN 1", now=MOMENT), bounds=Bounds(seconds=20.0))
print(stores.cypher._jail._warden._process.pid)
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )

    assert not done.stderr
    assert not Path(f"/proc/{done.stdout.strip()}").exists()
