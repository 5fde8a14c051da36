"""PostgreSQL is killed, stopped and filled up in the middle of it: what was acknowledged is there, and in
the end the graph is that of a memory to which nothing ever happened."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import fault_worker
import pytest
from effort import times
from own_postgres import OwnPostgres, own_postgres

from remanent import Memory, UserMemory
from remanent.backup.rules import CIRCUMSTANCES, LIVED
from remanent.core.model.event import SOURCE_ADDED, SOURCE_EXTRACTED, SOURCE_PROCESSED
from remanent.core.model.job import JobState
from remanent.errors import DiskFull, UnreachableMemory
from remanent_conformance.builders import digest

pytestmark = [pytest.mark.server, pytest.mark.slow, pytest.mark.torture]

SOURCES = times(40, 500)
PAUSE_S = times(2, 30)
OPEN = [JobState.READY, JobState.RUNNING, JobState.PARKED]
USERS = ("ada", "bob", "eve")
READER = Path(__file__).with_name("fault_worker.py")


@pytest.fixture(scope="module")
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as one:
        yield one


@pytest.fixture
def place(server: OwnPostgres) -> str:
    return server.url(f"f{uuid4().hex[:12]}")


@pytest.fixture(scope="module")
def beginning_s() -> float:
    return time.monotonic()


def text_of(number: int) -> str:
    """A source of its own person, in a town that many live in."""
    return (
        f"Person{number} Ode: Likes number {number}.\nPerson{number} Ode > home > Town{number % 5}"
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, beginning_s: float) -> dict[str, str]:
    """The digests of a file that took in the same."""
    path = tmp_path_factory.mktemp("embedded") / "memory.db"
    with fault_worker.opened(str(path), beginning_s) as memory:
        for number in range(SOURCES):
            user_of(memory, number).add(text_of(number), started_at=fault_worker.MORNING)
        memory.work()
        return digests(memory)


def digests(memory: Memory) -> dict[str, str]:
    env = memory.env
    return {
        user: digest(env.graph.export(env.registry.scope_of(user)), without=CIRCUMSTANCES | LIVED)
        for user in USERS
    }


def user_of(memory: Memory, number: int) -> UserMemory:
    return memory.user(USERS[number % len(USERS)])


def adds(
    memory: Memory, numbers: range, meanwhile: Callable[[int], None], come_back: Callable[[], None]
) -> tuple[dict[int, str], list[str]]:
    """Add each until it is acknowledged; the keys, and what was said where it was not."""
    keys: dict[int, str] = {}
    refused: list[str] = []
    for number in numbers:
        meanwhile(number)
        while number not in keys:
            try:
                source = user_of(memory, number).add(
                    text_of(number), started_at=fault_worker.MORNING
                )
                keys[number] = source
            except (UnreachableMemory, DiskFull) as problem:
                refused.append(str(problem))
                come_back()
    return keys, refused


@contextmanager
def workers(
    place: str, beginning_s: float, count: int = 2
) -> Iterator[list[subprocess.Popen[str]]]:
    started = [start_worker(place, beginning_s) for _ in range(count)]
    try:
        yield started
    finally:
        for one in started:
            with suppress(OSError):
                one.kill()
            one.communicate()


def start_worker(place: str, beginning_s: float) -> subprocess.Popen[str]:
    worker = subprocess.Popen(
        [sys.executable, str(READER), place, str(beginning_s)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == "ready\n"
    return worker


def settle(memory: Memory, started: list[subprocess.Popen[str]]) -> None:
    """Wait until nothing is left to be done; the workers do it, or they have all ended."""
    while any(memory.user(user).jobs([JobState.READY, JobState.RUNNING]) for user in USERS):
        assert any(one.poll() is None for one in started), "no worker is left"
        time.sleep(0.05)


def check(memory: Memory, keys: dict[int, str], undisturbed: dict[str, str]) -> None:
    """All that was acknowledged is there, once, and is understood as if nothing had happened."""
    env = memory.env
    for user in USERS:
        scope = env.registry.scope_of(user)
        mine = {key for number, key in keys.items() if USERS[number % len(USERS)] == user}
        events = list(env.ledger.replay(scope, limit=1_000_000))
        for kind, steps in {SOURCE_ADDED: 1, SOURCE_PROCESSED: 2, SOURCE_EXTRACTED: 1}.items():
            told = [one.payload["source_key"] for one in events if one.event_type == kind]
            assert sorted(told) == sorted(steps * [*mine]), kind  # none lost, none twice
        assert memory.user(user).jobs(OPEN) == []
    assert digests(memory) == undisturbed


def test_killed_in_the_middle_of_ingestion(
    server: OwnPostgres, place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    kills = {SOURCES // 4, SOURCES // 2, 3 * SOURCES // 4}

    def meanwhile(number: int) -> None:
        if number in kills:
            kills.discard(number)
            server.kill()

    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), meanwhile, server.start)
        assert len(refused) >= 3
        assert all(f"127.0.0.1:{server.port}" in one for one in refused)  # it is named
        settle(memory, started)
        assert all(one.poll() is None for one in started)  # they waited, and went on
        check(memory, keys, undisturbed)


def test_killed_workers_leave_nothing_undone(
    place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), lambda _: None, lambda: None)
        for _ in range(times(2, 8)):
            victim = started.pop(0)
            assert victim.stdout is not None
            victim.stdout.readline()  # it is at it
            victim.kill()
            victim.communicate()
            started.append(start_worker(place, beginning_s))
        settle(memory, started)
        assert refused == []
        check(memory, keys, undisturbed)
        for one in started:
            one.kill()


def test_a_server_that_stands_still_is_waited_for(
    server: OwnPostgres, place: str, beginning_s: float, undisturbed: dict[str, str]
) -> None:
    def meanwhile(number: int) -> None:
        if number == SOURCES // 2:
            server.pause()
            threading.Timer(PAUSE_S, server.go_on).start()

    with fault_worker.opened(place, beginning_s) as memory, workers(place, beginning_s) as started:
        keys, refused = adds(memory, range(SOURCES), meanwhile, lambda: None)
        assert refused == []
        settle(memory, started)
        check(memory, keys, undisturbed)


def test_a_full_disk_loses_nothing(beginning_s: float, undisturbed: dict[str, str]) -> None:
    with small_disk() as disk, own_postgres(disk) as server:
        place, balloon = server.url("full"), disk / "balloon"

        def meanwhile(number: int) -> None:
            if number == SOURCES // 2:
                with suppress(OSError), balloon.open("wb") as file:
                    while True:
                        file.write(b"\0" * 65536)
                        file.flush()

        def make_room() -> None:
            if balloon.exists() and len(tried) < 3:  # it stays full for a while
                tried.append(True)
            balloon.unlink(missing_ok=True)
            server.start()  # where it ended for want of room
            time.sleep(0.05)

        tried: list[bool] = []
        with fault_worker.opened(place, beginning_s) as memory:
            keys, refused = adds(memory, range(SOURCES), meanwhile, make_room)
            assert refused
            memory.work()
            check(memory, keys, undisturbed)


@contextmanager
def small_disk(megabytes: int = 120) -> Iterator[Path]:
    """A disk of its own; where none can be mounted, the test is skipped."""
    folder = Path(tempfile.mkdtemp(prefix="remanent-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    with suppress(OSError):
        if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
            try:
                yield folder
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=False)
                folder.rmdir()
            return
    pytest.skip("no disk can be mounted here: only root may")
