"""A server of a test's own, which it may kill, stop and start again as it likes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
import run as servers


class OwnServer(ABC):
    """One server in a folder of its own, on a port that was free."""

    starts_within_s = 30

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @abstractmethod
    def command(self) -> Sequence[str]:
        """What starts it."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers."""

    def start(self) -> None:
        """Once more, where it was killed or has ended: it reads what it had written down."""
        if self._process is not None and self._process.poll() is None:
            return
        with (self.folder / servers.LOG).open("ab") as log:
            self._process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        if not servers.wait_until(self.is_ready, within_s=self.starts_within_s):
            raise servers.ServerError(servers.end_of_log(self.folder))

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


Own = TypeVar("Own", bound=OwnServer)


@contextlib.contextmanager
def running(name: str, made: Callable[[Path], Own], disk: Path | None = None) -> Iterator[Own]:
    """A server for as long as the block runs, or this test is skipped (in CI: fails)."""
    folder = disk or Path(tempfile.mkdtemp(prefix=f"remanent-own-{name}-"))
    try:
        server = made(folder)
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
