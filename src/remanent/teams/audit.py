"""Audit log and roles: what the caller is in a team and whether that is enough; who did what and who was
refused, written down, and read by those who may.

An entry is written inside the transaction of what it tells of: both are kept, or neither is. Everybody reads
what they did themselves; a team's log is for its owners and admins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from remanent.core import checks
from remanent.core.checks import paging
from remanent.core.dataclasses import dataclass
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.access import AuditAction, AuditEntry, Membership, Role, Team
from remanent.errors import Forbidden, NotFound
from remanent.teams import rules
from remanent.teams.rules import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMember:
    """A team as one of its members meets it: everybody in it, and the caller's own role."""

    team: Team
    members: Sequence[Membership]
    role: Role

    def member(self, user_id: str) -> Membership:
        """Somebody who is in the team now."""
        membership = next((one for one in self.members if one.user_id == user_id), None)
        if membership is None:
            raise NotFound(f"user: {user_id!r} is not in team {self.team.team_id!r}")
        return membership


def require_role(env: Env, scope: Scope, team_id: str, right: Right) -> TeamMember:
    """Let the caller in, or not: `NotFound` to whoever is not in the team, be there one or not,
    `Forbidden` to members whose role does not reach."""
    membership = membership_of(env, scope, team_id)
    if not rules.may(membership.role, right):
        raise role_too_low(scope, membership, right.value)
    return membership


def membership_of(env: Env, scope: Scope, team_id: str) -> TeamMember:
    """The team, for one of its members."""
    checks.identifier("team", team_id)
    members = env.registry.members(scope, team_id)
    mine = next((one for one in members if one.user_id == scope.user_id), None)
    team = env.registry.team(team_id)
    if mine is None or team is None:
        raise NotFound(f"team: {scope.user_id!r} is in no team {team_id!r}")
    return TeamMember(team=team, members=members, role=mine.role)


def role_too_low(scope: Scope, membership: TeamMember, what: str) -> Forbidden:
    """What a member is told whose role does not reach."""
    article = "an" if membership.role is not Role.MEMBER else "a"
    return Forbidden(
        f"team: {scope.user_id!r} is {article} {membership.role.value} of {membership.team.team_id!r} "
        f"and may not {what}"
    )


def insist_wide(scope: Scope, what: str) -> None:
    """Whoever came for one team's sake changes nothing beyond it."""
    if scope.narrowed_to is not None:
        raise Forbidden(f"team: narrowed to {scope.narrowed_to!r}, one may not {what}")


def write_audit(
    env: Env,
    actor: str,
    act: AuditAction,
    *,
    team_id: str | None = None,
    subject: str = "",
    **detail: Any,
) -> None:
    """Write a deed down. `detail` names things, and holds nothing of what a memory says."""
    deed = AuditEntry(
        seq=0,
        at=env.clock.now(),
        actor=actor,
        act=act.value,
        team_id=team_id,
        subject=subject,
        detail=detail,
    )
    env.records.put(None, deed)


@contextmanager
def audited(
    env: Env, scope: Scope, act: str, *, team_id: str | None = None, subject: str = ""
) -> Iterator[None]:
    """A block, around its transaction, whose refusal is written down as well.

    A team is named as the caller named it, whether there is one or not: their own log must not
    tell them.
    """
    try:
        yield
    except (Forbidden, NotFound):
        write_audit(
            env, scope.user_id, AuditAction.REFUSED, team_id=team_id, subject=subject, wanted=act
        )
        raise


@contextmanager
def audited_change(
    env: Env, scope: Scope, act: str, *, team_id: str | None = None, subject: str = ""
) -> Iterator[None]:
    """One durable transaction, whose refusal is written down."""
    watched = audited(env, scope, act, team_id=team_id, subject=subject)
    with watched, env.atomic(durable=True):
        yield


def audit_log(
    env: Env, scope: Scope, team: str | None = None, after: int = 0, limit: int = 100
) -> list[AuditEntry]:
    """What this user did about teams, or what was done in a team that they own or tend, oldest
    first, from beyond the number `after` on."""
    paging(after, limit)
    if team is not None:
        with audited(env, scope, "audit.read", team_id=team):
            require_role(env, scope, team, Right.AUDIT)
    whose: dict[str, Any] = {"actor": scope.user_id} if team is None else {"team_id": team}
    if team is None and scope.narrowed_to is not None:
        whose["team_id"] = [None, scope.narrowed_to]
    return _entries(env, whose, after, limit)


def audit_log_of_all(env: Env, after: int = 0, limit: int = 100) -> list[AuditEntry]:
    """What everybody did about teams, keys and whole memories, oldest first, from beyond `after`."""
    paging(after, limit)
    return _entries(env, {}, after, limit)


def _entries(env: Env, where: Mapping[str, Any], after: int, limit: int) -> list[AuditEntry]:
    return env.records.find(None, Select(AuditEntry, {**where, "seq >": after}, limit=limit))
