"""Memories in PostgreSQL and Neo4j for the tests: each has a schema, and in Neo4j the labels of its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import on_postgres

if TYPE_CHECKING:
    from remanent.stores.neo4j.database import Neo4jDatabase


def server_url() -> str:
    """The URL of the server, or this test is skipped."""
    return on_postgres.url_of("neo4j")


@contextmanager
def given(schemas: on_postgres.Schemas) -> Iterator[str]:
    """The addresses of an empty memory for as long as the block runs."""
    server = server_url()
    with schemas.given() as url:
        schema = url.rpartition("schema=")[2]
        try:
            yield f"{url} {server}"
        finally:
            for memory in (schema, f"{schema}_rebuild"):
                with database(memory) as one:
                    empty(one)


@contextmanager
def database(memory: str) -> Iterator[Neo4jDatabase]:
    """The graph of that name, alone."""
    from remanent.stores.neo4j.database import Neo4jDatabase

    one = Neo4jDatabase(server_url(), memory)
    try:
        yield one
    finally:
        one.close()


_NAMES: set[str] = set()


def empty(one: Neo4jDatabase) -> None:
    """Take all away that is in it; its constraints stay for who uses the name next."""
    from remanent.stores.neo4j.dialect import written
    from remanent.stores.neo4j.migrations import labels

    _NAMES.add(one.memory)
    one.run_plain(written(f"MATCH (x:{'|'.join(labels())}) DETACH DELETE x", one.memory))


def drop() -> None:
    """Take away the constraints and indexes, too, of all that were emptied: hundreds make a server slow."""
    from remanent.stores.neo4j.migrations import drop, version

    while _NAMES:
        with database(_NAMES.pop()) as one:
            if version(one):
                drop(one)
