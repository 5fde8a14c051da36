"""The registry: users, teams, and the scopes made from them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from remanent.model.scope import Scope
from remanent.model.team import Membership, Role, Team, User


class Registry(Protocol):
    def put_user(self, user: User) -> None:
        """Register the user, or replace their profile; `created_at` of the first time stands."""
        ...

    def user(self, user_id: str) -> User | None:
        """The profile of that user."""
        ...

    def users(self) -> list[User]:
        """Everyone registered, in order of id."""
        ...

    def put_team(self, team: Team) -> None:
        """Register the team, or rename it."""
        ...

    def team(self, team_id: str) -> Team | None:
        """The team of that id."""
        ...

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        """Make the user a current member in that role; joining again changes the role."""
        ...

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        """End the membership; who is not a member is no error."""
        ...

    def memberships(self, user_id: str) -> list[Membership]:
        """Every team the user is or was in, in order of team id."""
        ...

    def scope_of(self, user_id: str) -> Scope:
        """The scope of that user now; `UnknownUser` when they are not registered."""
        ...
