"""The contract suites, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import effort
import on_postgres
import pytest
from test_sqlite_contracts import (
    TestAtomic,
    TestCypher,
    TestErasing,
    TestGraph,
    TestIndex,
    TestLedger,
    TestQueue,
    TestRecords,
    TestRegistry,
    TestRenewal,
    TestVitals,
)

from remanent.stores.sql.stores import SqlStores
from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS

pytestmark = [pytest.mark.server, pytest.mark.torture]

__all__ = [
    "TestAtomic", "TestCypher", "TestErasing", "TestGraph", "TestIndex", "TestLedger", "TestQueue",
    "TestRecords", "TestRegistry", "TestRenewal", "TestVitals",
]  # fmt: skip


# Cases that make dozens of memories, or thousands of rows one by one: a minute and more on a server.
LONG = ("any_schedule_of_fading", "more_than_one_step", "a_long_export", "behaves_as")


@pytest.fixture(autouse=True)
def _in_short(request: pytest.FixtureRequest) -> None:
    if not effort.IS_TORTURE and any(one in request.node.name for one in LONG):
        pytest.skip("part of `make torture`")


@pytest.fixture(scope="module")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()


@pytest.fixture
def new_stores(schemas: on_postgres.Schemas) -> Iterator[Callable[[], SqlStores]]:
    on_postgres.server_url()
    from remanent.stores.postgres import open_stores

    with ExitStack() as ending:

        def new() -> SqlStores:
            url = ending.enter_context(schemas.given())
            stores = open_stores(url, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
            ending.callback(stores.close)
            return stores

        yield new
