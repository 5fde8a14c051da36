"""Shelves: rows are added and never overwritten, and the dead are cleared away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.node import Kind
from remanent.stores.engine.postings import Postings, Written
from remanent.stores.engine.vectors import Label, Shut, VectorMatrix, unit_rows

pytestmark = pytest.mark.quick

WORDS = ("tea", "rain", "boat", "lamp", "oslo")


def label(number: int) -> Label:
    return Label(number, f"k{number}", Kind.BELIEF, f"k{number}", None)


def vector(angle: int) -> np.ndarray:
    return np.array([[np.cos(angle / 100), np.sin(angle / 100)]], dtype=np.float32)


def said(number: int, words: str = "") -> Written:
    return Written(words, "", f"k{number}", 0)


def best(shelf: VectorMatrix, angle: int) -> list[tuple[str, float]]:
    found = shelf.nearest(unit_rows(vector(angle))[0], 100, kinds=(), shut=Shut())
    return [(match.key, round(match.score, 4)) for match in found]


def test_whoever_holds_an_older_shelf_sees_it_unchanged() -> None:
    older = VectorMatrix.empty(2).renewed(1, [label(1)], vector(0), [said(1)], private=False)

    newer = older.renewed(
        2,
        [label(1), label(2)],
        np.vstack([vector(90), vector(0)]),
        [said(1), said(2)],
        private=False,
    )

    assert best(older, 0) == [("k1", 1.0)]
    assert [key for key, _ in best(newer, 90)] == ["k1", "k2"]


def test_one_entry_written_over_and_over_stays_one_row() -> None:
    shelf = VectorMatrix.empty(2)
    for version in range(1, 2000):
        shelf = shelf.renewed(version, [label(1)], vector(version % 50), [said(1)], private=False)

    assert len(best(shelf, 0)) == 1
    assert shelf.count < 200


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 150)), max_size=300), st.booleans())
def test_a_shelf_holds_the_last_vector_of_each_entry(
    writes: list[tuple[int, int]], private: bool
) -> None:
    shelf, expected = VectorMatrix.empty(2), {}
    for version, (number, angle) in enumerate(writes, start=1):
        shelf = shelf.renewed(
            version, [label(number)], vector(angle), [said(number)], private=private
        )
        expected[f"k{number}"] = float(np.cos(angle / 100))

    assert dict(best(shelf, 0)) == pytest.approx(expected, abs=0.001)


def counted(postings: Postings, word: str) -> dict[int, float]:
    rows, counts = postings.of(word)
    return dict(zip(rows.tolist(), counts.tolist(), strict=True))


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=30), st.integers(1, 7))
def test_postings_know_how_often_each_row_has_a_word(said: list[list[str]], step: int) -> None:
    written = [Written(" ".join(words), "", "one", place) for place, words in enumerate(said)]
    postings = Postings()
    for start in range(0, len(written), step):
        postings = postings.grown(written[start : start + step])

    for word in WORDS:
        has = {row: words.count(word) for row, words in enumerate(said) if word in words}
        assert counted(postings, word) == has
        assert counted(postings.ordered(postings.flat()), word) == has
    assert postings.lengths.tolist() == [len(words) for words in said]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=4), max_size=20), st.randoms())
def test_postings_that_are_kept_say_what_they_said(said: list[list[str]], random: object) -> None:
    rows = list(range(len(said)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    rows = rows[: len(rows) // 2]
    written = [Written(" ".join(words), "", "one", place) for place, words in enumerate(said)]

    kept = Postings().grown(written).select(rows)

    for word in WORDS:
        has = {new: said[row].count(word) for new, row in enumerate(rows) if word in said[row]}
        assert counted(kept, word) == has


def test_a_mark_is_not_a_word_and_has_no_length() -> None:
    postings = Postings().grown([Written("tea tea", "asks tea", "one", 0)])

    assert counted(postings, "tea") == {0: 2.0}
    assert counted(postings, "asks") == {}
    assert postings.of("asks", mark=True)[0].tolist() == [0]
    assert postings.lengths.tolist() == [2.0]


def test_whoever_holds_older_postings_does_not_see_newer_words() -> None:
    older = Postings().grown([Written("tea", "", "one", 0)])
    older.grown([Written("tea rain", "", "one", 1)])

    assert counted(older, "tea") == {0: 1.0}
    assert counted(older, "rain") == {}
