"""Processes of their own for tests that kill them: forked from one that has loaded the house already.

To load it takes most of a second, and such tests start dozens. Whatever a script opens, it opens itself, after
the fork; where it matters how a process starts (tests/surfaces), tests start a real one.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

LONGEST_ORDER = 1 << 20
LOADED = ("remanent.bootstrap", "remanent.testing", "remanent_conformance.builders")


class Forked:
    """A process that runs a script, as `subprocess.Popen` would give it, as far as tests ask."""

    def __init__(self, tells: TextIO, stdin: TextIO, stdout: TextIO) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.returncode: int | None = None
        self._tells = tells
        self._pid = int(tells.readline())

    def kill(self) -> None:
        """Dead or alive: its number is its own until we let go of it."""
        os.kill(self._pid, signal.SIGKILL)

    def communicate(self) -> tuple[str, None]:
        """What it says until its end."""
        self.stdin.close()
        said = self.stdout.read()
        self._let_go()
        return said, None

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if failed and self.returncode is None:
            self.kill()
        self._let_go()

    def _let_go(self) -> None:
        for end in (self.stdin, self.stdout):
            end.close()
        if self.returncode is None:
            self.returncode = int(self._tells.readline())
        self._tells.close()


def start(script: str | Path, *arguments: object) -> Forked:
    """Run the script, or with `-c` a text of one, with these arguments in a process of its own."""
    (its_in, our_in), (our_out, its_out) = os.pipe(), os.pipe()
    ours, its = socket.socketpair()
    order = json.dumps([str(script), *map(str, arguments)]).encode()
    socket.send_fds(_nursery(), [order], [its_in, its_out, its.fileno()])
    its.close()
    for end in (its_in, its_out):
        os.close(end)
    return Forked(os.fdopen(ours.detach()), os.fdopen(our_in, "w"), os.fdopen(our_out))


def run(script: str | Path, *arguments: object) -> tuple[int | None, str]:
    """How it ended, and what it said."""
    process = start(script, *arguments)
    said, _ = process.communicate()
    return process.returncode, said


@functools.cache
def _nursery() -> socket.socket:
    """Where processes are ordered. It ends when nobody can order any more."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        process = subprocess.Popen(
            [sys.executable, __file__, str(its.fileno())],
            pass_fds=[its.fileno()],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # who forks has no threads
        )
    atexit.register(_end, ours, process)
    return ours


def _end(ours: socket.socket, process: subprocess.Popen[bytes]) -> None:
    ours.close()
    process.wait()


# --- there ---------------------------------------------------------------------------------------


def serve(orders: socket.socket) -> None:
    """Fork for each order somebody who looks after it, and do nothing else."""
    for name in LOADED:
        __import__(name)
    gc.freeze()  # what is loaded is not gone over again in every child
    while True:
        order, ends, _, _ = socket.recv_fds(orders, LONGEST_ORDER, 3)
        if not order:
            return
        _forked(lambda: _mind(orders, json.loads(order), *ends))  # noqa: B023 - the child has its own
        for one in ends:
            os.close(one)
        _reap()


def _mind(orders: socket.socket, order: list[str], stdin: int, stdout: int, told: int) -> None:
    """Start it, tell which it is and how it ended, and keep its number until who asked has let go."""
    orders.close()
    pid = _forked(lambda: _play(order, stdin, stdout, told))
    for one in (stdin, stdout):
        os.close(one)
    os.write(told, f"{pid}\n".encode())
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
    os.write(told, f"{code}\n".encode())
    os.read(told, 1)
    os.waitpid(pid, 0)


def _play(order: list[str], stdin: int, stdout: int, told: int) -> None:
    """The script, as if Python had been started with it."""
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    for one in (stdin, stdout, told):
        os.close(one)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    try:
        _run_as_main(*order)
    finally:
        sys.stdout.flush()


def _run_as_main(script: str, *arguments: str) -> None:
    if script == "-c":
        code, *arguments = arguments
        sys.argv, sys.path[0] = [script, *arguments], ""
        exec(code, {"__name__": "__main__"})
    else:
        sys.argv, sys.path[0] = [script, *arguments], str(Path(script).parent)
        runpy.run_path(script, run_name="__main__")


def _forked(task: Callable[[], None]) -> int:
    """The number of a process that does only this."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        task()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 - as Python does with what nobody caught
        traceback.print_exc()
    finally:
        os._exit(code)


def _reap() -> None:
    """Those who have looked after theirs are not kept."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
