"""The edges of the graph in SQLite: links and relationships."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from remanent.core.model.relationship import Link, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.errors import Forbidden
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.nodes import from_columns, life_values, own_end, visible_end
from remanent.stores.sqlite.plain_rows import from_micros, micros_or_none, to_micros
from remanent.stores.sqlite.scope import insist_own, scope_values, scoped

_LINK = """
INSERT INTO links (kind, src_id, dst_id, detail, user_id, weight, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, src_id, dst_id, detail) DO NOTHING
RETURNING 1
"""
_UNLINK = """
DELETE FROM links
WHERE kind = ? AND detail = ? AND user_id = ?
  AND src_id = (SELECT id FROM nodes WHERE key = ?)
  AND dst_id = (SELECT id FROM nodes WHERE key = ?)
RETURNING 1
"""
# CROSS JOIN pins the order: from the one node outward, whatever the planner's statistics say.
_LINKS_FROM = scoped("""
SELECT l.kind, s.key, d.key, l.detail, l.user_id, l.weight, l.created_at
FROM nodes AS s CROSS JOIN links AS l ON l.src_id = s.id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE s.key = :key AND (:any_kind OR l.kind IN (SELECT value FROM json_each(:kinds)))
  AND VISIBLE(s) AND VISIBLE(d)
""")
_LINKS_TO = scoped("""
SELECT l.kind, s.key, d.key, l.detail, l.user_id, l.weight, l.created_at
FROM nodes AS d CROSS JOIN links AS l ON l.dst_id = d.id CROSS JOIN nodes AS s ON s.id = l.src_id
WHERE d.key = :key AND (:any_kind OR l.kind IN (SELECT value FROM json_each(:kinds)))
  AND VISIBLE(s) AND VISIBLE(d)
""")
_RELATION_OWNER = "SELECT user_id FROM relationships WHERE key = ?"
_RELATE = """
INSERT INTO relationships (
    key, user_id, src_id, dst_id, kind, relationship_type, valid_from, valid_to, recorded_at,
    salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
    decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body
) VALUES (
    :key, :user_id, :src_id, :dst_id, :kind, :relationship_type, :valid_from, :valid_to,
    :recorded_at, :salience, :state, :ttl_policy, :access_count, :recall_frequency,
    :last_recall_interval, :decay_gradient, :last_accessed_at, :decayed_at, :confidence, :created_at, :updated_at, :body
)
ON CONFLICT (key) DO UPDATE SET
    src_id = excluded.src_id, dst_id = excluded.dst_id, kind = excluded.kind,
    relationship_type = excluded.relationship_type, valid_from = excluded.valid_from,
    valid_to = excluded.valid_to,
    recorded_at = excluded.recorded_at, salience = excluded.salience, state = excluded.state,
    ttl_policy = excluded.ttl_policy, access_count = excluded.access_count,
    recall_frequency = excluded.recall_frequency,
    last_recall_interval = excluded.last_recall_interval,
    decay_gradient = excluded.decay_gradient, last_accessed_at = excluded.last_accessed_at,
    decayed_at = excluded.decayed_at, confidence = excluded.confidence,
    created_at = excluded.created_at, updated_at = excluded.updated_at, body = excluded.body
"""
_UNRELATE = "DELETE FROM relationships WHERE key = ? AND user_id = ? RETURNING 1"
_RELATIONSHIPS = """
WITH found (id) AS (
    SELECT r.id FROM nodes AS n CROSS JOIN relationships AS r ON r.src_id = n.id
    WHERE n.key = :key OUTWARD
    UNION
    SELECT r.id FROM nodes AS n CROSS JOIN relationships AS r ON r.dst_id = n.id
    WHERE n.key = :key INWARD
)
SELECT r.salience, r.state, r.ttl_policy, r.access_count, r.recall_frequency,
       r.last_recall_interval, r.decay_gradient, r.last_accessed_at, r.decayed_at, r.confidence,
       r.created_at, r.updated_at, r.body
