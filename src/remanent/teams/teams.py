"""Teams: made, looked at, changed and deleted; and which of them is whose first, or only, choice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from remanent.clock import Clock
from remanent.core import checks
from remanent.core.model.keys import time_ordered
from remanent.core.model.scope import Scope
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.records.audit import Act
from remanent.core.records.team import Membership, Place, Role, Team, User
from remanent.errors import Conflict, UnknownUser
from remanent.teams.audit import Witness
from remanent.teams.permissions import Admit, insist_wide
from remanent.teams.rules import roles
from remanent.teams.rules.roles import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Teams:
    """Every change is durable, and written down in the same transaction."""

    registry: Registry
    admit: Admit
    witness: Witness
    atomic: Atomic
    clock: Clock

    def create(
        self, scope: Scope, name: str, *, team_id: str | None, settings: Mapping[str, Any] | None
    ) -> Team:
        """Make a team of which the caller is the owner, and so far the only member."""
        now = self.clock.now()
        team = Team(
            team_id=time_ordered(now, os.urandom(10))
            if team_id is None
            else checks.identifier("team_id", team_id),
            name=checks.identifier("name", name),
            created_at=now,
            created_by=scope.user_id,
            settings=roles.checked_settings(settings or {}),
        )
        watched = self.witness.watching(scope, Act.TEAM_CREATED, subject=team.team_id)
        with watched, self.atomic(durable=True):
            insist_wide(scope, "make another team")
            if self.registry.team(team.team_id) is not None:
                raise Conflict("team_id", f"{team.team_id!r} is taken; choose another")
            self.registry.put_team(team)
            self.registry.join(team.team_id, scope.user_id, Role.OWNER, now)
            prefer_first(self.registry, scope.user_id, team.team_id)
            self.witness(
                scope.user_id,
                Act.TEAM_CREATED,
                team_id=team.team_id,
                subject=team.team_id,
                detail={"name": team.name},
            )
        return team

    def places(self, scope: Scope) -> list[Place]:
        """The teams that the caller is in, in order of id."""
        found = []
        for one in self.registry.memberships(scope.user_id):
            team = self.registry.team(one.team_id) if one.team_id in scope.teams else None
            if team is not None and one.left_at is None:
                found.append(Place(team=team, membership=one))
        return found

    def members(self, scope: Scope, team_id: str) -> list[Membership]:
        """Who is in a team of the caller's, in order of joining."""
        with self.witness.watching(scope, "members.read", team_id=team_id):
            return list(self.admit(scope, team_id, Right.READ).members)

    def change(
        self,
        scope: Scope,
        team_id: str,
        *,
        name: str | None,
        settings: Mapping[str, Any] | None,
    ) -> Team:
        """Give a team another name, or other settings in place of those it has."""
        watched = self.witness.watching(scope, Act.TEAM_CHANGED, team_id=team_id)
        with watched, self.atomic(durable=True):
            old = self.admit(scope, team_id, Right.CHANGE).team
            new = old
            if name is not None:
                new = replace(new, name=checks.identifier("name", name))
            if settings is not None:
                new = replace(new, settings=roles.checked_settings(settings))
            if new == old:
                return old
            self.registry.put_team(new)
            changed = [
                one for one in ("name", "settings") if getattr(new, one) != getattr(old, one)
            ]
            self.witness(
                scope.user_id,
                Act.TEAM_CHANGED,
                team_id=team_id,
                subject=team_id,
                detail={"changed": changed},
            )
        return new

    def delete(self, scope: Scope, team_id: str) -> None:
        """End a team that holds no sources any more; its id is not given again."""
        watched = self.witness.watching(scope, Act.TEAM_DELETED, team_id=team_id)
        with watched, self.atomic(durable=True):
            self.admit(scope, team_id, Right.DELETE)
            self.end(scope, team_id)

    def end(self, scope: Scope, team_id: str) -> None:
        """Delete the team, inside somebody's transaction, or say what keeps it."""
        held = self.registry.held(scope, team_id)
        if held:
            many = "a source" if held == 1 else f"{held:,} sources"
            raise Conflict(
                "team", f"{team_id!r} still holds {many}; erase them before the team ends"
            )
        self.registry.drop_team(team_id, self.clock.now())
        self.witness(scope.user_id, Act.TEAM_DELETED, team_id=team_id, subject=team_id)

    # -- of one user --------------------------------------------------------------------------

    def prefer(self, scope: Scope, team_id: str | None) -> User:
        """Make a team of the caller's their primary one, or none."""
        with self._choosing(scope, "primary", team_id) as user:
            return self._kept(user, replace(user, primary_team=team_id))

    def look_at(self, scope: Scope, team_id: str | None) -> User:
        """Let the caller see one team of theirs only, or all of them."""
        with self._choosing(scope, "active", team_id) as user:
            return self._kept(user, replace(user, active_team=team_id))

    @contextmanager
    def _choosing(self, scope: Scope, which: str, team_id: str | None) -> Iterator[User]:
        """One durable transaction about a user's profile, for a team that they are in."""
        watched = self.witness.watching(scope, f"{which} team.set", team_id=team_id)
        with watched, self.atomic(durable=True):
            insist_wide(scope, f"choose the {which} team")
            if team_id is not None:
                self.admit(scope, team_id, Right.READ)
            yield profile(self.registry, scope.user_id)

    def _kept(self, old: User, new: User) -> User:
        if new != old:
            self.registry.put_user(new)
        return new


def profile(registry: Registry, user_id: str) -> User:
    """The profile of somebody who has to be registered."""
    user = registry.user(user_id)
    if user is None:
        raise UnknownUser(user_id)
    return user


def prefer_first(registry: Registry, user_id: str, team_id: str) -> None:
    """Whoever has no primary team gets the one they have just come into (SPEC 9: they have one)."""
    user = profile(registry, user_id)
    if user.primary_team is None:
        registry.put_user(replace(user, primary_team=team_id))
