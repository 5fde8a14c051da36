"""Everything in one SQLite file. What a method promises is said once, at its port in `core/ports`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from remanent.core.env import Stores
from remanent.stores.sqlite.admin.erasure import SqliteErasure
from remanent.stores.sqlite.admin.export import SqliteExport
from remanent.stores.sqlite.admin.health import SqliteHealth
from remanent.stores.sqlite.admin.reembedding import SqliteReembedding
from remanent.stores.sqlite.admin.shadow import SqliteShadow, discard_shadow, place_for, unlock
from remanent.stores.sqlite.cypher import SqliteCypher
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.graph import SqliteGraph
from remanent.stores.sqlite.index_store.index import SqliteIndex, known_dimensions
from remanent.stores.sqlite.ledger import SqliteLedger
from remanent.stores.sqlite.migrations import migrate
from remanent.stores.sqlite.queue import SqliteQueue
from remanent.stores.sqlite.records.access import SqliteAudit, SqliteKeyring
from remanent.stores.sqlite.records.items import SqliteItems
from remanent.stores.sqlite.records.registry import SqliteRegistry
from remanent.stores.sqlite.records.spending import SqliteAnswers, SqliteIdempotency, SqliteSpending

__all__ = ["SqliteStores", "discard_shadow", "open_shadow", "open_stores", "with_embedder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStores(Stores):
    """All stores of one file. `atomic` spans them all; after `close` none can be used."""

    database: Database  # for a rebuild, which works on two files at once


def open_stores(
    path: Path | str,
    *,
    now: datetime,
    embedder_name: str,
    dimensions: int | Callable[[], int],
    busy_timeout_s: float = 60,
) -> SqliteStores:
    """Open the memory at `path`, made if there is none, or raise a `StoreError` that says why not.

    An `EmbedderMismatch` means that its vectors are of another embedder than the one named. `dimensions`
    is asked only where the file does not know how long that one's vectors are: it may be far away.
    """
    database = Database(path, busy_timeout_s=busy_timeout_s)
    try:
        migrate(database, now)
        index = _index(database, embedder_name, dimensions)
    except BaseException:
        database.close()
        raise
    cypher = SqliteCypher(database)

    def close() -> None:
        cypher.close()
        database.close()

    return SqliteStores(
        ledger=SqliteLedger(database),
        graph=SqliteGraph(database),
        index=index,
        items=SqliteItems(database),
        registry=SqliteRegistry(database),
        keyring=SqliteKeyring(database),
        audit=SqliteAudit(database),
        queue=SqliteQueue(database),
        answers=SqliteAnswers(database),
        spending=SqliteSpending(database),
        reembedding=SqliteReembedding(database),
        idempotency=SqliteIdempotency(database),
        erasing=SqliteErasure(database),
        health=SqliteHealth(database),
        cypher=cypher,
        export=SqliteExport(database),
        atomic=database.transaction,
        close=close,
        database=database,
    )


def with_embedder(
    stores: SqliteStores, embedder_name: str, dimensions: int | Callable[[], int]
) -> SqliteStores:
    """The same stores, whose vectors are another embedder's from now on."""
    return replace(stores, index=_index(stores.database, embedder_name, dimensions))


def _index(
    database: Database, embedder_name: str, dimensions: int | Callable[[], int]
) -> SqliteIndex:
    if not isinstance(dimensions, int):
        dimensions = known_dimensions(database, embedder_name) or dimensions()
    return SqliteIndex(database, dimensions=dimensions, embedder_name=embedder_name)


def open_shadow(
    live: SqliteStores, *, mind_name: str, embedder_name: str, dimensions: int, now: datetime
) -> tuple[SqliteStores, SqliteShadow]:
    """The stores of the graph that is derived beside the one in use, and what ties it to that."""
    hands = json.dumps({"mind": mind_name, "embedder": embedder_name, "dimensions": dimensions})
    place, lock = place_for(live.database, hands=hands, now=now)
    try:
        stores = open_stores(place, now=now, embedder_name=embedder_name, dimensions=dimensions)
        stores.database.spare_disk()
        return stores, SqliteShadow(live.database, stores.database, lock)
    except BaseException:
        if lock is not None:
            unlock(live.database.path, lock)
        raise
