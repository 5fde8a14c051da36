"""The registry: users, teams, who belongs where, and the scopes made from that.

Every change is durable: no ledger restores it.
"""

from __future__ import annotations

from datetime import datetime

from remanent.core.dataclasses import asdict, dataclass, replace
from remanent.core.model.event import CONSENTS
from remanent.core.model.scope import Scope
from remanent.core.ports.ledger import Atomic, Ledger
from remanent.core.ports.records import Records, Select
from remanent.core.records.access import (
    Invitation,
    InvitationState,
    Membership,
    Role,
    Stay,
    Team,
    User,
)
from remanent.core.records.export import TeamRecord
from remanent.core.visibility import Consents, consents
from remanent.errors import Conflict, NotFound, UnknownUser


@dataclass(frozen=True, slots=True)
class Registry:
    """Who is registered in one memory, and who belongs where."""

    records: Records
    ledger: Ledger
    atomic: Atomic

    def user(self, user_id: str) -> User | None:
        """The profile of that user."""
        return self.records.get(None, User, user_id)

    def known(self, user_id: str) -> User:
        """The profile of somebody who has to be registered: `UnknownUser` if they are not."""
        user = self.user(user_id)
        if user is None:
            raise UnknownUser(user_id)
        return user

    def users(self) -> list[User]:
        """Everyone registered, in order of id."""
        return self.records.find(None, Select(User))

    def put_user(self, user: User) -> None:
        """Register the user, or replace their profile; `created_at` of the first time stands."""
        self.records.put(None, user)

    def put_team(self, team: Team) -> None:
        """Register the team, or replace its name and settings; `Conflict` when one of that id was
        deleted: ids are not given twice."""
        with self.atomic(durable=True):
            known = self.records.get(None, TeamRecord, team.team_id)
            if known is not None and known.deleted_at is not None:
                raise Conflict("team_id", f"{team.team_id!r} is taken; choose another")
            self.records.put(None, team)

    def team(self, team_id: str) -> Team | None:
        """The team of that id, unless it was deleted."""
        teams = self.records.find(None, Select(Team, {"team_id": team_id, "deleted_at": None}))
        return teams[0] if teams else None

    def drop_team(self, team_id: str, at: datetime) -> None:
        """Delete the team: end every membership, and revoke what invitations are pending. What it
        holds stays where it is, and nobody reads it as a member any more."""
        pending = {"team_id": team_id, "state": InvitationState.PENDING}
        with self.atomic(durable=True):
            for one in self._members(team_id):
                self.leave(team_id, one.user_id, at)
            revoked = InvitationState.REVOKED
            self.records.change(None, Select(Invitation, pending), state=revoked)
            here = {"team_id": team_id, "deleted_at": None}
            self.records.change(None, Select(Team, here), deleted_at=at)

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        """Make the user a current member in that role; joining again changes the role."""
        with self.atomic(durable=True):
            self.known(user_id)
            if self.team(team_id) is None:
                raise NotFound(f"team: {team_id!r} is not registered in this memory")
            old = self.records.get(None, Membership, user_id, team_id)
            new = Membership(team_id=team_id, user_id=user_id, role=role, joined_at=at)
            if old is not None and old.left_at is None:
                new = replace(old, role=role)
            elif old is not None:
                self.records.claim(None, Stay(**asdict(old)))
            self.records.put(None, new)

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        """End the membership; who is not a member is no error. It is no longer their primary or active team."""
        place = {"user_id": user_id, "team_id": team_id, "left_at": None}
        with self.atomic(durable=True):
            self.records.change(None, Select(Membership, place), left_at=at)
            for which in ("primary_team", "active_team"):
                theirs = Select(User, {"user_id": user_id, which: team_id})
                self.records.change(None, theirs, **{which: None})

    def memberships(self, user_id: str) -> list[Membership]:
        """Every team the user is or was in, in order of team id; of several stays, the last."""
        return self.records.find(None, Select(Membership, {"user_id": user_id}))

    def membership_history(self, user_id: str) -> list[Membership]:
        """Every stay of the user in a team, in order of time: one for each time they joined."""
        stays = self.records.find(None, Select(Stay, {"user_id": user_id}))
        return sorted(
            [*stays, *self.memberships(user_id)],
            key=lambda one: (one.joined_at, one.team_id, one.left_at or one.joined_at),
        )

    def members(self, scope: Scope, team_id: str) -> list[Membership]:
        """Who is in the team now, in order of joining; nobody, if the caller is not."""
        return self._members(team_id) if team_id in scope.teams else []

    def _members(self, team_id: str) -> list[Membership]:
        here = {"team_id": team_id, "left_at": None}
        return self.records.find(None, Select(Membership, here, ("joined_at", "user_id")))

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        """The invitation of that id, if it is to the caller or into a team of theirs."""
        found = self.records.get(None, Invitation, invitation_id)
        return found if found is not None and _concerns(scope, found) else None

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        """Pending invitations, run out or not, oldest first: to the caller, or into that team of theirs."""
        whose = {"user_id": scope.user_id} if team_id is None else {"team_id": team_id}
        wanted = {**whose, "state": InvitationState.PENDING}
        found = self.records.find(None, Select(Invitation, wanted, ("at", "invitation_id")))
        return [one for one in found if _concerns(scope, one)]

    def consents(self, user_id: str, *, before: int | None = None) -> Consents:
        """What the user has said about others' sources, by now or `before` the event of that `seq`; of an
        id that nobody has, nothing."""
        return consents(self.ledger.replay(Scope(user_id=user_id), types=CONSENTS, before=before))

    def scope_of(self, user_id: str, *, is_view: bool = False) -> Scope:
        """The scope of that user now, as a view narrowed to their active team if they have one;
        `UnknownUser` when they are not registered."""
        self.ledger.expect(Scope(user_id=user_id), types=CONSENTS)
        users, places = self.records.find_each(
            None, Select(User, {"user_id": user_id}), Select(Membership, {"user_id": user_id})
        )
        if not users:
            raise UnknownUser(user_id)
        return Scope(
            user_id=user_id,
            teams=frozenset(one.team_id for one in places if one.left_at is None),
            left=frozenset(one.team_id for one in places if one.left_at is not None),
            narrowed_to=users[0].active_team if is_view else None,
            hidden=self.consents(user_id).hidden,
        )


def _concerns(scope: Scope, one: Invitation) -> bool:
    """Members see who is invited; whoever is invited sees it, unless they look at another team only."""
    if one.team_id in scope.teams:
        return True
    return one.user_id == scope.user_id and scope.narrowed_to in (None, one.team_id)
