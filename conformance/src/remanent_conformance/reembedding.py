"""What every index promises that can go over to another embedder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from remanent.core.model.node import Kind
from remanent.core.ports.admin import ReembeddingStore
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index, Vector
from remanent.core.records.admin import Due
from remanent.errors import EmbedderError, RemanentError
from remanent_conformance.builders import a_belief, a_scope, an_entry
from remanent_conformance.index import EAST, NORTH

ANN = a_scope("ann")
WIDTH = 5
Stores = tuple[ReembeddingStore, Index, Graph]


def new(place: int) -> Vector:
    vector = np.zeros(WIDTH, dtype=np.float32)
    vector[place] = 1
    return vector


class ReembeddingContract:
    """Override `new_parts`: the renewal, index (of 8 dimensions) and graph of one empty memory, and a
    function that opens its index anew with an embedder of that name and length."""

    @pytest.fixture
    def new_parts(self) -> Callable[[], tuple[Stores, Callable[[str, int], Index]]]:
        raise NotImplementedError("a function that makes an empty memory")

    @pytest.fixture
    def parts(
        self, new_parts: Callable[[], tuple[Stores, Callable[[str, int], Index]]]
    ) -> tuple[Stores, Callable[[str, int], Index]]:
        stores, reopened = new_parts()
        _, index, graph = stores
        belief = a_belief("I like tea", user="ann", key="tea")
        graph.put(ANN, belief)
        index.put([an_entry("tea", "I like tea", EAST), an_entry("gone", "I like ale", NORTH)])
        return stores, reopened

    def test_all_entries_wait_and_say_whose_they_are(self, parts: tuple[Stores, object]) -> None:
        (renewal, _, _), _ = parts
        renewal.begin("next", WIDTH)
        waiting = renewal.waiting(0, 9)
        assert [(one.key, one.kind, one.user_id) for one in waiting] == [
            ("tea", Kind.BELIEF, "ann"),
            ("gone", Kind.BELIEF, None),
        ]
        assert renewal.waiting(0, 1) == waiting[:1]
        assert renewal.waiting(waiting[0].number, 9) == waiting[1:]

    def test_search_goes_on_with_the_old_vectors(self, parts: tuple[Stores, object]) -> None:
        (renewal, index, _), _ = parts
        renewal.begin("next", WIDTH)
        first, second = renewal.waiting(0, 9)
        assert renewal.keep([(first, new(1), ())]) == 1
        assert [one.key for one in index.near(ANN, EAST, kinds=(), limit=1)] == ["tea"]
        assert renewal.waiting(0, 9) == [second]
        assert not renewal.switch()
        state = renewal.state()
        assert state is not None
        assert (state.towards, state.done, state.total) == ("next", 1, 2)
        assert state.share == 0.5

    def test_a_switch_puts_all_new_vectors_in_place_at_once(
        self, parts: tuple[Stores, Callable[[str, int], Index]]
    ) -> None:
        (renewal, index, _), reopened = parts
        renewal.begin("next", WIDTH)
        tea, gone = renewal.waiting(0, 9)
        renewal.keep([(tea, new(1), (new(2), new(3))), (gone, None, ())])
        assert renewal.switch()
        fresh = reopened("next", WIDTH)
        assert fresh.near(ANN, new(1), kinds=(), limit=9)[0].score == pytest.approx(1.0)
        assert list(fresh.vectors(ANN, ["tea", "gone"])) == ["tea"]
        assert [one.key for one in fresh.match(ANN, "ale", kinds=(), limit=9)] == ["gone"]
        state = renewal.state()
        assert state is not None
        assert (state.embedder, state.towards) == ("next", None)
        with pytest.raises(RemanentError):  # a vector of the old one cannot be written or asked by
            index.put([an_entry("late", "late", EAST)])
        with pytest.raises(RemanentError):
            index.near(ANN, EAST, kinds=(), limit=9)
        with pytest.raises(EmbedderError):
            reopened("hash", 8)

    def test_what_is_written_again_meanwhile_waits_again(
        self, parts: tuple[Stores, object]
    ) -> None:
        (renewal, index, _), _ = parts
        renewal.begin("next", WIDTH)
        waiting = renewal.waiting(0, 9)
        renewal.keep([(one, new(1), ()) for one in waiting])
        assert renewal.waiting(0, 9) == []
        index.put([an_entry("tea", "I like green tea", EAST)])
        assert [one.key for one in renewal.waiting(0, 9)] == ["tea"]
        assert not renewal.switch()
        index.put([an_entry("more", "I like milk", NORTH)])
        index.remove(["tea"])
        assert [one.key for one in renewal.waiting(0, 9)] == ["more"]

    def test_a_vector_of_what_was_written_again_is_not_kept(
        self, parts: tuple[Stores, object]
    ) -> None:
        (renewal, index, _), _ = parts
        renewal.begin("next", WIDTH)
        tea: Due = renewal.waiting(0, 1)[0]
        index.put([an_entry("tea", "I like tea", EAST)])
        assert renewal.keep([(tea, new(1), ())]) == 0
        assert [one.key for one in renewal.waiting(0, 9)] == ["tea", "gone"]

    def test_a_vector_of_another_length_is_refused(self, parts: tuple[Stores, object]) -> None:
        (renewal, _, _), _ = parts
        renewal.begin("next", WIDTH)
        first, second = renewal.waiting(0, 9)
        with pytest.raises(EmbedderError):
            renewal.keep([(first, new(1), ()), (second, EAST, ())])
        with pytest.raises(EmbedderError):
            renewal.keep([(first, new(1), (EAST,))])
        assert len(renewal.waiting(0, 9)) == 2

    def test_another_aim_drops_what_was_made_and_the_same_does_not(
        self, parts: tuple[Stores, object]
    ) -> None:
        (renewal, _, _), _ = parts
        renewal.begin("next", WIDTH)
        renewal.keep([(one, new(1), ()) for one in renewal.waiting(0, 9)])
        renewal.begin("next", WIDTH)
        assert renewal.waiting(0, 9) == []
        renewal.begin("third", WIDTH)
        assert len(renewal.waiting(0, 9)) == 2
        assert renewal.begin(None)
        assert not renewal.begin(None)
        assert not renewal.switch()
        state = renewal.state()
        assert state is not None
        assert state.towards is None
