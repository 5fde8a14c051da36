"""A seat: one connection, the lock of whoever is on it, and what that one is in the middle of."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import apsw

from remanent.errors import BusyMemory, StoreError
from remanent.stores.sqlite.faults import translated

Row = tuple[Any, ...]
Values = Sequence[Any] | Mapping[str, Any]

_INHERITED: Final[list[apsw.Connection]] = []  # kept for ever: see `Seat.forsake`


class Seat:
    """Opened when first needed, and again after it was closed."""

    def __init__(self, path: str, connect: Callable[[], apsw.Connection]) -> None:
        self.pid = os.getpid()
        self.writing = False
        self.reading = False
        self.touched: set[str] = set()
        self._path = path
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._lock = threading.RLock()
        self._durable = False

    @property
    def idle(self) -> bool:
        """Whether nothing is under way, seen by whoever holds the lock."""
        return not (self.writing or self.reading)

    def acquire(self, timeout_s: float) -> bool:
        """Keep all others off this seat; False when somebody stayed on it all that time."""
        return self._lock.acquire(timeout=timeout_s)

    def release(self) -> None:
        """Let others on again."""
        self._lock.release()

    @contextmanager
    def held(self, timeout_s: float) -> Iterator[None]:
        """A block during which nobody else uses this connection."""
        if not self.acquire(timeout_s):
            raise BusyMemory(self._path, "stayed locked by another thread")
        try:
            yield
        finally:
            self.release()

    def run(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a statement."""
        with translated(self._path):
            return list(self._ready().execute(sql, values or None))

    def run_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`; all rows that came back, in order."""
        with translated(self._path):
            return list(self._ready().executemany(sql, rows))

    def open(self) -> bool:
        """Connect now; False when there is a connection already."""
        if self._connection is not None:
            return False
        self._connection = self._connect()
        self._durable = False
        return True

    def _ready(self) -> apsw.Connection:
        self.open()
        if self._connection is None:
            raise StoreError(self._path, "was closed")
        if self.writing and not self._connection.in_transaction:
            # After some failures (a full disk) SQLite rolls back by itself. Going on would write
            # the rest without the beginning.
            raise StoreError(self._path, "has already taken this transaction back")
        return self._connection

    def teach(self, name: str, function: Callable[..., Any], arguments: int) -> None:
        """Let statements on this seat call a function of ours, which always answers alike."""
        with translated(self._path):
            self._ready().create_scalar_function(name, function, arguments, deterministic=True)

    @contextmanager
    def attached(self, path: str) -> Iterator[None]:
        """A block in which the file at `path` is there as `beside`."""
        self.run("ATTACH ? AS beside", (path,))
        try:
            yield
        finally:
            self.take_back()
            self.run("DETACH beside")

    @contextmanager
    def commit_apart(self) -> Iterator[None]:
        """As `commit`, durably and with references unchecked; what is attached is not locked by it."""
        self.run("PRAGMA foreign_keys = OFF")
        self.run("PRAGMA synchronous = FULL")
        self._durable = True
        self.run("BEGIN")
        self.writing = True
        try:
            self.run("DELETE FROM main.meta WHERE name = ''")  # nothing but the lock on writing
            yield
            self.run("COMMIT")
        except BaseException:
            self.take_back()
            raise
        finally:
            self.writing = False
            self.touched.clear()
            self.run("PRAGMA foreign_keys = ON")

    @contextmanager
    def commit(self, *, durable: bool) -> Iterator[None]:
        """A block whose writes are committed at its end, on the disk if `durable`, or not at all."""
        if self.open() or durable != self._durable:
            self.run("PRAGMA synchronous = FULL" if durable else "PRAGMA synchronous = NORMAL")
            self._durable = durable
        self.run("BEGIN IMMEDIATE")
        self.writing = True
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            self.take_back()
            raise
        finally:
            self.writing = False
            self.touched.clear()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A block within a transaction whose writes can be taken back alone."""
        self.run("SAVEPOINT inner")  # the name may be nested: the latest one counts
        try:
            yield
            self.run("RELEASE inner")
        except BaseException:
            self.take_back("ROLLBACK TO inner; RELEASE inner")
            raise

    def take_back(self, how: str = "ROLLBACK") -> None:
        """Undo, if SQLite has not done so by itself."""
        if self._connection is not None and self._connection.in_transaction:
            with translated(self._path):
                self._connection.execute(how)

    def close(self) -> None:
        """Give the connection up; only by whoever holds the lock."""
        if self.pid != os.getpid():
            self.forsake()
        elif self._connection is not None:
            with translated(self._path):
                self._connection.close()
            self._connection = None

    def forsake(self) -> None:
        """Never touch this connection again: it came over a fork, and closing it here would drop
        locks and roll back a transaction that belong to the parent."""
        if self._connection is not None:
            _INHERITED.append(self._connection)
            self._connection = None
