"""The ledger and the queue of a memory in Redis or Valkey, beside PostgreSQL, which keeps the locks.

What a method promises is said once, at its port in `core/ports`.
"""

from __future__ import annotations

from remanent.errors import NewerMemory
from remanent.stores.combined.part import Opening, Part
from remanent.stores.redis.admin import SCHEMA, RedisErasure, RedisHealth
from remanent.stores.redis.connection import Server
from remanent.stores.redis.database import RedisDatabase
from remanent.stores.redis.ledger import RedisLedger
from remanent.stores.redis.queue import RedisQueue
from remanent.stores.redis.rows import RedisRows

__all__ = ["RedisPart", "open_part"]


class RedisPart(Part):
    """Ledger and queue, and what they need of exports, erasure and health."""

    def __init__(self, server: Server, opening: Opening) -> None:
        wait_s = opening.busy_timeout_s
        self._server = server
        self._database = RedisDatabase(server, opening.schema, opening.block, busy_timeout_s=wait_s)
        queue = RedisQueue(self._database)
        self.path = server.shown
        ledger = RedisLedger(self._database)
        self.stores = {"ledger": ledger, "queue": queue}
        self.member = self._database
        rows = self.ledger_of_all = RedisRows(self._database, ledger)
        self.rows = dict.fromkeys(rows.sorts, rows)
        self.erasing: RedisErasure = RedisErasure(self._database, busy_timeout_s=wait_s)
        self.health = RedisHealth(self._database, rows)
        self.wait_for_work = queue.wait_for_work

    def belongs(self, mark: str) -> str:
        """Note whose the part is, unless that is noted; what is noted then."""
        return self._note("memory", mark)

    def insist_known(self) -> None:
        """Raise `NewerMemory` if a later version has written here."""
        number = int(self._note("schema", str(SCHEMA)))
        if number > SCHEMA:
            problem = f"was written by a later version of Remanent (schema {number}, this one knows {SCHEMA})"
            raise NewerMemory(self.path, problem)

    def _note(self, name: str, value: str) -> str:
        key = self._database.key("about")
        self._database.ask("HSETNX", key, name, value)
        return str(self._database.ask("HGET", key, name))

    def drop(self) -> None:
        """Take away all keys of the memory."""
        self.erasing.drop()

    def close(self) -> None:
        """End all connections."""
        self._server.close()


def open_part(url: str, opening: Opening) -> RedisPart:
    """Open what the server at `url` keeps of the memory, or raise a `StoreError` that says why not."""
    server = Server(url, timeout_s=opening.busy_timeout_s)
    try:
        server.insist_safe()
        part = RedisPart(server, opening)
        part.insist_known()
    except BaseException:
        server.close()
        raise
    return part
