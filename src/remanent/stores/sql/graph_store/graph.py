"""The graph in SQLite: nodes, edges and passages, counted and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from remanent.core.model.codec import NODE_TYPES, to_record
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Found, Graph, Wanted
from remanent.core.records.admin import ErasureDates
from remanent.core.records.export import ExportRecord, RecordKind
from remanent.stores.sql.admin import graph_rows
from remanent.stores.sql.database import Values
from remanent.stores.sql.graph_store.adjacency import SqlAdjacency
from remanent.stores.sql.graph_store.decay import SqlDecay
from remanent.stores.sql.graph_store.edges import EDGES, SqlEdges, relationship_of
from remanent.stores.sql.graph_store.events import SqlEventNodes
from remanent.stores.sql.graph_store.extractions import SqlExtractions
from remanent.stores.sql.graph_store.nodes import GET, SqlNodes, nodes_seen
from remanent.stores.sql.graph_store.notes import (
    NEWEST,
    NOTES,
    PASSAGES,
    SqlNotes,
    assertion_digest,
    note_digest,
    passages_in,
)
from remanent.stores.sql.graph_store.queries import SqlNightQueries
from remanent.stores.sql.graph_store.search_queries import (
    BELIEFS,
    TOLD,
    SqlSearchQueries,
    beliefs_in,
    told_in,
)
from remanent.stores.sql.graph_store.select import SqlSelect
from remanent.stores.sql.ledger import SqlPositions
from remanent.stores.sql.plain_rows import from_micros, to_micros
from remanent.stores.sql.scope import scope_values

_ALL: Final = 2**62
_KIND_COUNTS = "SELECT kind, count(*) FROM nodes WHERE user_id = ? GROUP BY kind"
_OTHERS: Final = ("relationships", "links", "assertions", "notes", "passages")
_OTHER_COUNTS = """
SELECT (SELECT count(*) FROM relationships WHERE user_id = :user),
       (SELECT count(*) FROM links WHERE user_id = :user),
       (SELECT count(*) FROM assertions WHERE user_id = :user),
       (SELECT count(*) FROM notes WHERE user_id = :user),
       (SELECT count(*) FROM nodes AS n CROSS JOIN passages AS p ON p.source_id = n.id
        WHERE n.user_id = :user AND n.kind = 'source')
"""
_READERS = """
WITH source (id, user_id) AS (SELECT id, user_id FROM nodes WHERE key = :key)
SELECT user_id FROM source
UNION SELECT e.user_id FROM source CROSS JOIN extractions AS e ON e.source_id = source.id
UNION SELECT n.user_id FROM source CROSS JOIN notes AS n ON n.source_id = source.id
UNION SELECT a.user_id FROM source CROSS JOIN assertions AS a ON a.source_id = source.id
UNION SELECT b.user_id FROM source CROSS JOIN bearers AS b ON b.source_id = source.id
UNION SELECT l.user_id FROM source CROSS JOIN links AS l ON l.src_id = source.id
UNION SELECT l.user_id FROM source CROSS JOIN links AS l ON l.dst_id = source.id
ORDER BY 1
"""
_THINGS = """
SELECT key, kind, created_at, updated_at FROM nodes WHERE user_id = :user
UNION ALL SELECT key, 'relationship', created_at, updated_at FROM relationships WHERE user_id = :user
"""
_LINKS = """
SELECT l.kind, s.key, d.key, l.detail, l.created_at FROM links AS l
CROSS JOIN nodes AS s ON s.id = l.src_id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.user_id = :user
"""
_REDATE = "UPDATE TABLE SET created_at = ?, updated_at = ? WHERE key = ? AND user_id = ?"
_REDATE_LINK = """
UPDATE links SET created_at = ?1 WHERE kind = ?2 AND user_id = ?6 AND detail = ?5
  AND src_id = (SELECT id FROM nodes WHERE key = ?3)
  AND dst_id = (SELECT id FROM nodes WHERE key = ?4) AND created_at <> ?1
