"""A Redis of a test's own, which it may kill, stop and start again as it likes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import run as servers

STARTS_WITHIN_S = 30


class OwnRedis:
    """One server in a folder of its own, on a port that was free."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self._folder = folder
        self._settings = settings
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Once more, where it was killed or has ended: it reads what it had written down."""
        if self._process is not None and self._process.poll() is None:
            return
        command = [*servers.redis_command(self._folder, self.port), *self._settings]
        with (self._folder / servers.LOG).open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        is_ready = servers.wait_until(
            lambda: servers.redis_ready(self.port), within_s=STARTS_WITHIN_S
        )
        if not is_ready:
            raise servers.ServerError(servers.end_of_log(self._folder))

    def kill(self) -> None:
        """With no time to say anything."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def pause(self) -> None:
        """As a network that stops: nobody answers, and nothing is closed."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


@contextlib.contextmanager
def own_redis(*settings: str, disk: Path | None = None) -> Iterator[OwnRedis]:
    """A server for as long as the block runs, or this test is skipped (in CI: fails)."""
    folder = disk or Path(tempfile.mkdtemp(prefix="remanent-own-redis-"))
    try:
        server = OwnRedis(folder, *settings)
    except servers.ServerError as problem:
        shutil.rmtree(folder, ignore_errors=True)
        if os.environ.get("REMANENT_REQUIRE_SERVERS") == "1":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    try:
        yield server
    finally:
        server.go_on()
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
