"""Connections to SQLite, and where its errors end: each becomes one of ours, with the file's name in it.

Opening the file: what is checked before a byte of it is changed, and how a connection is set up.

A seat: one connection, the lock of whoever is on it, and what that one is in the middle of.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from remanent.clock import stopwatch
from remanent.errors import (
    BusyMemory,
    DamagedMemory,
    DiskFull,
    InvalidInput,
    NotAMemory,
    ReadOnlyMemory,
    StoreError,
)
from remanent.stores.sql.database import Row, Values

_FAULTS: tuple[tuple[type[apsw.Error], type[StoreError], str], ...] = (
    (apsw.NotADBError, NotAMemory, "is not a Remanent memory (it is not a database at all)"),
    (apsw.CorruptError, DamagedMemory, "is damaged"),
    (apsw.FullError, DiskFull, "could not be written: the disk is full"),
    (apsw.IOError, DamagedMemory, "could not be read or written: the disk failed"),
    (apsw.ReadOnlyError, ReadOnlyMemory, "cannot be written to"),
    (apsw.PermissionsError, ReadOnlyMemory, "cannot be written to"),
    (apsw.BusyError, BusyMemory, "stayed locked by another program"),
    (apsw.LockedError, BusyMemory, "stayed locked by another program"),
    (apsw.ProtocolError, BusyMemory, "stayed locked by another program"),
    (apsw.CantOpenError, StoreError, "cannot be opened"),
    (apsw.ConnectionClosedError, StoreError, "was closed"),
)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """A block out of which no error of the driver comes."""
    try:
        yield
    except apsw.Error as error:
        raise fault(path, error) from error
    except UnicodeDecodeError as error:
        raise DamagedMemory(path, _torn("", error.reason)) from error
    except UnicodeEncodeError as error:
        raise InvalidInput("text", f"holds a character that is none: {error.reason}") from error


def fault(path: str, error: apsw.Error) -> StoreError:
    """What `error`, met on the file at `path`, is called among our own."""
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        return DiskFull(path, f"could not be opened to be written: {NO_ROOM} ({error})")
    for theirs, ours, words in _FAULTS:
        if isinstance(error, theirs):
            return ours(path, f"{words} ({error})")
    return StoreError(path, f"failed in a way nobody foresaw: {type(error).__name__}: {error}")


_BAD_JSON: Final = "malformed JSON"  # what SQLite says of a body that is none


def _torn(sql: str, problem: str) -> str:
    """What is said of a stored text that is none; of which table, as far as the statement tells."""
    named = re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE) +(?!temp\.)(?:main\.)?([a-z_]+)", sql)
    made = re.findall(r"\b([a-z_]+)(?: \([a-z_, ]+\))? AS (?:MATERIALIZED )?\(", sql)  # by itself
    tables = [one for one in dict.fromkeys(named) if one not in ("json_each", *made)]
    where = f"table {' or '.join(tables)}" if tables else "a table"
    return f"is damaged: a text in {where} cannot be read ({problem}); see `doctor --deep`"


NO_ROOM: Final = "there is no room on the disk"
APPLICATION_ID = 0x52454D4E  # "REMN", in the header of every memory
MEMORY = ":memory:"
OLDEST_LIBRARY = (3, 51, 3)  # older ones can tear a WAL when it is reset
_SMALLEST_BYTES = 512
_HAS_LOG: Final = (
    "cannot be written to, and has a log beside it (-wal) that is not taken in yet: "
    "copy both to where they can be written"
)
_WAL_KEEPS_BYTES = 64 * 1024 * 1024
_STATEMENTS = 500  # kept ready by a connection: taking in one source needs more than the usual 100


def check_library(version: str) -> None:
    """Refuse a SQLite that may damage the files it writes."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_LIBRARY:
        needed = ".".join(str(part) for part in OLDEST_LIBRARY)
        raise StoreError("SQLite", f"library {version} is too old, at least {needed} is needed")


