"""BLAS is held to one thread whoever multiplies: in the first thread of the process and in all others."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from remanent.core.blas import one_thread

pytestmark = pytest.mark.quick


def threads_of_blas() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_every_thread_of_the_process_is_heard() -> None:
    before, seen = threads_of_blas(), list[set[int]]()

    def look() -> None:
        with one_thread():
            seen.append(threads_of_blas())

    look()
    for _ in range(3):
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert seen == [{1}] * 4
    assert threads_of_blas() == before


def test_it_is_let_go_when_the_last_has_left() -> None:
    before = threads_of_blas()
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with one_thread():
            inside.set()
            leave.wait(600)

    other = threading.Thread(target=stay)
    other.start()
    assert inside.wait(600)
    with one_thread():
        assert threads_of_blas() == {1}
    assert threads_of_blas() == {1}
    leave.set()
    other.join()
    assert threads_of_blas() == before
