"""Users, teams and memberships in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.errors import NotFound, UnknownUser
from remanent.model.scope import Scope
from remanent.model.team import Membership, Role, Team, User
from remanent.stores.sqlite.columns import from_micros, moment_or_none, to_micros
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.seat import Row

_PUT_USER = """
INSERT INTO users (user_id, name, timezone, created_at) VALUES (?, ?, ?, ?)
ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone
"""
_USER = "SELECT user_id, name, timezone, created_at FROM users WHERE user_id = ?"
_USERS = "SELECT user_id, name, timezone, created_at FROM users ORDER BY user_id"
_PUT_TEAM = """
INSERT INTO teams (team_id, name, created_at) VALUES (?, ?, ?)
ON CONFLICT (team_id) DO UPDATE SET name = excluded.name
"""
_TEAM = "SELECT team_id, name, created_at FROM teams WHERE team_id = ?"
_JOIN = """
INSERT INTO memberships (user_id, team_id, role, joined_at, left_at) VALUES (?, ?, ?, ?, NULL)
ON CONFLICT (user_id, team_id) DO UPDATE SET
    role = excluded.role,
    joined_at = CASE WHEN left_at IS NULL THEN joined_at ELSE excluded.joined_at END,
    left_at = NULL
"""
_LEAVE = """
UPDATE memberships SET left_at = ? WHERE user_id = ? AND team_id = ? AND left_at IS NULL
"""
_MEMBERSHIPS = """
SELECT team_id, user_id, role, joined_at, left_at FROM memberships
WHERE user_id = ? ORDER BY team_id
"""


class SqliteRegistry:
    """Who is registered, and who belongs where. No ledger restores this, so it waits for the disk."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_user(self, user: User) -> None:
        """Register the user, or replace their profile; `created_at` of the first time stands."""
        values = (user.user_id, user.name, user.timezone, to_micros(user.created_at))
        with self._database.transaction(durable=True):
            self._database.execute(_PUT_USER, values)

    def user(self, user_id: str) -> User | None:
        """The profile of that user."""
        row = self._database.one(_USER, (user_id,))
        return None if row is None else _user(row)

    def users(self) -> list[User]:
        """Everyone registered, in order of id."""
        return [_user(row) for row in self._database.execute(_USERS)]

    def put_team(self, team: Team) -> None:
        """Register the team, or rename it."""
        with self._database.transaction(durable=True):
            self._database.execute(_PUT_TEAM, (team.team_id, team.name, to_micros(team.created_at)))

    def team(self, team_id: str) -> Team | None:
        """The team of that id."""
        row = self._database.one(_TEAM, (team_id,))
        if row is None:
            return None
        return Team(team_id=row[0], name=row[1], created_at=from_micros(row[2]))

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        """Make the user a current member in that role; joining again changes the role."""
        with self._database.transaction(durable=True):
            if self.user(user_id) is None:
                raise UnknownUser(user_id)
            if self.team(team_id) is None:
                raise NotFound(f"team: {team_id!r} is not registered in this memory")
            self._database.execute(_JOIN, (user_id, team_id, role.value, to_micros(at)))

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        """End the membership; who is not a member is no error."""
        with self._database.transaction(durable=True):
            self._database.execute(_LEAVE, (to_micros(at), user_id, team_id))

    def memberships(self, user_id: str) -> list[Membership]:
        """Every team the user is or was in, in order of team id."""
        return [_membership(row) for row in self._database.execute(_MEMBERSHIPS, (user_id,))]

    def scope_of(self, user_id: str) -> Scope:
        """The scope of that user now; `UnknownUser` when they are not registered."""
        with self._database.read():
            if self.user(user_id) is None:
                raise UnknownUser(user_id)
            places = self.memberships(user_id)
        return Scope(
            user_id=user_id,
            teams=frozenset(one.team_id for one in places if one.left_at is None),
            left=frozenset(one.team_id for one in places if one.left_at is not None),
        )


def _user(row: Row) -> User:
    return User(user_id=row[0], name=row[1], timezone=row[2], created_at=from_micros(row[3]))


def _membership(row: Row) -> Membership:
    return Membership(
        team_id=row[0],
        user_id=row[1],
        role=Role(row[2]),
        joined_at=from_micros(row[3]),
        left_at=moment_or_none(row[4]),
    )
