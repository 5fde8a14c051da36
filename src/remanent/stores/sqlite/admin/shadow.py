"""The shadow in SQLite: a second file beside the memory, or a passing one for a memory in memory."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Final

from remanent.errors import BusyMemory, NotAMemory
from remanent.stores.sql.admin.shadow import SqlShadow, begin_shadow
from remanent.stores.sql.database import Beside, Row, Values
from remanent.stores.sqlite.connection import MEMORY, LockedConnection
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import NEWEST, migrate

SUFFIX: Final = ".rebuild"
_LOCK: Final = ".rebuild-lock"
_TRIGGERS: Final = "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'"
_COUNTED: Final = """
INSERT INTO main.sqlite_sequence (name, seq)
SELECT 'entries', 0 WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence WHERE name = 'entries');
UPDATE main.sqlite_sequence SET seq = max(
    seq, coalesce((SELECT seq FROM beside.sqlite_sequence WHERE name = 'entries'), 0)
) WHERE name = 'entries';
"""


class SqliteShadow(SqlShadow):
    """A file, and the lock that keeps others from it."""

    def __init__(self, live: SqliteDatabase, database: SqliteDatabase, lock: int | None) -> None:
        super().__init__(live, database)
        self.place = database.path
        self._file = live
        self._lock = lock

    @contextmanager
    def _beside(self, *, writes: bool = False) -> Iterator[Beside]:
        with (
            self._file.beside(self.place, writes=writes) as seat,
            seat.commit_apart() if writes else nullcontext(),
        ):
            yield _Attached(seat)
            if writes:
                seat.run(_COUNTED)

    def close(self, *, discard: bool = False) -> None:
        """Let go of the file; one of a memory in memory is gone."""
        self._database.close()
        if discard:
            remove(self.place)
        if self._live.path == MEMORY:
            shutil.rmtree(Path(self.place).parent, ignore_errors=True)
        if self._lock is not None:
            unlock(self._live.path, self._lock)
            self._lock = None


class _Attached(Beside):
    """A seat with the other file attached."""

    def __init__(self, seat: LockedConnection) -> None:
        self._seat = seat

    def run(self, sql: str, values: Values = ()) -> list[Row]:
        return self._seat.run(sql, values)

    def columns(self, table: str) -> list[str]:
        return [row[0] for row in self.run("SELECT name FROM pragma_table_info(?)", (table,))]

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        self.run("BEGIN")
        try:
            yield
            self.run("COMMIT")
        finally:
            self._seat.take_back()

    @contextmanager
    def without_triggers(self) -> Iterator[None]:
        triggers = self.run(_TRIGGERS)
        for name, _ in triggers:
            self.run(f'DROP TRIGGER main."{name}"')
        yield
        for _, statement in triggers:
            self.run(statement)


def place_for(live: SqliteDatabase, *, hands: str, now: datetime) -> tuple[str, int | None]:
    """The file of a shadow that these hands (mind and embedder) derive, and the lock on it: the one
    that is there, if it is theirs, or a new one. `BusyMemory` while somebody else is at it."""
    if live.path == MEMORY:
        place, lock = str(Path(tempfile.mkdtemp(prefix="remanent-")) / "shadow.db"), None
    else:
        place = f"{Path(live.path).absolute()}{SUFFIX}"
        lock = locked(live.path)
    try:
        if _hands_of(place) != hands:
            remove(place)
            _begin(live, place, hands, now)
    except BaseException:
        if lock is not None:
            unlock(live.path, lock)
        raise
    return place, lock


def unlock(path: str, lock: int) -> None:
    """Let others rebuild this memory."""
    Path(_lock_of(path)).unlink(missing_ok=True)
    os.close(lock)


def discard_shadow(live: SqliteDatabase) -> bool:
    """Take away what an earlier rebuild left; False if there is nothing."""
    place = f"{Path(live.path).absolute()}{SUFFIX}"
    if live.path == MEMORY or not Path(place).exists():
        return False
    lock = locked(live.path)
    try:
        remove(place)
    finally:
        unlock(live.path, lock)
    return True


def remove(place: str) -> None:
    """Take a database's files away."""
    for end in ("", "-wal", "-shm", "-journal"):
        Path(f"{place}{end}").unlink(missing_ok=True)


def _lock_of(path: str) -> str:
    return f"{Path(path).absolute()}{_LOCK}"


def locked(path: str) -> int:
    """A lock that ends with the process, however that ends."""
    while True:
        number = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(number)
            raise BusyMemory(path, "is being rebuilt already") from None
        try:  # whoever had it before may have taken the file away meanwhile
            if os.fstat(number).st_ino == Path(_lock_of(path)).stat().st_ino:
                return number
        except FileNotFoundError:
            pass
        os.close(number)


def _hands_of(place: str) -> str | None:
    """Whose work the file is; None where it is nobody's, or was not even begun."""
    if not Path(place).exists():
        return None
    try:
        database = SqliteDatabase(place)
    except NotAMemory:
        return None
    try:
        ((version,),) = database.execute("PRAGMA user_version")
        return database.meta("rebuild") if version == NEWEST else None
    finally:
        database.close()


def _begin(live: SqliteDatabase, place: str, hands: str, now: datetime) -> None:
    database = SqliteDatabase(place)
    try:
        migrate(database, now)
        begin_shadow(live, database, hands)
    finally:
        database.close()
