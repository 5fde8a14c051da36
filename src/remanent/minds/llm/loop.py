"""One event loop of our own, in a thread of its own: connections live longer than a call, and any
thread may call, whether or not it has a loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Loop:
    """The loop of one process; a fork has to start its own."""

    pid: int
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    gates: dict[int, asyncio.Semaphore] = field(default_factory=dict)


_starting = threading.Lock()
_running: list[_Loop] = []


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to. Whoever stops waiting, by an interrupt, stops the work."""
    future = asyncio.run_coroutine_threadsafe(work, _loop().loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def gate(concurrency: int) -> asyncio.Semaphore:
    """Lets so many through at once, of all in this process who agree on the number; ask on the loop."""
    return _loop().gates.setdefault(concurrency, asyncio.Semaphore(max(1, concurrency)))


def _loop() -> _Loop:
    with _starting:
        if not _running or _running[-1].pid != os.getpid():
            fresh = _Loop(os.getpid())
            threading.Thread(target=fresh.loop.run_forever, name="minds", daemon=True).start()
            _running.append(fresh)
        return _running[-1]
