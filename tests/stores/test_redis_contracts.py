"""The contract suites, on PostgreSQL with the ledger and the queue in Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import effort
import on_postgres
import on_redis
import pytest
from test_sqlite_contracts import (
    TestAtomic,
    TestErasing,
    TestLedger,
    TestQueue,
    TestRegistry,
    TestVitals,
)

from remanent.stores.opened import OpenedStores
from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS

pytestmark = [pytest.mark.server, pytest.mark.torture]

__all__ = ["TestAtomic", "TestErasing", "TestLedger", "TestQueue", "TestRegistry", "TestVitals"]

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
def new_stores(schemas: on_postgres.Schemas) -> Iterator[Callable[[], OpenedStores]]:
    on_redis.server_url()
    from remanent.stores.combined import open_stores

    with ExitStack() as ending:

        def new() -> OpenedStores:
            memory = ending.enter_context(on_redis.given(schemas))
            stores = open_stores(memory, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
            ending.callback(stores.close)
            return stores

        yield new
