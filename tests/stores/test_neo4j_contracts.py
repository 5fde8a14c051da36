"""The contract suites of what Neo4j keeps, on Neo4j beside PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import effort
import on_neo4j
import on_postgres
import pytest
from test_postgres_contracts import LONG
from test_sqlite_contracts import (
    TestAtomic,
    TestCypher,
    TestErasing,
    TestIndex,
    TestRenewal,
    TestVitals,
)

from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS

pytestmark = [pytest.mark.server, pytest.mark.torture]

__all__ = [
    "TestAtomic", "TestCypher", "TestErasing", "TestIndex", "TestRenewal", "TestVitals",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _in_short(request: pytest.FixtureRequest) -> None:
    if not effort.IS_TORTURE and any(one in request.node.name for one in LONG):
        pytest.skip("part of `make torture`")


@pytest.fixture(scope="module")
def schemas() -> Iterator[on_postgres.Schemas]:
    made = on_postgres.Schemas()
    yield made
    made.drop()
    on_neo4j.drop()


@pytest.fixture
def new_stores(schemas: on_postgres.Schemas) -> Iterator[Callable[[], Any]]:
    on_neo4j.server_url()
    from remanent.stores.combined import open_stores

    with ExitStack() as ending:

        def new() -> Any:
            memory = ending.enter_context(on_neo4j.given(schemas))
            stores = open_stores(memory, now=MOMENT, embedder_name="hash", dimensions=DIMENSIONS)
            ending.callback(stores.close)
            return stores

        yield new
