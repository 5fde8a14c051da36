"""Events as nodes, by when they happened, in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.core.model.event import EventNode
from remanent.core.model.event_queries import EventQuery
from remanent.core.model.scope import Scope
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.nodes import node_of

# The time stands here word for word as in its index, or the index is not used.
_HAPPENED = """
SELECT kind, salience, state, ttl_policy, access_count, recall_frequency, last_recall_interval,
       decay_gradient, last_accessed_at, decayed_at, confidence, created_at, updated_at, body
FROM nodes
WHERE user_id = :user AND kind = 'event' AND state <> 'archived'
  AND (:since IS NULL OR json_extract(body, '$.occurred_at') >= :since)
  AND (:until IS NULL OR json_extract(body, '$.occurred_at') <= :until)
  AND (:session IS NULL OR json_extract(body, '$.session_id') = :session)
  AND (:agent IS NULL OR json_extract(body, '$.agent_id') = :agent)
  AND (:type IS NULL OR json_extract(body, '$.event_type') = :type)
ORDER BY json_extract(body, '$.occurred_at') DESC, key LIMIT :limit
"""


class SqliteHappened:
    """The part of the graph that is about events in time."""

    _database: Database

    def happened(self, scope: Scope, wanted: EventQuery, *, limit: int) -> list[EventNode]:
        """The newest of the caller's own events that fit, newest first, then in order of key; archived
        ones are none of them."""
        values = {
            "user": scope.user_id,
            "since": _text(wanted.since),
            "until": _text(wanted.until),
            "session": wanted.session_id,
            "agent": wanted.agent_id,
            "type": wanted.event_type,
            "limit": max(limit, 0),
        }
        rows = self._database.execute(_HAPPENED, values)
        return [node for node in map(node_of, rows) if isinstance(node, EventNode)]


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
