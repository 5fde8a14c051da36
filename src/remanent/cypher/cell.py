"""The jail of queries, from inside. Started by its path, so that no store, mind or network is loaded.

The warden waits at the line it was given; for each caller it makes a copy of itself, the cell, which
locks the door, hears one question, answers and ends. No cell has heard of another's question.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

sys.path.insert(0, sys.argv[1])

from remanent.clock import stopwatch
from remanent.cypher.language.checking import Checker, notices
from remanent.cypher.language.evaluating import World
from remanent.cypher.language.picture import Picture
from remanent.cypher.language.planning import needs
from remanent.cypher.language.reader import read
from remanent.cypher.language.running import run
from remanent.errors import BadQuery, CypherError, QueryLimit

_MEGABYTE = 1024 * 1024
_MOST_ANSWER = 16 * _MEGABYTE
_STEPS = 512  # between two looks at the clock
_DEPTH = 3000
_GRACE_S = 0.25  # the query's own look at the clock comes first, the signal is for what never looks
_HEARING_S = 60.0
_PIECE = 1 << 20
_SIZE = struct.Struct(">Q")  # stands before everything that is said
_SEAM = "\x1e"  # between two bodies: in JSON it can only stand escaped


def lock_up() -> None:
    """No file, no socket and no process from here on; what is open is the line to the caller."""
    _limit(resource.RLIMIT_NOFILE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_CORE, 0)


def set_bounds(bounds: dict[str, Any], held: int) -> None:
    """No more time and no more room than given, from here on."""
    signal.setitimer(signal.ITIMER_REAL, bounds["seconds"] + _GRACE_S)
    _limit(resource.RLIMIT_CPU, int(_spent()) + int(bounds["seconds"]) + 2)
    _limit(resource.RLIMIT_AS, held + bounds["megabytes"] * _MEGABYTE)


def _limit(which: int, most: int) -> None:
    # Some systems know no such limit, or have already set a lower one.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (most, most))


def _spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _memory_used() -> int:
    """The room this process has taken so far."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - nothing else is loaded
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 4096


class Deadline:
    """Counts steps, and looks at the clock every few hundred."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = stopwatch() + seconds
        self._left = _STEPS

    def __call__(self) -> None:
        self._left -= 1
        if self._left:
            return
        self._left = _STEPS
        if stopwatch() > self._until:
            raise QueryLimit(
                "seconds", f"took longer than the {self._seconds:g} seconds it is given"
            )


class Cell:
    """One question: what it asks for is told first, then it hears what there is, then it answers."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._held = _memory_used()

    def serve(self) -> None:
        """The answer, or the error that was met."""
        self._send(encode_answer(self.answer))

    def answer(self) -> dict[str, Any]:
        """The rows of the answer and what goes with them."""
        request = json.loads(self._receive())
        query = read(request["text"])
        columns = Checker().columns(query)
        wanted = needs(query)
        self._send(json.dumps({"labels": wanted.labels, "types": wanted.types}))
        picture, size = self._picture()
        bounds = request["bounds"]
        set_bounds(bounds, self._held + size)
        world = World(
            picture=picture,
            parameters=request["parameters"],
            now=datetime.fromisoformat(request["now"]),
            tick=Deadline(bounds["seconds"]),
        )
        rows, truncated = run(query, columns, world, limit=bounds["rows"])
        return {"columns": columns, "rows": rows, "truncated": truncated, "notices": notices(query)}

    def _picture(self) -> tuple[Picture, int]:
        """What there is, and about how much room it takes."""
        rows, bodies = (
            self._receive(),
            self._receive().decode("utf-8", "surrogatepass").split(_SEAM),
        )
        there = json.loads(rows)
        nodes = zip(there["nodes"], bodies, strict=False)
        edges = zip(there["edges"], bodies[len(there["nodes"]) :], strict=False)
        return Picture(nodes, edges), 40 * len(rows) + 4 * sum(map(len, bodies))

    def _receive(self) -> bytes:
        (size,) = _SIZE.unpack(self._exactly(_SIZE.size))
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        heard = bytearray()
        while len(heard) < size:
            piece = self._line.recv(min(_PIECE, size - len(heard)))
            if not piece:
                os._exit(0)  # whoever asked has gone
            heard += piece
        return bytes(heard)

    def _send(self, text: str) -> None:
        data = text.encode()
        self._line.sendall(_SIZE.pack(len(data)) + data)


def encode_answer(answer: Callable[[], dict[str, Any]]) -> str:
    """The answer as it goes back, or the error that was met."""
    try:
        return bounded(json.dumps(answer()))
    except QueryLimit as error:
        return _told_error("QueryLimit", error.problem, limit=error.limit)
    except CypherError as error:
        return _told_error(type(error).__name__, error.problem)
    except RecursionError:
        return _told_error(BadQuery.__name__, "something is nested too deeply")
    except MemoryError:
        return _told_error("QueryLimit", "needs more memory than it is given", limit="megabytes")
    except Exception as error:  # noqa: BLE001 - the last door: a silent cell would pass for a full one
        fault = type(error).__name__
        return _told_error("CypherError", f"met a fault in Remanent itself: {fault}")


def _told_error(kind: str, problem: str, *, limit: str = "") -> str:
    return json.dumps({"error": kind, "problem": problem, "limit": limit})


def bounded(text: str) -> str:
    """The answer, if it is one that can be carried."""
    if len(text) > _MOST_ANSWER:
        raise QueryLimit("size", f"the answer has more than {_MOST_ANSWER:,} characters")
    return text


def serve(line: socket.socket) -> None:
    """One question and its answer, in a cell."""
    signal.setitimer(signal.ITIMER_REAL, _HEARING_S)
    gc.disable()  # what is read stays to the end, and the end is near
    sys.setrecursionlimit(_DEPTH)
    cell = Cell(line)
    lock_up()
    cell.serve()


def main() -> None:
    """The warden: waits, and makes a cell for whoever calls."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what has ended needs no burial
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    gc.freeze()
    door = socket.socket(fileno=0)
    while True:
        called, lines, _, _ = socket.recv_fds(door, 1, 1)
        if not called:
            return
        if os.fork() == 0:
            try:
                door.close()
                serve(socket.socket(fileno=lines[0]))
            finally:
                os._exit(0)
        os.close(lines[0])


if __name__ == "__main__":
    main()
