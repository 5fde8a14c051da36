"""Ctrl-C and SIGTERM: the first asks to stop, the second insists."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Final

from remanent.clock import stopwatch

# One wish to stop may arrive twice: `timeout` and shells signal a program and then its whole group.
_ECHO_SECONDS: Final = 0.5
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """While it is entered, a signal does not end the program: whoever works asks, and ends in good order."""

    def __init__(self, notice: Callable[[], None]) -> None:
        self._notice = notice
        self._asked = threading.Event()
        self._before: dict[int, Any] = {}
        self._insists_from = 0.0

    def __call__(self) -> bool:
        """Whether somebody asked to stop."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Rest for so long, unless somebody asks to stop; whether somebody did."""
        return self._asked.wait(seconds)

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():  # only it may listen to signals
            for number in _SIGNALS:
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signals come so
        if self._asked.is_set():
            if stopwatch() > self._insists_from:
                raise KeyboardInterrupt
            return
        self._insists_from = stopwatch() + _ECHO_SECONDS
        self._asked.set()
        with suppress(RuntimeError):  # we may have come in the middle of another line
            self._notice()
