"""Teams' part of `UserMemory` (teams, who is in them, how far one looks) and of `Memory` (API keys, the
audit log)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from remanent.core.env import Env
from remanent.core.later import later
from remanent.core.ports.records import Select
from remanent.core.records.access import ApiKey
from remanent.core.user_handle import TEAMS, UserHandle, env_verb, verb
from remanent.errors import Forbidden

if TYPE_CHECKING:
    from remanent.teams import audit as audit_
    from remanent.teams import consents, rules
    from remanent.teams import invitations as invitations_
    from remanent.teams import keys as keys_
    from remanent.teams import members as members_
    from remanent.teams import teams as teams_
else:
    audit_ = later("remanent.teams.audit")
    consents = later("remanent.teams.consents")
    invitations_ = later("remanent.teams.invitations")
    keys_ = later("remanent.teams.keys")
    members_ = later("remanent.teams.members")
    rules = later("remanent.teams.rules")
    teams_ = later("remanent.teams.teams")


class TeamsApi(UserHandle):
    """The verbs about teams. Whoever is not in a team is told that there is none."""

    create_team = verb(lambda: teams_.create, TEAMS)
    teams = verb(lambda: teams_.places, TEAMS)
    members = verb(lambda: teams_.members, TEAMS)
    invite = verb(lambda: invitations_.invite_member, TEAMS)
    invitations = verb(lambda: invitations_.pending, TEAMS)
    accept = verb(lambda: invitations_.accept, TEAMS)
    decline = verb(lambda: invitations_.decline, TEAMS)
    revoke_invitation = verb(lambda: invitations_.revoke, TEAMS)
    waiting = verb(lambda: consents.waiting_sources, TEAMS)
    accept_source = verb(lambda: consents.accept_source, TEAMS)
    decline_source = verb(lambda: consents.decline_source, TEAMS)
    block = verb(lambda: consents.block_user, TEAMS)
    unblock = verb(lambda: consents.unblock_user, TEAMS)
    blocked = verb(lambda: consents.blocked_users, TEAMS)
    change_role = verb(lambda: members_.change_role, TEAMS)
    remove_member = verb(lambda: members_.remove_member, TEAMS)
    leave_team = verb(lambda: members_.leave_team, TEAMS)
    change_team = verb(lambda: teams_.change, TEAMS)
    delete_team = verb(lambda: teams_.delete, TEAMS)
    set_primary_team = verb(lambda: teams_.set_primary_team, TEAMS)
    set_active_team = verb(lambda: teams_.set_active_team, TEAMS)

    def within(self, team: str | None) -> Self:
        """The same memory, narrowed to one team: what is one's own and what is that team's is there,
        and adding goes to that team or none. None: all teams, whichever is active.

        What is narrowed to a team stays so.
        """
        if self._within is not None and team != self._within:
            raise Forbidden(f"team: narrowed to {self._within!r}, one cannot look elsewhere")
        if team is not None:
            scope = self._team_scope
            with audit_.audited(self.env, scope, "team.read", team_id=team):
                audit_.require_role(self.env, scope, team, rules.Right.READ)
        return self._narrowed(team)

    audit = verb(lambda: audit_.audit_log, TEAMS)


class AccessApi:
    """Part of `Memory`: for whoever runs it."""

    env: Env

    create_key = env_verb(lambda: keys_.create_key)

    def keys(self) -> list[ApiKey]:
        """All API keys, revoked ones as well, oldest first."""
        return self.env.records.find(None, Select(ApiKey, order=("created_at", "key_id")))

    revoke_key = env_verb(lambda: keys_.revoke_key)
    authenticate = env_verb(lambda: keys_.authenticate)
    audit = env_verb(lambda: audit_.audit_log_of_all)
