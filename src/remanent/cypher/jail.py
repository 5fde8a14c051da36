"""The jail of queries, from outside: a warden that is kept, and a cell of its own for each query.

The warden is a process with nothing in it but the language (`cell.py`). For each question it
makes a copy of itself, which locks itself up, hears the question, answers, and is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from remanent.clock import stopwatch
from remanent.core.dataclasses import dataclass
from remanent.core.ports.cypher import Bounds
from remanent.errors import BadQuery, CypherError, ForbiddenQuery, QueryLimit, StoreError

_CELL: Final = Path(__file__).with_name("cell.py")
_ROOT: Final = Path(__file__).parents[2]  # the folder that holds the package
_PATIENCE_S: Final = 60.0  # for a busy machine to start the warden and to take in the picture
_PIECE: Final = 1 << 20
_SIZE: Final = struct.Struct(">Q")  # stands before everything that is said
_SEAM: Final = "\x1e"  # between two bodies: in JSON it can only stand escaped

# Rows of nodes and edges, and for each of them its body.
Seen = tuple[Mapping[str, list[Any]], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The labels and types that a query can meet."""

    labels: list[str]
    types: list[str]


class Jail:
    """Threads may ask at once. A process that was forked from this one gets a warden of its own."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._calling = threading.Lock()
        self._warden: Warden | None = None

    def ask(
        self, question: Mapping[str, Any], bounds: Bounds, picture: Callable[[Wanted], Seen]
    ) -> dict[str, Any]:
        """What the cell answers, or the error that it met; `picture` gathers what it asks for."""
        limits = {"rows": bounds.rows, "seconds": bounds.seconds, "megabytes": bounds.megabytes}
        with self._cell() as cell:
            cell.settimeout(bounds.seconds + _PATIENCE_S)
            _send(cell, json.dumps({**question, "bounds": limits}).encode())
            wanted = _receive(cell)
            if wanted is None:
                raise StoreError("cypher", "the process that runs queries has died")
            rows, bodies = picture(Wanted(labels=wanted["labels"], types=wanted["types"]))
            since = stopwatch()
            _send(cell, json.dumps(rows).encode())
            _send(cell, _SEAM.join(bodies).encode("utf-8", "surrogatepass"))
            answer = _receive(cell)
        if answer is None:
            if stopwatch() - since > bounds.seconds:
                raise QueryLimit(
                    "seconds", f"took longer than the {bounds.seconds:g} seconds it is given"
                )
            raise QueryLimit(
                "megabytes", f"needs more than the {bounds.megabytes} megabytes it is given"
            )
        return answer

    def close(self) -> None:
        """Send the warden home; questions that are being answered are answered."""
        with self._lock():
            self._dismiss()

    def _cell(self) -> socket.socket:
        """A line to a new cell; the warden is called if there is none, and again if it has died."""
        with self._lock():
            for _ in range(2):
                if self._warden is None:
                    self._warden = Warden()
                    weakref.finalize(self, self._warden.dismiss)
                try:
                    return self._warden.call()
                except OSError:
                    self._dismiss()
        raise StoreError("cypher", "the process that runs queries cannot be started")

    def _lock(self) -> threading.Lock:
        # After a fork the lock may be held by a thread that is no more.
        if self._pid != os.getpid():
            self._pid, self._calling, self._warden = os.getpid(), threading.Lock(), None
        return self._calling

    def _dismiss(self) -> None:
        if self._warden is not None:
            self._warden.dismiss()
            self._warden = None


class Warden:
    """The process that makes the cells."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._door, theirs = socket.socketpair()
        with theirs:
            # Nothing of ours goes along: no environment, no folder, no open file but this line.
            self._process = subprocess.Popen(  # noqa: S603 - our own file, by its path
                [sys.executable, "-I", "-S", "-B", str(_CELL), str(_ROOT)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )

    def call(self) -> socket.socket:
        """The line to a new cell."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._door, [b"?"], [theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def dismiss(self) -> None:
        """End it, and leave no trace of it; a process forked from ours leaves it alone."""
        self._door.close()
        if self._pid != os.getpid():
            self._process.returncode = 0  # not ours to wait for
            return
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


def _send(cell: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):  # whether it was heard shows in the answer
        cell.sendall(_SIZE.pack(len(data)) + data)


def _receive(cell: socket.socket) -> dict[str, Any] | None:
    """What the cell says, or the error that it met; nothing if it fell silent."""
    try:
        (size,) = _SIZE.unpack(_exactly(cell, _SIZE.size))
        answer: dict[str, Any] = json.loads(_exactly(cell, size))
    except (OSError, EOFError):
        return None
    if "error" in answer:
        raise _error(answer)
    return answer


def _exactly(cell: socket.socket, size: int) -> bytes:
    heard = bytearray()
    while len(heard) < size:
        piece = cell.recv(min(_PIECE, size - len(heard)))
        if not piece:
            raise EOFError
        heard += piece
    return bytes(heard)


def _error(answer: Mapping[str, Any]) -> CypherError:
    if answer["error"] == "QueryLimit":
        return QueryLimit(answer["limit"], answer["problem"])
    kinds = {"ForbiddenQuery": ForbiddenQuery, "BadQuery": BadQuery}
    return kinds.get(answer["error"], CypherError)(answer["problem"])
