"""Traces: what reading writes down on the way, such as an access. An answer does not depend on it."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress

from remanent.errors import DiskFull, ReadOnlyMemory


def if_writable() -> AbstractContextManager[None, bool]:
    """A block that is left out where nothing can be written: on a full disk, or on read-only media."""
    return suppress(DiskFull, ReadOnlyMemory)
