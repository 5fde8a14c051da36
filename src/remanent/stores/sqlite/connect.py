"""Opening the file: what is checked before a byte of it is changed, and how a connection is set up."""

from __future__ import annotations

import os
import time
from pathlib import Path

import apsw

from remanent.clock import stopwatch
from remanent.errors import NotAMemory, ReadOnlyMemory, StoreError
from remanent.stores.sqlite.faults import translated

APPLICATION_ID = 0x52454D4E  # "REMN", in the header of every memory
MEMORY = ":memory:"
OLDEST_LIBRARY = (3, 51, 3)  # older ones can tear a WAL when it is reset
_SMALLEST_BYTES = 512
_WAL_KEEPS_BYTES = 64 * 1024 * 1024


def check_library(version: str) -> None:
    """Refuse a SQLite that may damage the files it writes."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_LIBRARY:
        needed = ".".join(str(part) for part in OLDEST_LIBRARY)
        raise StoreError("SQLite", f"library {version} is too old, at least {needed} is needed")


def check_place(path: str) -> None:
    """Refuse, with the reason, a path at which no memory can be kept."""
    if "\x00" in path or not path:
        raise StoreError(repr(path), "is not a path")
    place = Path(path)
    if place.is_dir():
        raise NotAMemory(path, "is a folder, not a memory")
    if not place.parent.is_dir():
        raise StoreError(path, f"cannot be made: there is no folder {place.parent}")
    if place.exists():
        _check_file(place, path)
    if not os.access(place.parent, os.W_OK):
        raise ReadOnlyMemory(path, f"cannot be written to: its folder {place.parent} is read-only")


def _check_file(place: Path, path: str) -> None:
    if not place.is_file():
        raise NotAMemory(path, "is not a file")
    if 0 < place.stat().st_size < _SMALLEST_BYTES:
        # SQLite takes a file of one byte for an empty one. We cannot look into it ourselves:
        # opening and closing it here would drop the locks of every connection of this process.
        raise NotAMemory(path, "is not a Remanent memory (it is not a database at all)")
    if not os.access(place, os.R_OK):
        raise StoreError(path, "cannot be opened: this user may not read it")
    if not os.access(place, os.W_OK):
        raise ReadOnlyMemory(path, "cannot be written to")


def connect(path: str, *, busy_timeout_s: float, create: bool) -> apsw.Connection:
    """A connection that is ours alone, set up; the file is known to be a memory, or empty.

    Only the first connection creates: were the file taken away later, a second one must not put an
    empty memory in its place.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
    with translated(path):
        connection = apsw.Connection(path if path == MEMORY else str(Path(path)), flags=flags)
        try:
            _set_up(connection, path, busy_timeout_s)
        except BaseException:
            connection.close()
            raise
    return connection


def _set_up(connection: apsw.Connection, path: str, busy_timeout_s: float) -> None:
    connection.set_busy_handler(_Patience(busy_timeout_s))
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