def check_place(path: str) -> bool:
    """Refuse, with the reason, a path at which no memory can be kept; whether it can be written to.

    What is there already can be read on media that refuse writes; a new memory cannot be made there.
    """
    if "\x00" in path or not path:
        raise StoreError(repr(path), "is not a path")
    place = Path(path)
    if place.is_dir():
        raise NotAMemory(path, "is a folder, not a memory")
    if not place.parent.is_dir():
        raise StoreError(path, f"cannot be made: there is no folder {place.parent}")
    is_there = place.exists()
    if is_there:
        _check_file(place, path)
    if os.access(place.parent, os.W_OK):
        return not is_there or os.access(place, os.W_OK)
    if not is_there or place.stat().st_size == 0:
        raise ReadOnlyMemory(path, f"cannot be written to: its folder {place.parent} is read-only")
    return False


def _check_file(place: Path, path: str) -> None:
    if not place.is_file():
        raise NotAMemory(path, "is not a file")
    if 0 < place.stat().st_size < _SMALLEST_BYTES:
        # SQLite takes a file of one byte for an empty one. We cannot look into it ourselves:
        # opening and closing it here would drop the locks of every connection of this process.
        raise NotAMemory(path, "is not a Remanent memory (it is not a database at all)")
    if not os.access(place, os.R_OK):
        raise StoreError(path, "cannot be opened: this user may not read it")
    if place.stat().st_size == 0 and not os.access(place, os.W_OK):
        raise ReadOnlyMemory(path, "cannot be written to, and is empty")


def connect_to_read(path: str, *, busy_timeout_s: float) -> apsw.Connection:
    """A connection that only reads, for a file that cannot be written to, or is not to be.

    Without a log beside it the file is complete, and is read as one that nobody changes: SQLite then
    needs no file of its own there. With one, its writer (or the copy) left the newest words in it.
    """
    file = Path(path).absolute()
    log = file.with_name(f"{file.name}-wal")
    is_whole = not log.exists() or log.stat().st_size == 0
    uri = f"{file.as_uri()}?mode=ro{'&immutable=1' if is_whole else ''}"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with translated(path):
            connection = apsw.Connection(uri, flags=flags, statementcachesize=_STATEMENTS)
            try:
                _prepare(connection, busy_timeout_s)
                _refuse_foreign(connection, path)
            except BaseException:
                connection.close()
                raise
    except StoreError as problem:
        if is_whole or isinstance(problem, NotAMemory):
            raise
        raise ReadOnlyMemory(path, _HAS_LOG) from problem
    return connection


def connect(path: str, *, busy_timeout_s: float, create: bool) -> apsw.Connection:
    """A connection that is ours alone, set up; the file is known to be a memory, or empty.

    Only the first connection creates: were the file taken away later, a second one must not put an
    empty memory in its place.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        file = path if path == MEMORY else str(Path(path))
        connection = apsw.Connection(file, flags=flags, statementcachesize=_STATEMENTS)
        try:
            _set_up(connection, path, busy_timeout_s)
        except BaseException:
            connection.close()
            raise
    return connection


def _set_up(connection: apsw.Connection, path: str, busy_timeout_s: float) -> None:
    _prepare(connection, busy_timeout_s)
    connection.execute("PRAGMA mmap_size = 0")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    if path == MEMORY:
        return
    if connection.readonly("main"):
        raise ReadOnlyMemory(path, "cannot be written to")
    _refuse_foreign(connection, path)
    _use_wal(connection, busy_timeout_s)
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_KEEPS_BYTES}")


def _prepare(connection: apsw.Connection, busy_timeout_s: float) -> None:
    """Wait for others, and let statements call `event_digest` with an event's columns after its number."""
    connection.set_busy_handler(_Patience(busy_timeout_s))
    # Else a statement is planned anew for each value that may be in an index over a part of a table.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.create_scalar_function("event_digest", _event_digest, deterministic=True)


def _event_digest(*values: Any) -> bytes:
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).digest()


def _refuse_foreign(connection: apsw.Connection, path: str) -> None:
    """Another program's database is left exactly as it is."""
    connection.execute("BEGIN")  # both answers from one moment: another process may be migrating
    ((mark,),) = connection.execute("PRAGMA application_id")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
    connection.execute("COMMIT")
    if mark != APPLICATION_ID and (mark or tables):
        raise NotAMemory(path, "is a database of another application")


