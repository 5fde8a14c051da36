"""Connections to Neo4j, and where its errors end: each becomes one of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import neo4j
from neo4j import exceptions as theirs

from remanent.errors import (
    BusyMemory,
    ConfigError,
    DiskFull,
    InvalidInput,
    ReadOnlyMemory,
    StoreError,
    UnreachableMemory,
)
from remanent.stores.sql.database import Row

SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
AWAY: Final = (
    theirs.ServiceUnavailable,
    theirs.SessionExpired,
    theirs.ConnectionAcquisitionTimeoutError,
    OSError,
)
_MOST: Final = 32  # connections of one process to one server
# By what the server's code of an error begins with; the first that fits counts.
_FAULTS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("Neo.TransientError.General.DatabaseUnavailable", UnreachableMemory, "cannot be reached"),
    ("Neo.TransientError.General.OutOfMemoryError", StoreError, "has no memory left"),
    ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", StoreError, "has no memory left"),
    ("Neo.TransientError", BusyMemory, "was wanted by two at once"),
    ("Neo.DatabaseError.Transaction.TransactionLogError", DiskFull, "could not be written"),
    # What could not be written down once is shut until somebody starts it again.
    ("Neo.DatabaseError.Transaction", UnreachableMemory, "takes no transactions"),
    ("Neo.ClientError.Transaction.LockClientStopped", BusyMemory, "was wanted by two at once"),
    ("Neo.ClientError.Transaction.TransactionTimedOut", BusyMemory, "took too long"),
    ("Neo.ClientError.Security", UnreachableMemory, "does not let us in: check user and password"),
    ("Neo.ClientError.Database.DatabaseNotFound", UnreachableMemory, "has no such database"),
    ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", ReadOnlyMemory, "cannot be written to"),
    ("Neo.ClientError.General.WriteOnReadOnly", ReadOnlyMemory, "cannot be written to"),
)


class Address:
    """Where a graph is: the URL of its server, with the name of a database as its path."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES or not parts.hostname:
            raise ConfigError("memory", f"{parts.scheme}://... is no URL of Neo4j")
        place = parts.netloc.rpartition("@")[2]
        self.database = parts.path.strip("/") or None
        self.shown = f"{parts.scheme}://{place}{parts.path}"  # no password
        self._url = f"{parts.scheme}://{place}"
        self._who = (unquote(parts.username or ""), unquote(parts.password or ""))

    def connect(self, patience_s: float) -> neo4j.Driver:
        """What gives connections; the first is made when it is needed."""
        with translated_errors(self.shown):
            driver: neo4j.Driver = neo4j.GraphDatabase.driver(
                self._url,
                auth=self._who if any(self._who) else None,
                connection_timeout=10,
                connection_acquisition_timeout=patience_s,
                max_connection_pool_size=_MOST,
                keep_alive=True,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="remanent",
            )
        return driver


@contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """A block out of which no error of the driver comes."""
    try:
        yield
    except theirs.Neo4jError as error:
        raise fault(place, error.code or "", error.message or "") from error
    except AWAY as error:
        raise UnreachableMemory(place, f"cannot be reached ({_first_line(error)})") from error
    except theirs.DriverError as error:
        raise StoreError(place, f"failed: {type(error).__name__}: {_first_line(error)}") from error
    except UnicodeEncodeError as error:
        raise InvalidInput("text", f"holds a character that is none: {error.reason}") from error


def fault(place: str, code: str, words: str) -> StoreError:
    """What an error of the server is called among our own."""
    words = words.strip().partition("\n")[0]
    if "No space left" in words:
        return DiskFull(place, f"could not be written: the disk is full ({words})")
    for begins, ours, told in _FAULTS:
        if code.startswith(begins):
            return ours(place, f"{told} ({words})")
    return StoreError(place, f"failed in a way nobody foresaw: {code}: {words}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def rows_of(result: Any) -> list[Row]:
    """The rows of an answer, as a table would give them: what has parts is JSON."""
    return [tuple(map(_plain, row)) for row in result.values()]


def _plain(value: Any) -> Any:
    if isinstance(value, list | Mapping):
        return json.dumps(value, ensure_ascii=False)
    return bytes(value) if isinstance(value, bytearray) else value
