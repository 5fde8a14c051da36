"""The contract suite of the graph on Neo4j alone, and what is Neo4j's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import effort
import on_neo4j
import pytest

from remanent.core.ports.graph import Graph
from remanent_conformance import GraphContract
from remanent_conformance.builders import MOMENT

pytestmark = [pytest.mark.server, pytest.mark.torture]

_NUMBERS, _FREE = count(1), list[str]()
LONG = ("any_schedule_of_fading", "more_than_one_step", "behaves_as")


@pytest.fixture(autouse=True)
def _in_short(request: pytest.FixtureRequest) -> None:
    if not effort.IS_TORTURE and any(one in request.node.name for one in LONG):
        pytest.skip("part of `make torture`")


class TestGraph(GraphContract):
    @pytest.fixture
    def new_graph(self) -> Iterator[Callable[[], Graph]]:
        on_neo4j.server_url()
        from remanent.stores.neo4j.migrations import migrate
        from remanent.stores.neo4j.select import Neo4jGraph

        with ExitStack() as ending:

            def new() -> Graph:
                memory = _FREE.pop() if _FREE else f"alone_{os.getpid()}_{next(_NUMBERS)}"
                database = ending.enter_context(on_neo4j.database(memory))
                ending.callback(_FREE.append, memory)
                ending.callback(on_neo4j.empty, database)
                migrate(database, MOMENT)
                return Neo4jGraph(database)

            yield new