"""
# By what records are put in order, where not by their key.
_ORDER: Final[Mapping[RecordKind, Callable[[Any], Any]]] = {
    RecordKind.NODE: lambda one: (one.kind.value, one.key),
    RecordKind.LINK: lambda one: (one.kind.value, one.src, one.dst, one.detail),
    RecordKind.ASSERTION: assertion_digest,
    RecordKind.NOTE: note_digest,
    RecordKind.EXTRACTION: lambda one: one.source_key,
}


class SqlGraph(
    SqlAdjacency,
    SqlNodes,
    SqlSelect,
    SqlEdges,
    SqlNotes,
    SqlExtractions,
    SqlSearchQueries,
    SqlDecay,
    SqlNightQueries,
    SqlEventNodes,
    SqlPositions,
    Graph,
):
    """The whole graph of everyone in one file, seen by one caller at a time."""

    def read(self, scope: Scope, wanted: Wanted) -> Found:
        noted, latest = sorted(wanted.noted), {"limit": wanted.latest}

        def statement(sql: str, keys: Sequence[str], **others: Any) -> tuple[str, Values] | None:
            return (sql, scope_values(scope, keys=keys, **others)) if keys else None

        nodes, passages, edges, notes, beliefs, told = self._together(
            statement(GET, wanted.nodes),
            statement(PASSAGES, wanted.passages),
            statement(EDGES, wanted.relationships),
            statement(NEWEST, noted, **latest),
            statement(BELIEFS, wanted.sources),
            statement(TOLD, wanted.sources),
        )
        relationships = map(relationship_of, edges)
        return Found(
            nodes=nodes_seen(scope, wanted.nodes, nodes),
            passages=passages_in(wanted.passages, passages),
            relationships={one.key: one for one in relationships},
            notes=[NOTES.of(row) for row in notes],
            beliefs=beliefs_in(beliefs),
            told=told_in(told),
        )

    def counts(self, scope: Scope) -> Mapping[str, int]:
        with self._database.read():
            kinds: dict[str, int] = dict(self._database.execute(_KIND_COUNTS, (scope.user_id,)))
            (others,) = self._database.execute(_OTHER_COUNTS, {"user": scope.user_id})
        return {
            **{kind.value: kinds.get(kind.value, 0) for kind in NODE_TYPES},
            **dict(zip(_OTHERS, others, strict=True)),
        }

    def readers(self, source_key: str) -> list[str]:
        return [row[0] for row in self._database.execute(_READERS, {"key": source_key})]

    def dates(self, scope: Scope, *, links: bool = True) -> ErasureDates:
        values = {"user": scope.user_id}
        rows = self._database.execute(_THINGS, values)
        links_rows = self._database.execute(_LINKS, values) if links else ()
        return ErasureDates(
            kinds={key: kind for key, kind, _, _ in rows},
            things={
                key: (from_micros(born), from_micros(changed))
                for key, kind, born, changed in rows
                if kind != Kind.BELIEF
            },
            links={
                (kind, src, dst, detail): from_micros(born)
                for kind, src, dst, detail, born in links_rows
            },
        )

    def redate(self, scope: Scope, dates: ErasureDates) -> None:
        user, run = scope.user_id, self._database.execute_many
        rows = [(to_micros(b), to_micros(c), key, user) for key, (b, c) in dates.things.items()]
        with self._database.transaction():
            for table in ("nodes", "relationships"):
                run(_REDATE.replace("TABLE", table), rows)
            run(
                _REDATE_LINK,
                [(to_micros(born), *place, user) for place, born in dates.links.items()],
            )

    def export(self, scope: Scope) -> Iterator[Mapping[str, Any]]:
        for sort in graph_rows.SELECTS:
            sql, after = graph_rows.select(sort, mine="@.user_id = :user", seen="TRUE")
            values = {"user": scope.user_id, "after": after, "page": _ALL}
            rows = self._database.execute(sql, values)
            records = [graph_rows.record_of(sort, row) for row in rows]
            for one in sorted(records, key=_place):
                kind = {"kind": one.value.kind.value} if sort is RecordKind.NODE else {}
                value = to_record(one.value) if one.plain is None else one.plain
                yield {"record": sort.value, **kind, "value": value}


def _place(one: ExportRecord) -> Any:
    return _ORDER[one.sort](one.value) if one.sort in _ORDER else one.value.key
