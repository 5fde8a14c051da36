"""Invitations into teams, in SQLite."""

from __future__ import annotations

from remanent.core.model.scope import Scope
from remanent.core.records.team import Invitation, InvitationState, Role
from remanent.stores.sqlite.columns import from_micros, to_micros
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

_PUT = """
INSERT INTO invitations (invitation_id, team_id, user_id, role, invited_by, at, expires_at, state)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (invitation_id) DO UPDATE SET state = excluded.state
"""
_GET = """
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
        """Keep the invitation; of one that is known, only its state changes."""
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
            self._database.execute(_PUT, values)

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        """The invitation of that id, if it is to the caller or into a team of theirs."""
        row = self._database.one(_GET, (invitation_id,))
        if row is None or not _concerns(scope, row):
            return None
        return _invitation(row)

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        """Pending invitations, run out or not, oldest first: to the caller, or into that team of
        theirs."""
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
