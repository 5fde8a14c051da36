"""What sources asserted of two anchors, in SQLite."""

from __future__ import annotations

from remanent.core.model.relationship import Assertion, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.stores.sqlite.columns import digest_of, from_micros, to_micros
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.node_ids import own_end, voice_end
from remanent.stores.sqlite.scope import insist_own

_ASSERT = """
INSERT INTO assertions (
    user_id, digest, source_id, src_id, dst_id, kind, relationship_type, at, recorded_at,
    description, attitude, proximity, confidence, ended, single
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, digest) DO NOTHING
RETURNING 1
"""
_FROM = """
SELECT a.user_id, o.key, s.key, d.key, a.kind, a.relationship_type, a.at, a.recorded_at,
       a.description, a.attitude, a.proximity, a.confidence, a.ended, a.single
FROM nodes AS s
CROSS JOIN assertions AS a
    ON a.src_id = s.id AND a.kind = :kind AND a.relationship_type = :type
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE s.key = :key AND a.user_id = :user
ORDER BY a.at, o.key, d.key, a.digest
"""
# The pair has an index of its own: what else is asserted of either of them costs nothing.
_BETWEEN = _FROM.replace("WHERE", "WHERE a.dst_id = (SELECT id FROM nodes WHERE key = :dst) AND", 1)
_AT = """
WITH found (id) AS (
    SELECT a.id FROM nodes AS n CROSS JOIN assertions AS a ON a.src_id = n.id WHERE n.key = :key
    UNION
    SELECT a.id FROM nodes AS n CROSS JOIN assertions AS a ON a.dst_id = n.id WHERE n.key = :key
)
SELECT a.user_id, o.key, s.key, d.key, a.kind, a.relationship_type, a.at, a.recorded_at,
       a.description, a.attitude, a.proximity, a.confidence, a.ended, a.single
FROM found
CROSS JOIN assertions AS a ON a.id = found.id
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE a.user_id = :user
ORDER BY a.at, o.key, iif(s.key = :key, d.key, s.key), a.digest
"""


class SqliteAssertions:
    """The part of the graph that is about assertions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_assertion(self, scope: Scope, assertion: Assertion) -> bool:
        """Keep the assertion of a visible source or belief; False, and no change, when just that was
        asserted already (all but `recorded_at` is equal)."""
        insist_own(scope, assertion.user_id, f"assertion {assertion.src} - {assertion.dst}")
        said = _said(assertion)
        with self._database.transaction():
            values = (
                scope.user_id,
                digest_of([assertion.source_key, assertion.src, assertion.dst, *said], "assertion"),
                voice_end(self._database, scope, assertion.source_key),
                own_end(self._database, scope, "src", assertion.src),
                own_end(self._database, scope, "dst", assertion.dst),
                *said[:3],
                to_micros(assertion.recorded_at),
                *said[3:],
            )
            return bool(self._database.execute(_ASSERT, values))

    def assertions(
        self,
        scope: Scope,
        src: str,
        kind: RelationshipKind,
        relationship_type: str,
        *,
        dst: str | None = None,
    ) -> list[Assertion]:
        """The caller's own assertions from that node of that kind and type, in order of `at`, then
        source, then the other end; where given, only those that end at `dst`."""
        values = {
            "user": scope.user_id,
            "dst": dst,
            "key": src,
            "kind": kind.value,
            "type": relationship_type,
        }
        statement = _FROM if dst is None else _BETWEEN
        return [assertion_of(row) for row in self._database.execute(statement, values)]

    def assertions_at(self, scope: Scope, key: str) -> list[Assertion]:
        """The caller's own assertions at either end of which that node stands, in the same order."""
        values = {"user": scope.user_id, "key": key}
        return [assertion_of(row) for row in self._database.execute(_AT, values)]


def _said(one: Assertion) -> tuple[object, ...]:
    """The values of its own that tell it from others, alike for equal assertions."""
    return (
        one.kind.value,
        one.relationship_type,
        to_micros(one.at),
        one.description,
        one.attitude,
        one.proximity,
        float(one.confidence),
        bool(one.ended),
        bool(one.single),
    )


def assertion_of(row: Row) -> Assertion:
    """The assertion in a row of its user, the keys of source and ends, and its values."""
    return Assertion(
        user_id=row[0],
        source_key=row[1],
        src=row[2],
        dst=row[3],
        kind=RelationshipKind(row[4]),
        relationship_type=row[5],
        at=from_micros(row[6]),
        recorded_at=from_micros(row[7]),
        description=row[8],
        attitude=row[9],
        proximity=row[10],
        confidence=row[11],
        ended=bool(row[12]),
        single=bool(row[13]),
    )
