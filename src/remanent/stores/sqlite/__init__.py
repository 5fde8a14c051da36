"""Everything in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from remanent.ports.answers import Answers
from remanent.ports.atomic import Atomic
from remanent.ports.cypher import Cypher
from remanent.ports.graph import Graph
from remanent.ports.index import Index
from remanent.ports.ledger import Ledger
from remanent.ports.queue import Queue
from remanent.ports.registry import Registry
from remanent.stores.sqlite.answers import SqliteAnswers
from remanent.stores.sqlite.cypher import SqliteCypher
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph import SqliteGraph
from remanent.stores.sqlite.index import SqliteIndex
from remanent.stores.sqlite.ledger import SqliteLedger
from remanent.stores.sqlite.migrations import migrate
from remanent.stores.sqlite.queue import SqliteQueue
from remanent.stores.sqlite.registry import SqliteRegistry

__all__ = ["SqliteStores", "open_stores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStores:
    """All stores of one file. `atomic` spans them all; after `close` none can be used."""

    ledger: Ledger
    graph: Graph
    index: Index
    registry: Registry
    queue: Queue
    answers: Answers
    cypher: Cypher
    atomic: Atomic
    close: Callable[[], None]


def open_stores(
    path: Path | str,
    *,
    now: datetime,
    embedder_name: str,
    dimensions: int,
    busy_timeout_s: float = 60,
) -> SqliteStores:
    """Open the memory at `path`, made if there is none, or raise a `StoreError` that says why not.

    An `EmbedderError` means that its vectors are of another embedder than the one named.
    """
    database = Database(path, busy_timeout_s=busy_timeout_s)
    try:
        migrate(database, now)
        index = SqliteIndex(database, dimensions=dimensions, embedder_name=embedder_name)
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
        registry=SqliteRegistry(database),
        queue=SqliteQueue(database),
        answers=SqliteAnswers(database),
        cypher=cypher,
        atomic=database.transaction,
        close=close,
    )
