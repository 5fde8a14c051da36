"""Members of a team get other roles, are removed, and leave.

Whoever goes loses the team's sources; a team that goes on has an owner (SPEC 9, 12.5).
"""

from __future__ import annotations

from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.records.access import AuditAction, Membership, Role
from remanent.errors import Conflict
from remanent.teams import invitations
from remanent.teams import rules as teams
from remanent.teams.audit import TeamMember, audited_change, require_role, role_too_low, write_audit
from remanent.teams.rules import Right
from remanent.teams.teams import delete_in_transaction


def change_role(env: Env, scope: Scope, team: str, user_id: str, role: str | Role) -> Membership:
    """Make somebody owner, admin or member. Owners may; admins make members admins; everybody may
    step down, but for the last owner."""
    role = checks.choice("role", Role, role)
    checks.identifier("user_id", user_id)
    act = AuditAction.ROLE_CHANGED
    with audited_change(env, scope, act, team_id=team, subject=user_id):
        membership = require_role(env, scope, team, Right.READ)
        old = membership.member(user_id)
        oneself = user_id == scope.user_id
        if not teams.may_appoint(membership.role, old.role, role, oneself=oneself):
            raise role_too_low(scope, membership, f"make {old.role.value} {user_id!r} {role.value}")
        if old.role is role:
            return old
        if old.role is Role.OWNER and teams.is_ownerless_without(membership.members, user_id):
            raise Conflict("role", f"{user_id!r} is the last owner; make another one first")
        env.registry.join(team, user_id, role, env.clock.now())
        invitations.withdraw(env, scope, membership, user_id, role)
        roles = {"from": old.role.value, "to": role.value}
        write_audit(env, scope.user_id, act, team_id=team, subject=user_id, **roles)
        return replace(old, role=role)


def remove_member(env: Env, scope: Scope, team: str, user_id: str) -> None:
    """Put somebody out of a team: they lose what it shares. Owners remove anybody, admins members."""
    if user_id == scope.user_id:
        leave_team(env, scope, team)
        return
    checks.identifier("user_id", user_id)
    act = AuditAction.MEMBER_REMOVED
    with audited_change(env, scope, act, team_id=team, subject=user_id):
        membership = require_role(env, scope, team, Right.REMOVE)
        old = membership.member(user_id)
        if not teams.may_remove(membership.role, old.role):
            raise role_too_low(scope, membership, f"remove {old.role.value} {user_id!r}")
        _end_membership(env, scope, membership, user_id, act)


def leave_team(env: Env, scope: Scope, team: str) -> None:
    """Leave a team, and lose what it shares. The last owner has to make another one first; the
    last member ends the team by leaving."""
    with audited_change(env, scope, AuditAction.MEMBER_LEFT, team_id=team):
        membership = require_role(env, scope, team, Right.LEAVE)
        if len(membership.members) == 1:
            delete_in_transaction(env, scope, team)
            return
        is_owner = membership.role is Role.OWNER
        if is_owner and teams.is_ownerless_without(membership.members, scope.user_id):
            raise Conflict(
                "team", f"{scope.user_id!r} is the last owner of {team!r}; make another one first"
            )
        _end_membership(env, scope, membership, scope.user_id, AuditAction.MEMBER_LEFT)


def _end_membership(
    env: Env, scope: Scope, membership: TeamMember, user_id: str, act: AuditAction
) -> None:
    team_id = membership.team.team_id
    invitations.withdraw(env, scope, membership, user_id, None)
    env.registry.leave(team_id, user_id, env.clock.now())
    write_audit(env, scope.user_id, act, team_id=team_id, subject=user_id)
