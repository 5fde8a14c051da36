"""What sleep consolidates, asked of SQLite: dirty things, expired notes, worn sources."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.worn_sources import WornSource, WornSourceQuery
from remanent.stores.sqlite.columns import from_micros, micros_or_none, to_micros
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.nodes import node_of

_SECOND: Final = 1_000_000

# What came before anybody described anything has notes and no description, and was never soiled.
_DIRTY = """
WITH found (key, id, notes) AS (
    SELECT n.key, n.id, (SELECT count(*) FROM notes AS t WHERE t.node_id = n.id)
    FROM nodes AS n
    WHERE n.user_id = :user AND n.kind IN ('person', 'concept', 'entity')
      AND (n.body ->> 'is_dirty' OR (n.body ->> 'description' = '' AND EXISTS (
          SELECT 1 FROM notes AS t WHERE t.node_id = n.id AND trim(t.content) <> '')))
      AND (:since IS NULL OR n.last_accessed_at >= :since)
    UNION ALL
    SELECT r.key, r.id, (SELECT count(*) FROM notes AS t WHERE t.relationship_id = r.id)
    FROM relationships AS r
    WHERE r.user_id = :user
      AND (r.body ->> 'is_dirty' OR (r.body ->> 'description' = '' AND EXISTS (
          SELECT 1 FROM notes AS t WHERE t.relationship_id = r.id AND trim(t.content) <> '')))
      AND (:since IS NULL OR r.last_accessed_at >= :since)
)
SELECT key, count(*) OVER () FROM found ORDER BY notes DESC, key LIMIT :limit
"""
_EXPIRED = """
SELECT coalesce(n.key, r.key), count(*)
FROM notes AS t
LEFT JOIN nodes AS n ON n.id = t.node_id
LEFT JOIN relationships AS r ON r.id = t.relationship_id
WHERE t.user_id = :user AND t.expires_at <= :at
  AND NOT coalesce(n.body, r.body) ->> 'is_dirty'
  AND (coalesce(n.body, r.body) ->> 'description' <> '' OR trim(t.content) = '')
