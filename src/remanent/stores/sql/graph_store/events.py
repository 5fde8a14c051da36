"""Events in the graph in SQL: what is not told yet, what may go, what belongs together; and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from remanent.core.model.event import EventFacts, SharedReferences, UnsummarizedSession
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.stores.sql.database import OnDatabase, Row
from remanent.stores.sql.graph_store.edges import LINKS
from remanent.stores.sql.plain_rows import from_micros, to_micros
from remanent.stores.sql.scope import scope_values, scoped

# Times in a body are ISO texts in UTC, which sort as the times do.
_TOLD = "EXISTS (SELECT 1 FROM links AS l WHERE l.dst_id = n.id AND l.kind = 'summarizes')"
_UNTOLD = f"""
FROM nodes AS n
WHERE n.user_id = :user AND n.kind = 'event' AND n.created_at <= :at AND NOT {_TOLD}
  AND n.body ->> 'occurred_at' <= :at_text
"""
_SESSIONS = f"""
SELECT n.body ->> 'agent_id', n.body ->> 'session_id', count(*)
{_UNTOLD}
GROUP BY 1, 2
ORDER BY max(CAST(n.body ->> 'importance_score' AS DOUBLE PRECISION)) DESC, max(n.access_count) DESC, 1, 2
LIMIT :limit
"""
_FACTS = """
SELECT n.key, n.body ->> 'event_id',
       n.created_at, n.body ->> 'occurred_at',
       CAST(n.body ->> 'importance_score' AS DOUBLE PRECISION),
       coalesce(CAST(n.body ->> 'raised' AS DOUBLE PRECISION), 0.0),
       n.access_count, n.ttl_policy = 'keep_forever',
       (SELECT count(*) FROM links AS l WHERE l.dst_id = n.id AND l.kind = 'caused_by'),
       coalesce(CAST(n.body ->> 'known_children' AS BIGINT), 0),
       (SELECT count(*) FROM links AS l WHERE l.src_id = n.id AND l.kind = 'references'),
       (SELECT count(*) FROM links AS l WHERE l.src_id = n.id AND l.kind = 'similar_to')
       + (SELECT count(*) FROM links AS l WHERE l.dst_id = n.id AND l.kind = 'similar_to'),
       IS_TOLD, n.body -> 'is_enriched' = 'true' OR n.body ->> 'seq' IS NULL
       OR CAST(n.body ->> 'seq' AS BIGINT) = 0
FROM nodes AS n
WHERE n.user_id = :user AND n.kind = 'event' AND n.key > :after
  AND n.created_at <= :at AND n.body ->> 'occurred_at' <= :at_text
ORDER BY n.key LIMIT :limit
""".replace("IS_TOLD", _TOLD)
# Which events share much is found by their rows alone; only of those few the nodes are looked at.
_SHARED = """
WITH mine (event_id, anchor_id) AS MATERIALIZED (
    SELECT n.id, l.dst_id
    FROM json_each(:keys) AS wanted
    CROSS JOIN nodes AS n ON n.key = wanted.value AND n.user_id = :user
    CROSS JOIN links AS l ON l.kind = 'references' AND l.src_id = n.id
),
known (anchor_id, degree) AS MATERIALIZED (
    SELECT a.anchor_id, (
        SELECT count(*) FROM (
            SELECT 1 FROM links AS l WHERE l.dst_id = a.anchor_id AND l.kind = 'references'
            LIMIT :most + 1
        ) AS known_by
    )
    FROM (SELECT DISTINCT anchor_id FROM mine) AS a
),
pairs (event_id, other_id, shared, rarest) AS MATERIALIZED (
    SELECT m.event_id, l.src_id, count(DISTINCT m.anchor_id), min(k.degree)
    FROM known AS k
    CROSS JOIN mine AS m ON m.anchor_id = k.anchor_id
    CROSS JOIN links AS l ON l.dst_id = k.anchor_id AND l.kind = 'references'
    WHERE k.degree <= :most AND l.src_id <> m.event_id AND l.user_id = :user
    GROUP BY 1, 2 HAVING count(DISTINCT m.anchor_id) > 1 OR min(k.degree) <= :rare
)
SELECT n.key, o.key, p.shared, p.rarest
FROM pairs AS p
CROSS JOIN nodes AS n ON n.id = p.event_id
CROSS JOIN nodes AS o ON o.id = p.other_id
WHERE o.user_id = :user AND o.kind = 'event'
  AND (n.body ->> 'session_id', n.body ->> 'agent_id')
   <> (o.body ->> 'session_id', o.body ->> 'agent_id')
