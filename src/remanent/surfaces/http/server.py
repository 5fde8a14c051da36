"""A server: the API with all its faces, a worker and the timetable in one process, until somebody says stop."""

from __future__ import annotations

import errno
import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI

from remanent.errors import InvalidInput, RemanentError
from remanent.memory import Memory
from remanent.surfaces.cli import worker
from remanent.surfaces.http.app import Face
from remanent.surfaces.http.caller import Door
from remanent.surfaces.mcp.mounted import mcp_face
from remanent.surfaces.web import web_face

_BACKLOG: Final = 512
_ANSWER_SECONDS: Final = 4  # for requests in flight, once we are told to stop
_UPKEEP_SECONDS: Final = 3600.0
_LOOK_AFTER: Final = 20_000  # new objects; 700, as usual, are a part of one answer
_LOG: Final = logging.getLogger("remanent.http")


class Refused(InvalidInput):
    """There is no way to listen there."""


def listen(host: str, port: int, *, share_port: bool = False) -> socket.socket:
    """A socket that takes connections from now on; with `share_port`, its part of them,
    beside all who listen there so."""
    if share_port and not hasattr(socket, "SO_REUSEPORT"):
        raise Refused("share_port", "this system gives a port to one server only")
    try:
        kind, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(kind, socket.SOCK_STREAM)
    except OSError as problem:
        raise Refused("host", f"{host!r} is no address of this machine: {problem}") from None
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if share_port:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        opened.bind(place)
        opened.listen(_BACKLOG)
    except OSError as problem:
        opened.close()
        raise _refusal(host, port, problem) from None
    return opened


def _refusal(host: str, port: int, problem: OSError) -> Refused:
    if problem.errno == errno.EADDRINUSE:
        return Refused("port", f"{port} is taken by another program; try --port {port + 1}")
    if problem.errno == errno.EACCES:
        return Refused("port", f"{port} needs more rights; try one from 1024 up")
    return Refused("host", f"cannot listen on {host}: {problem.strerror}")


def address_of(opened: socket.socket) -> str:
    """Where a socket listens, as a URL."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _Listener(uvicorn.Server):
    """uvicorn, which leaves signals to us: they end the worker and the streams as well."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """Serves an app on a socket, with so many workers beside it. `stop` may come from any thread."""

    def __init__(
        self, app: FastAPI, opened: socket.socket, *, place: str, workers: int = 1
    ) -> None:
        self._door: Door = app.state.door
        self._socket = opened
        self._place = place
        self._workers = workers
        self._stopping = self._door.stopping
        self._listener = _Listener(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_ANSWER_SECONDS,
            )
        )

    def run(self, announce: Callable[[], None] | None = None) -> None:
        """Until a signal or `stop`. Requests in flight are answered then, and the job in hand is finished
        or handed back, within seconds; a second signal ends it at once. `announce` is called when
        both would be heard."""
        threads = [
            threading.Thread(target=one, name=f"remanent-{one.__name__.strip('_')}", daemon=True)
            for one in (self._warm_up, self._work, self._upkeep)
        ]
        with self._heeding_signals():
            if announce is not None:
                announce()
            for one in threads:
                one.start()
            try:
                self._listener.run(sockets=[self._socket])
            finally:
                self._stopping.set()
                for one in threads:
                    one.join()

    def stop(self) -> None:
        """End in good order."""
        self._stopping.set()
        self._listener.should_exit = True

    @contextmanager
    def _heeding_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._on_signal) for number in worker.SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signals come so
        worker.leave_within(
            self._door.memory, 0.0 if self._stopping.is_set() else worker.LEAVE_SECONDS
        )
        self.stop()

    # -- what goes on beside ----------------------------------------------------------------------

    def _warm_up(self) -> None:
        """So that the first who asks does not wait for weights."""
        self._bravely(self._door.memory.warm_up)
        gc.set_threshold(_LOOK_AFTER)

    def _work(self) -> None:
        if self._workers == 0:
            return
        labour = self._work_together if self._workers > 1 else self._work_alone
        while not self._stopping.is_set():
            self._bravely(labour)
            self._stopping.wait(worker.REST_SECONDS)

    def _work_alone(self) -> None:
        stop = self._stopping
        worker.work_and_sleep(self._door.memory, stop=stop.is_set, rest=stop.wait)

    def _work_together(self) -> None:
        limits = worker.shared(None, self._workers)
        crew = worker.Crew(memory=self._place, user=None, follow=True, limits=limits)
        crew.work(stop=self._stopping.is_set)

    def _upkeep(self) -> None:
        while not self._stopping.is_set():
            self._bravely(self._door.memory.once.purge)
            self._stopping.wait(_UPKEEP_SECONDS)

    def _bravely(self, do: Callable[[], object]) -> None:
        """What fails beside the API is told, and ends nothing else."""
        try:
            do()
        except RemanentError:
            _LOG.exception("a part of the server failed; it goes on")


def keys_of(memory: Memory) -> int:
    """How many keys let somebody in now."""
    every = memory.keys()
    return sum(one.revoked_at is None for one in every)


def faces(mcp_groups: str = "") -> Sequence[Face]:
    """All that are served, with what other distributions bring: mem0's API, where it is installed."""
    brought = (Face(router=one.load()) for one in entry_points(group="remanent.routers"))
    return (mcp_face(mcp_groups), *brought, web_face())
