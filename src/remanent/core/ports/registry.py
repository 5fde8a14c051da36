"""The registry: users, teams, invitations, and the scopes made from them."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.team import Invitation, Membership, Role, Team, User


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
        """Register the team, or replace its name and settings; `Conflict` when one of that id was
        deleted: ids are not given twice."""
        ...

    def team(self, team_id: str) -> Team | None:
        """The team of that id, unless it was deleted."""
        ...

    def drop_team(self, team_id: str, at: datetime) -> None:
        """Delete the team: end every membership, and revoke what invitations are pending. What it
        holds stays where it is, and nobody reads it as a member any more."""
        ...

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        """Make the user a current member in that role; joining again changes the role."""
        ...

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        """End the membership; who is not a member is no error. It is no longer their primary or active
        team."""
        ...

    def memberships(self, user_id: str) -> list[Membership]:
        """Every team the user is or was in, in order of team id; of several stays, the last."""
        ...

    def stays(self, user_id: str) -> list[Membership]:
        """Every stay of the user in a team, in order of time: one for each time they joined."""
        ...

    def members(self, scope: Scope, team_id: str) -> list[Membership]:
        """Who is in the team now, in order of joining; nobody, if the caller is not."""
        ...

    def held(self, scope: Scope, team_id: str) -> int:
        """How many sources a team of the caller's holds, those they may not read included."""
        ...

    def put_invitation(self, invitation: Invitation) -> None:
        """Keep the invitation; of one that is known, only its state changes."""
        ...

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        """The invitation of that id, if it is to the caller or into a team of theirs."""
        ...

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        """Pending invitations, run out or not, oldest first: to the caller, or into that team of
        theirs."""
        ...

    def scope_of(self, user_id: str) -> Scope:
        """The scope of that user now; `UnknownUser` when they are not registered."""
        ...

    def view_of(self, user_id: str) -> Scope:
        """The same, narrowed to their active team if they have one."""
        ...
