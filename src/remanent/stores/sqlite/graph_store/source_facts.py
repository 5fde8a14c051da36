"""What sources tell, in SQLite: which of it still holds, and which no longer does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from remanent.core.model.lifecycle_reports import SourceFact, SourceFactKind, SourceFacts
from remanent.core.model.scope import Scope
from remanent.core.ports.decay import KeptSources
from remanent.lifecycle.rules.cooccurrence import hints
from remanent.stores.sqlite.columns import to_micros
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_PAGE: Final = 1_000

_KEPT = """
SELECT count(*) FILTER (WHERE state <> 'archived'), count(*)
FROM nodes WHERE user_id = ? AND kind = 'source' AND team_id IS NULL
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
SELECT l.src_id, 'b' || b.id, 'belief', b.confidence, b.body ->> 'importance',
       b.body ->> 'status' = 'active'
FROM json_each(:ids) AS one
CROSS JOIN links AS l ON l.kind = 'supports' AND l.src_id = one.value
CROSS JOIN nodes AS b ON b.id = l.dst_id
WHERE b.user_id = :user AND b.kind = 'belief'
UNION ALL
SELECT a.source_id,
       CASE WHEN a.ended THEN 'e' || a.src_id || ' ' || a.dst_id || ' ' || a.relationship_type
            ELSE 'r' || r.id END,
       'relationship', coalesce(r.confidence, a.confidence), 5.0,
       CASE WHEN a.ended THEN r.id IS NULL ELSE r.id IS NOT NULL END
FROM json_each(:ids) AS one
CROSS JOIN assertions AS a ON a.source_id = one.value
LEFT JOIN relationships AS r
    ON r.src_id = a.src_id AND r.relationship_type = a.relationship_type AND r.dst_id = a.dst_id
    AND r.kind = a.kind AND r.valid_to IS NULL AND (a.ended OR r.valid_from <= a.at)
WHERE a.user_id = :user
UNION ALL
SELECT t.source_id, 'n' || coalesce(t.node_id, 'r' || t.relationship_id) || ' ' || t.content,
       'note', 1.0, 5.0, 1
FROM json_each(:ids) AS one
CROSS JOIN notes AS t ON t.source_id = one.value
LEFT JOIN relationships AS r ON r.id = t.relationship_id
WHERE t.user_id = :user AND (t.expires_at IS NULL OR t.expires_at > :now) AND r.valid_to IS NULL
UNION ALL
SELECT l.src_id, 'm' || n.id, 'mention', 1.0, 5.0, 1
FROM json_each(:ids) AS one
CROSS JOIN links AS l ON l.kind = 'mentions' AND l.src_id = one.value
CROSS JOIN nodes AS n ON n.id = l.dst_id
WHERE n.user_id = :user AND l.user_id = :user AND n.state <> 'archived'
"""
_SAID = """
SELECT p.source_id, p.body ->> 'text'
FROM json_each(:ids) AS one CROSS JOIN passages AS p ON p.source_id = one.value
"""


class SqliteTellings:
    """The part of the graph that knows what each source is good for."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def kept(self, scope: Scope) -> KeptSources:
        """How many of the caller's own sources are unarchived, and how many there are; a team's
        sources are no part of either."""
        ((kept, every),) = self._database.execute(_KEPT, (scope.user_id,))
        return KeptSources(kept=kept, all=every)

    def tellings(self, scope: Scope, now: datetime) -> Iterator[SourceFacts]:
        """Those unarchived sources in order of key, each with what it tells: active beliefs it
        supports, open relationships it asserts, notes unexpired at `now`, unarchived anchors it
        mentions, names its sentences bring together. Read page by page; what others write meanwhile may be in it or not."""
        wanted = {"user": scope.user_id, "after": "", "page": _PAGE}
        while rows := self._database.execute(_SOURCES, wanted):
            told: dict[int, dict[str, SourceFact]] = {row[0]: {} for row in rows}
            fallen: dict[int, set[str]] = {row[0]: set() for row in rows}
            asked = {
                "ids": json.dumps(list(told)),
                "user": scope.user_id,
                "now": to_micros(now),
            }
            for source, thing, sort, confidence, importance, holds in self._database.execute(
                _TOLD, asked
            ):
                if holds:
                    told[source][thing] = SourceFact(
                        thing, SourceFactKind(sort), confidence, float(importance)
                    )
                else:
                    fallen[source].add(thing or f"?{len(fallen[source])}")
            for source, text in self._database.execute(_SAID, {"ids": asked["ids"]}):
                for hint in hints(text):
                    told[source].setdefault(f"h{hint}", SourceFact(f"h{hint}", SourceFactKind.HINT))
            for row in rows:
                yield _telling(row, tuple(told[row[0]].values()), len(fallen[row[0]]))
            wanted["after"] = rows[-1][1]


def _telling(row: Row, told: tuple[SourceFact, ...], fallen: int) -> SourceFacts:
    _, key, salience, access_count, is_pinned, is_settled, started_at = row
    return SourceFacts(
        key=key,
        started_at=datetime.fromisoformat(started_at),
        salience=salience,
        access_count=access_count,
        is_pinned=bool(is_pinned),
        is_settled=bool(is_settled),
        told=told,
        fallen=fallen,
    )
