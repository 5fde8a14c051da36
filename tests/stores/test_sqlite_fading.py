"""What fades in one process has faded in all, whatever they keep in memory; and nobody waits for it."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.search import SearchRequest
from remanent.retrieval.rules import ranking
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance.builders import (
    MOMENT,
    a_concept,
    a_person,
    a_relationship,
    a_scope,
    a_source,
)

pytestmark = pytest.mark.quick

ANN = a_scope("ann")
RULES = LifecycleRules()
SARAH, TOM = a_person("Sarah"), a_person("Tom")
FRIEND = a_relationship(SARAH.key, TOM.key, confidence=0.5)
SIBLING = a_relationship(SARAH.key, TOM.key, type="sibling", confidence=0.9)


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


def weighs(stores: SqliteStores) -> dict[str, float]:
    edges = stores.graph.edges(ANN)
    return dict(zip(edges.edge_keys, edges.strength.tolist(), strict=True))


def test_others_see_what_faded(stores: SqliteStores, beside: SqliteStores) -> None:
    source = a_source()
    for node in (SARAH, TOM, source):
        stores.graph.put(ANN, node)
    for one in (FRIEND, SIBLING):
        stores.graph.relate(ANN, one)
    sought = SearchRequest(query="tea", kinds=(Kind.SOURCE,))
    assert len(weighs(beside)) == 2
    assert beside.graph.sources_like(ANN, sought) == [source.key]

    for days in (100, 250):
        stores.graph.fade(ANN, MOMENT + timedelta(days=days), RULES)
        relationship = stores.graph.relationship(ANN, FRIEND.key)
        assert relationship is not None
        faded = relationship.life.salience
        assert weighs(beside) == pytest.approx(
            {
                FRIEND.key: ranking.strength(faded, 0.5, 3),
                SIBLING.key: ranking.strength(0.5, 0.9, 3),
            }
        )
        assert weighs(beside) == weighs(stores)
    assert beside.graph.sources_like(ANN, sought) == []
    assert math.isclose(weighs(stores)[SIBLING.key], ranking.strength(0.5, 0.9, 3))


def test_a_step_that_changes_no_weight_leaves_the_kept_edges_alone(stores: SqliteStores) -> None:
    for node in (SARAH, TOM):
        stores.graph.put(ANN, node)
    stores.graph.relate(ANN, SIBLING)
    before = stores.graph.edges(ANN)
    stores.graph.fade(ANN, MOMENT + timedelta(days=5), RULES)
    assert stores.graph.edges(ANN).strength is before.strength


def test_the_weights_of_a_step_change_in_one_version(stores: SqliteStores, path: Path) -> None:
    people = [a_person(f"Person {number}") for number in range(30)]
    for person in people:
        stores.graph.put(ANN, person)
    for person in people[1:]:
        stores.graph.relate(ANN, a_relationship(people[0].key, person.key, confidence=0.5))
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        ((before,),) = connection.execute("SELECT version FROM edge_versions")
        stores.graph.fade(ANN, MOMENT + timedelta(days=5), RULES)
        ((after,),) = connection.execute("SELECT version FROM edge_versions")
    assert after == before + 1


@pytest.mark.slow
def test_a_writer_comes_in_between(stores: SqliteStores, beside: SqliteStores) -> None:
    for number in range(4_100):
        stores.graph.put(ANN, a_concept(f"number {number}", confidence=0.5))
    written: list[str] = []
    steps = 0

    def share(part: float) -> None:
        nonlocal steps
        steps += 1
        if part < 1.0 and not written:
            source = a_source("meanwhile")
            writer = threading.Thread(target=beside.graph.put, args=(ANN, source))
            writer.start()
            writer.join()
            written.append(source.key)

    stores.graph.fade(ANN, MOMENT + timedelta(days=300), RULES, share=share)
    assert steps >= 3
    meanwhile = stores.graph.get(ANN, written[0])
    assert meanwhile is not None
    assert meanwhile.life.state in (State.CANDIDATE, State.ARCHIVED)
