"""One BLAS thread while we multiply: on small matrices, and on busy cores, more threads are slower."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import ThreadpoolController

# Finds numpy's BLAS, which its callers have loaded.
_controller = functools.cache(ThreadpoolController)
_lock = threading.Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold the process's BLAS to one thread until the last of us has left, then let it go again.

    Limits are the process's, not a thread's: whoever restored on leaving would undo the others'.
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside, _limit
    with _lock:
        _inside += 1
        if _inside == 1:
            _take_control()
            _limit = _controller().limit(limits=1, user_api="blas")


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if _inside == 0:
            _take_control()
            _limit.restore_original_limits()


def _take_control() -> None:
    """Newer threadpoolctl listens to one thread of the process and ignores all others without a word;
    our lock sees to it that only one of us speaks."""
    for library in _controller().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)
