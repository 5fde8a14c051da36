"""Workers: do jobs, round after round, and sleep when it is due, in this process or in several; and how they stop.

Run as a module it is one of several processes. Its order is a JSON document on the command line; it
prints a line for every job and stops, after the job in hand, when its standard input is closed. So it
also stops when whoever started it is gone.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, Final

from remanent.clock import stopwatch
from remanent.config import load_config
from remanent.core.dataclasses import dataclass, field
from remanent.core.later import load_all
from remanent.core.model.codec import to_record
from remanent.core.model.page import Step, Worked
from remanent.core.model.sleep import Scheduled
from remanent.errors import RemanentError, UnreachableMemory
from remanent.jobs.work import hand_back_jobs
from remanent.memory import Memory, UserMemory

# One wish to stop may arrive twice: `timeout` and shells signal a program and then its whole group.
_ECHO_SECONDS: Final = 0.5
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
LEAVE_SECONDS: Final = 4.2  # from a signal on; whoever sent it may kill us soon after
_HAND_BACK_SECONDS: Final = 0.5


def leave_within(
    memory: Memory, seconds: float = LEAVE_SECONDS, *, code: int = 0
) -> threading.Timer:
    """End this process after so long, whatever it is still at; jobs in hand are handed back before."""

    def hand_back() -> None:
        with suppress(RemanentError):  # its lease runs out by itself
            hand_back_jobs(memory.env)

    def leave() -> None:
        # A job in the middle of a long write lets nobody else write: not waited for either.
        handing = threading.Thread(target=hand_back, daemon=True)
        handing.start()
        handing.join(_HAND_BACK_SECONDS)
        os._exit(code)

    timer = threading.Timer(seconds, leave)
    timer.daemon = True
    timer.start()
    return timer


class Stop:
    """While it is entered, a signal does not end the program: whoever works asks, and ends in good order.
    Whoever does not come to that end soon is left where they are, and their job is handed back."""

    def __init__(self, notice: Callable[[], None], memory: Memory) -> None:
        self._notice = notice
        self._memory = memory
        self._leaving: threading.Timer | None = None
        self._stopping = threading.Event()
        self._before: dict[int, Any] = {}
        self._insists_from = 0.0

    def __call__(self) -> bool:
        """Whether somebody asked to stop."""
        return self._stopping.is_set()

    def wait(self, seconds: float) -> bool:
        """Rest for so long, unless somebody asks to stop; whether somebody did."""
        return self._stopping.wait(seconds)

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():  # only it may listen to signals
            for number in SIGNALS:
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
        for number, before in self._before.items():
            signal.signal(number, before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signals come so
        if self._stopping.is_set():
            if stopwatch() > self._insists_from:
                raise KeyboardInterrupt
            return
        self._insists_from = stopwatch() + _ECHO_SECONDS
        self._stopping.set()
        self._leaving = leave_within(self._memory, code=128 + signal.SIGINT)
        with suppress(RuntimeError):  # we may have come in the middle of another line
            self._notice()


_LOOK_SECONDS: Final = 0.2  # how often we look whether somebody wants us to stop


@dataclass(slots=True, kw_only=True)
class Crew:
    """Starts the workers, follows what they print, and passes on the wish to stop. Each has its limit of jobs;
    without a user they serve everyone."""

    memory: str
    user: str | None
    follow: bool
    limits: Sequence[int | None]
    failed: int = 0
    _workers: list[subprocess.Popen[str]] = field(default_factory=list)
    _listeners: list[threading.Thread] = field(default_factory=list)
    _messages: queue.SimpleQueue[dict[str, Any] | None] = field(default_factory=queue.SimpleQueue)

    def work(
        self, *, stop: Callable[[], bool], progress: Callable[[Step], None] = lambda _: None
    ) -> Worked:
        """Until every worker has left; what they did together."""
        try:
            self._start()
            total = self._follow(progress, stop)
            self.failed = sum(worker.wait() != 0 for worker in self._workers)
        finally:
            self._end()
        return total

    def _start(self) -> None:
        for limit in self.limits:
            order = json.dumps({"user": self.user, "follow": self.follow, "limit": limit})
            worker = subprocess.Popen(  # noqa: S603 - our own module, and no shell
                [sys.executable, "-m", "remanent.surfaces.cli.worker", order],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                # Not on the command line, which everybody may read: it may have a password in it.
                env={**os.environ, "REMANENT_MEMORY": self.memory},
            )
            self._workers.append(worker)
            listener = threading.Thread(target=self._listen, args=(worker,), daemon=True)
            listener.start()
            self._listeners.append(listener)

    def _listen(self, worker: subprocess.Popen[str]) -> None:
        for line in worker.stdout or ():
            self._messages.put(json.loads(line))
        self._messages.put(None)

    def _follow(self, progress: Callable[[Step], None], stop: Callable[[], bool]) -> Worked:
        total, running, is_asked = Worked(), len(self._workers), False
        while running:
            if stop() and not is_asked:
                is_asked = True
                self._ask_to_stop()
            try:
                message = self._messages.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if message is None:
                running -= 1
            elif "step" in message:
                progress(Step(**message["step"]))
            else:
                total += Worked(**message["worked"])
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


REST_SECONDS: Final = 1.0  # between two looks at an empty queue
LOOK_SECONDS: Final = 60.0  # between two looks at the timetable, unless a job falls due sooner


def work_and_sleep(
    who: Memory | UserMemory,
    *,
    stop: Callable[[], bool],
    rest: Callable[[float], object] | None,
    limit: int | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Worked:
    """Work and sleep until nothing is due; with a `rest` to take, until told to stop, and while the
    server that keeps the memory is away, until it is back."""
    if rest is not None:
        load_all()
    done, look = Worked(), 0.0
    while not stop():
        try:
            left = None if limit is None else limit - done.handled
            done += who.work(limit=left, progress=progress, stop=stop)
            if stop() or done.handled == limit:
                return done
            promised, look = _promised(who, 0.0 if rest is None else look)
            if not promised and rest is None:
                return done
            if not promised and rest is not None:
                (who.env.stores.wait_for_work or rest)(REST_SECONDS)
        except UnreachableMemory:
            if rest is None:
                raise
            rest(REST_SECONDS)
            look = 0.0
            with suppress(UnreachableMemory):
                hand_back_jobs(who.env)
    return done


def _promised(who: Memory | UserMemory, look: float) -> tuple[int, float]:
    """How many jobs the timetable promised, if it is time to look at it, and when to look again."""
    if stopwatch() < look:
        return 0, look
    scheduled = who.schedule()
    return scheduled.promised, stopwatch() + _pause(scheduled)


def _pause(scheduled: Scheduled) -> float:
    """Until the next job falls due. Now and then sooner: somebody may have been registered."""
    wait = LOOK_SECONDS if scheduled.wait is None else scheduled.wait.total_seconds()
    return min(LOOK_SECONDS, wait)


def main(order: dict[str, Any]) -> int:
    """One process among several."""
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started us
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    with Memory.open(load_config()) as memory:
        threading.Thread(target=_leave_in_time, args=(memory, stop), daemon=True).start()
        named = order["user"]
        worked = work_and_sleep(
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


def _leave_in_time(memory: Memory, stop: threading.Event) -> None:
    stop.wait()
    leave_within(memory)


def _tell(record: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    os._exit(main(json.loads(sys.argv[1])))  # as the command itself ends
