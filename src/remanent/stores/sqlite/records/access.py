"""API keys in SQLite.

The audit log in SQLite.

Invitations into teams, in SQLite.
"""

from __future__ import annotations

from datetime import datetime

from remanent.core.model.scope import Scope
from remanent.core.records.access import (
    ApiKey,
    AuditEntry,
    Invitation,
    InvitationState,
    Power,
    Role,
)
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.plain_rows import (
    from_json,
    from_micros,
    micros_or_none,
    moment_or_none,
    to_json,
    to_micros,
)

_PUT = """
INSERT INTO api_keys (key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
                      revoked_at, last_used_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_GET = """
SELECT key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
       revoked_at, last_used_at
FROM api_keys WHERE key_id = ?
"""
_ALL = """
SELECT key_id, digest, name, user_id, powers, team, created_by, created_at, expires_at,
       revoked_at, last_used_at
FROM api_keys ORDER BY created_at, key_id
"""
_REVOKE = "UPDATE api_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL"
_USED = "UPDATE api_keys SET last_used_at = ? WHERE key_id = ?"


class SqliteKeyring:
    """Keys that open this memory from outside. Secrets are not here, only their hashes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_key(self, key: ApiKey, digest: str) -> None:
        values = (
            key.key_id,
            digest,
            key.name,
            key.user_id,
            to_json(sorted(power.value for power in key.powers), "powers"),
            key.team,
            key.created_by,
            to_micros(key.created_at),
            micros_or_none(key.expires_at),
            micros_or_none(key.revoked_at),
            micros_or_none(key.last_used_at),
        )
        with self._database.transaction(durable=True):
            self._database.execute(_PUT, values)

    def key(self, key_id: str) -> tuple[ApiKey, str] | None:
        row = self._database.fetch_one(_GET, (key_id,))
        return None if row is None else (_key(row), str(row[1]))

    def keys(self) -> list[ApiKey]:
        return [_key(row) for row in self._database.execute(_ALL)]

    def revoke(self, key_id: str, at: datetime) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_REVOKE, (to_micros(at), key_id))

    def used(self, key_id: str, at: datetime) -> None:
        with self._database.transaction():
            self._database.execute(_USED, (to_micros(at), key_id))


def _key(row: Row) -> ApiKey:
    return ApiKey(
        key_id=row[0],
        name=row[2],
        user_id=row[3],
        powers=frozenset(Power(one) for one in from_json(row[4], "api_keys")),
        team=row[5],
        created_by=row[6],
        created_at=from_micros(row[7]),
        expires_at=moment_or_none(row[8]),
        revoked_at=moment_or_none(row[9]),
        last_used_at=moment_or_none(row[10]),
    )


_PUT_of_audit = """
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
_ALL_of_audit = """
SELECT seq, at, actor, act, team_id, subject, detail FROM deeds
WHERE seq > :after ORDER BY seq LIMIT :limit
"""


class SqliteAudit:
    """Deeds are numbered in the order in which they were done, and wait for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_deed(self, deed: AuditEntry) -> AuditEntry:
        values = (
            to_micros(deed.at),
            deed.actor,
            str(deed.act),
            deed.team_id,
            deed.subject,
            to_json(dict(deed.detail), "detail"),
        )
        with self._database.transaction(durable=True):
            (row,) = self._database.execute(_PUT_of_audit, values)
        return _entry(row)

    def entries(
        self, scope: Scope, *, team_id: str | None = None, after: int = 0, limit: int = 100
    ) -> list[AuditEntry]:
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
        return [_entry(row) for row in self._database.execute(wanted, values)]

    def all_deeds(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        values = {"after": after, "limit": max(limit, 0)}
        return [_entry(row) for row in self._database.execute(_ALL_of_audit, values)]


def _entry(row: Row) -> AuditEntry:
    return AuditEntry(
        seq=row[0],
        at=from_micros(row[1]),
        actor=row[2],
        act=row[3],
        team_id=row[4],
        subject=row[5],
        detail=from_json(row[6], "deeds"),
    )


_PUT_of_invitations = """
INSERT INTO invitations (invitation_id, team_id, user_id, role, invited_by, at, expires_at, state)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (invitation_id) DO UPDATE SET state = excluded.state
"""
_GET_of_invitations = """
SELECT invitation_id, team_id, user_id, role, invited_by, at, expires_at, state
FROM invitations WHERE invitation_id = ?
"""
_TO_USER = """
SELECT invitation_id, team_id, user_id, role, invited_by, at, expires_at, state
FROM invitations WHERE user_id = ? AND state = 'pending' ORDER BY at, invitation_id
"""
_INTO_TEAM = """
SELECT invitation_id, team_id, user_id, role, invited_by, at, expires_at, state
FROM invitations WHERE team_id = ? AND state = 'pending' ORDER BY at, invitation_id
"""
_REVOKE_ALL = "UPDATE invitations SET state = 'revoked' WHERE team_id = ? AND state = 'pending'"


class SqliteInvitations:
    """The part of the registry that is about invitations."""

    _database: Database

    def put_invitation(self, invitation: Invitation) -> None:
        values = (
            invitation.invitation_id,
            invitation.team_id,
            invitation.user_id,
            invitation.role.value,
            invitation.invited_by,
            to_micros(invitation.at),
            to_micros(invitation.expires_at),
            invitation.state.value,
        )
        with self._database.transaction(durable=True):
            self._database.execute(_PUT_of_invitations, values)

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        row = self._database.fetch_one(_GET_of_invitations, (invitation_id,))
        if row is None or not _concerns(scope, row):
            return None
        return _invitation(row)

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        if team_id is None:
            rows = self._database.execute(_TO_USER, (scope.user_id,))
        else:
            rows = self._database.execute(_INTO_TEAM, (team_id,))
        mine = [row for row in rows if _concerns(scope, row)]
        return [_invitation(row) for row in mine]

    def _revoke_all(self, team_id: str) -> None:
        self._database.execute(_REVOKE_ALL, (team_id,))


def _concerns(scope: Scope, row: Row) -> bool:
    """Members see who is invited; whoever is invited sees it, unless they look at another team only."""
    if row[1] in scope.teams:
        return True
    return bool(row[2] == scope.user_id and scope.narrowed_to in (None, row[1]))


def _invitation(row: Row) -> Invitation:
    return Invitation(
        invitation_id=row[0],
        team_id=row[1],
        user_id=row[2],
        role=Role(row[3]),
        invited_by=row[4],
        at=from_micros(row[5]),
        expires_at=from_micros(row[6]),
        state=InvitationState(row[7]),
    )
