"""Invitations to a team: made, accepted, declined, revoked.

Only the user id that was invited can answer, while the invitation is good.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.keys import time_ordered
from remanent.core.model.scope import Scope
from remanent.core.records.access import AuditAction, Invitation, InvitationState, Membership, Role
from remanent.errors import Conflict, Forbidden, NotFound
from remanent.teams import audit, rules
from remanent.teams.audit import TeamMember, audited_change, require_role, role_too_low, write_audit
from remanent.teams.rules import Right
from remanent.teams.teams import prefer_first


def invite_member(
    env: Env, scope: Scope, team: str, user_id: str, role: str | Role = Role.MEMBER
) -> Invitation:
    """Invite somebody, by their user id, who may register later. Owners and admins invite; only
    owners invite owners. Inviting again gives back the invitation that is pending."""
    role = checks.choice("role", Role, role)
    checks.identifier("user_id", user_id)
    act = AuditAction.MEMBER_INVITED
    with audited_change(env, scope, act, team_id=team, subject=user_id):
        membership = require_role(env, scope, team, Right.INVITE)
        if not rules.may_invite(membership.role, role):
            raise role_too_low(scope, membership, f"invite an {role.value}")
        if any(one.user_id == user_id for one in membership.members):
            raise Conflict("user_id", f"{user_id!r} is in team {team!r} already")
        known = _pending(env, scope, team, user_id)
        if known is not None:
            return _same(known, role)
        return _write_invitation(env, scope, team, user_id, role)


def _write_invitation(env: Env, scope: Scope, team_id: str, user_id: str, role: Role) -> Invitation:
    now = env.clock.now()
    invitation = Invitation(
        invitation_id=time_ordered(now, os.urandom(10)),
        team_id=team_id,
        user_id=user_id,
        role=role,
        invited_by=scope.user_id,
        at=now,
        expires_at=rules.good_until(now, env.config.teams),
    )
    env.records.put(None, invitation)
    _note(env, scope, AuditAction.MEMBER_INVITED, invitation)
    return invitation


def pending(env: Env, scope: Scope, team: str | None = None) -> list[Invitation]:
    """Invitations that wait for this user's answer, or those into a team that this user tends."""
    if team is not None:
        with audit.audited(env, scope, "invitations.read", team_id=team):
            require_role(env, scope, team, Right.INVITE)
    now = env.clock.now()
    invitations = env.registry.invitations(scope, team_id=team)
    return [one for one in invitations if rules.is_open(one, now)]


def accept(env: Env, scope: Scope, invitation_id: str) -> Membership:
    """Accept an invitation: be in the team, and see what it shares."""
    with _audited_answer(env, scope, invitation_id, AuditAction.INVITATION_ACCEPTED):
        invitation = _my_invitation(env, scope, invitation_id)
        team_id = invitation.team_id
        place = _place(env, scope, team_id)
        if invitation.state is InvitationState.ACCEPTED and place is not None:
            return place
        _insist_open(env, invitation)
        _settle(env, scope, invitation, InvitationState.ACCEPTED, AuditAction.INVITATION_ACCEPTED)
        if place is not None:
            return place
        now = env.clock.now()
        env.registry.join(team_id, scope.user_id, invitation.role, now)
        prefer_first(env.registry, scope.user_id, team_id)
        return Membership(
            team_id=team_id, user_id=scope.user_id, role=invitation.role, joined_at=now
        )


def decline(env: Env, scope: Scope, invitation_id: str) -> Invitation:
    """Decline an invitation."""
    with _audited_answer(env, scope, invitation_id, AuditAction.INVITATION_DECLINED):
        invitation = _my_invitation(env, scope, invitation_id)
        if invitation.state is InvitationState.DECLINED:
            return invitation
        _insist_open(env, invitation)
        return _settle(
            env, scope, invitation, InvitationState.DECLINED, AuditAction.INVITATION_DECLINED
        )


