"""The server on standard input and output, as a client starts it, with a worker beside it."""

from __future__ import annotations

import threading
from typing import Any

from remanent.core.model.page import Step
from remanent.core.records.access import Power
from remanent.errors import Forbidden
from remanent.memory import Memory, UserMemory
from remanent.surfaces.cli.worker import rounds
from remanent.surfaces.mcp.server import make_server


def serve(memory: Memory, me: UserMemory, *, worker: bool = True, writes: bool = True) -> None:
    """Answer until the client closes our standard input. What is added is read meanwhile, and sleep that
    is due is slept, by a thread that ends with us."""
    done = threading.Event()
    shift = threading.Thread(target=_work, args=(memory, done), name="worker", daemon=True)
    if worker:
        shift.start()
    try:
        make_server(lambda _, power: _for(me, power, writes=writes)).run("stdio")
    finally:
        done.set()
        if worker:
            shift.join()


def _for(me: UserMemory, power: Power, *, writes: bool) -> UserMemory:
    if power is not Power.READ and not writes:
        raise Forbidden("this server only reads: it was started with --read-only")
    return me


def _work(memory: Memory, done: threading.Event) -> None:
    def nobody(step: Step) -> Any:
        """Nobody watches; what fails is retried or parked, and `remanent jobs` shows it."""

    rounds(memory, limit=None, progress=nobody, stop=done.is_set, rest=done.wait)
