"""How a graph in Neo4j is doing. Its pages are for the server to check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from remanent.core.records.admin import Census, Damage, Examination, Health
from remanent.stores.neo4j.database import Neo4jDatabase
from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.neo4j.erasure import TABLES
from remanent.stores.neo4j.migrations import NEWEST, version
from remanent.stores.sql.admin.health import DECODERS, SqlHealth, problem_with
from remanent.stores.sql.database import Row
from remanent.stores.sql.plain_rows import to_micros

_PAGE: Final = 500
_SIZES: Final = f"""
CALL () {{
  MATCH (n:{"|".join(f"MEMORY{suffix}" for suffix in TABLES)}) RETURN count(n) AS rows
  UNION ALL
  MATCH (:MEMORY)-[r:LINKS|RELATIONSHIPS]->(:MEMORY) RETURN count(r) AS rows
}}
RETURN sum(rows)
"""
_NODES: Final = "MATCH (n:MEMORY) RETURN n.kind AS kind, count(*) ORDER BY kind"
# Times in a body are ISO texts in UTC, which sort as the times do.
_BORN_BY: Final = """
MATCH (n:MEMORY {kind: 'event'}) WHERE n.created_at <= $by AND n.occurred_at <= $moment
RETURN count(*)
"""
# What is decoded anywhere, each with its number first.
_ROWS: Final[Mapping[str, str]] = {
    "nodes": "MATCH (n:MEMORY) WHERE n.id > $after RETURN n.id AS number, n.kind AS sort, THING(n)",
    "relationships": """
MATCH (:MEMORY)-[r:RELATIONSHIPS]->(:MEMORY) WHERE r.id > $after RETURN r.id AS number, THING(r)
""",
    "passages": "MATCH (p:MEMORY_Passage) WHERE p.rowid > $after RETURN p.rowid AS number, p.body",
    "extractions": "MATCH (e:MEMORY_Extraction) WHERE e.id > $after RETURN e.id AS number, e.body",
    "entries": "MATCH (e:MEMORY_Entry) WHERE e.id > $after RETURN e.id AS number, e.kind",
}


class Neo4jHealth(SqlHealth):
    """Counts what is in the graph; writes nothing."""

    _database: Neo4jDatabase

    def health(self) -> Health:
        name, dimensions = self._embedder()
        return Health(
            schema=version(self._database),
            newest_schema=NEWEST,
            embedder=name,
            dimensions=dimensions,
        )

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        with self._database.read():
            counts = self._database.execute(Cypher(_NODES))
            return Census(
                nodes={str(kind): int(count) for kind, count in counts},
                born_by=tuple(map(self._born_by, moments)),
            )

    def _born_by(self, moment: datetime) -> int:
        values = {"by": to_micros(moment), "moment": moment.astimezone(UTC).isoformat()}
        ((count,),) = self._database.execute(Cypher(_BORN_BY), values)
        return int(count)

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        """Every row that is decoded anywhere is decoded here."""
        del fits  # raw texts are kept elsewhere
        damages = list[Damage]()
        for table, cypher in _ROWS.items():
            problem_of = problem_with(DECODERS[table][1])
            for key, *row in self._pages(cypher):
                if (problem := problem_of(*row)) is not None:
                    damages.append(Damage(table=table, key=str(key), problem=problem))
        ((rows,),) = self._database.execute(Cypher(_SIZES))
        return Examination(damages=tuple(damages), rows=int(rows), digests=0)

    def _pages(self, cypher: str) -> Iterator[Row]:
        """All rows of a statement that reads on from the number in its first column."""
        page, after = Cypher(f"{cypher} ORDER BY number LIMIT {_PAGE}"), -1
        while rows := self._database.execute(page, {"after": after}):
            yield from rows
            after = rows[-1][0]

    def schema(self) -> tuple[int, int]:
        return version(self._database), NEWEST
