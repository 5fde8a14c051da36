"""What every index promises of `weigh`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from remanent.core.model.node import Kind
from remanent.core.ports.index import Entry, Few, Index, PassageFilter, Question, Vector, Weighed
from remanent_conformance.builders import a_scope, an_entry

DIMENSIONS = 8
ANN, BOB = a_scope("ann"), a_scope("bob")
TODAY = date(2024, 5, 15)
PASSAGES = (Kind.PASSAGE,)


def vector_of(*places: float) -> Vector:
    """A vector whose first numbers are these."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(places)] = places
    return vector


EAST, NORTH = vector_of(1), vector_of(0, 1)


def question_of(text: str = "", vector: Vector | None = None, **fields: Any) -> Question:
    given: dict[str, Any] = {"weights": {"lexical": 1.0, "around": 1.0}, **fields}
    return Question(text=text, vector=vector, **given)


def passages_of(source: str, *texts: str, **fields: Any) -> list[Entry]:
    """The passages of a source, one text each."""
    given = {"vector": EAST, "kind": Kind.PASSAGE, "owner_key": source, **fields}
    return [an_entry(f"{source}#{place}", text, **given) for place, text in enumerate(texts)]


def keys(weighed: Sequence[Weighed]) -> list[str]:
    return [one.key for one in weighed]