def _use_wal(connection: apsw.Connection, busy_timeout_s: float) -> None:
    """Switch to WAL once in a file's life. SQLite asks no busy handler here, so we wait ourselves."""
    ((mode,),) = connection.execute("PRAGMA journal_mode")
    if mode == "wal":
        return
    wait = _Patience(busy_timeout_s)
    count = 0
    while True:
        try:
            list(connection.execute("PRAGMA journal_mode = WAL"))
        except apsw.BusyError:
            if not wait(count):
                raise
            count += 1
        else:
            return


class _Patience:
    """Waits in small uneven steps, so that two waiters do not march in time, up to a limit."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._since_s = 0.0

    def __call__(self, count: int) -> bool:
        if count == 0:
            self._since_s = stopwatch()
        if stopwatch() - self._since_s > self._limit_s:
            return False
        time.sleep(0.0005 + 0.001 * (count * 5 % 8))
        return True


_INHERITED: Final[list[apsw.Connection]] = []  # kept for ever: see `LockedConnection.forsake`


class LockedConnection:
    """Opened when first needed, and again after it was closed."""

    def __init__(self, path: str, connect: Callable[[], apsw.Connection]) -> None:
        self.pid = os.getpid()
        self.writing = False
        self.reading = False
        self.touched: dict[str, dict[str, Any]] = {}  # by topic, what was made of it
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
    def locked(self, timeout_s: float) -> Iterator[None]:
        """A block during which nobody else uses this connection."""
        self.hold(timeout_s)
        try:
            yield
        finally:
            self.release()

    def hold(self, timeout_s: float) -> None:
        """As `acquire`; `BusyMemory` when somebody stayed on it all that time."""
        if not self.acquire(timeout_s):
            raise BusyMemory(self._path, "stayed locked by another thread")

    def run(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a statement."""
        try:  # a source takes hundreds of statements: no block to enter and leave for each
            return list(self._ready().execute(sql, values or None))
        except (apsw.Error, UnicodeError) as error:
            with translated(self._path):
                if isinstance(error, UnicodeDecodeError):
                    raise DamagedMemory(self._path, _torn(sql, error.reason)) from error
                if isinstance(error, apsw.SQLError) and str(error) == _BAD_JSON:
                    raise DamagedMemory(self._path, _torn(sql, _BAD_JSON)) from error
                raise

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
        try:
            with self._begun("BEGIN"):
                self.run("DELETE FROM main.meta WHERE name = ''")  # nothing but the lock on writing
                yield
        finally:
            self.run("PRAGMA foreign_keys = ON")

    @contextmanager
    def commit(self, *, durable: bool) -> Iterator[None]:
        """A block whose writes are committed at its end, on the disk if `durable`, or not at all."""
        if self.open() or durable != self._durable:
            self.run("PRAGMA synchronous = FULL" if durable else "PRAGMA synchronous = NORMAL")
            self._durable = durable
        with self._begun("BEGIN IMMEDIATE"):
            yield

    @contextmanager
    def impatient(self, afterwards_s: float) -> Iterator[None]:
        """A block that waits for no other program's lock; then again as long as that."""
        self._ready().set_busy_handler(None)
        try:
            yield
        finally:
            self._ready().set_busy_handler(_Patience(afterwards_s))

    @contextmanager
    def _begun(self, how: str) -> Iterator[None]:
        self.run(how)
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
            for made in self.touched.values():
                made.clear()
            raise

    def take_back(self, how: str = "ROLLBACK") -> None:
        """Undo, if SQLite has not done so by itself."""
        if self._connection is not None and self._connection.in_transaction:
            with translated(self._path):
                self._connection.execute(how)

    def close(self) -> None:
        """Give the connection up; only by whoever holds the lock."""
        if self.pid != os.getpid():
            self.abandon()
        elif self._connection is not None:
            with translated(self._path):
                self._connection.close()
            self._connection = None

    def abandon(self) -> None:
        """Never touch this connection again: it came over a fork, and closing it here would drop
        locks and roll back a transaction that belong to the parent."""
        if self._connection is not None:
            _INHERITED.append(self._connection)
            self._connection = None
