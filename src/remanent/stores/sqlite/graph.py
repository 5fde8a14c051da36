"""The graph in SQLite: nodes, edges and passages, counted and exported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from remanent.model.node import Kind
from remanent.model.record import NODE_TYPES, to_record
from remanent.model.scope import Scope
from remanent.stores.sqlite.columns import from_json
from remanent.stores.sqlite.edges import SqliteEdges, link_of, relationship_of
from remanent.stores.sqlite.nodes import SqliteNodes, node_of
from remanent.stores.sqlite.passages import SqlitePassages
from remanent.stores.sqlite.seat import Row

_PAGE: Final = 500

_KIND_COUNTS = "SELECT kind, count(*) FROM nodes WHERE user_id = ? GROUP BY kind"
_OTHER_COUNTS = """
SELECT (SELECT count(*) FROM relationships WHERE user_id = :user),
       (SELECT count(*) FROM links WHERE user_id = :user),
       (SELECT count(*) FROM nodes AS n CROSS JOIN passages AS p ON p.source_id = n.id
        WHERE n.user_id = :user AND n.kind = 'source')
"""
_OWN_NODES = """
SELECT kind, salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body, key
FROM nodes WHERE user_id = :user AND kind = :kind AND key > :after ORDER BY key LIMIT :page
"""
_OWN_RELATIONSHIPS = """
SELECT salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body, key
FROM relationships WHERE user_id = :user AND key > :after ORDER BY key LIMIT :page
"""
_OWN_LINKS = """
SELECT l.kind, s.key, d.key, l.detail, l.user_id, l.weight, l.created_at
FROM links AS l CROSS JOIN nodes AS s ON s.id = l.src_id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.user_id = :user
ORDER BY 1, 2, 3, 4
"""
_OWN_PASSAGES = """
SELECT p.body, p.key
FROM passages AS p CROSS JOIN nodes AS n ON n.id = p.source_id
WHERE p.key > :after AND n.user_id = :user ORDER BY p.key LIMIT :page
"""


class SqliteGraph(SqliteNodes, SqliteEdges, SqlitePassages):
    """The whole graph of everyone in one file, seen by one caller at a time."""

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many nodes of each kind, relationships, links and passages the caller owns."""
        with self._database.read():
            kinds: dict[str, int] = dict(self._database.execute(_KIND_COUNTS, (scope.user_id,)))
            ((relationships, links, passages),) = self._database.execute(
                _OTHER_COUNTS, {"user": scope.user_id}
            )
        return {
            **{kind.value: kinds.get(kind.value, 0) for kind in NODE_TYPES},
            "relationships": relationships,
            "links": links,
            "passages": passages,
        }

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
            yield _record("link", to_record(link_of(row)))
        for row in self._pages(_OWN_PASSAGES, user=scope.user_id):
            yield _record("passage", from_json(row[0]))

    def _pages(self, sql: str, **values: Any) -> Iterator[Row]:
        """All rows of a statement that reads on from the key `after`, which is its last column."""
        after = ""
        while rows := self._database.execute(sql, {**values, "after": after, "page": _PAGE}):
            yield from rows
            after = rows[-1][-1]


def _record(sort: str, value: Mapping[str, Any], *, kind: Kind | None = None) -> dict[str, Any]:
    found = {"record": sort} if kind is None else {"record": sort, "kind": kind.value}
    return {**found, "value": value}