class WeighingContract:
    """Override `new_index`; its vectors have `DIMENSIONS` (8) dimensions."""

    @pytest.fixture
    def new_index(self) -> Callable[[], Index]:
        raise NotImplementedError("a function that makes an empty index of 8 dimensions")

    @pytest.fixture
    def index(self, new_index: Callable[[], Index]) -> Index:
        return new_index()

    def test_an_empty_index_has_nothing(self, index: Index) -> None:
        assert index.weigh(ANN, question_of("tea", EAST), kinds=(), limit=9) == []

    def test_the_score_is_the_sum_of_its_signals(self, index: Index) -> None:
        index.put([*passages_of("s", "tea at noon", "rain"), an_entry("b", "much tea", NORTH)])
        weights = {"lexical": 0.3, "around": 0.2, "session": 0.1, "dense": 0.4, "part": 0.2}
        for entry in index.weigh(ANN, question_of("tea", EAST, weights=weights), kinds=(), limit=9):
            assert entry.score == pytest.approx(sum(entry.signals.values()), abs=1e-6)
            assert set(entry.signals) == set(weights)

    def test_words_are_stemmed_and_the_best_has_all_the_weight(self, index: Index) -> None:
        index.put(passages_of("s", "we painted boats", "a boat", "rain"))
        weighed = index.weigh(
            ANN,
            question_of("painting a boat", weights={"lexical": 2.0, "around": 1e-9}),
            kinds=(),
            limit=9,
        )
        assert keys(weighed)[0] == "s#0"
        assert weighed[0].signals["lexical"] == pytest.approx(2.0)

    def test_what_is_around_lends_its_words(self, index: Index) -> None:
        index.put([*passages_of("s", "x", "y", "the kettle", "z"), *passages_of("t", "w", "v")])
        weighed = index.weigh(ANN, question_of("kettle", EAST), kinds=PASSAGES, limit=9)
        near = {one.key: one.signals["around"] for one in weighed}
        assert near["s#2"] > 0
        assert near["s#0"] > 0
        assert near["t#0"] == 0

    def test_what_is_set_aside_lends_less(self, index: Index) -> None:
        marked = {"marks": frozenset({"robot"})}
        index.put(passages_of("s", "one two", "three four"))
        index.put([passages_of("t", "", "kettle kettle", **marked)[1], passages_of("t", "five")[0]])
        whole = question_of("kettle", EAST)
        less = question_of("kettle", EAST, aside="robot", aside_share=0.1)

        def aside_signal(question: Question) -> float:
            weighed = index.weigh(ANN, question, kinds=PASSAGES, limit=9)
            return next(one.signals["around"] for one in weighed if one.key == "t#0")

        assert aside_signal(less) < aside_signal(whole)

    def test_a_source_lends_its_words_to_all_its_passages(self, index: Index) -> None:
        far = ["x"] * 9
        index.put([*passages_of("s", "the kettle", *far), *passages_of("t", *far)])
        question = question_of("kettle", EAST, weights={"session": 1.0, "around": 1e-9})
        weighed = index.weigh(ANN, question, kinds=PASSAGES, limit=30)
        assert {one.owner_key for one in weighed[:10]} == {"s"}
        assert weighed[0].signals["session"] == pytest.approx(1.0)

    def test_the_nearest_meaning_is_one_and_the_average_nought(self, index: Index) -> None:
        index.put([an_entry("a", "", EAST), an_entry("b", "", NORTH), an_entry("c", "", EAST)])
        index.put([an_entry("d", "", vector_of(-1))])
        question = question_of("", EAST, weights={"dense": 1.0})
        weighed = index.weigh(ANN, question, kinds=(), limit=9)
        assert keys(weighed) == ["a", "c", "b", "d"]
        # The cosines are 1, 1, 0 and -1: a quarter on average; none counts less than -1.
        assert [one.signals["dense"] for one in weighed] == pytest.approx(
            [1, 1, -1 / 3, -1], abs=1e-5
        )

    def test_a_part_is_found_by_its_own_meaning(self, index: Index) -> None:
        index.put(
            [an_entry("a", "", NORTH, parts=[EAST, NORTH]), an_entry("b", "", vector_of(1, 1))]
        )
        question = question_of("", EAST, weights={"part": 1.0})
        assert keys(index.weigh(ANN, question, kinds=(), limit=9)) == ["a", "b"]
        assert keys(
            index.weigh(ANN, question_of("", EAST, weights={"dense": 1.0}), kinds=(), limit=9)
        ) == [
            "b",
            "a",
        ]

    def test_marks_add_what_the_question_says(self, index: Index) -> None:
        index.put([an_entry("a", "tea", marks=frozenset({"asks"})), an_entry("b", "tea")])
        question = question_of("tea", marks={"manner": {"asks": -0.5, "unknown": 9.0}})
        weighed = index.weigh(ANN, question, kinds=(), limit=9)
        assert keys(weighed) == ["b", "a"]
        assert [one.signals["manner"] for one in weighed] == [0.0, -0.5]

    def test_a_mark_is_no_word(self, index: Index) -> None:
        index.put([an_entry("a", "tea", marks=frozenset({"asks"}))])
        assert index.weigh(ANN, question_of("asks"), kinds=(), limit=9) == []

    def test_the_recent_and_what_lies_in_a_period(self, index: Index) -> None:
        for days in (0, 14, 400):
            index.put([an_entry(f"d{days}", "tea", day=TODAY - timedelta(days=days))])
        index.put([an_entry("undated", "tea")])
        question = question_of(
            "tea", weights={"around": 1e-9, "recent": 1.0}, today=TODAY, fades_days=14
        )
        weighed = index.weigh(ANN, question, kinds=(), limit=9)
        assert keys(weighed) == ["d0", "undated", "d14", "d400"]
        recent = {one.key: one.signals["recent"] for one in weighed}
        assert recent["d0"] == pytest.approx(1.0)
        assert recent["d14"] == pytest.approx(0.5)
        assert weighed[0].day == TODAY
        long_ago = (TODAY - timedelta(days=500), TODAY - timedelta(days=400))
        question = question_of("tea", weights={"around": 1e-9, "period": 1.0}, periods=[long_ago])
        assert keys(index.weigh(ANN, question, kinds=(), limit=9))[0] == "d400"

    def test_without_a_vector_only_what_shares_a_word_is_found(self, index: Index) -> None:
        index.put([an_entry("a", "tea", EAST), an_entry("b", "rain", EAST)])
        assert keys(index.weigh(ANN, question_of("tea"), kinds=(), limit=9)) == ["a"]
        assert set(keys(index.weigh(ANN, question_of("tea", EAST), kinds=(), limit=9))) == {
            "a",
            "b",
        }

    def test_an_entry_without_a_vector_is_weighed_by_its_words(self, index: Index) -> None:
        index.put([an_entry("a", "tea"), an_entry("b", "rain", EAST)])
        question = question_of("tea", EAST, weights={"lexical": 9.0, "around": 1.0, "dense": 1.0})
        assert keys(index.weigh(ANN, question, kinds=(), limit=9)) == ["a", "b"]

    def test_what_fits_one_of_several_things_asked_for_fits(self, index: Index) -> None:
        index.put([an_entry("a", "kettle", EAST), an_entry("b", "boat", NORTH)])
        index.put([an_entry("c", "kettle boat rain snow", vector_of(0, 0, 1))])
        weights = {"lexical": 1.0, "around": 1.0, "part": 1.0}
        whole = question_of("kettle boat", vector_of(0, 0, 1), weights=weights)
        assert keys(index.weigh(ANN, whole, kinds=(), limit=9))[0] == "c"
        each = question_of(
            "kettle boat",
            vector_of(0, 0, 1),
            weights=weights,
            also=[("kettle", EAST), ("boat", NORTH)],
            also_share=0.9,
        )
        assert keys(index.weigh(ANN, each, kinds=(), limit=9))[:2] == ["a", "b"]

    def test_one_of_each_source(self, index: Index) -> None:
        index.put([*passages_of("s", "tea tea", "tea"), *passages_of("t", "tea and rain")])
        weighed = index.weigh(ANN, question_of("tea", EAST, one_each=True), kinds=PASSAGES, limit=9)
        assert sorted(one.owner_key for one in weighed) == ["s", "t"]

    def test_neither_limit_nor_owners_change_a_score(self, index: Index) -> None:
        index.put([*passages_of("s", "tea at noon", "rain"), *passages_of("t", "tea", "snow")])
        question = question_of(
            "tea rain", EAST, weights={"lexical": 1.0, "around": 1.0, "dense": 1.0}
        )
        every = index.weigh(ANN, question, kinds=PASSAGES, limit=9)
        assert index.weigh(ANN, question, kinds=PASSAGES, limit=2) == every[:2]
        within = {Kind.PASSAGE: {"t"}}
        assert index.weigh(ANN, question, kinds=PASSAGES, limit=9, within=within) == [
            one for one in every if one.owner_key == "t"
        ]

    def test_a_few_are_what_they_are_among_all(self, index: Index) -> None:
        words = ["tea", "tea tea rain", "snow tea snow", "rain snow", "snow"]
        index.put(
            [*passages_of("s", *words), *passages_of("t", *words), an_entry("b", "tea", EAST)]
        )
        question = question_of("tea", EAST, weights={"lexical": 1.0, "around": 1.0, "dense": 1.0})
        every = index.weigh(ANN, question, kinds=(), limit=9)
        last = every[-1].key
        for named, wanted in (((), set()), ((last,), {last}), (("t",), {"t#0", "t#1", "t#2"})):
            few = index.weigh(ANN, question, kinds=(), limit=Few(9, 2, named))
            assert few[:2] == every[:2]
            assert wanted & set(keys(every)) <= set(keys(few))
            assert [one for one in every if one in few] == few
        assert last not in keys(index.weigh(ANN, question, kinds=(), limit=Few(4, 2, {last})))

    def test_when_and_by_whom_it_was_said_are_filters_of_what_was_said_alone(
        self, index: Index
    ) -> None:
        for place in range(5):
            index.put(passages_of(f"s{place}", "tea", day=TODAY + timedelta(days=place)))
        index.put([an_entry("b", "tea", EAST, day=TODAY), *passages_of("timeless", "tea")])

        def keys_for(passages: PassageFilter) -> set[str]:
            return set(
                keys(index.weigh(ANN, question_of("tea"), kinds=(), limit=9, passages=passages))
            )

        first, last = TODAY + timedelta(days=1), TODAY + timedelta(days=3)
        always = {"b", "timeless#0"}
        assert keys_for(PassageFilter(first=first, last=last)) == {"s1#0", "s2#0", "s3#0", *always}
        assert keys_for(PassageFilter(last=first)) == {"s0#0", "s1#0", *always}
        assert keys_for(PassageFilter(by=bool)) == {"b"}  # nobody is known to have said any of it
        assert len(keys_for(PassageFilter(by=lambda speakers: not speakers))) == 7

    def test_nobody_weighs_what_another_said(self, index: Index) -> None:
        index.put([*passages_of("s", "tea", user="bob"), an_entry("b", "tea", EAST)])
        assert keys(index.weigh(ANN, question_of("tea", EAST), kinds=(), limit=9)) == ["b"]
        alone = index.weigh(BOB, question_of("tea", EAST), kinds=(), limit=9)
        assert keys(alone) == ["s#0"]

    def test_what_is_shared_comes_once(self, index: Index) -> None:
        red = a_scope("ann", "red")
        index.put(passages_of("s", "tea", readers=("user:ann", "team:red"), team="red"))
        assert keys(index.weigh(red, question_of("tea", EAST), kinds=(), limit=9)) == ["s#0"]

    def test_kinds_narrow_it(self, index: Index) -> None:
        index.put([*passages_of("s", "tea"), an_entry("b", "tea", EAST)])
        assert keys(index.weigh(ANN, question_of("tea", EAST), kinds=PASSAGES, limit=9)) == ["s#0"]

    def test_what_is_written_over_or_removed_is_gone(self, index: Index) -> None:
        index.put(passages_of("s", "tea", "rain"))
        assert keys(index.weigh(ANN, question_of("tea"), kinds=(), limit=9)) == ["s#0", "s#1"]
        index.put(passages_of("s", "snow"))
        assert index.weigh(ANN, question_of("tea"), kinds=(), limit=9) == []
        index.remove(["s#1"])
        assert index.weigh(ANN, question_of("rain"), kinds=(), limit=9) == []
