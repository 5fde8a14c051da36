"""Everything in one schema of a PostgreSQL database. What a method promises is said at its port."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from remanent.core.dataclasses import dataclass, replace
from remanent.core.ports.admin import Shadow
from remanent.stores.postgres.admin import PostgresErasure, PostgresHealth
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.migrations import migrate
from remanent.stores.postgres.shadow import (
    PostgresShadow,
    RebuildLock,
    discard_shadow,
    shadow_for,
)
from remanent.stores.postgres.wall import wall
from remanent.stores.sql.stores import SqlStores, make_index, shared_stores

__all__ = ["PostgresStores", "open_stores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresStores(SqlStores):
    """All stores of one schema. `atomic` spans them all; after `close` none can be used."""

    database: PostgresDatabase

    def with_embedder(self, name: str, dimensions: int | Callable[[], int]) -> PostgresStores:
        """The same stores, whose vectors are another embedder's from now on."""
        index = make_index(self.database, name, dimensions)
        return replace(self, index=wall(self.database.seen_by, "index", index))

    def open_shadow(
        self, *, mind_name: str, embedder_name: str, dimensions: int, now: datetime
    ) -> tuple[PostgresStores, Shadow]:
        """The stores of the graph that is derived beside the one in use, and what ties it to that."""
        stores, lock = self.stores_beside(mind_name, embedder_name, dimensions, now=now)
        return stores, PostgresShadow(self.database, stores.database, lock)

    def stores_beside(
        self, mind_name: str, embedder_name: str, dimensions: int, *, now: datetime
    ) -> tuple[PostgresStores, RebuildLock]:
        """The stores of the schema beside this one, and the lock that keeps others from it."""
        hands = {"mind": mind_name, "embedder": embedder_name, "dimensions": dimensions}
        database, lock = shadow_for(self.database, hands=json.dumps(hands), now=now)
        try:
            stores = _stores(database, embedder_name, dimensions)
        except BaseException:
            database.close()
            lock.close()
            raise
        database.spare_disk()
        return stores, lock

    def discard_shadow(self) -> bool:
        """Take away what an earlier rebuild left; False if there is nothing."""
        return discard_shadow(self.database)


def open_stores(
    url: str,
    *,
    now: datetime,
    embedder_name: str,
    dimensions: int | Callable[[], int],
    busy_timeout_s: float = 60,
) -> PostgresStores:
    """Open the memory in the schema that `url` names (`?schema=`), made if there is none, or raise a
    `StoreError` that says why not. `dimensions` is asked only where the memory does not know them."""
    database = PostgresDatabase(url, busy_timeout_s=busy_timeout_s)
    try:
        migrate(database, now)
        return _stores(database, embedder_name, dimensions)
    except BaseException:
        database.close()
        raise


def _stores(
    database: PostgresDatabase, embedder_name: str, dimensions: int | Callable[[], int]
) -> PostgresStores:
    stores = {
        **shared_stores(database),
        "index": make_index(database, embedder_name, dimensions),
        "erasing": (PostgresErasure(database),),
        "health": PostgresHealth(database),
    }
    for name in stores.keys() - {"atomic", "close"}:
        for store in stores[name] if name == "erasing" else (stores[name],):
            wall(database.seen_by, name, store)
    return PostgresStores(**stores, wait_for_work=database.wait_for_work, database=database)