ORDER BY 1, 2
"""
_WEAK = scoped("""
SELECT LINK(l)
FROM links AS l
CROSS JOIN nodes AS s ON s.id = l.src_id
CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE l.kind = :kind AND l.user_id = :user AND l.weight < :below
  AND s.kind = 'event' AND d.kind = 'event'
  AND s.created_at <= :at AND s.body ->> 'occurred_at' <= :at_text
  AND d.created_at <= :at AND d.body ->> 'occurred_at' <= :at_text
ORDER BY s.key, d.key, l.detail LIMIT :limit
""")
_TOGETHER = """
SELECT last_accessed_at, key FROM nodes
WHERE user_id = :user AND access_count >= :least AND last_accessed_at IN (
    SELECT last_accessed_at FROM nodes
    WHERE user_id = :user AND access_count >= :least AND last_accessed_at IS NOT NULL
    GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 DESC LIMIT :limit
)
ORDER BY 1 DESC, access_count DESC, key
"""


class SqlEventNodes(OnDatabase):
    """The part of the graph that is about events, and about what remains of them."""

    def untold_sessions(
        self, scope: Scope, *, at: datetime, limit: int = 1000
    ) -> list[UnsummarizedSession]:
        rows = self._database.execute(_SESSIONS, scope_values(scope, **_by(at), limit=limit))
        return [UnsummarizedSession(agent_id=a, session_id=s, count=n) for a, s, n in rows]

    def event_facts(
        self, scope: Scope, *, born_by: datetime, limit: int = 1000, after: str = ""
    ) -> list[EventFacts]:
        values = scope_values(scope, **_by(born_by), limit=limit, after=after)
        return [_facts(row) for row in self._database.execute(_FACTS, values)]

    def shared_references(
        self, scope: Scope, keys: Sequence[str], *, most: int, rare: int
    ) -> list[SharedReferences]:
        values = scope_values(scope, keys=keys, most=most, rare=rare)
        rows = self._database.execute(_SHARED, values)
        return [SharedReferences(key=k, other=o, count=n, rarest=least) for k, o, n, least in rows]

    def weak_links(
        self, scope: Scope, kind: LinkKind, *, below: float, born_by: datetime, limit: int = 1000
    ) -> list[Link]:
        values = scope_values(scope, kind=kind, below=below, **_by(born_by), limit=limit)
        return [LINKS.of(row) for row in self._database.execute(_WEAK, values)]

    def accessed_together(
        self, scope: Scope, *, least: int, limit: int = 100
    ) -> list[tuple[str, ...]]:
        values = scope_values(scope, least=least, limit=limit)
        calls: dict[int, list[str]] = {}
        for moment, key in self._database.execute(_TOGETHER, values):
            calls.setdefault(moment, []).append(key)
        return [tuple(keys) for keys in calls.values()]


def _by(moment: datetime) -> dict[str, int | str]:
    """A moment as columns and as bodies hold it."""
    return {"at": to_micros(moment), "at_text": moment.astimezone(UTC).isoformat()}


def _facts(row: Row) -> EventFacts:
    return EventFacts(
        key=row[0],
        event_id=row[1],
        born=max(from_micros(row[2]), datetime.fromisoformat(row[3])),
        importance=row[4],
        raised=row[5],
        access_count=row[6],
        is_pinned=bool(row[7]),
        children=row[8],
        known_children=row[9],
        references=row[10],
        similar=row[11],
        is_told=bool(row[12]),
        is_enriched=bool(row[13]),
    )