def revoke(env: Env, scope: Scope, invitation_id: str) -> Invitation:
    """Take back an invitation that was not answered yet."""
    with _audited_answer(env, scope, invitation_id, AuditAction.INVITATION_REVOKED):
        invitation = _invitation(env, scope, invitation_id)
        if invitation.team_id not in scope.teams:
            raise Forbidden("invitation: it is yours to accept or decline, not to revoke")
        standing = require_role(env, scope, invitation.team_id, Right.INVITE)
        if not rules.may_invite(standing.role, invitation.role):
            raise role_too_low(
                scope, standing, f"revoke the invitation of an {invitation.role.value}"
            )
        if invitation.state is InvitationState.REVOKED:
            return invitation
        if invitation.state is not InvitationState.PENDING:
            raise Conflict("invitation", f"it was {invitation.state.value} already")
        return _settle(
            env, scope, invitation, InvitationState.REVOKED, AuditAction.INVITATION_REVOKED
        )


def withdraw(env: Env, scope: Scope, standing: TeamMember, user_id: str, role: Role | None) -> None:
    """Revoke, inside somebody's transaction, what `user_id` could no longer offer as `role`."""
    for invitation in env.registry.invitations(scope, team_id=standing.team.team_id):
        if invitation.invited_by == user_id and not rules.may_invite(role, invitation.role):
            _settle(env, scope, invitation, InvitationState.REVOKED, AuditAction.INVITATION_REVOKED)


# -- one invitation -----------------------------------------------------------------------


@contextmanager
def _audited_answer(env: Env, scope: Scope, invitation_id: str, act: AuditAction) -> Iterator[None]:
    """One durable transaction, whose refusal is written down."""
    checks.identifier("invitation_id", invitation_id)
    with audited_change(env, scope, act, subject=invitation_id):
        yield


def _invitation(env: Env, scope: Scope, invitation_id: str) -> Invitation:
    invitation = env.registry.invitation(scope, invitation_id)
    if invitation is None:
        raise NotFound(f"invitation: {scope.user_id!r} knows none called {invitation_id!r}")
    return invitation


def _my_invitation(env: Env, scope: Scope, invitation_id: str) -> Invitation:
    invitation = _invitation(env, scope, invitation_id)
    if invitation.user_id != scope.user_id:
        raise Forbidden(f"invitation: it is for {invitation.user_id!r} to answer")
    return invitation


def _insist_open(env: Env, invitation: Invitation) -> None:
    if invitation.state is not InvitationState.PENDING:
        raise Conflict("invitation", f"it was {invitation.state.value}")
    if not rules.is_open(invitation, env.clock.now()):
        raise Conflict("invitation", f"it ran out on {invitation.expires_at:%Y-%m-%d %H:%M} UTC")


def _pending(env: Env, scope: Scope, team_id: str, user_id: str) -> Invitation | None:
    now = env.clock.now()
    invitations = env.registry.invitations(scope, team_id=team_id)
    mine = (one for one in invitations if one.user_id == user_id and rules.is_open(one, now))
    return next(mine, None)


def _settle(
    env: Env, scope: Scope, invitation: Invitation, state: InvitationState, act: AuditAction
) -> Invitation:
    settled = replace(invitation, state=state)
    env.records.put(None, settled)
    _note(env, scope, act, settled)
    return settled


def _note(env: Env, scope: Scope, act: AuditAction, one: Invitation) -> None:
    write_audit(
        env,
        scope.user_id,
        act,
        team_id=one.team_id,
        subject=one.user_id,
        invitation_id=one.invitation_id,
        role=one.role.value,
    )


def _place(env: Env, scope: Scope, team_id: str) -> Membership | None:
    """The caller's place in the team now, as this transaction finds it."""
    places = env.registry.memberships(scope.user_id)
    matching = (one for one in places if one.team_id == team_id and one.left_at is None)
    return next(matching, None)


def _same(known: Invitation, role: Role) -> Invitation:
    """The invitation there is; one in another role has to be revoked first."""
    if known.role is not role:
        raise Conflict(
            "role",
            f"{known.user_id!r} is invited as {known.role.value}; revoke that invitation "
            f"({known.invitation_id}) first",
        )
    return known
