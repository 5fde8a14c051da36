"""What every index promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Index, Match, Vector
from remanent.errors import EmbedderError
from remanent_conformance.builders import a_scope, an_entry

DIMENSIONS = 8
ANN, BOB = a_scope("ann"), a_scope("bob")
SHARED = ("user:ann", "team:red")


def vector_of(*places: float) -> Vector:
    """A vector whose first numbers are these."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(places)] = places
    return vector


EAST, NORTH = vector_of(1), vector_of(0, 1)


def keys(matches: Sequence[Match]) -> list[str]:
    return [match.key for match in matches]


class IndexContract:
    """Override `new_index`; its vectors have `DIMENSIONS` (8) dimensions."""

    @pytest.fixture
    def new_index(self) -> Callable[[], Index]:
        raise NotImplementedError("a function that makes an empty index of 8 dimensions")

    @pytest.fixture
    def index(self, new_index: Callable[[], Index]) -> Index:
        return new_index()

    # -- by meaning ---------------------------------------------------------------------------

    def test_the_nearest_come_first_with_their_cosine(self, index: Index) -> None:
        index.put(
            [
                an_entry("north", "", NORTH),
                an_entry("east", "", EAST, kind=Kind.SOURCE, owner_key="owner"),
                an_entry("northeast", "", vector_of(3, 3)),
                an_entry("west", "", vector_of(-2)),
            ]
        )
        matches = index.near(ANN, vector_of(5), kinds=(), limit=10)
        assert keys(matches) == ["east", "northeast", "north", "west"]
        assert (matches[0].kind, matches[0].owner_key) == (Kind.SOURCE, "owner")
        assert [match.score for match in matches] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)

    def test_only_as_many_as_asked_for(self, index: Index) -> None:
        index.put([an_entry(f"e{n}", "", vector_of(1, n)) for n in range(9)])
        assert keys(index.near(ANN, EAST, kinds=(), limit=3)) == ["e0", "e1", "e2"]
        assert index.near(ANN, EAST, kinds=(), limit=0) == []

    def test_ties_are_in_order_of_key(self, index: Index) -> None:
        rng = np.random.default_rng(7)
        same = rng.normal(size=DIMENSIONS).astype(np.float32)
        names = [f"e{n:02}" for n in rng.permutation(40)]
        index.put([an_entry(name, "", same) for name in names])
        index.put([an_entry("far", "", -same)])
        assert keys(index.near(ANN, same, kinds=(), limit=10)) == sorted(names)[:10]

    def test_nearness_is_exact(self, index: Index) -> None:
        rng = np.random.default_rng(8)
        vectors = rng.normal(size=(300, DIMENSIONS)).astype(np.float32)
        query = rng.normal(size=DIMENSIONS).astype(np.float32)
        index.put([an_entry(f"e{n:03}", "", one) for n, one in enumerate(vectors)])
        wide = vectors.astype(np.float64)
        cosines = wide @ query / np.linalg.norm(wide, axis=1)
        best = [f"e{n:03}" for n in np.argsort(-cosines)[:25]]
        assert keys(index.near(ANN, query, kinds=(), limit=25)) == best
        tenth = index.near(ANN, query, kinds=(), limit=10)[-1].score
        assert keys(index.near(ANN, query, kinds=(), limit=25, least=tenth)) == best[:10]
        assert keys(index.near(ANN, query, kinds=(), limit=5, least=tenth)) == best[:5]

    def test_kinds_narrow_both_searches(self, index: Index) -> None:
        index.put(
            [
                an_entry("b", "tea", EAST),
                an_entry("p", "tea", EAST, kind=Kind.PASSAGE),
                an_entry("s", "tea", EAST, kind=Kind.SOURCE),
            ]
        )
        kinds = [Kind.PASSAGE, Kind.SOURCE]
        assert keys(index.near(ANN, EAST, kinds=kinds, limit=9)) == ["p", "s"]
        assert keys(index.match(ANN, "tea", kinds=kinds, limit=9)) == ["p", "s"]
        assert keys(index.near(ANN, EAST, kinds=[Kind.EVENT], limit=9)) == []
        assert keys(index.match(ANN, "tea", kinds=[Kind.EVENT], limit=9)) == []

    def test_what_has_no_vector_can_be_asked_for_alone(self, index: Index) -> None:
        index.put([an_entry("a", "tea", EAST), an_entry("b", "tea tea"), an_entry("c", "coffee")])
        assert keys(index.match(ANN, "tea", kinds=(), limit=1, unmeant=True)) == ["b"]
        assert index.match(BOB, "tea", kinds=(), limit=9, unmeant=True) == []
        index.put([an_entry(key, "tea", EAST) for key in ("b", "c")])
        assert index.match(ANN, "tea", kinds=(), limit=9, unmeant=True) == []

    def test_owners_narrow_both_searches_before_the_limit(self, index: Index) -> None:
        near = [an_entry(f"n{n}", "tea tea", EAST, kind=Kind.PASSAGE) for n in range(9)]
        far = an_entry("far", "tea and much else", NORTH, kind=Kind.PASSAGE, owner_key="one")
        index.put([*near, far, an_entry("b", "tea at noon", vector_of(1, 1))])
        within = {Kind.PASSAGE: {"one", "two"}}
        assert keys(index.near(ANN, EAST, kinds=(), limit=2, within=within)) == ["b", "far"]
        assert sorted(keys(index.match(ANN, "tea", kinds=(), limit=2, within=within))) == [
            "b",
            "far",
        ]
        nobody: dict[Kind, set[str]] = {Kind.PASSAGE: set(), Kind.BELIEF: {"far"}}
        assert index.near(ANN, EAST, kinds=(), limit=9, within=nobody) == []
        assert index.match(ANN, "tea", kinds=(), limit=9, within=nobody) == []
        only = {Kind.PASSAGE: {"one"}}
        assert index.near(BOB, EAST, kinds=(), limit=9, within=only) == []
        assert index.match(BOB, "tea", kinds=(), limit=9, within=only) == []

    def test_an_entry_without_a_vector_is_found_by_words_alone(self, index: Index) -> None:
        index.put([an_entry("a", "tea")])
        assert index.near(ANN, EAST, kinds=(), limit=9) == []
        assert keys(index.match(ANN, "tea", kinds=(), limit=9)) == ["a"]

    def test_a_vector_that_does_not_fit_is_refused(self, index: Index) -> None:
        long = np.ones(DIMENSIONS + 1, dtype=np.float32)
        with pytest.raises(EmbedderError, match="9 dimensions"):
            index.put([an_entry("fits", "tea", EAST), an_entry("long", "tea", long)])
        with pytest.raises(EmbedderError, match="9 dimensions"):
            index.near(ANN, long, kinds=(), limit=9)
        with pytest.raises(EmbedderError):
            index.put([an_entry("nan", "tea", vector_of(float("nan")))])
        assert index.match(ANN, "tea", kinds=(), limit=9) == []

    def test_stored_vectors_come_back_as_they_were(self, index: Index) -> None:
        index.put([an_entry("a", "", vector_of(3, 4)), an_entry("b", "")])
        index.put([an_entry("c", "", EAST, user="bob")])
        vectors = index.vectors(ANN, ["a", "b", "c", "d"])
        assert list(vectors) == ["a"]
        assert vectors["a"].dtype == np.float32
        assert vectors["a"].tolist() == vector_of(3, 4).tolist()

    # -- by words -----------------------------------------------------------------------------

    def test_words_are_stemmed_and_folded(self, index: Index) -> None:
        index.put([an_entry("a", "She was RUNNING to the Café"), an_entry("b", "a house")])
        assert keys(index.match(ANN, "who runs?", kinds=(), limit=9)) == ["a"]
        assert keys(index.match(ANN, "cafe", kinds=(), limit=9)) == ["a"]
        assert keys(index.match(ANN, "cafe\u0301s", kinds=(), limit=9)) == ["a"]
        assert keys(index.match(ANN, "houses", kinds=(), limit=9)) == ["b"]

    def test_more_and_rarer_words_in_common_score_higher(self, index: Index) -> None:
        index.put([an_entry(f"x{n}", "tea in the garden") for n in range(6)])
        index.put([an_entry("rare", "saffron in the garden"), an_entry("both", "saffron tea")])
        matches = index.match(ANN, "saffron tea", kinds=(), limit=9)
        assert keys(matches)[:2] == ["both", "rare"]
        assert all(match.score > 0 for match in matches)
        assert [m.score for m in matches] == sorted((m.score for m in matches), reverse=True)
        assert len(index.match(ANN, "saffron tea", kinds=(), limit=3)) == 3

    def test_common_words_count_when_there_are_no_others(self, index: Index) -> None:
        index.put([an_entry("a", "to be or not to be"), an_entry("b", "coffee at noon")])
        assert keys(index.match(ANN, "to be", kinds=(), limit=9)) == ["a"]
        assert keys(index.match(ANN, "the coffee or not", kinds=(), limit=9)) == ["b"]

    @pytest.mark.parametrize(
        "query",
        [
            'tea"',
            '"tea',
            "tea AND NOT",
            "NOT tea",
            "tea*",
            "text:tea",
            "scope : tea",
            "-tea",
            "^tea",
            "NEAR(tea)",
            "(tea",
            "{tea}",
            "tea OR",
            "tea; DROP TABLE entries",
            "tea\ttea\n",
            "tea’s",
            "🫖 tea",
        ],
    )
    def test_nothing_in_a_query_is_an_operator(self, index: Index, query: str) -> None:
        index.put([an_entry("a", "a cup of tea"), an_entry("b", "nothing", user="bob")])
        assert keys(index.match(ANN, query, kinds=(), limit=9)) == ["a"]

    @pytest.mark.parametrize("query", ["", " ", '"', "***", "🫖", "()", "\u0301", "\U0001fae8"])
    def test_a_query_without_words_finds_nothing(self, index: Index, query: str) -> None:
        index.put([an_entry("a", "a cup of tea 🫖")])
        assert index.match(ANN, query, kinds=(), limit=9) == []

    def test_a_whole_book_is_a_legal_query(self, index: Index) -> None:
        index.put([an_entry("a", "a cup of tea")])
        book = "tea " + " ".join(f"word{n}" for n in range(5000))
        assert keys(index.match(ANN, book, kinds=(), limit=9)) == ["a"]

    # -- change -------------------------------------------------------------------------------

    def test_an_entry_takes_the_place_of_the_one_before(self, index: Index) -> None:
        index.put([an_entry("a", "tea", EAST), an_entry("b", "tea", vector_of(1, 0.5))])
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["a", "b"]
        index.put([an_entry("a", "coffee", NORTH, kind=Kind.SOURCE)])
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["b", "a"]
        assert keys(index.match(ANN, "tea", kinds=(), limit=9)) == ["b"]
        (match,) = index.match(ANN, "coffee", kinds=(), limit=9)
        assert match.kind is Kind.SOURCE
        index.put([an_entry("a", "coffee")])
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["b"]

    def test_of_two_entries_with_one_key_the_last_stands(self, index: Index) -> None:
        index.put([an_entry("a", "tea", EAST), an_entry("a", "coffee", NORTH)])
        assert index.match(ANN, "tea", kinds=(), limit=9) == []
        (match,) = index.near(ANN, NORTH, kinds=(), limit=9)
        assert match.score == pytest.approx(1)

    def test_what_was_removed_is_not_found(self, index: Index) -> None:
        index.put([an_entry(key, "tea", EAST) for key in ("a", "b", "c")])
        assert len(index.near(ANN, EAST, kinds=(), limit=9)) == 3
        index.remove(["b", "no such key", "b"])
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["a", "c"]
        assert keys(index.match(ANN, "tea", kinds=(), limit=9)) == ["a", "c"]
        assert index.vectors(ANN, ["b"]) == {}
        index.put([an_entry("b", "tea", NORTH)])
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["a", "c", "b"]

    def test_nothing_to_put_or_remove_is_no_error(self, index: Index) -> None:
        index.put([])
        index.remove([])
        assert index.near(ANN, EAST, kinds=(), limit=9) == []
        assert index.vectors(ANN, []) == {}

    # -- who may find what --------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("scope", "visible"),
        [
            (ANN, True),
            (BOB, False),
            (a_scope("bob", "red"), True),
            (a_scope("bob", "blue"), False),
            (a_scope("bob", "blue", left=("red",)), False),
            (a_scope("ann", left=("red",)), False),
            (a_scope("ann", "red", left=("red",)), True),
            (a_scope("red"), False),
        ],
    )
    def test_entries_are_found_by_their_readers_alone(
        self, index: Index, scope: Scope, *, visible: bool
    ) -> None:
        index.put([an_entry("a", "tea", EAST, readers=SHARED, team="red")])
        expected = ["a"] if visible else []
        assert keys(index.near(scope, EAST, kinds=(), limit=9)) == expected
        assert keys(index.match(scope, "tea", kinds=(), limit=9)) == expected
        assert list(index.vectors(scope, ["a"])) == expected

    def test_an_entry_reached_two_ways_is_found_once(self, index: Index) -> None:
        index.put([an_entry("a", "tea", EAST, readers=SHARED, team="red")])
        index.put([an_entry("b", "tea", NORTH, readers=("team:red",), team="red")])
        both = a_scope("ann", "red")
        assert keys(index.near(both, EAST, kinds=(), limit=9)) == ["a", "b"]
        assert sorted(keys(index.match(both, "tea", kinds=(), limit=9))) == ["a", "b"]

    def test_a_change_of_readers_holds_at_once(self, index: Index) -> None:
        member = a_scope("bob", "red")
        index.put([an_entry("a", "tea", EAST, readers=SHARED, team="red")])
        assert keys(index.near(member, EAST, kinds=(), limit=9)) == ["a"]
        index.put([an_entry("a", "tea", EAST)])
        assert index.near(member, EAST, kinds=(), limit=9) == []
        assert index.match(member, "tea", kinds=(), limit=9) == []
        assert keys(index.near(ANN, EAST, kinds=(), limit=9)) == ["a"]
        index.put([an_entry("a", "tea", EAST, readers=("user:ann", "user:bob"))])
        assert keys(index.near(BOB, EAST, kinds=(), limit=9)) == ["a"]

    def test_names_that_look_alike_are_different_readers(self, index: Index) -> None:
        names = [
            "ann",
            "Ann",
            "ann ",
            "änn",
            "ann smith",
            "ann-smith",
            'ann"',
            "user:ann",
            "*",
            "團",
        ]
        index.put([an_entry(name, "tea", EAST, user=name) for name in names])
        for name in names:
            assert keys(index.match(a_scope(name), "tea", kinds=(), limit=99)) == [name]
            assert keys(index.near(a_scope(name), EAST, kinds=(), limit=99)) == [name]
