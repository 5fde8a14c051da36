"""Connections to PostgreSQL, and where its errors end: each becomes one of ours."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import errors
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from remanent.errors import (
    BusyMemory,
    ConfigError,
    DamagedMemory,
    DiskFull,
    InvalidInput,
    ReadOnlyMemory,
    StoreError,
    UnreachableMemory,
)
from remanent.stores.postgres.dialect import Prepared, named, translated
from remanent.stores.postgres.wall import NOBODY, Eyes, set_who
from remanent.stores.postgres.wire import Wire
from remanent.stores.sql.database import Row, Values

DEFAULT_SCHEMA: Final = "remanent"
# A server whose machine is gone says nothing: without these we would wait for it for hours. What the URL
# says of them counts more.
_WAITS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_LONGEST_NAME: Final = 50  # of a schema: PostgreSQL cuts names at 63, and a shadow's is longer
_SETTINGS: Final = """
SET search_path = "{schema}"; SET TimeZone = 'UTC'; SET jit = off; SET bytea_output = hex;
SET default_transaction_isolation = 'read committed'; SET standard_conforming_strings = on
"""
_FAULTS: Final[tuple[tuple[type[psycopg.Error], type[StoreError], str], ...]] = (
    (errors.LockNotAvailable, BusyMemory, "stayed locked by another program"),
    (errors.DeadlockDetected, BusyMemory, "was wanted by two at once"),
    (errors.SerializationFailure, BusyMemory, "was changed by another at the same moment"),
    (errors.TooManyConnections, BusyMemory, "has too many connections"),
    (errors.DiskFull, DiskFull, "could not be written: the disk is full"),
    (errors.OutOfMemory, StoreError, "has no memory left"),
    (errors.ReadOnlySqlTransaction, ReadOnlyMemory, "cannot be written to"),
    (errors.InsufficientPrivilege, ReadOnlyMemory, "may not be used so by this user"),
    (errors.DataCorrupted, DamagedMemory, "is damaged"),
    (errors.IndexCorrupted, DamagedMemory, "is damaged"),
    (errors.IoError, DamagedMemory, "could not be read or written: the disk failed"),
    (errors.InvalidTextRepresentation, DamagedMemory, "is damaged: a text cannot be read"),
)


class Address:
    """Where a memory is: the URL of its database, and the schema in it (`?schema=`)."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query))
        self.schema = options.pop("schema", DEFAULT_SCHEMA)
        if not self.schema.isidentifier() or len(self.schema) > _LONGEST_NAME:
            raise ConfigError("memory", f"{self.schema!r} is no name of a schema")
        plain = urlunsplit(parts._replace(query=urlencode(options)))
        try:
            self._conninfo = make_conninfo(**{**_WAITS, **conninfo_to_dict(plain)})
        except psycopg.ProgrammingError as error:
            raise ConfigError("memory", f"is no URL of PostgreSQL: {error}") from None
        place = parts.netloc.rpartition("@")[2]
        self.shown = f"{parts.scheme}://{place}{parts.path}?schema={self.schema}"  # no password

    def connect(self, schema: str) -> psycopg.Connection[Row]:
        """A new connection that is set up, and commits each statement unless told otherwise."""
        with translated_errors(self.shown):
            connection: psycopg.Connection[Row] = psycopg.Connection.connect(
                self._conninfo,
                autocommit=True,
                client_encoding="utf8",
                application_name=f"remanent {schema}",
            )
            adapters = connection.adapters
            adapters.register_dumper(bool, _BoolDumper)
            adapters.register_dumper(float, _FloatDumper)
            adapters.register_loader("numeric", _NumberLoader)
            connection.execute(_SETTINGS.format(schema=schema))
        return connection


class _BoolDumper(Dumper):
    """Truth is 1 or 0, as in the columns."""

    oid = 20

    def dump(self, obj: bool) -> bytes:  # noqa: FBT001 - as the driver calls it
        return b"1" if obj else b"0"

    def quote(self, obj: bool) -> bytes:  # noqa: FBT001 - as the driver calls it
        return self.dump(obj)


class _FloatDumper(Dumper):
    """A float is one, and no exact decimal."""

    oid = 701

    def dump(self, obj: float) -> bytes:
        if math.isfinite(obj):
            return repr(float(obj)).encode()
        return b"NaN" if math.isnan(obj) else (b"Infinity" if obj > 0 else b"-Infinity")

    def quote(self, obj: float) -> bytes:
        return b"'" + self.dump(obj) + b"'::float8"


class _NumberLoader(Loader):
    """A sum of whole numbers is a whole number."""

    def load(self, data: Any) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)


@contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """A block out of which no error of the driver comes."""
    try:
        yield
    except psycopg.Error as error:
        raise fault(place, error) from error
    except UnicodeEncodeError as error:
        raise InvalidInput("text", f"holds a character that is none: {error.reason}") from error