GROUP BY 1 ORDER BY 1 LIMIT :limit
"""
_EXPIRE = """
DELETE FROM notes WHERE id IN (
    SELECT t.id FROM json_each(:keys) AS wanted
    CROSS JOIN nodes AS n ON n.key = wanted.value
    CROSS JOIN notes AS t ON t.node_id = n.id
    WHERE t.user_id = :user AND t.expires_at <= :at
    UNION ALL
    SELECT t.id FROM json_each(:keys) AS wanted
    CROSS JOIN relationships AS r ON r.key = wanted.value
    CROSS JOIN notes AS t ON t.relationship_id = r.id
    WHERE t.user_id = :user AND t.expires_at <= :at
)
RETURNING 1
"""
# Which of them are worn is told by columns alone; a source's own time is in its body.
_WORN = """
WITH found AS MATERIALIZED (
    SELECT n.id, n.key, n.salience, n.access_count, n.created_at,
           n.salience < :low OR (n.access_count >= :often AND n.salience < :little) AS is_worn,
           unixepoch(n.body ->> 'started_at') AS started
    FROM nodes AS n
    WHERE n.user_id = :user AND n.kind = 'source' AND n.state <> 'archived'
      AND n.ttl_policy <> 'keep_forever' AND n.created_at <= :before
      AND (n.last_accessed_at IS NULL OR n.last_accessed_at < :untouched)
      AND n.body ->> 'processing_status' = 'extracted'
), asked AS MATERIALIZED (
    SELECT found.* FROM found
    WHERE started * 1000000 <= :before
      AND (is_worn OR max(started * 1000000, created_at) > :since)
      AND NOT EXISTS (
          SELECT 1 FROM links AS l CROSS JOIN nodes AS s ON s.id = l.src_id
          WHERE l.dst_id = found.id AND l.kind = 'includes' AND l.user_id = :user
            AND s.state <> 'archived' AND s.body ->> 'closed_at' IS NULL
      )
)
SELECT key, started, salience, access_count, is_worn, sum(is_worn) OVER (), (
    SELECT json_group_array(DISTINCT d.key)
    FROM links AS l CROSS JOIN nodes AS d ON d.id = l.dst_id
    WHERE l.src_id = asked.id AND l.kind = 'mentions' AND l.user_id = :user
)
FROM asked ORDER BY started, key LIMIT :limit
"""
_CHANGED = """
SELECT kind, salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body
FROM nodes
WHERE user_id = :user AND kind = :kind AND updated_at > :after AND updated_at <= ifnull((
    SELECT updated_at FROM nodes WHERE user_id = :user AND kind = :kind AND updated_at > :after
    ORDER BY updated_at LIMIT 1 OFFSET :limit - 1
), 9e18)
ORDER BY updated_at, key
"""


class SqliteConsolidating:
    """The part of the graph that is about consolidation."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def dirty(
        self, scope: Scope, *, limit: int = 1000, accessed_since: datetime | None = None
    ) -> tuple[list[str], int]:
        """Keys of the anchors and relationships that are dirty, or have notes and no description, those
        with most notes first, then in order of key; and how many there are. Where given, only those
        called on since then."""
        values = {
            "user": scope.user_id,
            "since": micros_or_none(accessed_since),
            "limit": max(limit, 1),
        }
        rows = self._database.execute(_DIRTY, values)
        return [row[0] for row in rows][: max(limit, 0)], rows[0][1] if rows else 0

    def expired(self, scope: Scope, at: datetime, *, limit: int = 1000) -> dict[str, int]:
        """How many notes expired at or before `at` on each anchor and relationship that has any and
        that `dirty` does not tell of, in order of key."""
        values = {"user": scope.user_id, "at": to_micros(at), "limit": max(limit, 0)}
        return dict(self._database.execute(_EXPIRED, values))

    def expire(self, scope: Scope, keys: Sequence[str], at: datetime) -> int:
        """Take away the notes on these that expired at or before `at`; how many."""
        values = {"user": scope.user_id, "at": to_micros(at), "keys": json.dumps(list(keys))}
        with self._database.transaction():
            return len(self._database.execute(_EXPIRE, values))

    def worn(
        self, scope: Scope, wear: WornSourceQuery, *, limit: int = 1000
    ) -> tuple[list[WornSource], int]:
        """Extracted sources in order of time, then key, that are neither archived nor kept forever nor
        part of an open storyline, as far as `wear` asks for them; and how many worn ones there are."""
        values = {
            "user": scope.user_id,
            "before": to_micros(wear.before),
            "since": to_micros(wear.since),
            "untouched": to_micros(wear.untouched),
            "low": wear.salience_below,
            "often": wear.accessed_from,
            "little": wear.accessed_below,
            "limit": max(limit, 1),
        }
        rows = self._database.execute(_WORN, values)
        found = [
            WornSource(
                key=key,
                at=from_micros(started * _SECOND),
                salience=salience,
                access_count=access_count,
                is_worn=bool(is_worn),
                anchors=frozenset(json.loads(anchors)),
            )
            for key, started, salience, access_count, is_worn, _, anchors in rows
        ]
        return found[: max(limit, 0)], int(rows[0][5]) if rows else 0

    def changed(
        self, scope: Scope, kind: Kind, after: datetime, *, limit: int = 1000
    ) -> list[Node]:
        """Nodes of a kind with an `updated_at` later than `after`, in its order, then by key; as many
        more than `limit` as share the last one's."""
        values = {
            "user": scope.user_id,
            "kind": kind.value,
            "after": to_micros(after),
            "limit": max(limit, 1),
        }
        return [node_of(row) for row in self._database.execute(_CHANGED, values)]
