"""Anchors that may become stories, in SQLite."""

from __future__ import annotations

from remanent.core.model.anchor import Anchor
from remanent.core.model.scope import Scope
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.nodes import node_of

# Moments in `body` are ISO texts of any zone, so they are compared as days and parts of days. A
# storyline that closes after the last mention has all there is; an open one closes at no time.
_BUSY = """
SELECT n.kind, n.salience, n.state, n.ttl_policy, n.access_count, n.recall_frequency,
       n.last_recall_interval, n.decay_gradient, n.last_accessed_at, n.decayed_at, n.confidence,
       n.created_at, n.updated_at, n.body
FROM nodes AS n
WHERE n.user_id = :user AND n.kind IN ('person', 'concept', 'entity') AND n.key > :after
  AND n.state <> 'archived'
  AND n.body ->> 'source_count' >= :sources
  AND json_array_length(n.body, '$.distinct_days') >= :days
  AND NOT coalesce(n.body ->> 'is_owner', 0)
  AND NOT EXISTS (
    SELECT 1 FROM links AS l CROSS JOIN nodes AS s ON s.id = l.src_id
    WHERE l.dst_id = n.id AND l.kind = 'about' AND s.kind = 'storyline' AND s.user_id = :user
      AND (s.body ->> 'closed_at' IS NULL
           OR julianday(s.body ->> 'closed_at') > julianday(n.body ->> 'last_mentioned_at'))
  )
ORDER BY n.key LIMIT :limit
"""


class SqliteStoried:
    """The part of the graph that is about promotion."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def busy_anchors(
        self, scope: Scope, *, sources: float, days: int, limit: int = 1000, after: str = ""
    ) -> list[Anchor]:
        """The caller's own anchors, not archived and not the owner, that so many sources mention on so
        many days, of which none has an open storyline and each was mentioned since its last one
        closed; in order of key, from beyond the key `after`."""
        values = {
            "user": scope.user_id,
            "sources": sources,
            "days": days,
            "limit": max(limit, 0),
            "after": after,
        }
        nodes = (node_of(row) for row in self._database.execute(_BUSY, values))
        return [one for one in nodes if isinstance(one, Anchor)]
