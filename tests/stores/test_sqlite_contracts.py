"""The contract suites, on SQLite in a file and in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index
from remanent.core.ports.ledger import Ledger
from remanent.core.ports.queue import Queue
from remanent.core.ports.records import Records
from remanent.core.registry import Registry
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance import (
    AtomicContract,
    CypherContract,
    ErasureContract,
    GraphContract,
    HealthContract,
    IndexContract,
    LedgerContract,
    QueueContract,
    RecordsContract,
    ReembeddingContract,
    RegistryContract,
    WeighingContract,
)
from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS

pytestmark = pytest.mark.quick


@pytest.fixture(params=[pytest.param("file", marks=pytest.mark.slow), "memory"])
def new_stores(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], SqliteStores]]:
    numbers = count()
    opened: list[SqliteStores] = []

    def new() -> SqliteStores:
        path = ":memory:" if request.param == "memory" else tmp_path / f"{next(numbers)}.db"
        stores = open_stores(path, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
        opened.append(stores)
        return stores

    yield new
    for stores in opened:
        stores.close()


class TestLedger(LedgerContract):
    @pytest.fixture
    def new_ledger(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Ledger]:
        return lambda: new_stores().ledger


class TestGraph(GraphContract):
    @pytest.fixture
    def new_graph(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Graph]:
        return lambda: new_stores().graph


class TestIndex(IndexContract, WeighingContract):
    @pytest.fixture
    def new_index(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Index]:
        return lambda: new_stores().index


class TestRecords(RecordsContract):
    @pytest.fixture
    def new_records(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Records]:
        return lambda: new_stores().records


class TestRegistry(RegistryContract):
    @pytest.fixture
    def new_registry(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Registry]:
        return lambda: new_stores().registry


class TestQueue(QueueContract):
    @pytest.fixture
    def new_queue(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], Queue]:
        return lambda: new_stores().queue


class TestRenewal(ReembeddingContract):
    @pytest.fixture
    def new_parts(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], object]:
        def made() -> object:
            stores = new_stores()
            parts = (stores.reembedding, stores.index, stores.graph)
            return parts, lambda name, width: stores.with_embedder(name, width).index

        return made


class TestVitals(HealthContract):
    @pytest.fixture
    def new_stores(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], SqliteStores]:
        return new_stores


class TestErasing(ErasureContract):
    @pytest.fixture
    def new_stores(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], SqliteStores]:
        return new_stores


class TestCypher(CypherContract):
    @pytest.fixture
    def new_stores(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], SqliteStores]:
        return new_stores


class TestAtomic(AtomicContract):
    @pytest.fixture
    def new_stores(self, new_stores: Callable[[], SqliteStores]) -> Callable[[], SqliteStores]:
        return new_stores
