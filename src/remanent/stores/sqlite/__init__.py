"""Everything in one SQLite file. What a method promises is said once, at its port in `core/ports`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from remanent.core.dataclasses import dataclass
from remanent.core.ports.admin import Shadow
from remanent.stores.sql.stores import SqlStores, make_index, shared_stores
from remanent.stores.sqlite.admin.erasure import SqliteErasure
from remanent.stores.sqlite.admin.health import SqliteHealth
from remanent.stores.sqlite.admin.shadow import SqliteShadow, discard_shadow, place_for, unlock
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import migrate

__all__ = ["SqliteStores", "open_stores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStores(SqlStores):
    """All stores of one file. `atomic` spans them all; after `close` none can be used."""

    database: SqliteDatabase  # for a rebuild, which works on two files at once

    def open_shadow(
        self, *, mind_name: str, embedder_name: str, dimensions: int, now: datetime
    ) -> tuple[SqliteStores, Shadow]:
        """The stores of the graph that is derived beside the one in use, and what ties it to that."""
        hands = {"mind": mind_name, "embedder": embedder_name, "dimensions": dimensions}
        place, lock = place_for(self.database, hands=json.dumps(hands), now=now)
        try:
            stores = open_stores(place, now=now, embedder_name=embedder_name, dimensions=dimensions)
            stores.database.spare_disk()
            return stores, SqliteShadow(self.database, stores.database, lock)
        except BaseException:
            if lock is not None:
                unlock(self.database.path, lock)
            raise

    def discard_shadow(self) -> bool:
        """Take away what an earlier rebuild left; False if there is nothing."""
        return discard_shadow(self.database)


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
    database = SqliteDatabase(path, busy_timeout_s=busy_timeout_s)
    try:
        migrate(database, now)
        index = make_index(database, embedder_name, dimensions)
    except BaseException:
        database.close()
        raise
    return SqliteStores(
        **shared_stores(database),
        index=index,
        erasing=(SqliteErasure(database),),
        health=SqliteHealth(database),
        database=database,
    )
