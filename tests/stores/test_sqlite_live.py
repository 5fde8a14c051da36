"""Edges kept in memory are those in the file, whoever writes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from remanent.core.model.lifecycle import Lifecycle
from remanent.core.ports.graph import Graph
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance.builders import MOMENT, a_person, a_relationship, a_scope

pytestmark = pytest.mark.quick

ANN = a_scope("ann")
SARAH, TOM, EVE = a_person("Sarah"), a_person("Tom"), a_person("Eve")
FRIEND = a_relationship(SARAH.key, TOM.key, proximity=5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def stores(path: Path) -> Iterator[SqliteStores]:
    yield from _opened(path)


@pytest.fixture
def beside(path: Path, stores: SqliteStores) -> Iterator[SqliteStores]:
    """The same file, opened once more: what another process would have."""
    yield from _opened(path)


def _opened(path: Path) -> Iterator[SqliteStores]:
    stores = open_stores(path, now=MOMENT, embedder_name="hash", dimensions=8)
    yield stores
    stores.close()


@pytest.fixture
def graph(stores: SqliteStores) -> Graph:
    for one in (SARAH, TOM, EVE):
        stores.graph.put(ANN, one)
    stores.graph.relate(ANN, FRIEND)
    return stores.graph


def weighs(graph: Graph) -> dict[str, float]:
    edges = graph.edges(ANN)
    return dict(zip(edges.edge_keys, edges.strength.tolist(), strict=True))


def test_nothing_is_read_again_while_nothing_changes(graph: Graph) -> None:
    assert graph.edges(ANN) is graph.edges(ANN)


def test_only_weights_are_read_again_where_only_weights_changed(graph: Graph) -> None:
    before = graph.edges(ANN)
    graph.touch(ANN, [FRIEND.key], lambda life: replace(life, salience=1.0))
    after = graph.edges(ANN)
    assert after.around is before.around
    assert after.keys is before.keys
    assert after.strength.tolist() == [1.0]


def test_what_another_process_writes_is_seen(graph: Graph, beside: SqliteStores) -> None:
    assert weighs(beside.graph) == weighs(graph) == {FRIEND.key: 0.5}
    graph.touch(ANN, [FRIEND.key], lambda life: replace(life, salience=0.75))
    assert weighs(beside.graph) == {FRIEND.key: 0.75}
    more = a_relationship(TOM.key, EVE.key, proximity=5)
    beside.graph.relate(ANN, more)
    assert weighs(graph) == weighs(beside.graph) == {FRIEND.key: 0.75, more.key: 0.5}
    beside.graph.remove(ANN, FRIEND.key)
    assert weighs(graph) == {more.key: 0.5}


def test_what_is_taken_back_was_never_there(graph: Graph, stores: SqliteStores) -> None:
    more = a_relationship(TOM.key, EVE.key, proximity=5)
    weighs(graph)

    def give_up() -> None:
        with stores.atomic():
            graph.relate(ANN, more)
            graph.touch(ANN, [FRIEND.key], lambda life: replace(life, salience=1.0))
            assert weighs(graph) == {FRIEND.key: 1.0, more.key: 0.5}
            raise KeyError

    for _ in range(2):
        with pytest.raises(KeyError):
            give_up()
        assert weighs(graph) == {FRIEND.key: 0.5}
    graph.relate(ANN, replace(more, proximity=1))
    assert weighs(graph) == pytest.approx({FRIEND.key: 0.5, more.key: 0.1})


def test_an_erased_user_leaves_nothing_behind(graph: Graph, path: Path) -> None:
    """Whoever takes the name again starts anew, though the versions may come to the same numbers."""
    assert len(graph.edges(ANN).keys) == 3
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = ON; DELETE FROM nodes; DELETE FROM edge_versions")
    connection.close()
    assert len(graph.edges(ANN).keys) == 0
    graph.put(ANN, SARAH)
    graph.put(ANN, EVE)
    other = a_relationship(SARAH.key, EVE.key, proximity=5)
    graph.relate(ANN, other)
    assert weighs(graph) == {other.key: 0.5}


def test_threads_see_whole_states(graph: Graph) -> None:
    """One writes weights that are all alike; whoever reads meets no mixture of two rounds."""
    others = [a_relationship(SARAH.key, TOM.key, type=f"t{n}", proximity=5) for n in range(30)]
    for one in others:
        graph.relate(ANN, one)
    keys = [FRIEND.key, *(one.key for one in others)]
    graph.touch(ANN, keys, lambda _: Lifecycle(salience=0.0))
    mixed: list[list[float]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = graph.edges(ANN).strength.tolist()
            if len(set(found)) > 1:
                mixed.append(found)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for one in readers:
        one.start()
    for round_ in range(1, 41):
        graph.touch(ANN, keys, lambda _, share=round_ / 40: Lifecycle(salience=share))  # type: ignore[misc]
    done.set()
    for one in readers:
        one.join()
    assert mixed == []
    assert set(graph.edges(ANN).strength.tolist()) == {1.0}
