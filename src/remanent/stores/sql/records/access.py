"""API keys, the audit log and invitations into teams, in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.core.model.scope import Scope
from remanent.core.records.access import ApiKey, AuditEntry, Invitation
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import RowCodec, to_micros

_KEYS = RowCodec(ApiKey, "api_keys")
_PUT = f"{_KEYS.insert('digest')} ON CONFLICT DO NOTHING"
_GET = f"{_KEYS.select('digest')} WHERE key_id = ?"
_ALL = f"{_KEYS.select()} ORDER BY created_at, key_id"
_REVOKE = "UPDATE api_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL"
_USED = "UPDATE api_keys SET last_used_at = ? WHERE key_id = ?"


class SqlKeyring(OnDatabase):
    """Keys that open this memory from outside. Secrets are not here, only their hashes."""

    def put_key(self, key: ApiKey, digest: str) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_PUT, (*_KEYS.row(key), digest))

    def key(self, key_id: str) -> tuple[ApiKey, str] | None:
        row = self._database.fetch_one(_GET, (key_id,))
        return None if row is None else (_KEYS.of(row), str(row[-1]))

    def keys(self) -> list[ApiKey]:
        return [_KEYS.of(row) for row in self._database.execute(_ALL)]

    def revoke(self, key_id: str, at: datetime) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_REVOKE, (to_micros(at), key_id))

    def used(self, key_id: str, at: datetime) -> None:
        with self._database.transaction():
            self._database.execute(_USED, (to_micros(at), key_id))


_DEEDS = RowCodec(AuditEntry, "deeds")
_PUT_of_audit = f"""
INSERT INTO deeds (at, actor, act, team_id, subject, detail)
VALUES (:at, :actor, :act, :team_id, :subject, :detail) RETURNING {_DEEDS.columns}
"""  # noqa: S608 - ours
_OWN = f"""{_DEEDS.select()}
WHERE actor = :user AND seq > :after
  AND (:narrowed IS NULL OR team_id IS NULL OR team_id = :narrowed)
ORDER BY seq LIMIT :limit
"""
_IN_TEAM = f"{_DEEDS.select()} WHERE team_id = :team AND seq > :after ORDER BY seq LIMIT :limit"
_ALL_of_audit = f"{_DEEDS.select()} WHERE seq > :after ORDER BY seq LIMIT :limit"


class SqlAudit(OnDatabase):
    """Deeds are numbered in the order in which they were done, and wait for the disk."""

    def put_deed(self, deed: AuditEntry) -> AuditEntry:
        with self._database.transaction(durable=True):
            (row,) = self._database.execute(_PUT_of_audit, _DEEDS.named(deed))
        return _DEEDS.of(row)

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
        return [_DEEDS.of(row) for row in self._database.execute(wanted, values)]

    def all_deeds(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        values = {"after": after, "limit": max(limit, 0)}
        return [_DEEDS.of(row) for row in self._database.execute(_ALL_of_audit, values)]


_INVITATIONS = RowCodec(Invitation, "invitations")
_PUT_of_invitations = f"""{_INVITATIONS.insert()}
ON CONFLICT (invitation_id) DO UPDATE SET state = excluded.state
"""
_GET_of_invitations = f"{_INVITATIONS.select()} WHERE invitation_id = ?"
_WAITING = "state = 'pending' ORDER BY at, invitation_id"
_TO_USER = f"{_INVITATIONS.select()} WHERE user_id = ? AND {_WAITING}"
_INTO_TEAM = f"{_INVITATIONS.select()} WHERE team_id = ? AND {_WAITING}"
_REVOKE_ALL = "UPDATE invitations SET state = 'revoked' WHERE team_id = ? AND state = 'pending'"


class SqlInvitations(OnDatabase):
    """The part of the registry that is about invitations."""

    def put_invitation(self, invitation: Invitation) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_PUT_of_invitations, _INVITATIONS.row(invitation))

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        row = self._database.fetch_one(_GET_of_invitations, (invitation_id,))
        found = None if row is None else _INVITATIONS.of(row)
        return found if found is not None and _concerns(scope, found) else None

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        if team_id is None:
            rows = self._database.execute(_TO_USER, (scope.user_id,))
        else:
            rows = self._database.execute(_INTO_TEAM, (team_id,))
        return [one for one in map(_INVITATIONS.of, rows) if _concerns(scope, one)]

    def _revoke_all(self, team_id: str) -> None:
        self._database.execute(_REVOKE_ALL, (team_id,))


def _concerns(scope: Scope, one: Invitation) -> bool:
    """Members see who is invited; whoever is invited sees it, unless they look at another team only."""
    if one.team_id in scope.teams:
        return True
    return one.user_id == scope.user_id and scope.narrowed_to in (None, one.team_id)
