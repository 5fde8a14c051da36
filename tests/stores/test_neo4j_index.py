"""The contract suites of the index, on Neo4j alone."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import on_neo4j
import pytest

from remanent_conformance import IndexContract, WeighingContract
from remanent_conformance.builders import MOMENT
from remanent_conformance.index import DIMENSIONS

pytestmark = [pytest.mark.server, pytest.mark.torture]

_NUMBERS = itertools.count(1)
_FREE: list[str] = []


@pytest.fixture
def new_database() -> Iterator[Callable[[], Any]]:
    on_neo4j.server_url()
    from remanent.stores.neo4j.migrations import migrate

    with ExitStack() as ending:

        def new() -> Any:
            name = _FREE.pop() if _FREE else f"index_{os.getpid()}_{next(_NUMBERS)}"
            database = ending.enter_context(on_neo4j.database(name))
            migrate(database, MOMENT)
            ending.callback(_FREE.append, name)
            ending.callback(on_neo4j.empty, database)
            return database

        yield new


class TestIndex(IndexContract, WeighingContract):
    @pytest.fixture
    def new_index(self, new_database: Callable[[], Any]) -> Callable[[], Any]:
        from remanent.stores.sql.stores import make_index

        return lambda: make_index(new_database(), "hash", DIMENSIONS)
