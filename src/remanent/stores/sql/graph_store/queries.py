"""What nights ask of the graph in SQL: anchors that may become stories, what is dirty, expired or worn, events in time,
and what sources still tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from remanent.core.model.lifecycle_reports import SourceFact, SourceFactKind, SourceFacts
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import WornSource, WornSourceQuery
from remanent.core.ports.graph import KeptSources
from remanent.lifecycle.rules import hints
from remanent.stores.sql.database import OnDatabase, Row
from remanent.stores.sql.plain_rows import from_micros
from remanent.stores.sql.scope import scope_values

_SECOND: Final = 1_000_000
# What came before anybody described anything has notes and no description, and was never soiled.
_DIRTY = """
WITH found (key, id, notes) AS (
    SELECT n.key, n.id, (SELECT count(*) FROM notes AS t WHERE t.node_id = n.id)
    FROM nodes AS n
    WHERE n.user_id = :user AND n.kind IN ('person', 'concept', 'entity')
      AND (n.body -> 'is_dirty' = 'true' OR (n.body ->> 'description' = '' AND EXISTS (
          SELECT 1 FROM notes AS t WHERE t.node_id = n.id AND trim(t.content) <> '')))
      AND (:since IS NULL OR n.last_accessed_at >= :since)
    UNION ALL
    SELECT r.key, r.id, (SELECT count(*) FROM notes AS t WHERE t.relationship_id = r.id)
    FROM relationships AS r
    WHERE r.user_id = :user
      AND (r.body -> 'is_dirty' = 'true' OR (r.body ->> 'description' = '' AND EXISTS (
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
  AND coalesce(n.body, r.body) -> 'is_dirty' <> 'true'
  AND (coalesce(n.body, r.body) ->> 'description' <> '' OR trim(t.content) = '')
GROUP BY 1 ORDER BY 1 LIMIT :limit
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
SELECT key, started, salience, access_count, is_worn, count(*) FILTER (WHERE is_worn) OVER (), (
    SELECT json_group_array(DISTINCT d.key)
    FROM links AS l CROSS JOIN nodes AS d ON d.id = l.dst_id
    WHERE l.src_id = asked.id AND l.kind = 'mentions' AND l.user_id = :user
)
FROM asked ORDER BY started, key LIMIT :limit
"""
_PAGE: Final = 1_000
_KEPT = """
SELECT count(*) FILTER (WHERE state <> 'archived'), count(*)
FROM nodes WHERE kind = 'source' AND CONDITION
"""
_SOURCES = """
SELECT id, key, salience, access_count, ttl_policy = 'keep_forever',
       body ->> 'processing_status' = 'extracted', body ->> 'started_at'
FROM nodes
WHERE user_id = :user AND kind = 'source' AND key > :after
  AND state <> 'archived' AND team_id IS NULL
ORDER BY key LIMIT :page
"""
# The last column: whether it still holds. A word on an end holds for as long as nothing begins anew.
_TOLD = """
SELECT l.src_id, 'b' || b.id, 'belief', b.confidence,
       CAST(b.body ->> 'importance' AS DOUBLE PRECISION),
       b.body ->> 'status' = 'active',
       b.access_count > 0 OR NOT EXISTS (
           SELECT 1 FROM nodes AS o
           WHERE o.user_id = :user AND o.kind = 'belief' AND o.access_count > 0
       )
FROM json_each(:ids) AS one
CROSS JOIN links AS l ON l.kind = 'supports' AND l.src_id = CAST(one.value AS BIGINT)
CROSS JOIN nodes AS b ON b.id = l.dst_id
WHERE b.user_id = :user AND b.kind = 'belief'
UNION ALL
SELECT a.source_id,
       CASE WHEN a.ended = 1 THEN 'e' || a.src_id || ' ' || a.dst_id || ' ' || a.relationship_type
            ELSE 'r' || r.id END,
       'relationship', coalesce(r.confidence, a.confidence), 5.0,
       CASE WHEN a.ended = 1 THEN r.id IS NULL ELSE r.id IS NOT NULL END, TRUE
FROM json_each(:ids) AS one
CROSS JOIN assertions AS a ON a.source_id = CAST(one.value AS BIGINT)
LEFT JOIN relationships AS r
    ON r.src_id = a.src_id AND r.relationship_type = a.relationship_type AND r.dst_id = a.dst_id
    AND r.kind = a.kind AND r.valid_to IS NULL AND (a.ended = 1 OR r.valid_from <= a.at)
WHERE a.user_id = :user
UNION ALL
SELECT t.source_id, 'n' || coalesce(CAST(t.node_id AS TEXT), 'r' || t.relationship_id) || ' ' || t.content,
       'note', 1.0, 5.0, TRUE, TRUE
FROM json_each(:ids) AS one
CROSS JOIN notes AS t ON t.source_id = CAST(one.value AS BIGINT)
LEFT JOIN relationships AS r ON r.id = t.relationship_id
WHERE t.user_id = :user AND (t.expires_at IS NULL OR t.expires_at > :now) AND r.valid_to IS NULL
UNION ALL
SELECT l.src_id, 'm' || n.id, 'mention', 1.0, 5.0, TRUE, TRUE
FROM json_each(:ids) AS one
CROSS JOIN links AS l ON l.kind = 'mentions' AND l.src_id = CAST(one.value AS BIGINT)
CROSS JOIN nodes AS n ON n.id = l.dst_id
WHERE n.user_id = :user AND l.user_id = :user AND n.state <> 'archived'
"""
_SAID = """
SELECT p.source_id, p.body ->> 'text'
FROM json_each(:ids) AS one CROSS JOIN passages AS p ON p.source_id = CAST(one.value AS BIGINT)
"""


class SqlNightQueries(OnDatabase):
    """The part of the graph that nights ask: promotion, consolidation, events in time, what a source is good for."""

    def dirty(
        self, scope: Scope, *, limit: int = 1000, accessed_since: datetime | None = None
    ) -> tuple[list[str], int]:
        values = scope_values(scope, since=accessed_since, limit=max(limit, 1))
        rows = self._database.execute(_DIRTY, values)
        return [row[0] for row in rows][: max(limit, 0)], rows[0][1] if rows else 0

    def expired(self, scope: Scope, at: datetime, *, limit: int = 1000) -> dict[str, int]:
        return dict(self._database.execute(_EXPIRED, scope_values(scope, at=at, limit=limit)))

    def worn_sources(
        self, scope: Scope, query: WornSourceQuery, *, limit: int = 1000
    ) -> tuple[list[WornSource], int]:
        values = scope_values(
            scope,
            before=query.before,
            since=query.since,
            untouched=query.untouched,
            low=query.salience_below,
            often=query.accessed_from,
            little=query.accessed_below,
            limit=max(limit, 1),
        )
        rows = self._database.execute(_WORN, values)
        sources = [
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
        return sources[: max(limit, 0)], int(rows[0][5]) if rows else 0

    def source_counts(self, scope: Scope, team_id: str | None = None) -> KeptSources:
        if team_id not in {None, *scope.teams}:
            return KeptSources(0, 0)
        own = "user_id = :user AND team_id IS NULL"
        sql = _KEPT.replace("CONDITION", own if team_id is None else "team_id = :team")
        ((kept, every),) = self._database.execute(sql, scope_values(scope, team=team_id))
        return KeptSources(kept=kept, all=every)

    def source_facts(self, scope: Scope, now: datetime) -> Iterator[SourceFacts]:
        wanted = {"user": scope.user_id, "after": "", "page": _PAGE}
        while rows := self._database.execute(_SOURCES, wanted):
            facts: dict[int, dict[str, SourceFact]] = {row[0]: {} for row in rows}
            fallen: dict[int, set[str]] = {row[0]: set() for row in rows}
            values = scope_values(scope, ids=list(facts), now=now)
            for row in self._database.execute(_TOLD, values):
                source, thing, sort, confidence, importance, holds, asked = row
                if holds:
                    facts[source][thing] = SourceFact(
                        thing, SourceFactKind(sort), confidence, float(importance), bool(asked)
                    )
                else:
                    fallen[source].add(thing or f"?{len(fallen[source])}")
            for source, text in self._database.execute(_SAID, {"ids": values["ids"]}):
                for hint in hints(text):
                    facts[source].setdefault(
                        f"h{hint}", SourceFact(f"h{hint}", SourceFactKind.HINT)
                    )
            for row in rows:
                yield _source_facts(row, tuple(facts[row[0]].values()), len(fallen[row[0]]))
            wanted["after"] = rows[-1][1]


def _source_facts(row: Row, facts: tuple[SourceFact, ...], fallen: int) -> SourceFacts:
    _, key, salience, access_count, is_pinned, is_settled, started_at = row
    return SourceFacts(
        key=key,
        started_at=datetime.fromisoformat(started_at),
        salience=salience,
        access_count=access_count,
        is_pinned=bool(is_pinned),
        is_settled=bool(is_settled),
        told=facts,
        fallen=fallen,
    )
