"""The audit log in SQLite."""

from __future__ import annotations

from remanent.core.model.scope import Scope
from remanent.core.records.audit import AuditEntry
from remanent.stores.sqlite.columns import from_json, from_micros, to_json, to_micros
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_PUT = """
INSERT INTO deeds (at, actor, act, team_id, subject, detail) VALUES (?, ?, ?, ?, ?, ?)
RETURNING seq, at, actor, act, team_id, subject, detail
"""
_OWN = """
SELECT seq, at, actor, act, team_id, subject, detail FROM deeds
WHERE actor = :user AND seq > :after
  AND (:narrowed IS NULL OR team_id IS NULL OR team_id = :narrowed)
ORDER BY seq LIMIT :limit
"""
_IN_TEAM = """
SELECT seq, at, actor, act, team_id, subject, detail FROM deeds
WHERE team_id = :team AND seq > :after ORDER BY seq LIMIT :limit
"""
_ALL = """
SELECT seq, at, actor, act, team_id, subject, detail FROM deeds
WHERE seq > :after ORDER BY seq LIMIT :limit
"""


class SqliteAudit:
    """Deeds are numbered in the order in which they were done, and wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_deed(self, deed: AuditEntry) -> AuditEntry:
        """Write the deed down; it comes back with its number, whatever number it had."""
        values = (
            to_micros(deed.at),
            deed.actor,
            str(deed.act),
            deed.team_id,
            deed.subject,
            to_json(dict(deed.detail), "detail"),
        )
        with self._database.transaction(durable=True):
            (row,) = self._database.execute(_PUT, values)
        return _deed(row)

    def deeds(
        self, scope: Scope, *, team_id: str | None = None, after: int = 0, limit: int = 100
    ) -> list[AuditEntry]:
        """What the caller did, or what was done in that team of theirs, from beyond the number `after`,
        oldest first. A narrowed caller sees no deeds in other teams."""
        if team_id is not None and team_id not in scope.teams:
            return []
        values = {
            "user": scope.user_id,
            "team": team_id,
            "narrowed": scope.narrowed_to,
            "after": after,
            "limit": max(limit, 0),
        }
        wanted = _OWN if team_id is None else _IN_TEAM
        return [_deed(row) for row in self._database.execute(wanted, values)]

    def all_deeds(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """The same of everybody, for whoever runs the memory."""
        values = {"after": after, "limit": max(limit, 0)}
        return [_deed(row) for row in self._database.execute(_ALL, values)]


def _deed(row: Row) -> AuditEntry:
    return AuditEntry(
        seq=row[0],
        at=from_micros(row[1]),
        actor=row[2],
        act=row[3],
        team_id=row[4],
        subject=row[5],
        detail=from_json(row[6]),
    )
