"""`serve`, `work --follow` and `mcp` end when they are told to, whatever they are at; no job is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from remanent import Memory
from remanent.core.model.job import Job, JobState
from remanent.surfaces.cli.worker import SIGNALS
from remanent.surfaces.mcp import server as mcp

LONG_S = 300
COMMANDS = {
    "serve": ("serve", "--port", "0"),
    "work": ("work", "--follow"),
    "mcp": ("mcp",),
}
# A job that never comes to a checkpoint; it says so where nobody else writes.
STUCK = """
import os, threading
from remanent.minds.offline import OfflineMind
def stuck(self, pieces, content_type):
    os.write({number}, b"in hand\\n")
    threading.Event().wait()
OfflineMind.clean = stuck
from remanent.surfaces.cli import main; main()
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    with Memory.open(tmp_path / "memory.db") as memory:
        ada = memory.user("ada", name="Ada")
        ada.add("I met Sarah Chen in Oslo.")
        (job,) = ada.jobs()
        return job


def jobs(tmp_path: Path) -> list[Job]:
    with Memory.open(tmp_path / "memory.db") as memory:
        return memory.user("ada").jobs([JobState.READY, JobState.RUNNING, JobState.PARKED])


@contextmanager
def stuck(tmp_path: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command in a process of its own, in the middle of that job."""
    reading, writing = os.pipe()
    script = STUCK.format(number=writing)
    environ = {name: value for name, value in os.environ.items() if "REMANENT" not in name}
    process = subprocess.Popen(
        [sys.executable, "-c", script, "--memory", str(tmp_path / "memory.db"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[writing],
        env=environ,
    )
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as told:
            assert told.readline() == b"in hand\n"
            yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_ends_it_in_the_middle_of_a_job_which_is_handed_back(
    tmp_path: Path, job: Job, name: str
) -> None:
    with stuck(tmp_path, *COMMANDS[name]) as process:
        process.send_signal(signal.SIGTERM)

        assert process.wait(LONG_S) in {0, 130}

    assert jobs(tmp_path) == [job]


class AtOnce(threading.Thread):
    """Does its work while it is started."""

    def start(self) -> None:
        self.run()

    def join(self, timeout: float | None = None) -> None:
        pass


def test_an_agents_server_heeds_signals_before_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    heeded: list[object] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    monkeypatch.setattr(threading, "Thread", AtOnce)
    monkeypatch.setattr(mcp, "make_server", lambda *_, **__: SimpleNamespace(run=lambda _: None))
    monkeypatch.setattr(
        mcp, "work_and_sleep", lambda *_, **__: heeded.append(signal.getsignal(signal.SIGTERM))
    )
    try:
        with Memory.open(":memory:") as memory:
            mcp.serve(memory, memory.user("ada", name="Ada"))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert heeded
    assert before[signal.SIGTERM] not in heeded


@pytest.mark.parametrize("name", ["serve", "mcp"])
def test_a_second_signal_ends_it_at_once(tmp_path: Path, job: Job, name: str) -> None:
    with stuck(tmp_path, *COMMANDS[name]) as process:
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)

        assert process.wait(LONG_S) == 0

    assert jobs(tmp_path) == [job]


# Whoever must leave does not wait for a write that goes on and on, not even to hand the job back.
WRITING = """
import os, sys, threading
from remanent import Memory
from remanent.surfaces.cli.worker import leave_within
memory = Memory.open(sys.argv[1])
memory.env.caches.jobs_in_hand["some job"] = "somebody"
with memory.env.atomic():
    leave_within(memory, 0.0, code=7)
    threading.Event().wait(30)
    os._exit(1)  # outlived
"""


def test_whoever_leaves_waits_for_no_writer(tmp_path: Path, job: Job) -> None:
    command = [sys.executable, "-c", WRITING, str(tmp_path / "memory.db")]
    assert subprocess.run(command, check=False, timeout=LONG_S).returncode == 7
    assert [one.key for one in jobs(tmp_path)] == [job.key]
