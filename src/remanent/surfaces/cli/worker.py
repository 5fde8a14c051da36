"""A worker: does jobs, round after round, and sleep when it is due. Run as a module it is one of several
processes.

Its order is a JSON document on the command line; it tells of every job in a line on standard output
and stops, after the job in hand, when its standard input is closed. So it also stops when whoever
started it is gone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from remanent.clock import stopwatch
from remanent.config import load_config
from remanent.core.model.codec import to_record
from remanent.core.model.page import Step, Worked
from remanent.core.model.sleep import Scheduled
from remanent.memory import Memory, UserMemory

REST_SECONDS: Final = 1.0  # between two looks at an empty queue
LOOK_SECONDS: Final = 60.0  # between two looks at the timetable, unless a job falls due sooner


def rounds(
    who: Memory | UserMemory,
    *,
    limit: int | None,
    progress: Callable[[Step], None],
    stop: Callable[[], bool],
    rest: Callable[[float], object] | None,
) -> Worked:
    """Work and sleep until nothing is due; with a `rest` to take, until told to stop."""
    total, look = Worked(), 0.0
    while True:
        left = None if limit is None else limit - handled(total)
        total = plus(total, who.work(limit=left, progress=progress, stop=stop))
        if stop() or handled(total) == limit:
            return total
        promised = 0
        if rest is None or stopwatch() >= look:
            found = who.schedule()
            promised, look = found.promised, stopwatch() + _pause(found)
        if not promised and rest is None:
            return total
        if not promised and rest is not None:
            rest(REST_SECONDS)


def _pause(found: Scheduled) -> float:
    """Until the next job falls due. Now and then sooner: somebody may have been registered."""
    return LOOK_SECONDS if found.wait is None else min(LOOK_SECONDS, found.wait.total_seconds())


def plus(one: Worked, other: Worked) -> Worked:
    return Worked(
        done=one.done + other.done,
        retried=one.retried + other.retried,
        parked=one.parked + other.parked,
    )


def handled(worked: Worked) -> int:
    return worked.done + worked.retried + worked.parked


def main(order: dict[str, Any]) -> int:
    """One process among several."""
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    with Memory.open(load_config(order["memory"])) as memory:
        named = order["user"]
        worked = rounds(
            memory if named is None else memory.user(named, create=False),
            limit=order["limit"],
            progress=lambda step: _tell({"step": to_record(step)}),
            stop=stop.is_set,
            rest=stop.wait if order["follow"] else None,
        )
    _tell({"worked": to_record(worked)})
    return 0


def _listen(stop: threading.Event) -> None:
    while os.read(0, 64):  # not `sys.stdin`, whose lock would be held at the end of the process
        pass
    stop.set()


def _tell(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
