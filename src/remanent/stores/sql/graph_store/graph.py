"""The graph in SQLite: nodes, edges and passages, counted and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from remanent.core.model.codec import NODE_TYPES, to_record
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.stores.sql.database import Row
from remanent.stores.sql.graph_store.adjacency import SqlAdjacency
from remanent.stores.sql.graph_store.decay import SqlDecay
from remanent.stores.sql.graph_store.edges import LINKS, SqlEdges, relationship_of
from remanent.stores.sql.graph_store.events import SqlEventNodes, SqlSummaries
from remanent.stores.sql.graph_store.extractions import SqlExtractions
from remanent.stores.sql.graph_store.nodes import SqlNodes, SqlTags, node_of
from remanent.stores.sql.graph_store.notes import (
    ASSERTIONS,
    NOTES,
    SqlAssertions,
    SqlNotes,
    SqlPassages,
)
from remanent.stores.sql.graph_store.queries import (
    SqlConsolidation,
    SqlEventQueries,
    SqlSourceFacts,
    SqlStoryQueries,
)
from remanent.stores.sql.graph_store.search_queries import SqlSearchQueries, SqlSensitivity
from remanent.stores.sql.plain_rows import from_json
from remanent.stores.sql.scope import scoped

_PAGE: Final = 500

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
_HELD = "SELECT count(*) FROM nodes WHERE team_id = ? AND kind = 'source'"
_OWN_NODES = scoped("""
SELECT n.kind, THING(n), key
FROM nodes AS n WHERE user_id = :user AND kind = :kind AND key > :after ORDER BY key LIMIT :page
""")
_OWN_RELATIONSHIPS = scoped("""
SELECT THING(r), key FROM relationships AS r WHERE user_id = :user AND key > :after ORDER BY key LIMIT :page
""")
_OWN_LINKS = scoped("""
SELECT LINK(l)
FROM links AS l CROSS JOIN nodes AS s ON s.id = l.src_id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.user_id = :user
ORDER BY l.kind, s.key, d.key, l.detail
""")
_OWN_PASSAGES = """
SELECT p.body, p.key
FROM passages AS p CROSS JOIN nodes AS n ON n.id = p.source_id
WHERE p.key > :after AND n.user_id = :user ORDER BY p.key LIMIT :page
"""
# A digest is the same wherever the same was said, and larger than the '' that pages begin after.
_OWN_ASSERTIONS = scoped("""
SELECT ASSERTION(a), a.digest
FROM assertions AS a
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE a.user_id = :user AND a.digest > :after ORDER BY a.digest LIMIT :page
""")
_OWN_NOTES = """
SELECT coalesce(n.key, r.key), t.content, t.added_by, t.date_added, s.key, t.expires_at, t.digest
FROM notes AS t
LEFT JOIN nodes AS n ON n.id = t.node_id
LEFT JOIN relationships AS r ON r.id = t.relationship_id
LEFT JOIN nodes AS s ON s.id = t.source_id
WHERE t.user_id = :user AND t.digest > :after ORDER BY t.digest LIMIT :page
"""
_OWN_EXTRACTIONS = """
SELECT e.body, n.key
FROM extractions AS e CROSS JOIN nodes AS n ON n.id = e.source_id
WHERE e.user_id = :user AND n.key > :after ORDER BY n.key LIMIT :page
"""
# What sources said, in the order of its export.
_SAID: Final[Sequence[tuple[str, str, Callable[[Row], Mapping[str, Any]]]]] = (
    ("assertion", _OWN_ASSERTIONS, lambda row: to_record(ASSERTIONS.of(row))),
    ("note", _OWN_NOTES, lambda row: to_record(NOTES.of(row))),
    ("extraction", _OWN_EXTRACTIONS, lambda row: from_json(row[0], "extractions")),
    ("passage", _OWN_PASSAGES, lambda row: from_json(row[0], "passages")),
)


class SqlGraph(
    SqlAdjacency,
    SqlNodes,
    SqlEdges,
    SqlAssertions,
    SqlNotes,
    SqlExtractions,
    SqlPassages,
    SqlSearchQueries,
    SqlTags,
    SqlDecay,
    SqlSourceFacts,
    SqlConsolidation,
    SqlStoryQueries,
    SqlEventQueries,
    SqlEventNodes,
    SqlSummaries,
    SqlSensitivity,
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

    def count_team_sources(self, scope: Scope, team_id: str) -> int:
        if team_id not in scope.teams:
            return 0
        ((count,),) = self._database.execute(_HELD, (team_id,))
        return int(count)

    def export(self, scope: Scope) -> Iterator[Mapping[str, Any]]:
        """All the caller owns as plain records, in one fixed order: equal memories export equally.

        Read page by page, so that a large memory neither fills the process nor holds the file;
        what others write meanwhile may be in it or not.
        """
        for kind in sorted(NODE_TYPES):
            for row in self._pages(_OWN_NODES, user=scope.user_id, kind=kind.value):
                yield _record("node", to_record(node_of(row)), kind=kind)
        for row in self._pages(_OWN_RELATIONSHIPS, user=scope.user_id):
            yield _record("relationship", to_record(relationship_of(row)))
        for row in self._database.execute(_OWN_LINKS, {"user": scope.user_id}):
            yield _record("link", to_record(LINKS.of(row)))
        for sort, sql, value_of in _SAID:
            for row in self._pages(sql, user=scope.user_id):
                yield _record(sort, value_of(row))

    def _pages(self, sql: str, **values: Any) -> Iterator[Row]:
        """All rows of a statement that reads on from the key `after`, which is its last column."""
        after: Any = ""
        while rows := self._database.execute(sql, {**values, "after": after, "page": _PAGE}):
            yield from rows
            after = rows[-1][-1]


def _record(sort: str, value: Mapping[str, Any], *, kind: Kind | None = None) -> dict[str, Any]:
    record = {"record": sort} if kind is None else {"record": sort, "kind": kind.value}
    return {**record, "value": value}
