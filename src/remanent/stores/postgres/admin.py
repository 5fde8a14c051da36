"""How a schema of PostgreSQL is doing, and what is done when something is erased from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from remanent.core.records.admin import Damage, Examination, FileTraces, Health
from remanent.errors import BusyMemory
from remanent.stores.postgres.database import NUMBERED, PostgresDatabase
from remanent.stores.postgres.migrations import NEWEST, version
from remanent.stores.postgres.wall import NOBODY
from remanent.stores.sql.admin.erasure import SqlErasure
from remanent.stores.sql.admin.health import DECODERS, SqlHealth, problem_with
from remanent.stores.sql.database import Row

_SIZE: Final = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'
"""
_UNWALLED: Final = """
SELECT current_user, (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user), (
    SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = ? AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid)
      AND NOT (c.relrowsecurity AND c.relforcerowsecurity))
"""

_PAGE: Final = 500
_ROWS: Final = "SELECT {number}, {columns} FROM {table} WHERE {number} > ? ORDER BY 1 LIMIT ?"
_ADDED: Final = """
SELECT e.seq, e.payload, e.payload ->> 'source_key', r.content FROM events AS e
LEFT JOIN raws AS r ON r.key = e.payload ->> 'source_key'
WHERE e.event_type = 'source.added' AND e.payload ->> 'source_key' IS NOT NULL AND e.seq > ? ORDER BY e.seq LIMIT ?
"""


class PostgresHealth(SqlHealth):
    """Looks at the schema and counts its rows; writes nothing. Its pages are for the server to check."""

    _database: PostgresDatabase

    def health(self) -> Health:
        name, dimensions = self._embedder()
        return Health(
            schema=version(self._database),
            newest_schema=NEWEST,
            embedder=name,
            dimensions=dimensions,
            file_bytes=self._count(_SIZE, (self._database.schema,)),
            unwalled=self._unwalled(),
        )

    def _unwalled(self) -> str:
        ((role, passes, tables),) = self._database.execute(_UNWALLED, (self._database.schema,))
        if passes:
            return f"row level security does not hold the database's user {role!r}"
        return "" if not tables else f"row level security is switched off for {tables}"

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        """Every row that is decoded anywhere is decoded here, and every raw text compared."""
        rows, damages = 0, list[Damage]()
        for table in self._database.text_columns():
            rows += self._count(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - ours
        for table, (columns, decode) in DECODERS.items():
            problem_of, number = problem_with(decode), NUMBERED.get(table, "id")
            for key, *row in self._pages(_ROWS.format(columns=columns, table=table, number=number)):
                if (problem := problem_of(*row)) is not None:
                    damages.append(Damage(table=table, key=str(key), problem=problem))
        compared = 0
        for _, payload, key, raw in self._pages(_ADDED):
            compared += 1
            problem = "the raw text is missing" if raw is None else fits(json.loads(payload), raw)
            if problem:
                damages.append(Damage(table="raws", key=str(key), problem=problem))
        return Examination(damages=tuple(damages), rows=rows, digests=compared)

    def _pages(self, sql: str) -> Iterator[Row]:
        """All rows of a statement that reads on from the number in its first column."""
        after = -1
        while rows := self._database.execute(sql, (after, _PAGE)):
            yield from rows
            after = rows[-1][0]

    def schema(self) -> tuple[int, int]:
        return version(self._database), NEWEST


class PostgresErasure(SqlErasure):
    """Rows go as everywhere; the tables they lay in are then written anew. What the server keeps in
    its log and its backups is for whoever runs it to let go."""

    _database: PostgresDatabase

    def _rewrite(self) -> bool:
        try:
            # Nothing is told of nobody, and so no transaction is around it.
            with self._database.seen_by(NOBODY):
                for table in self._database.text_columns():
                    self._database.execute(f'VACUUM (FULL) "{table}"')
        except BusyMemory:
            return False
        return True

    def files(self, words: Sequence[str] = ()) -> FileTraces:
        """How many bytes the tables have now: the files of a server are not ours to read."""
        del words
        ((size,),) = self._database.execute(_SIZE, (self._database.schema,))
        return FileTraces(int(size))
