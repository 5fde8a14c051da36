"""Carrying: all that a memory holds, out as records and in again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.export import ExportRecord, Restored

Numbered = tuple[int, ExportRecord]  # a record, and the line it stands on


class ExportStore(Protocol):
    """Records come in the order of `Sort`, those of one sort in the order they were first written, all
    as they are at one moment. However many there are, few of them are in memory at once."""

    def dump(self, scope: Scope, *, answers: bool = True) -> Iterator[ExportRecord]:
        """All that the caller owns. What hangs on another's source is `elsewhere`, and not there at all
        where the caller may not see that source. Without `answers`, no answers and no spending."""
        ...

    def dump_all(self, *, answers: bool = True) -> Iterator[ExportRecord]:
        """All that everyone owns, with the teams and who is in them."""
        ...

    def size(self, scope: Scope) -> int:
        """About how many records `dump` gives."""
        ...

    def size_all(self) -> int:
        """About how many records `dump_all` gives."""
        ...

    def embedder(self) -> tuple[str, int] | None:
        """Whose the vectors are, and how long; None where there are none."""
        ...

    def restore(
        self, records: Iterable[Numbered], *, embedder: str | None, dimensions: int = 0
    ) -> Restored:
        """Take in records, in one transaction with whatever surrounds it.

        Nothing that is there is touched: a user, team or key that is there already, or a team of this
        memory that the records do not bring, is an `InvalidInput` that names the line. Vectors are kept if
        they are those of `embedder`; with None they are left out. What is `elsewhere` comes in where its
        user may see what it hangs on, and is counted as left out where not.
        """
        ...
