"""Teams' part of `UserMemory` (teams, who is in them, how far one looks) and of `Memory` (API keys, the
audit log)."""

from __future__ import annotations

from typing import Self

from remanent.core.env import Env
from remanent.core.ports.records import Select
from remanent.core.records.access import ApiKey
from remanent.core.user_handle import TEAMS, UserHandle, env_verb, verb
from remanent.errors import Forbidden
from remanent.teams import consents
from remanent.teams import invitations as invitations_
from remanent.teams import keys as keys_
from remanent.teams import members as members_
from remanent.teams import teams as teams_
from remanent.teams.audit import audit_log, audit_log_of_all, audited, require_role
from remanent.teams.rules import Right


class TeamsApi(UserHandle):
    """The verbs about teams. Whoever is not in a team is told that there is none."""

    create_team = verb(teams_.create, TEAMS)
    teams = verb(teams_.places, TEAMS)
    members = verb(teams_.members, TEAMS)
    invite = verb(invitations_.invite_member, TEAMS)
    invitations = verb(invitations_.pending, TEAMS)
    accept = verb(invitations_.accept, TEAMS)
    decline = verb(invitations_.decline, TEAMS)
    revoke_invitation = verb(invitations_.revoke, TEAMS)
    waiting = verb(consents.waiting_sources, TEAMS)
    accept_source = verb(consents.accept_source, TEAMS)
    decline_source = verb(consents.decline_source, TEAMS)
    block = verb(consents.block_user, TEAMS)
    unblock = verb(consents.unblock_user, TEAMS)
    blocked = verb(consents.blocked_users, TEAMS)
    change_role = verb(members_.change_role, TEAMS)
    remove_member = verb(members_.remove_member, TEAMS)
    leave_team = verb(members_.leave_team, TEAMS)
    change_team = verb(teams_.change, TEAMS)
    delete_team = verb(teams_.delete, TEAMS)
    set_primary_team = verb(teams_.set_primary_team, TEAMS)
    set_active_team = verb(teams_.set_active_team, TEAMS)

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

    audit = verb(audit_log, TEAMS)


class AccessApi:
    """Part of `Memory`: for whoever runs it."""

    env: Env

    create_key = env_verb(keys_.create_key)

    def keys(self) -> list[ApiKey]:
        """All API keys, revoked ones as well, oldest first."""
        return self.env.records.find(None, Select(ApiKey, order=("created_at", "key_id")))

    revoke_key = env_verb(keys_.revoke_key)
    authenticate = env_verb(keys_.authenticate)
    audit = env_verb(audit_log_of_all)
