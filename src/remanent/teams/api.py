"""Teams' part of `UserMemory` (teams, who is in them, how far one looks) and of `Memory` (API keys, the
audit log)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Self

from remanent.core.checks import choice
from remanent.core.env import Env
from remanent.core.ports.records import Select
from remanent.core.records.access import (
    ApiKey,
    AuditEntry,
    Invitation,
    Membership,
    NewKey,
    Place,
    Power,
    Role,
    Team,
    User,
)
from remanent.core.user_handle import UserHandle
from remanent.errors import Forbidden
from remanent.teams import consents, invitations, keys, members
from remanent.teams import teams as teams_
from remanent.teams.audit import audit_log, audit_log_of_all, audited, require_role
from remanent.teams.consents import SharedSource
from remanent.teams.invitations import invite_member
from remanent.teams.rules import Right
from remanent.teams.teams import change, create, delete, places, set_active_team, set_primary_team


class TeamsApi(UserHandle):
    """The verbs about teams. Whoever is not in a team is told that there is none."""

    def create_team(
        self, name: str, team_id: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> Team:
        """Make a team, and be its owner. `settings` are the team's own: Remanent only keeps them."""
        return create(self.env, self._team_scope, name, team_id=team_id, settings=settings)

    def teams(self) -> list[Place]:
        """The teams this user is in, with their place in each, in order of id."""
        return places(self.env, self._team_scope)

    def members(self, team: str) -> list[Membership]:
        """Who is in a team of this user's, in order of joining."""
        return teams_.members(self.env, self._team_scope, team)

    def invite(self, team: str, user_id: str, role: str | Role = Role.MEMBER) -> Invitation:
        """Invite somebody, by their user id, who may register later. Owners and admins invite; only
        owners invite owners. Inviting again gives back the invitation that is pending."""
        as_ = choice("role", Role, role)
        return invite_member(self.env, self._team_scope, team, user_id, as_)

    def invitations(self, team: str | None = None) -> list[Invitation]:
        """Invitations that wait for this user's answer, or those into a team that this user tends."""
        return invitations.pending(self.env, self._team_scope, team)

    def accept(self, invitation_id: str) -> Membership:
        """Accept an invitation: be in the team, and see what it shares."""
        return invitations.accept(self.env, self._team_scope, invitation_id)

    def decline(self, invitation_id: str) -> Invitation:
        """Decline an invitation."""
        return invitations.decline(self.env, self._team_scope, invitation_id)

    def revoke_invitation(self, invitation_id: str) -> Invitation:
        """Take back an invitation that was not answered yet."""
        return invitations.revoke(self.env, self._team_scope, invitation_id)

    def waiting(self, limit: int = 100) -> list[SharedSource]:
        """Sources of others that name this user as a participant and wait for an answer, newest first:
        till then nothing else of them is seen. Whoever shares a team with this user need not ask."""
        return consents.waiting_sources(self.env, self._team_scope, limit=limit)

    def accept_source(self, source_key: str) -> SharedSource:
        """Accept to be named: read the source from now on."""
        return consents.accept_source(self.env, self._team_scope, source_key)

    def decline_source(self, source_key: str) -> SharedSource:
        """Decline to be named: see no more of the source."""
        return consents.decline_source(self.env, self._team_scope, source_key)

    def block(self, user_id: str) -> bool:
        """Decline all that this other user names one in, now and from now on; whether that is news."""
        return consents.block_user(self.env, self._team_scope, user_id)

    def unblock(self, user_id: str) -> bool:
        """Let a blocked user ask again; what was declined stays so. Whether that is news."""
        return consents.unblock_user(self.env, self._team_scope, user_id)

    def blocked(self) -> list[str]:
        """The ids of those who are blocked, in order."""
        return consents.blocked_users(self.env, self._team_scope)

    def change_role(self, team: str, user_id: str, role: str | Role) -> Membership:
        """Make somebody owner, admin or member. Owners may; admins make members admins; everybody may
        step down, but for the last owner."""
        new = choice("role", Role, role)
        return members.change_role(self.env, self._team_scope, team, user_id, new)

    def remove_member(self, team: str, user_id: str) -> None:
        """Put somebody out of a team: they lose what it shares. Owners remove anybody, admins members."""
        members.remove_member(self.env, self._team_scope, team, user_id)

    def leave_team(self, team: str) -> None:
        """Leave a team, and lose what it shares. The last owner has to make another one first; the
        last member ends the team by leaving."""
        members.leave_team(self.env, self._team_scope, team)

    def change_team(
        self, team: str, name: str | None = None, settings: Mapping[str, Any] | None = None
    ) -> Team:
        """Give a team another name, or other settings in place of those it has."""
        return change(self.env, self._team_scope, team, name=name, settings=settings)

    def delete_team(self, team: str) -> None:
        """End a team: for owners, and only when it holds no sources any more."""
        delete(self.env, self._team_scope, team)

    def set_primary_team(self, team: str | None) -> User:
        """Say which of one's teams comes first, or that none does."""
        return set_primary_team(self.env, self._team_scope, team)

    def set_active_team(self, team: str | None) -> User:
        """See only this one of one's teams from now on, beside what is one's own; None: all of them."""
        return set_active_team(self.env, self._team_scope, team)

    def within(self, team: str | None) -> Self:
        """The same memory, narrowed to one team: what is one's own and what is that team's is there,
        and adding goes to that team or none. None: all teams, whichever is active.

        What is narrowed to a team stays so.
        """
        if self._within is not None and team != self._within:
            raise Forbidden(f"team: narrowed to {self._within!r}, one cannot look elsewhere")
        if team is not None:
            scope = self._team_scope
            with audited(self.env, scope, "team.read", team_id=team):
                require_role(self.env, scope, team, Right.READ)
        return self._narrowed(team)

    def audit(self, team: str | None = None, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """What this user did about teams, or what was done in a team that they own or tend, oldest
        first, from beyond the number `after` on."""
        return audit_log(self.env, self._team_scope, team, after=after, limit=limit)


class AccessApi:
    """Part of `Memory`: for whoever runs it."""

    env: Env

    def create_key(
        self,
        user_id: str | None,
        *,
        name: str,
        powers: Iterable[str | Power] = (Power.READ, Power.WRITE),
        team: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """Make an API key for a user, or (None) for a service that acts for any of them.

        `powers` are read, write and manage; with a `team` it sees that team's things and the user's
        own only. Its secret is in what comes back, and nowhere else.
        """
        return keys.create_key(
            self.env, user_id, name=name, powers=powers, team=team, expires_at=expires_at
        )

    def keys(self) -> list[ApiKey]:
        """All API keys, revoked ones as well, oldest first."""
        return self.env.records.find(None, Select(ApiKey, order=("created_at", "key_id")))

    def revoke_key(self, key_id: str) -> ApiKey:
        """Make an API key worth nothing, at once and for good."""
        return keys.revoke_key(self.env, key_id)

    def authenticate(self, secret: str) -> ApiKey:
        """The API key whose secret this is; `Unauthorized` if it is none, has expired, was revoked, or
        its user has gone or left its team."""
        return keys.authenticate(self.env, secret)

    def audit(self, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """What everybody did about teams, keys and whole memories, oldest first, from beyond `after`."""
        return audit_log_of_all(self.env, after=after, limit=limit)
