"""Shelves: rows are added and never overwritten, and the dead are cleared away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.model.node import Kind
from remanent.stores.sqlite.vectors import Label, Shelf, unit_rows


def label(number: int) -> Label:
    return Label(number, f"k{number}", Kind.BELIEF, f"k{number}", None)


def vector(angle: int) -> np.ndarray:
    return np.array([[np.cos(angle / 100), np.sin(angle / 100)]], dtype=np.float32)


def best(shelf: Shelf, angle: int) -> list[tuple[str, float]]:
    found = shelf.nearest(unit_rows(vector(angle))[0], 100, kinds=(), left=frozenset())
    return [(match.key, round(match.score, 4)) for match in found]


def test_whoever_holds_an_older_shelf_sees_it_unchanged() -> None:
    older = Shelf.empty(2).renewed(1, [label(1)], vector(0), private=False)

    newer = older.renewed(
        2, [label(1), label(2)], np.vstack([vector(90), vector(0)]), private=False
    )

    assert best(older, 0) == [("k1", 1.0)]
    assert [key for key, _ in best(newer, 90)] == ["k1", "k2"]


def test_one_entry_written_over_and_over_stays_one_row() -> None:
    shelf = Shelf.empty(2)
    for version in range(1, 2000):
        shelf = shelf.renewed(version, [label(1)], vector(version % 50), private=False)

    assert len(best(shelf, 0)) == 1
    assert shelf.count < 200


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 150)), max_size=300), st.booleans())
def test_a_shelf_holds_the_last_vector_of_each_entry(
    writes: list[tuple[int, int]], private: bool
) -> None:
    shelf, expected = Shelf.empty(2), {}
    for version, (number, angle) in enumerate(writes, start=1):
        shelf = shelf.renewed(version, [label(number)], vector(angle), private=private)
        expected[f"k{number}"] = float(np.cos(angle / 100))

    assert dict(best(shelf, 0)) == pytest.approx(expected, abs=0.001)
