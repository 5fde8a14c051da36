"""Interruption: how a long job gives way to a worker that must leave, or to whoever cancelled it.

Nothing is broken off in the middle of a write: code that takes long calls `checkpoint` between two steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_interruption: ContextVar[Callable[[], bool] | None] = ContextVar(
    "remanent_interruption", default=None
)


class Interrupted(BaseException):
    """The job in hand ends here. Like Ctrl-C it is no failure, and no `except Exception` takes it."""


@contextmanager
def interruptible(is_over: Callable[[], bool]) -> Iterator[None]:
    """Within it, in this thread, every `checkpoint` asks."""
    token = _interruption.set(is_over)
    try:
        yield
    finally:
        _interruption.reset(token)


def checkpoint() -> None:
    """Raise `Interrupted` if the job in hand is to end; costs next to nothing."""
    is_over = _interruption.get()
    if is_over is not None and is_over():
        raise Interrupted