def fault(place: str, error: psycopg.Error) -> StoreError | InvalidInput:
    """What `error`, met in the memory at `place`, is called among our own."""
    words = str(error).strip().partition("\n")[0]
    if isinstance(error, psycopg.DataError) and "NUL" in words:
        return InvalidInput("text", "holds a NUL character, which PostgreSQL cannot keep")
    for theirs, ours, told in _FAULTS:
        if isinstance(error, theirs):
            return ours(place, f"{told} ({words})")
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        shut = "authentication failed" in words or "no pg_hba.conf entry" in words
        told = "does not let us in: check user and password" if shut else "cannot be reached"
        return UnreachableMemory(place, f"{told} ({words})")
    return StoreError(place, f"failed in a way nobody foresaw: {type(error).__name__}: {words}")


class PooledConnection:
    """One connection, and what the thread on it is in the middle of."""

    def __init__(self, address: Address, schema: str, beside: str = "") -> None:
        self.pid = os.getpid()
        self.writing = False
        self.reading = False
        self.touched: dict[str, dict[str, Any]] = {}  # by topic, what was made of it
        self.owner: Eyes | None = None  # for whom alone the transaction is, or None: for anybody
        self.beside = beside  # another schema, which statements may name so
        self.who = NOBODY  # whose rows the next statement may see
        self._told: Eyes | None = NOBODY  # whose the transaction was told
        self._address = address
        self._schema = schema
        self._depth = 0
        self._pending: list[str] = []  # what goes along with the next statement
        self._prepared = Prepared()
        self._connection = address.connect(schema)
        self._wire = Wire(self._connection)

    @property
    def lost(self) -> bool:
        """Whether the server has gone away, or this is the connection of a process we came from."""
        return self._connection.closed or self.pid != os.getpid()

    def run(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a statement; of several, of the last."""
        with self._errors():
            return self._wire.ask(self._along(self._call(sql, values)))[-1] or []

    def run_together(
        self,
        asked: Sequence[tuple[str, Values]],
        expected: tuple[str, Values, Eyes] | None = None,
    ) -> list[list[Row]]:
        """All rows of each of these statements, every one of which has some or none, and of one that is for
        eyes of its own; sent together."""
        with self._errors():
            calls = self._along(b";\n".join(self._call(*one) for one in asked))
            if expected is not None:
                sql, values, self._told = expected
                who = set_who(self._told.setting).encode()
                calls = b";\n".join((calls, who, self._call(sql, values)))
            return [rows for rows in self._wire.ask(calls) if rows is not None]

    def run_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`, sent together; all rows that came back, in order."""
        found: list[Row] = []
        with self._errors():
            for first in range(0, len(rows), _TOGETHER):
                some = rows[first : first + _TOGETHER]
                calls = b";\n".join(self._call(sql, one) for one in some)
                for answer in self._wire.ask(self._along(calls)):
                    found += answer or ()
        return found

    def _call(self, sql: str, values: Values) -> bytes:
        bound = named(values)
        text = self._prepared.call(translated(sql, self._schema, self.beside), bound)
        return self._wire.written(text, bound)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with translated_errors(self._address.shown):
            try:
                yield
            except BaseException:
                self._prepared.forget()
                raise

    def run_plain(self, script: str) -> None:
        """Statements in PostgreSQL's own words."""
        with translated_errors(self._address.shown):
            self._wire.ask(self._along(script.encode()))

    def _along(self, text: bytes) -> bytes:
        before, self._pending = self._pending, []
        if self._connection.pgconn.transaction_status == TransactionStatus.IDLE:
            self._told = NOBODY
        if self.who != self._told and not text.startswith(b"BEGIN"):
            before.append(set_who(self.who.setting))
            self._told = self.who
        return "; ".join([*before, ""]).encode() + text

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A block within a transaction whose writes can be taken back alone. It costs no journey of
        its own: its marks go along with the statements."""
        mark = f"SAVEPOINT inside_{self._depth}"
        self._pending.append(mark)
        self._depth += 1
        try:
            yield
            self._end(mark, f"RELEASE inside_{self._depth - 1}")
        except BaseException:
            for made in self.touched.values():
                made.clear()
            if not self.lost:
                self._end(mark, f"ROLLBACK TO inside_{self._depth - 1}")
                self._told = None  # as it was before the block, whatever that was
                if self._pending:
                    self.run("SELECT 1")
            raise
        finally:
            self._depth -= 1

    def _end(self, mark: str, how: str) -> None:
        if mark in self._pending:  # nothing was done since
            del self._pending[self._pending.index(mark) :]
        else:
            self._pending.append(how)

    def take_back(self) -> None:
        """Undo what is under way, if there still is a connection to undo it on."""
        self._pending.clear()
        if not self.lost:
            with translated_errors(self._address.shown):
                self._wire.ask(b"ROLLBACK")

    def listen(self, channel: str) -> None:
        """Hear from now on what is told on this channel."""
        self.run(f"LISTEN {channel}")

    def notified(self, timeout_s: float) -> bool:
        """Whether anything was told within that time."""
        with translated_errors(self._address.shown):
            return any(True for _ in self._connection.notifies(timeout=timeout_s, stop_after=1))

    def close(self) -> None:
        """Give the connection up; that of another process is left to it."""
        if self.pid == os.getpid():
            self._connection.close()


_TOGETHER: Final = 200  # statements sent at once
