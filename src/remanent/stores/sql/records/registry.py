"""Users, teams and memberships in SQLite."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.records.access import Membership, Role, Team, User
from remanent.core.visibility import Consents, consents
from remanent.errors import Conflict, NotFound, UnknownUser
from remanent.stores.sql.ledger import EVENTS
from remanent.stores.sql.plain_rows import RowCodec, to_micros
from remanent.stores.sql.records.access import SqlInvitations

_PEOPLE = RowCodec(User, "users")
_PUT_USER = f"""{_PEOPLE.insert()}
ON CONFLICT (user_id) DO UPDATE SET
    name = excluded.name, timezone = excluded.timezone,
    primary_team = excluded.primary_team, active_team = excluded.active_team
"""
_USER = f"{_PEOPLE.select()} WHERE user_id = ?"
_USERS = f"{_PEOPLE.select()} ORDER BY user_id"
_TEAMS = RowCodec(Team, "teams")
_PUT_TEAM = f"""{_TEAMS.insert()}
ON CONFLICT (team_id) DO UPDATE SET name = excluded.name, settings = excluded.settings
"""
_TEAM = f"{_TEAMS.select('deleted_at')} WHERE team_id = ?"
_DROP_TEAM = "UPDATE teams SET deleted_at = ? WHERE team_id = ? AND deleted_at IS NULL"
_KEEP_STAY = """
INSERT INTO stays (user_id, team_id, role, joined_at, left_at)
SELECT user_id, team_id, role, joined_at, left_at FROM memberships
WHERE user_id = ? AND team_id = ? AND left_at IS NOT NULL
ON CONFLICT DO NOTHING
"""
_JOIN = """
INSERT INTO memberships (user_id, team_id, role, joined_at, left_at) VALUES (?, ?, ?, ?, NULL)
ON CONFLICT (user_id, team_id) DO UPDATE SET
    role = excluded.role,
    joined_at = CASE WHEN memberships.left_at IS NULL THEN memberships.joined_at ELSE excluded.joined_at END,
    left_at = NULL
"""
_LEAVE = """
UPDATE memberships SET left_at = ? WHERE user_id = ? AND team_id = ? AND left_at IS NULL
"""
_NOT_PRIMARY = "UPDATE users SET primary_team = NULL WHERE user_id = ? AND primary_team = ?"
_NOT_ACTIVE = "UPDATE users SET active_team = NULL WHERE user_id = ? AND active_team = ?"
_PLACES = RowCodec(Membership, "memberships")
_MEMBERSHIPS = f"{_PLACES.select()} WHERE user_id = ? ORDER BY team_id"
_STAYS = f"""
{RowCodec(Membership, "stays").select()} WHERE user_id = ?1
UNION ALL {_PLACES.select()} WHERE user_id = ?1 ORDER BY joined_at, team_id, left_at NULLS FIRST
"""
_MEMBERS = f"""{_PLACES.select()} WHERE team_id = ? AND left_at IS NULL ORDER BY joined_at, user_id
"""
# As the index of the same name says it, word for word: else it is not used.
CONSENT: Final = """event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked')"""
_CONSENTS = f"""{EVENTS.select()}
WHERE user_id = ?1 AND {CONSENT} AND (?2 IS NULL OR seq < ?2) ORDER BY seq
"""
_HELD = "SELECT count(*) FROM nodes WHERE team_id = ? AND kind = 'source'"


class SqlRegistry(SqlInvitations):
    """Who is registered, and who belongs where. No ledger restores this, so it waits for the disk."""

    # -- users --------------------------------------------------------------------------------

    def put_user(self, user: User) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_PUT_USER, _PEOPLE.row(user))

    def user(self, user_id: str) -> User | None:
        row = self._database.fetch_one(_USER, (user_id,))
        return None if row is None else _PEOPLE.of(row)

    def users(self) -> list[User]:
        return [_PEOPLE.of(row) for row in self._database.execute(_USERS)]

    # -- teams --------------------------------------------------------------------------------

    def put_team(self, team: Team) -> None:
        with self._database.transaction(durable=True):
            row = self._database.fetch_one(_TEAM, (team.team_id,))
            if row is not None and row[-1] is not None:
                raise Conflict("team_id", f"{team.team_id!r} is taken; choose another")
            self._database.execute(_PUT_TEAM, _TEAMS.row(team))

    def team(self, team_id: str) -> Team | None:
        row = self._database.fetch_one(_TEAM, (team_id,))
        return None if row is None or row[-1] is not None else _TEAMS.of(row)

    def drop_team(self, team_id: str, at: datetime) -> None:
        with self._database.transaction(durable=True):
            for row in self._database.execute(_MEMBERS, (team_id,)):
                self.leave(team_id, row[1], at)
            self._revoke_all(team_id)
            self._database.execute(_DROP_TEAM, (to_micros(at), team_id))

    # -- who belongs where --------------------------------------------------------------------

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        with self._database.transaction(durable=True):
            if self.user(user_id) is None:
                raise UnknownUser(user_id)
            if self.team(team_id) is None:
                raise NotFound(f"team: {team_id!r} is not registered in this memory")
            self._database.execute(_KEEP_STAY, (user_id, team_id))
            self._database.execute(_JOIN, (user_id, team_id, role.value, to_micros(at)))

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        with self._database.transaction(durable=True):
            self._database.execute(_LEAVE, (to_micros(at), user_id, team_id))
            self._database.execute(_NOT_PRIMARY, (user_id, team_id))
            self._database.execute(_NOT_ACTIVE, (user_id, team_id))

    def memberships(self, user_id: str) -> list[Membership]:
        return [_PLACES.of(row) for row in self._database.execute(_MEMBERSHIPS, (user_id,))]

    def membership_history(self, user_id: str) -> list[Membership]:
        return [_PLACES.of(row) for row in self._database.execute(_STAYS, (user_id,))]

    def members(self, scope: Scope, team_id: str) -> list[Membership]:
        if team_id not in scope.teams:
            return []
        return [_PLACES.of(row) for row in self._database.execute(_MEMBERS, (team_id,))]

    def count_team_sources(self, scope: Scope, team_id: str) -> int:
        if team_id not in scope.teams:
            return 0
        ((count,),) = self._database.execute(_HELD, (team_id,))
        return int(count)

    # -- scopes -------------------------------------------------------------------------------

    def consents(self, user_id: str, *, before: int | None = None) -> Consents:
        rows = self._database.execute(_CONSENTS, (user_id, before))
        return consents(map(EVENTS.of, rows))

    def scope_of(self, user_id: str) -> Scope:
        return self._scope(user_id, is_view=False)

    def view_of(self, user_id: str) -> Scope:
        return self._scope(user_id, is_view=True)

    def _scope(self, user_id: str, *, is_view: bool) -> Scope:
        with self._database.read():
            user = self.user(user_id)
            if user is None:
                raise UnknownUser(user_id)
            places = self.memberships(user_id)
            hidden = self.consents(user_id).hidden
        return Scope(
            user_id=user_id,
            teams=frozenset(one.team_id for one in places if one.left_at is None),
            left=frozenset(one.team_id for one in places if one.left_at is not None),
            narrowed_to=user.active_team if is_view else None,
            hidden=hidden,
        )
