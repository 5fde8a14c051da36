"""The shadow in PostgreSQL: a second schema beside that of the memory, in the same database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Final

from remanent.core.model.event import Event
from remanent.errors import BusyMemory, StoreError
from remanent.stores.postgres.connection import PooledConnection
from remanent.stores.postgres.database import RENUMBER, PostgresDatabase
from remanent.stores.postgres.migrations import NEWEST, migrate, version
from remanent.stores.postgres.wall import EVERYBODY, Eyes, wall
from remanent.stores.sql.admin.shadow import SqlShadow, begin_shadow
from remanent.stores.sql.database import Beside, Row, Values

_SUFFIX: Final = "_rebuild"
_LOCK: Final = "SELECT pg_try_advisory_lock(hashtextextended('remanent rebuild:' || ?, 0))"
_ALONE: Final = """
BEGIN; SET LOCAL synchronous_commit = on;
SELECT pg_advisory_xact_lock(hashtextextended('remanent:' || ?, 0))
"""
_COLUMNS: Final = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position
"""
_TRIGGERED: Final = """
SELECT DISTINCT event_object_table FROM information_schema.triggers WHERE trigger_schema = ?
"""


class PostgresShadow(SqlShadow):
    """A schema, and the connection that keeps others from it."""

    def __init__(
        self, live: PostgresDatabase, database: PostgresDatabase, lock: RebuildLock
    ) -> None:
        super().__init__(live, database)
        self._main, self._other, self._lock = live, database, lock
        self._is_alone = False
        wall(self._seen_by, "shadow", self)

    @contextmanager
    def _seen_by(self, who: Eyes) -> Iterator[None]:
        with self._main.seen_by(who), self._other.seen_by(who):
            yield

    @contextmanager
    def _beside(self, *, writes: bool = False) -> Iterator[Beside]:
        seat = self._main.beside(self._other.schema)
        try:
            if writes:
                seat.run(_ALONE, (self._main.schema,))
                self._is_alone = True
            yield Schemas(seat, self._main.schema)
            if writes:
                seat.run(RENUMBER)
                seat.run("COMMIT")
        finally:
            self._is_alone = False
            seat.take_back()
            seat.close()

    def waiting(self, limit: int) -> list[Event]:
        """Events are numbered when they are written, and seen when their transaction has ended: while
        nobody writes, none of a lower number can come any more."""
        if self._is_alone:
            return super().waiting(limit)
        with self._main.transaction():
            return super().waiting(limit)

    def close(self, *, discard: bool = False) -> None:
        self._other.close()
        if discard:
            drop_schema(self._main, self._other.schema)
        self._lock.close()


class Schemas(Beside):
    """A connection that sees both schemas."""

    def __init__(self, seat: PooledConnection, schema: str) -> None:
        self._seat, self._schema = seat, schema

    def run(self, sql: str, values: Values = ()) -> list[Row]:
        return self._seat.run(sql, values)

    def columns(self, table: str) -> list[str]:
        return [name for (name,) in self.run(_COLUMNS, (self._schema, table))]

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try:
            yield
        finally:
            self._seat.take_back()

    @contextmanager
    def without_triggers(self) -> Iterator[None]:
        tables = [name for (name,) in self.run(_TRIGGERED, (self._schema,))]
        for table in tables:
            self.run(f"ALTER TABLE main.{table} DISABLE TRIGGER USER")
        yield
        self.run("SET CONSTRAINTS ALL IMMEDIATE")
        for table in tables:
            self.run(f"ALTER TABLE main.{table} ENABLE TRIGGER USER")


def shadow_for(
    live: PostgresDatabase, *, hands: str, now: datetime
) -> tuple[PostgresDatabase, RebuildLock]:
    """The memory of a shadow that these hands (mind and embedder) derive, and the lock on it: the one
    that is there, if it is theirs, or a new one. `BusyMemory` while somebody else is at it."""
    name, lock = shadow_schema(live), RebuildLock(live)
    database = live.open_schema(name)
    try:
        if version(database) != NEWEST or database.meta("rebuild") != hands:
            drop_schema(live, name)
            migrate(database, now)
            with live.seen_by(EVERYBODY), database.seen_by(EVERYBODY):
                begin_shadow(live, database, hands)
    except BaseException:
        database.close()
        lock.close()
        raise
    return database, lock


def shadow_schema(live: PostgresDatabase) -> str:
    """The schema beside that of the memory."""
    return f"{live.schema}{_SUFFIX}"


def has_shadow(live: PostgresDatabase) -> bool:
    """Whether a rebuild left anything."""
    asked = "SELECT 1 FROM information_schema.schemata WHERE schema_name = ?"
    return bool(live.execute(asked, (shadow_schema(live),)))


def discard_shadow(live: PostgresDatabase) -> bool:
    """Take away what an earlier rebuild left; False if there is nothing."""
    if not has_shadow(live):
        return False
    lock = RebuildLock(live)
    try:
        drop_schema(live, shadow_schema(live))
    finally:
        lock.close()
    return True


def drop_schema(live: PostgresDatabase, name: str) -> None:
    """Take a schema of ours away with all that is in it."""
    with live.transaction():
        live.execute("SET LOCAL client_min_messages = warning")
        live.execute(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')


class RebuildLock:
    """A memory's lock that one rebuild holds; it ends with its connection, however that ends."""

    def __init__(self, live: PostgresDatabase) -> None:
        self._seat = live.beside(live.schema)
        ((got,),) = self._seat.run(_LOCK, (live.schema,))
        if not got:
            self._seat.close()
            raise BusyMemory(live.path, "is being rebuilt already")

    def close(self) -> None:
        """Given up in words: that a connection is closed the server notices some time later."""
        with suppress(StoreError):
            self._seat.run("SELECT pg_advisory_unlock_all()")
        self._seat.close()
