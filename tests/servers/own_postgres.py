"""A PostgreSQL of a test's own, which it may kill, stop and start again as it likes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import run as servers

STARTS_WITHIN_S = 120


class OwnPostgres:
    """One cluster in a folder of its own, on a port that was free."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.pid = servers.launch_postgres(folder, self.port)

    def url(self, schema: str) -> str:
        return f"postgresql://remanent@127.0.0.1:{self.port}/postgres?schema={schema}"

    def start(self) -> None:
        """Once more, where it was killed: it recovers from its log."""
        if _is_alive(self.pid):
            return
        options = f"-h 127.0.0.1 -p {self.port} -k {self._folder} -c fsync=off"
        data = str(self._folder / "data")
        log = str(self._folder / servers.LOG)
        start = ["start", "-D", data, "-l", log, "-o", options, "-w", "-t", str(STARTS_WITHIN_S)]
        servers.run_as(servers.postgres_owner(), [servers.program("pg_ctl"), *start], self._folder)
        self.pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def kill(self) -> None:
        """All of its processes at once, with no time to say anything."""
        family = self._family()
        for pid in family:
            _send(pid, signal.SIGKILL)
        while any(_is_alive(pid) for pid in family):
            time.sleep(0.01)
        # Where nobody reaps the dead, PostgreSQL takes them for alive.
        for lock in (self._folder / "data" / "postmaster.pid", *self._folder.glob(".s.PGSQL.*")):
            lock.unlink(missing_ok=True)

    def pause(self) -> None:
        """As a network that stops: nobody answers, and nothing is closed."""
        for pid in self._family():
            _send(pid, signal.SIGSTOP)

    def go_on(self) -> None:
        for pid in self._family():
            _send(pid, signal.SIGCONT)

    def _family(self) -> list[int]:
        found = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return [self.pid, *map(int, found.stdout.split())]


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@contextlib.contextmanager
def own_postgres(folder: Path | None = None) -> Iterator[OwnPostgres]:
    """A server for as long as the block runs, or this test is skipped (in CI: fails)."""
    place = folder or Path(tempfile.mkdtemp(prefix="remanent-own-postgres-"))
    place.chmod(0o755)
    try:
        server = OwnPostgres(place)
    except servers.ServerError as problem:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
        if os.environ.get("REMANENT_REQUIRE_SERVERS") == "1":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    try:
        yield server
    finally:
        server.go_on()
        server.kill()
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
