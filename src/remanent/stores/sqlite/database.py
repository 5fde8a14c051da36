"""One SQLite file: a connection for each thread, one writer at a time, all or nothing."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import apsw

from remanent.clock import stopwatch
from remanent.core.interruption import checkpoint
from remanent.core.model.scope import Scope
from remanent.errors import BusyMemory, DiskFull, MovedMemory, ReadOnlyMemory, StoreError
from remanent.stores.sql.database import REFUSAL, Database, Row, Values
from remanent.stores.sqlite.connection import (
    MEMORY,
    NO_ROOM,
    LockedConnection,
    check_library,
    check_place,
    connect,
    connect_to_read,
)

_OPEN: Final[weakref.WeakSet[SqliteDatabase]] = weakref.WeakSet()
_FORK_WAITS_S: Final = 1.0
_TABLES: Final = """
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
"""
_TEXTS: Final = "SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'"
_COUNT_ON: Final = """
UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(seq), 0) FROM positions))
WHERE name = 'events'
"""
_COUNTED: Final = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?"


class SqliteDatabase(Database):
    """The file at `path`, or with `:memory:` a database that ends with this object.

    Threads and processes may use one file at once. Whoever finds it locked waits up to
    `busy_timeout_s`, and only then gets `BusyMemory`. With `read_only` not a byte of it is changed,
    whether it can be written to or not.
    """

    def __init__(
        self, path: Path | str, *, busy_timeout_s: float = 60, read_only: bool = False
    ) -> None:
        check_library(apsw.sqlite_lib_version())
        self.path = str(path)
        self._in_memory = self.path == MEMORY
        self.read_only = not (self._in_memory or check_place(self.path)) or read_only
        # Absolute, for the process may change its folder before another thread connects.
        self._file = MEMORY if self._in_memory else str(Path(path).absolute())
        self._busy_timeout_s = busy_timeout_s
        self._closed = ""
        self._spares_disk = False
        self._settle()
        _OPEN.add(self)
        self._open_first()

    def _open_first(self) -> None:
        """Connect; where there is no room even for SQLite's own file beside it, to read only."""
        self._full: DiskFull | None = None
        try:
            self._connection().open()
        except DiskFull as full:
            self.read_only, self._full = True, full
            try:
                self._connection().open()
            except StoreError:
                raise full from None

    # -- asking -------------------------------------------------------------------------------

    def execute(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of one statement. Writing needs a `transaction` around it."""
        seat = self._connection()
        seat.hold(self._busy_timeout_s)
        try:
            return seat.run(sql, values)
        finally:
            seat.release()

    def execute_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`; all rows that came back, in order."""
        seat = self._connection()
        with seat.locked(self._busy_timeout_s):
            return seat.run_many(sql, rows)

    def teach(self, name: str, function: Callable[..., Any], arguments: int) -> None:
        """Let statements of this thread call a function of ours, which always answers alike."""
        seat = self._connection()
        with seat.locked(self._busy_timeout_s):
            seat.teach(name, function, arguments)

    @contextmanager
    def read(self) -> Iterator[None]:
        """A block whose reads all see one moment. No transaction can begin inside it."""
        seat = self._connection()
        with seat.locked(self._busy_timeout_s):
            if not seat.idle:
                yield
                return
            seat.run("BEGIN")
            seat.reading = True
            try:
                yield
            finally:
                seat.reading = False
                seat.take_back()

    # -- writing ------------------------------------------------------------------------------

    @contextmanager
    def transaction(
        self,
        whose: Scope | None = None,  # noqa: ARG002 - a file has one writer
        *,
        durable: bool = False,
        patient: bool = True,
        alone: bool = True,  # noqa: ARG002
        moving: bool = False,
    ) -> Iterator[None]:
        """A block whose writes all happen or none; see `Database`."""
        seat = self._connection()
        wait_s = self._busy_timeout_s if patient else 0.0
        with seat.locked(wait_s):
            if seat.writing:
                with seat.savepoint():
                    yield
                return
            if seat.reading:
                raise StoreError(self.path, "is being read in one piece: no writing inside `read`")
            if self._full is not None:
                raise DiskFull(self.path, f"{NO_ROOM}: make some, and open it again")
            if self.read_only:
                raise ReadOnlyMemory(self.path, "cannot be written to: it is open for reading only")
            checkpoint()
            durable = durable and not self._spares_disk
            hurry = nullcontext() if patient else seat.impatient(self._busy_timeout_s)
            with self._only_writer(wait_s), hurry, seat.commit(durable=durable):
                if not moving and (refusal := self.meta(REFUSAL)):
                    raise MovedMemory(self.path, refusal)
                yield

    @contextmanager
    def _only_writer(self, wait_s: float) -> Iterator[None]:
        # Threads queue here, where waiting is fair and cheap, instead of polling the file's lock.
        writer = self._writer
        if not writer.acquire(timeout=wait_s):
            raise BusyMemory(self.path, "stayed locked by another thread")
        try:
            yield
        finally:
            writer.release()

    def touch(self, topic: str) -> None:
        self._connection().touched.setdefault(topic, {})

    def touched(self, topic: str) -> dict[str, Any] | None:
        return self._connection().touched.get(topic)

    @property
    def writing(self) -> bool:
        """Whether this thread is in a transaction, and may see what others cannot see yet.

        Ask inside `read` or `transaction`.
        """
        return self._connection().writing

    def spare_disk(self) -> None:
        """Let no transaction wait for the disk from now on: what is here can be made again."""
        self._spares_disk = True

    @contextmanager
    def beside(self, path: str, *, writes: bool = False) -> Iterator[LockedConnection]:
        """A seat of its own with the file at `path` attached as `beside`; of a database in memory, the
        only seat there is. With `writes` no other thread writes meanwhile."""
        seat = self._shared or self._new_seat()
        try:
            with (
                self._only_writer(self._busy_timeout_s) if writes else nullcontext(),
                seat.locked(self._busy_timeout_s),
                seat.attached(path),
            ):
                yield seat
        finally:
            if seat is not self._shared:
                _vacate(self._seats, seat)

    def text_columns(self) -> Mapping[str, Sequence[str]]:
        tables = [row[0] for row in self.execute(_TABLES)]
        return {table: [row[0] for row in self.execute(_TEXTS, (table,))] for table in tables}

    def last_number(self, table: str) -> int:
        ((number,),) = self.execute(_COUNTED, (table,))
        return int(number)

    def count_from(self, table: str, number: int) -> None:
        self.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        self.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))

    def renumber(self) -> None:
        """SQLite counts rows whoever gave them their number. Places of events that were struck are
        given to no other: consumers may be beyond them."""
        self.execute(_COUNT_ON)

    # -- seats --------------------------------------------------------------------------------

    def _settle(self) -> None:
        self._opening = threading.Lock()
        self._writer = threading.Lock()
        self._local = threading.local()
        self._seats: set[LockedConnection] = set()
        self._moving = threading.Event()
        self._moving.set()
        self._stopped: list[LockedConnection] = []
        self._created = False
        self._shared = self._new_seat() if self._in_memory else None

    def _connection(self) -> LockedConnection:
        if self._closed:
            raise StoreError(self.path, self._closed)
        if self._shared is not None:
            return self._shared
        tenant: _Tenant | None = getattr(self._local, "tenant", None)
        if tenant is None:
            tenant = self._local.tenant = _Tenant(self._new_seat())
            # The thread's end drops its `tenant`, and with it the connection.
            weakref.finalize(tenant, _vacate, self._seats, tenant.seat).atexit = False
        if tenant.seat.idle and not self._moving.is_set():
            self._moving.wait()  # whoever is about to fork goes first
        return tenant.seat

    def _new_seat(self) -> LockedConnection:
        seat = LockedConnection(self._file, self._connect)
        self._seats.add(seat)
        return seat

    def _connect(self) -> apsw.Connection:
        with self._opening:
            if self._closed:
                raise StoreError(self.path, self._closed)
            if self.read_only:
                return connect_to_read(self._file, busy_timeout_s=self._busy_timeout_s)
            connection = connect(
                self._file, busy_timeout_s=self._busy_timeout_s, create=not self._created
            )
            self._created = True
            return connection

    def close(self) -> None:
        """End all connections, each when the thread on it has finished what it is doing."""
        self._closed = self._closed or "was closed"
        for seat in list(self._seats):
            with seat.locked(self._busy_timeout_s):
                seat.close()
            self._seats.discard(seat)
        _OPEN.discard(self)

    # -- forks --------------------------------------------------------------------------------
    # A child that inherits an open connection also inherits SQLite's belief that the process holds
    # the file's locks, which it does not; the parent's last commit could then delete the WAL under
    # it. So connections are closed before a fork, and either side opens its own again.

    def stand_still(self) -> None:
        """Close every connection that is not in use, and let none open until `go_on`."""
        self._moving.clear()
        until_s = stopwatch() + _FORK_WAITS_S
        self._stop(self._seats, until_s)
        self._opening.acquire()
        self._stop(self._seats.difference(self._stopped), until_s)

    def _stop(self, seats: set[LockedConnection], until_s: float) -> None:
        for seat in list(seats):
            if seat.acquire(max(0.0, until_s - stopwatch())):
                self._stopped.append(seat)
                if seat.idle and not self._in_memory:
                    seat.close()

    def go_on(self) -> None:
        """After the fork, in the parent: as before."""
        while self._stopped:
            self._stopped.pop().release()
        self._opening.release()
        self._moving.set()

    def start_over(self) -> None:
        """After the fork, in the child: new locks, and no connection of the parent's."""
        for seat in self._seats:
            seat.abandon()
        self._settle()
        self._created = True
        if self._in_memory:
            self._closed = "belongs to the process that opened it"


class _Tenant:
    """What a thread holds for as long as it lives."""

    def __init__(self, seat: LockedConnection) -> None:
        self.seat = seat


def _vacate(seats: set[LockedConnection], seat: LockedConnection) -> None:
    seats.discard(seat)
    if seat.pid != os.getpid():  # a fork ends all threads but one, in the child
        seat.abandon()
        return
    with seat.locked(_FORK_WAITS_S):
        seat.close()


def _before_fork() -> None:
    for database in list(_OPEN):
        database.stand_still()


def _in_parent() -> None:
    for database in list(_OPEN):
        database.go_on()


def _in_child() -> None:
    for database in list(_OPEN):
        database.start_over()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
