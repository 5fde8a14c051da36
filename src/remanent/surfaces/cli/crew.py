"""Several workers at once, each a process of its own: the mind is Python and keeps a core busy."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from remanent.core.model.page import Step, Worked
from remanent.surfaces.cli.worker import plus

_LOOK_SECONDS: Final = 0.2  # how often we look whether somebody wants us to stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What each worker is told; without a user it serves everyone."""

    memory: str
    user: str | None
    follow: bool
    limits: Sequence[int | None]


@dataclass(slots=True)
class Crew:
    """Starts the workers, hears what they tell, and passes on the wish to stop."""

    order: Order
    failed: int = 0
    _workers: list[subprocess.Popen[str]] = field(default_factory=list)
    _listeners: list[threading.Thread] = field(default_factory=list)
    _told: queue.SimpleQueue[dict[str, Any] | None] = field(default_factory=queue.SimpleQueue)

    def work(self, *, progress: Callable[[Step], None], stop: Callable[[], bool]) -> Worked:
        """Until every worker has left; what they did together."""
        try:
            self._start()
            total = self._hear(progress, stop)
            self.failed = sum(worker.wait() != 0 for worker in self._workers)
        finally:
            self._end()
        return total

    def _start(self) -> None:
        for limit in self.order.limits:
            told = {"memory": self.order.memory, "user": self.order.user}
            order = json.dumps({**told, "follow": self.order.follow, "limit": limit})
            worker = subprocess.Popen(  # noqa: S603 - our own module, and no shell
                [sys.executable, "-m", "remanent.surfaces.cli.worker", order],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._workers.append(worker)
            listener = threading.Thread(target=self._listen, args=(worker,), daemon=True)
            listener.start()
            self._listeners.append(listener)

    def _listen(self, worker: subprocess.Popen[str]) -> None:
        for line in worker.stdout or ():
            self._told.put(json.loads(line))
        self._told.put(None)

    def _hear(self, progress: Callable[[Step], None], stop: Callable[[], bool]) -> Worked:
        total, there, asked = Worked(), len(self._workers), False
        while there:
            if stop() and not asked:
                asked = True
                self._ask_to_stop()
            try:
                told = self._told.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if told is None:
                there -= 1
            elif "step" in told:
                progress(Step(**told["step"]))
            else:
                total = plus(total, Worked(**told["worked"]))
        return total

    def _ask_to_stop(self) -> None:
        for worker in self._workers:
            if worker.stdin is not None:
                worker.stdin.close()

    def _end(self) -> None:
        """Whoever is still there when we leave in a hurry is killed: their jobs are taken over."""
        for worker in self._workers:
            if worker.poll() is None:
                worker.kill()
                worker.wait()
        for listener in self._listeners:
            listener.join()
        for worker in self._workers:
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    pipe.close()


def shared(limit: int | None, workers: int) -> list[int | None]:
    """How many jobs each of the workers may do, if there is a limit for all of them."""
    if limit is None:
        return [None] * workers
    each, more = divmod(limit, workers)
    return [each + (number < more) for number in range(min(workers, limit))]
