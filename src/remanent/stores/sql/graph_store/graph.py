"""The graph in SQLite: nodes, edges and passages, counted and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from remanent.core.model.codec import NODE_TYPES, to_record
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.records.export import ExportRecord, RecordKind
from remanent.stores.sql.admin import graph_rows
from remanent.stores.sql.graph_store.adjacency import SqlAdjacency
from remanent.stores.sql.graph_store.decay import SqlDecay
from remanent.stores.sql.graph_store.edges import SqlEdges
from remanent.stores.sql.graph_store.events import SqlEventNodes
from remanent.stores.sql.graph_store.extractions import SqlExtractions
from remanent.stores.sql.graph_store.nodes import SqlNodes
from remanent.stores.sql.graph_store.notes import SqlNotes, assertion_digest, note_digest
from remanent.stores.sql.graph_store.queries import SqlNightQueries
from remanent.stores.sql.graph_store.search_queries import SqlSearchQueries
from remanent.stores.sql.graph_store.select import SqlSelect
from remanent.stores.sql.ledger import SqlPositions

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

    def counts(self, scope: Scope) -> Mapping[str, int]:
        with self._database.read():
            kinds: dict[str, int] = dict(self._database.execute(_KIND_COUNTS, (scope.user_id,)))
            (others,) = self._database.execute(_OTHER_COUNTS, {"user": scope.user_id})
        return {
            **{kind.value: kinds.get(kind.value, 0) for kind in NODE_TYPES},
            **dict(zip(_OTHERS, others, strict=True)),
        }

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
