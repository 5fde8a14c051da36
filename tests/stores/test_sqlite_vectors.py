"""Shelves: rows are added and never overwritten, and the dead are cleared away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.model.node import Kind
from remanent.core.ports.index import Question, Weighed
from remanent.stores.engine import planes
from remanent.stores.engine.planes import Planes
from remanent.stores.engine.postings import Postings, Runs, Written
from remanent.stores.engine.vectors import Label, Shut, VectorMatrix, arranged, unit_rows
from remanent.stores.engine.weighing import Asking, Weighing

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


def many(rows: int = 3000, wide: int = 48) -> tuple[np.ndarray, VectorMatrix]:
    """Passages in conversations of ten, some without a vector, some with vectors of their parts."""
    rng = np.random.default_rng(5)
    vectors = unit_rows(rng.standard_normal((rows, wide)).astype(np.float32))
    vectors[::17] = 0
    few = vectors[:0]
    parts = [
        unit_rows(rng.standard_normal((2, wide)).astype(np.float32)) if n % 3 == 1 else few
        for n in range(rows)
    ]
    labels = [
        Label(n, f"s{n // 10}#{n % 10}", Kind.PASSAGE, f"s{n // 10}", None) for n in range(rows)
    ]
    written = [
        Written(WORDS[n % 5] if n % 7 == 0 else "", "", f"s{n // 10}", n % 10) for n in range(rows)
    ]
    shelf = VectorMatrix.empty(wide)
    return vectors, shelf.renewed(1, labels, vectors, written, private=False, parts=parts)


def test_a_key_that_its_source_and_place_tell_is_not_held() -> None:
    """Keys were a tenth of the memory of a large shelf."""
    labels = [
        Label(1, "s1#7", Kind.PASSAGE, "s1", None),
        Label(2, "s1#08", Kind.PASSAGE, "s1", None),
        Label(3, "k3", Kind.BELIEF, "k3", None),
    ]
    written = [one.written("tea", "", None, None, None) for one in labels]
    shelf = VectorMatrix.empty(2)
    shelf = shelf.renewed(1, labels, np.eye(3, 2, dtype=np.float32), written, private=False)

    assert shelf.keys == [None, "s1#08", "k3"]
    assert shelf.labels_of(np.arange(3)) == labels


def test_planes_give_vectors_back() -> None:
    vectors, _ = many(200)

    assert np.abs(Planes.of(vectors).vectors() - vectors).max() < 1e-7


def test_the_nearest_of_many_are_those_that_are_nearest() -> None:
    vectors, shelf = many()
    asked = unit_rows(np.random.default_rng(6).standard_normal((20, 48)).astype(np.float32))

    for unit in asked:
        cosines = vectors.astype(np.float64) @ unit.astype(np.float64)
        cosines[::17] = -1
        best = np.argsort(-cosines)[:50]
        found = shelf.nearest(unit, 50, kinds=(), shut=Shut())

        assert [one.key for one in found] == [f"s{n // 10}#{n % 10}" for n in best]
        assert [one.score for one in found] == pytest.approx(cosines[best].tolist(), abs=1e-6)


def test_one_pass_over_all_rows_serves_all_that_one_question_is_compared_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, shelf = many()
    one, other = unit_rows(np.random.default_rng(8).standard_normal((2, 48)).astype(np.float32))
    rows, passes, plain = np.arange(shelf.count), [], Planes.cosines
    monkeypatch.setattr(
        Planes, "cosines", lambda *given: passes.append(given) or plain(*given), raising=True
    )

    whole = shelf.cosines(one, rows)
    half = shelf.cosines(one, rows[::2])

    assert len(passes) == 1
    assert half.values.tolist() == whole.values[::2].tolist()
    assert shelf.cosines(other, rows).values.tolist() != whole.values.tolist()


@pytest.mark.parametrize("one_each", [False, True])
def test_many_are_weighed_as_a_few_are(monkeypatch: pytest.MonkeyPatch, one_each: bool) -> None:
    _, shelf = many()
    weights = {"lexical": 0.2, "dense": 0.1, "part": 0.3, "session_dense": 0.3, "session": 0.1}
    asked = unit_rows(np.random.default_rng(7).standard_normal((20, 48)).astype(np.float32))

    def weighed(unit: np.ndarray) -> list[Weighed]:
        also = [("boat", asked[0])]
        question = Question(text="tea", vector=unit, weights=weights, one_each=one_each, also=also)
        parse = lambda text, vector: Asking([text], vector)  # noqa: E731
        weighing = Weighing([arranged(shelf, (), Shut())], [], question, parse)
        return weighing.best(limit=40, within=None)

    for unit in asked:
        roughly = weighed(unit)
        with monkeypatch.context() as patched:
            patched.setattr(planes, "_FEW", 100_000)
            exactly = weighed(unit)
        assert [one.key for one in roughly] == [one.key for one in exactly]
        for one, other in zip(roughly, exactly, strict=True):
            assert one.signals == pytest.approx(dict(other.signals), abs=1e-4)
            assert one.cosine == pytest.approx(other.cosine, abs=1e-6)


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
        if said:
            assert counted(replace(postings, runs=(Runs.joined(postings.runs),)), word) == has
    assert postings.about["length"].tolist() == [len(words) for words in said]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=4), max_size=20), st.randoms())
def test_postings_that_are_kept_say_what_they_said(said: list[list[str]], random: object) -> None:
    rows = list(range(len(said)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    rows = rows[: len(rows) // 2]
    written = [Written(" ".join(words), "", "one", place) for place, words in enumerate(said)]

    kept = Postings().grown(written).select(np.array(rows, dtype=np.intp))

    for word in WORDS:
        has = {new: said[row].count(word) for new, row in enumerate(rows) if word in said[row]}
        assert counted(kept, word) == has


def test_a_mark_is_not_a_word_and_has_no_length() -> None:
    postings = Postings().grown([Written("tea tea", "asks tea", "one", 0)])

    assert counted(postings, "tea") == {0: 2.0}
    assert counted(postings, "asks") == {}
    assert postings.of("asks", mark=True)[0].tolist() == [0]
    assert postings.about["length"].tolist() == [2.0]


def test_whoever_holds_older_postings_does_not_see_newer_words() -> None:
    older = Postings().grown([Written("tea", "", "one", 0)])
    older.grown([Written("tea rain", "", "one", 1)])

    assert counted(older, "tea") == {0: 1.0}
    assert counted(older, "rain") == {}
