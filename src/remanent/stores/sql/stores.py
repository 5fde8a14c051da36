"""The stores that every dialect has alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from remanent.core.dataclasses import dataclass, replace
from remanent.stores.opened import OpenedStores
from remanent.stores.sql.admin.export import SqlExport
from remanent.stores.sql.admin.reembedding import SqlReembedding
from remanent.stores.sql.cypher import SqlCypher
from remanent.stores.sql.database import Database
from remanent.stores.sql.graph_store.graph import SqlGraph
from remanent.stores.sql.index import SqlIndex, known_dimensions
from remanent.stores.sql.ledger import SqlLedger
from remanent.stores.sql.queue import SqlQueue
from remanent.stores.sql.records import SqlRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlStores(OpenedStores):
    """All stores on one database. `atomic` spans them all; after `close` none can be used."""

    database: Database

    def with_embedder(self, name: str, dimensions: int | Callable[[], int]) -> Self:
        """The same stores, whose vectors are another embedder's from now on."""
        return replace(self, index=make_index(self.database, name, dimensions))


def make_index(
    database: Database, embedder_name: str, dimensions: int | Callable[[], int]
) -> SqlIndex:
    """An index for this embedder, which is asked for its dimensions only if need be."""
    if not isinstance(dimensions, int):
        dimensions = known_dimensions(database, embedder_name) or dimensions()
    return SqlIndex(database, dimensions=dimensions, embedder_name=embedder_name)


def shared_stores(database: Database) -> Mapping[str, Any]:
    """All fields of `Stores` but index, erasing and health, on this database."""
    cypher = SqlCypher(database)

    def close() -> None:
        cypher.close()
        database.close()

    return {
        "ledger": SqlLedger(database),
        "graph": SqlGraph(database),
        "records": SqlRecords(database),
        "queue": SqlQueue(database),
        "reembedding": SqlReembedding(database),
        "cypher": cypher,
        "export": SqlExport(database),
        "atomic": database.transaction,
        "close": close,
    }
