"""The summaries of the graph in SQLite."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.model.story import AgentActivity, Summary, SummaryQuery
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.lifecycle_columns import whole

_PART = """
(n.body ->> 'level' = 'session' OR (n.body ->> 'level' = 'episode' AND n.body ->> 'session_id' = ''))
"""
_SUMMARIES = """
SELECT n.salience, n.state, n.ttl_policy, n.access_count, n.recall_frequency,
       n.last_recall_interval, n.decay_gradient, n.last_accessed_at, n.decayed_at, n.confidence,
       n.created_at, n.updated_at, n.body
FROM nodes AS n
WHERE n.user_id = :user AND n.kind = 'summary' CONDITIONS
ORDER BY unixepoch(n.body ->> 'covers_to', 'subsec') DESC, n.key
LIMIT :limit
"""
# Only what is asked for stands in the statement, so that an index can answer it.
_CONDITIONS: Final = {
    "level": "n.body ->> 'level' = :level",
    "agent": "n.body ->> 'agent_id' = :agent",
    "session": "n.body ->> 'session_id' = :session",
    "since": "unixepoch(n.body ->> 'covers_to', 'subsec') >= :since - 0.001",
    "until": "unixepoch(n.body ->> 'covers_from', 'subsec') <= :until + 0.001",
    "parts": _PART,
    "dirty": "n.body ->> 'is_dirty'",
}
_AGENTS = """
SELECT n.body ->> 'agent_id', sum(n.body ->> 'event_count'),
       min(n.body ->> 'covers_from'), max(n.body ->> 'covers_to')
FROM nodes AS n
WHERE n.user_id = :user AND n.kind = 'summary' AND IS_PART
GROUP BY 1 ORDER BY 1
""".replace("IS_PART", _PART)


class SqliteSummaries:
    """The part of the graph that is about what remains of events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def summaries(self, scope: Scope, asked: SummaryQuery, *, limit: int = 1000) -> list[Summary]:
        """The summaries that are asked for, those that reach furthest first, then in order of key."""
        given = {
            "level": None if asked.level is None else asked.level.value,
            "agent": asked.agent_id,
            "session": asked.session_id,
            "since": None if asked.since is None else asked.since.timestamp(),
            "until": None if asked.until is None else asked.until.timestamp(),
            "parts": True if asked.agent_parts else None,
            "dirty": True if asked.dirty else None,
        }
        values = {name: value for name, value in given.items() if value is not None}
        conditions = "".join(f" AND {_CONDITIONS[name]}" for name in values)
        rows = self._database.execute(
            _SUMMARIES.replace("CONDITIONS", conditions),
            {**values, "user": scope.user_id, "limit": max(limit, 0)},
        )
        found = [whole(Summary, row) for row in rows]
        return sorted(found, key=lambda one: (-one.covers_to.timestamp(), one.key))

    def agents_told(self, scope: Scope) -> list[AgentActivity]:
        """Every agent of whose sessions there is a summary, in order of id."""
        rows = self._database.execute(_AGENTS, {"user": scope.user_id})
        return [
            AgentActivity(
                agent_id=agent,
                event_count=count,
                covers_from=datetime.fromisoformat(first),
                covers_to=datetime.fromisoformat(last),
            )
            for agent, count, first, last in rows
        ]
