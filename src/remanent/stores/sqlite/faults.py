"""Where SQLite's errors end: each becomes one of ours, with the file's name in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from remanent.errors import (
    BusyMemory,
    DamagedMemory,
    InvalidInput,
    NotAMemory,
    ReadOnlyMemory,
    StoreError,
)

_FAULTS: tuple[tuple[type[apsw.Error], type[StoreError], str], ...] = (
    (apsw.NotADBError, NotAMemory, "is not a Remanent memory (it is not a database at all)"),
    (apsw.CorruptError, DamagedMemory, "is damaged"),
    (apsw.FullError, DamagedMemory, "could not be written: the disk is full"),
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
    except UnicodeEncodeError as error:
        raise InvalidInput("text", f"holds a character that is none: {error.reason}") from error


def fault(path: str, error: apsw.Error) -> StoreError:
    """What `error`, met on the file at `path`, is called among our own."""
    for theirs, ours, words in _FAULTS:
        if isinstance(error, theirs):
            return ours(path, f"{words} ({error})")
    return StoreError(path, f"failed in a way nobody foresaw: {type(error).__name__}: {error}")