FROM found CROSS JOIN relationships AS r ON r.id = found.id
WHERE r.user_id = :user AND (
    :history
    OR (:as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= :as_of AND (r.valid_to IS NULL OR :as_of < r.valid_to))
)
ORDER BY r.valid_from, r.key
"""
_RELATIONSHIP = """
SELECT salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body
FROM relationships WHERE key = :key AND user_id = :user
"""
_SAME_ORDER: Final = slice(0, 4)


class SqliteEdges:
    """The part of the graph that is about edges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def link(self, scope: Scope, link: Link) -> bool:
        insist_own(scope, link.user_id, f"link {link.src} - {link.dst}")
        with self._database.transaction():
            values = (
                link.kind.value,
                visible_end(self._database, scope, "src", link.src),
                visible_end(self._database, scope, "dst", link.dst),
                link.detail,
                link.user_id,
                link.weight,
                to_micros(link.created_at),
            )
            return bool(self._database.execute(_LINK, values))

    def unlink(self, scope: Scope, link: Link) -> bool:
        values = (link.kind.value, link.detail, scope.user_id, link.src, link.dst)
        with self._database.transaction():
            return bool(self._database.execute(_UNLINK, values))

    def links(
        self, scope: Scope, key: str, *, kinds: Sequence[LinkKind] = (), outward: bool | None = None
    ) -> list[Link]:
        values = scope_values(
            scope,
            key=key,
            any_kind=not kinds,
            kinds=json.dumps([kind.value for kind in kinds]),
        )
        rows: list[Row] = []
        with self._database.read():
            if outward is not False:
                rows += self._database.execute(_LINKS_FROM, values)
            if outward is not True:
                rows += self._database.execute(_LINKS_TO, values)
        # A node linked to itself is found both ways.
        return [link_of(row) for row in sorted(set(rows), key=lambda row: row[_SAME_ORDER])]

    def relate(self, scope: Scope, relationship: Relationship) -> None:
        insist_own(scope, relationship.user_id, f"relationship {relationship.key}")
        values = {
            "key": relationship.key,
            "user_id": relationship.user_id,
            "kind": relationship.kind.value,
            "relationship_type": relationship.relationship_type,
            "valid_from": to_micros(relationship.valid_from),
            "valid_to": micros_or_none(relationship.valid_to),
            "recorded_at": to_micros(relationship.recorded_at),
            **life_values(relationship),
        }
        with self._database.transaction():
            owner = self._database.fetch_one(_RELATION_OWNER, (relationship.key,))
            if owner is not None and owner[0] != scope.user_id:
                raise Forbidden(f"relationship {relationship.key}: it is another user's")
            values["src_id"] = own_end(self._database, scope, "src", relationship.src)
            values["dst_id"] = own_end(self._database, scope, "dst", relationship.dst)
            self._database.execute(_RELATE, values)

    def unrelate(self, scope: Scope, key: str) -> bool:
        with self._database.transaction():
            return bool(self._database.execute(_UNRELATE, (key, scope.user_id)))

    def relationship(self, scope: Scope, key: str) -> Relationship | None:
        row = self._database.fetch_one(_RELATIONSHIP, {"key": key, "user": scope.user_id})
        return None if row is None else relationship_of(row)

    def relationships(
        self,
        scope: Scope,
        key: str,
        *,
        other: str | None = None,
        relationship_type: str | None = None,
        as_of: datetime | None = None,
        history: bool = False,
    ) -> list[Relationship]:
        values = {
            "key": key,
            "user": scope.user_id,
            "other": other,
            "type": relationship_type,
            "as_of": micros_or_none(as_of),
            "history": history,
        }
        statement = _at_node(other=other is not None, typed=relationship_type is not None)
        return [relationship_of(row) for row in self._database.execute(statement, values)]


def _at_node(*, other: bool, typed: bool) -> str:
    """The statement with just these conditions, so that an index answers them all at once."""
    type_ = "AND r.relationship_type = :type" if typed else ""
    end = "AND r.{} = (SELECT id FROM nodes WHERE key = :other)" if other else ""
    return _RELATIONSHIPS.replace("OUTWARD", f"{type_} {end.format('dst_id')}").replace(
        "INWARD", f"{type_} {end.format('src_id')}"
    )


def link_of(row: Row) -> Link:
    """The link in a row of kind, both keys, detail, user, weight and time."""
    kind, src, dst, detail, user_id, weight, created_at = row
    return Link(
        kind=LinkKind(kind),
        src=src,
        dst=dst,
        detail=detail,
        user_id=user_id,
        weight=weight,
        created_at=from_micros(created_at),
    )


def relationship_of(row: Row) -> Relationship:
    """The relationship in a row of its life columns."""
    return from_columns(Relationship, row)
