"""The contract suite of the graph on Neo4j alone, and what is Neo4j's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from itertools import count
from typing import TYPE_CHECKING

import effort
import on_neo4j
import pytest

from remanent.core.ports.graph import Graph
from remanent.errors import StoreError
from remanent_conformance import GraphContract
from remanent_conformance.builders import MOMENT, a_person, a_relationship, a_scope

if TYPE_CHECKING:
    from remanent.stores.neo4j.database import Neo4jDatabase

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


@pytest.fixture
def alone() -> Iterator[Neo4jDatabase]:
    on_neo4j.server_url()
    from remanent.stores.neo4j.migrations import migrate

    with on_neo4j.database(f"alone_{os.getpid()}") as database:
        migrate(database, MOMENT)
        yield database
        on_neo4j.empty(database)


def graph_of(database: Neo4jDatabase) -> Graph:
    from remanent.stores.neo4j.select import Neo4jGraph

    return Neo4jGraph(database)


def test_what_a_failed_inner_block_wrote_is_taken_back_alone(alone: Neo4jDatabase) -> None:
    graph = graph_of(alone)
    with alone.transaction():
        graph.put(a_scope(), a_person("Ben"))
        with suppress(KeyError), alone.transaction():
            graph.put(a_scope(), a_person("Cem"))
            raise KeyError
        graph.put(a_scope(), a_person("Dora"))

    assert {one.name for one in graph.names(a_scope())} == {"Ben", "Dora"}


def test_a_statement_that_the_server_refuses_ends_its_inner_block_alone(
    alone: Neo4jDatabase,
) -> None:
    from remanent.stores.neo4j.dialect import Cypher

    graph = graph_of(alone)
    with alone.transaction():
        graph.put(a_scope(), a_person("Ben"))
        with pytest.raises(StoreError), alone.transaction():
            alone.execute(Cypher("MATCH (n:MEMORY) SET n.id = 1 / 0"))
        graph.put(a_scope(), a_person("Dora"))

    assert {one.name for one in graph.names(a_scope())} == {"Ben", "Dora"}


def test_numbers_stay_with_what_is_written_again(alone: Neo4jDatabase) -> None:
    from remanent.stores.neo4j.dialect import Cypher

    graph, number = graph_of(alone), Cypher("MATCH (n:MEMORY {key: $key}) RETURN n.id")
    ben = a_person("Ben")
    with alone.transaction():
        graph.put(a_scope(), ben)
        before = alone.execute(number, {"key": ben.key})
        with suppress(KeyError), alone.transaction():
            graph.put(a_scope(), a_person("Cem"))
            raise KeyError

    assert alone.execute(number, {"key": ben.key}) == before


def test_what_was_asked_before_is_asked_again_once_it_may_be_another(alone: Neo4jDatabase) -> None:
    graph, ben = graph_of(alone), a_person("Ben")
    with alone.transaction():
        before = graph.get(a_scope(), ben.key)
        graph.put(a_scope(), ben)
        put = graph.get(a_scope(), ben.key)
        with suppress(KeyError), alone.transaction():
            graph.remove(a_scope(), ben.key)
            removed = graph.get(a_scope(), ben.key)
            raise KeyError
        after = graph.get(a_scope(), ben.key)

    assert (before, put, removed, after) == (None, ben, None, ben)


def test_the_tools_of_neo4j_show_people_and_what_they_are_to_one_another(
    alone: Neo4jDatabase,
) -> None:
    graph, ben, cem = graph_of(alone), a_person("Ben"), a_person("Cem")
    graph.put(a_scope(), ben, cem)
    graph.relate(a_scope(), a_relationship(ben.key, cem.key))

    found = alone.run_plain(
        f"MATCH (a:{alone.memory}:Person)-[r]->(b:Person) RETURN a.name, type(r), b.name"
    )

    assert found == [("Ben", "has_relationship_with", "Cem")]


def test_they_find_what_is_told_by_its_words(alone: Neo4jDatabase) -> None:
    from remanent.stores.neo4j.dialect import Cypher

    graph = graph_of(alone)
    graph.put(a_scope(), a_person("Ben Olafsson"), a_person("Cem"))
    alone.run_plain("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    asked = Cypher("CALL db.index.fulltext.queryNodes($index, $words) YIELD node RETURN node.name")
    values = {"index": f"{alone.memory}_texts", "words": "olafsson"}

    assert alone.execute(asked, values) == [("Ben Olafsson",)]
    graph.remove(a_scope(), a_person("Ben Olafsson").key)
    assert alone.execute(asked, values) == []


def test_no_word_of_anybody_is_part_of_a_statement(alone: Neo4jDatabase) -> None:
    graph, name = graph_of(alone), "Ben'}) DETACH DELETE n // `MEMORY` VISIBLE(n) $user"
    graph.put(a_scope(), a_person(name))

    assert [one.name for one in graph.names(a_scope())] == [name]


def test_a_forked_process_has_connections_of_its_own(alone: Neo4jDatabase) -> None:
    graph = graph_of(alone)
    graph.put(a_scope(), a_person("Ben"))
    child = os.fork()
    if not child:
        ended = 1
        with suppress(BaseException):
            graph.put(a_scope(), a_person("Cem"))
            ended = 0
        os._exit(ended)
    _, status = os.waitpid(child, 0)
    graph.put(a_scope(), a_person("Dora"))

    assert os.waitstatus_to_exitcode(status) == 0
    assert {one.name for one in graph.names(a_scope())} == {"Ben", "Cem", "Dora"}
