"""What is said to the server in one journey, and what comes back.

A cursor of the driver is made for whoever fetches row by row: each costs several times what sending and
reading do. We always want all rows at once, and so hand its parts to one another ourselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.adapt import Transformer
from psycopg.generators import execute
from psycopg.pq import ExecStatus

from remanent.stores.sql.database import Row

_VALUE: Final = re.compile(r"%\((\w+)\)s")
_DONE: Final = (ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)


class Wire:
    """The two ways on one connection: texts there, rows back. One thread uses it at a time."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._adapting = Transformer(connection)

    def ask(self, text: bytes) -> list[list[Row] | None]:
        """The rows of each statement in `text`, None for one that gives none whatever it finds, in one
        journey; or the error of the first that failed."""
        server = self._connection.pgconn
        server.send_query(text)
        return [self._rows(one) for one in self._connection.wait(execute(server))]

    def _rows(self, result: psycopg.pq.abc.PGresult) -> list[Row] | None:
        if result.status == ExecStatus.TUPLES_OK:
            self._adapting.set_pgresult(result)
            rows = self._adapting.load_rows(0, result.ntuples, tuple)
            self._adapting.set_pgresult(None)  # it may be large
            return rows
        if result.status not in _DONE:
            raise errors.error_from_result(result)
        return None

    def written(self, text: str, values: Mapping[str, Any]) -> bytes:
        """The text with each value, named `%(name)s` in it, in its place; and `%` for `%%`."""
        first, *others = _pieces(text)
        whole = [first]
        for name, after in others:
            value = values[name]
            whole += (b"NULL" if value is None else self._adapting.as_literal(value), after)
        return b"".join(whole)


@lru_cache(maxsize=2000)
def _pieces(text: str) -> tuple[Any, ...]:
    """What stands before the first value; then the name of each with what stands behind it."""
    first, *others = _VALUE.split(text)
    plain = [one.replace("%%", "%").encode() for one in (first, *others[1::2])]
    return plain[0], *zip(others[::2], plain[1:], strict=True)
