"""What a query gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A table of plain JSON values.

    `truncated` when there was more than was asked for; `notices` say what the query asked for and
    can never be there.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    notices: tuple[str, ...] = ()

    @property
    def records(self) -> list[dict[str, Any]]:
        """Each row as a map of its columns."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]
