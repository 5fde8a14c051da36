"""Dry run: it does the work and takes it back, so that it tells just what would happen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from remanent.core.ports.ledger import Atomic


class _TakenBack(Exception):
    """Ends a transaction without leaving a trace."""


@contextmanager
def transaction(atomic: Atomic, *, dry_run: bool) -> Iterator[None]:
    """A durable transaction, or with `dry_run` one of which nothing remains."""
    with suppress(_TakenBack), atomic(durable=not dry_run):
        yield
        if dry_run:
            raise _TakenBack
