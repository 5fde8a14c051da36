"""Teams: made, looked at, changed and deleted; and which of them is whose first, or only, choice.

Every change is durable, and written down in the same transaction.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.keys import time_ordered
from remanent.core.model.scope import Scope
from remanent.core.records.access import AuditAction, Membership, Place, Role, Team, User
from remanent.core.registry import Registry
from remanent.errors import Conflict, InvalidInput
from remanent.teams import audit, rules
from remanent.teams.audit import audited_change, insist_wide, require_role, write_audit
from remanent.teams.rules import Right


def create(
    env: Env,
    scope: Scope,
    name: str,
    team_id: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Team:
    """Make a team, and be its owner. `settings` are the team's own: Remanent only keeps them."""
    now = env.clock.now()
    team = Team(
        team_id=time_ordered(now, os.urandom(10))
        if team_id is None
        else checks.identifier("team_id", team_id),
        name=checks.identifier("name", name),
        created_at=now,
        created_by=scope.user_id,
        settings=rules.checked_settings(settings or {}),
    )
    act = AuditAction.TEAM_CREATED
    with audited_change(env, scope, act, subject=team.team_id):
        insist_wide(scope, "make another team")
        if env.registry.team(team.team_id) is not None:
            raise Conflict("team_id", f"{team.team_id!r} is taken; choose another")
        env.registry.put_team(team)
        env.registry.join(team.team_id, scope.user_id, Role.OWNER, now)
        prefer_first(env.registry, scope.user_id, team.team_id)
        about = {"team_id": team.team_id, "subject": team.team_id, "name": team.name}
        write_audit(env, scope.user_id, act, **about)
    return team


def places(env: Env, scope: Scope) -> list[Place]:
    """The teams this user is in, with their place in each, in order of id."""
    current = []
    for membership in env.registry.memberships(scope.user_id):
        team = env.registry.team(membership.team_id) if membership.team_id in scope.teams else None
        if team is not None and membership.left_at is None:
            current.append(Place(team=team, membership=membership))
    return current


def members(env: Env, scope: Scope, team: str) -> list[Membership]:
    """Who is in a team of this user's, in order of joining."""
    with audit.audited(env, scope, "members.read", team_id=team):
        return list(require_role(env, scope, team, Right.READ).members)


def change(
    env: Env,
    scope: Scope,
    team: str,
    name: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Team:
    """Give a team another name, or other settings in place of those it has."""
    act = AuditAction.TEAM_CHANGED
    with audited_change(env, scope, act, team_id=team):
        old = new = require_role(env, scope, team, Right.CHANGE).team
        if name is not None:
            new = replace(new, name=checks.identifier("name", name))
        if settings is not None:
            new = replace(new, settings=rules.checked_settings(settings))
        if new == old:
            return old
        env.registry.put_team(new)
        changed = [one for one in ("name", "settings") if getattr(new, one) != getattr(old, one)]
        write_audit(env, scope.user_id, act, team_id=team, subject=team, changed=changed)
    return new


def delete(env: Env, scope: Scope, team: str) -> None:
    """End a team: for owners, and only when it holds no sources any more."""
    with audited_change(env, scope, AuditAction.TEAM_DELETED, team_id=team):
        require_role(env, scope, team, Right.DELETE)
        delete_in_transaction(env, scope, team)


def delete_in_transaction(env: Env, scope: Scope, team_id: str) -> None:
    """Delete the team, inside somebody's transaction, or say what keeps it."""
    held = env.graph.source_counts(scope, team_id).all
    if held:
        many = "a source" if held == 1 else f"{held:,} sources"
        raise Conflict("team", f"{team_id!r} still holds {many}; erase them before the team ends")
    env.registry.drop_team(team_id, env.clock.now())
    write_audit(env, scope.user_id, AuditAction.TEAM_DELETED, team_id=team_id, subject=team_id)


# -- of one user --------------------------------------------------------------------------


def set_primary_team(env: Env, scope: Scope, team: str | None) -> User:
    """Say which of one's teams comes first, or that none does."""
    with _change_of_team(env, scope, "primary", team) as user:
        return _put_user(env, user, replace(user, primary_team=team))


def set_active_team(env: Env, scope: Scope, team: str | None) -> User:
    """See only this one of one's teams from now on, beside what is one's own; None: all of them."""
    with _change_of_team(env, scope, "active", team) as user:
        return _put_user(env, user, replace(user, active_team=team))


@contextmanager
def _change_of_team(env: Env, scope: Scope, which: str, team_id: str | None) -> Iterator[User]:
    """One durable transaction about a user's profile, for a team that they are in."""
    with audited_change(env, scope, f"{which} team.set", team_id=team_id):
        insist_wide(scope, f"choose the {which} team")
        if team_id is not None:
            require_role(env, scope, team_id, Right.READ)
        yield env.registry.known(scope.user_id)


def _put_user(env: Env, old: User, new: User) -> User:
    if new != old:
        env.registry.put_user(new)
    return new


def primary_team(env: Env, scope: Scope, named: str | None) -> str:
    """The team that is shared with where none is named."""
    if named is not None:
        raise InvalidInput("shared", "name a team, or share with the primary one, not both")
    team = env.registry.known(scope.user_id).primary_team
    if team is None:
        raise InvalidInput("shared", "there is no primary team; set_primary_team chooses one")
    return team


def prefer_first(registry: Registry, user_id: str, team_id: str) -> None:
    """Whoever has no primary team gets the one they have just come into (SPEC 9: they have one)."""
    user = registry.known(user_id)
    if user.primary_team is None:
        registry.put_user(replace(user, primary_team=team_id))
