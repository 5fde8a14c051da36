"""Admit: what the caller is in a team, and whether that is enough for what they want."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.core import checks
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.records.team import Membership, Role, Team
from remanent.errors import Forbidden, NotFound
from remanent.teams.rules import roles
from remanent.teams.rules.roles import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMember:
    """A team as one of its members meets it: everybody in it, and the caller's own role."""

    team: Team
    members: Sequence[Membership]
    role: Role

    def member(self, user_id: str) -> Membership:
        """Somebody who is in the team now."""
        found = next((one for one in self.members if one.user_id == user_id), None)
        if found is None:
            raise NotFound(f"user: {user_id!r} is not in team {self.team.team_id!r}")
        return found


def require_role(env: Env, scope: Scope, team_id: str, right: Right) -> TeamMember:
    """Let the caller in, or not: `NotFound` to whoever is not in the team, be there one or not,
    `Forbidden` to members whose role does not reach."""
    found = standing(env, scope, team_id)
    if not roles.may(found.role, right):
        raise denied(scope, found, right.value)
    return found


def standing(env: Env, scope: Scope, team_id: str) -> TeamMember:
    """The team, for one of its members."""
    checks.identifier("team", team_id)
    members = env.registry.members(scope, team_id)
    mine = next((one for one in members if one.user_id == scope.user_id), None)
    team = env.registry.team(team_id)
    if mine is None or team is None:
        raise NotFound(f"team: {scope.user_id!r} is in no team {team_id!r}")
    return TeamMember(team=team, members=members, role=mine.role)


def denied(scope: Scope, found: TeamMember, what: str) -> Forbidden:
    """What a member is told whose role does not reach."""
    article = "an" if found.role is not Role.MEMBER else "a"
    return Forbidden(
        f"team: {scope.user_id!r} is {article} {found.role.value} of {found.team.team_id!r} "
        f"and may not {what}"
    )


def insist_wide(scope: Scope, what: str) -> None:
    """Whoever came for one team's sake changes nothing beyond it."""
    if scope.narrowed_to is not None:
        raise Forbidden(f"team: narrowed to {scope.narrowed_to!r}, one may not {what}")
