"""What is kept beside the graph: users and teams, API keys, the audit log, answers and cost of paid minds, named
requests, and the items of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.records.access import (
    ApiKey,
    AuditEntry,
    Invitation,
    Membership,
    Role,
    Team,
    User,
)
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.item import Item, Namespace
from remanent.core.records.spending import Answer, Spent
from remanent.core.visibility import Consents


class Registry(Protocol):
    """Users, teams, invitations, and the scopes made from them."""

    def put_user(self, user: User) -> None:
        """Register the user, or replace their profile; `created_at` of the first time stands."""

    def user(self, user_id: str) -> User | None:
        """The profile of that user."""

    def users(self) -> list[User]:
        """Everyone registered, in order of id."""

    def put_team(self, team: Team) -> None:
        """Register the team, or replace its name and settings; `Conflict` when one of that id was
        deleted: ids are not given twice."""

    def team(self, team_id: str) -> Team | None:
        """The team of that id, unless it was deleted."""

    def drop_team(self, team_id: str, at: datetime) -> None:
        """Delete the team: end every membership, and revoke what invitations are pending. What it
        holds stays where it is, and nobody reads it as a member any more."""

    def join(self, team_id: str, user_id: str, role: Role, at: datetime) -> None:
        """Make the user a current member in that role; joining again changes the role."""

    def leave(self, team_id: str, user_id: str, at: datetime) -> None:
        """End the membership; who is not a member is no error. It is no longer their primary or active
        team."""

    def memberships(self, user_id: str) -> list[Membership]:
        """Every team the user is or was in, in order of team id; of several stays, the last."""

    def membership_history(self, user_id: str) -> list[Membership]:
        """Every stay of the user in a team, in order of time: one for each time they joined."""

    def members(self, scope: Scope, team_id: str) -> list[Membership]:
        """Who is in the team now, in order of joining; nobody, if the caller is not."""

    def count_team_sources(self, scope: Scope, team_id: str) -> int:
        """How many sources a team of the caller's holds, those they may not read included."""

    def put_invitation(self, invitation: Invitation) -> None:
        """Keep the invitation; of one that is known, only its state changes."""

    def invitation(self, scope: Scope, invitation_id: str) -> Invitation | None:
        """The invitation of that id, if it is to the caller or into a team of theirs."""

    def invitations(self, scope: Scope, *, team_id: str | None = None) -> list[Invitation]:
        """Pending invitations, run out or not, oldest first: to the caller, or into that team of
        theirs."""

    def consents(self, user_id: str, *, before: int | None = None) -> Consents:
        """What the user has said about others' sources, by now or `before` the event of that `seq`; of an
        id that nobody has, nothing."""

    def scope_of(self, user_id: str) -> Scope:
        """The scope of that user now; `UnknownUser` when they are not registered."""

    def view_of(self, user_id: str) -> Scope:
        """The same, narrowed to their active team if they have one."""


class Answers(Protocol):
    """What a paid mind said, kept by what it was asked."""

    def answer(self, scope: Scope, digest: str) -> Answer | None:
        """What was answered to this caller under this digest."""

    def keep(self, answer: Answer) -> None:
        """Remember the answer; the first one under a user and digest stands."""

    def spent(self, scope: Scope) -> tuple[int, int]:
        """All tokens in and out of this caller's answers."""

    def unlearn(self, scope: Scope, source_key: str | None = None) -> int:
        """Take this caller's answers away, or those about one source; how many there were."""

    def unlearn_since(self, scope: Scope, moment: datetime) -> int:
        """Take away those of this caller's answers since then that are about no one source, and so
        may be about several; how many there were."""


class ApiKeys(Protocol):
    def put_key(self, key: ApiKey, digest: str) -> None:
        """Keep a new key with the hash of its secret; one of that id stays as it is."""

    def key(self, key_id: str) -> tuple[ApiKey, str] | None:
        """The key of that id, and the hash of its secret."""

    def keys(self) -> list[ApiKey]:
        """All keys ever made, revoked ones as well, oldest first."""

    def revoke(self, key_id: str, at: datetime) -> None:
        """Make a key worth nothing from then on; the first time stands."""

    def used(self, key_id: str, at: datetime) -> None:
        """Note when the key was last used."""


class AuditLog(Protocol):
    def put_deed(self, deed: AuditEntry) -> AuditEntry:
        """Write the deed down; it comes back with its number, whatever number it had."""

    def entries(
        self, scope: Scope, *, team_id: str | None = None, after: int = 0, limit: int = 100
    ) -> list[AuditEntry]:
        """What the caller did, or what was done in that team of theirs, from beyond the number `after`,
        oldest first. A narrowed caller sees no deeds in other teams."""

    def all_deeds(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """The same of everybody, for whoever runs the memory."""


class IdempotencyKeys(Protocol):
    """One row for each user, asker and name."""

    def begin(
        self, scope: Scope, replay: IdempotentRequest, *, stale: datetime
    ) -> IdempotentRequest:
        """Put it there, on the disk, unless one of its name is; what is there then. Whoever gets their
        own claim back has it in hand. One that has expired makes room, and so does one that was begun
        before `stale` and never answered: whoever had it is gone."""

    def finish(self, replay: IdempotentRequest) -> bool:
        """Keep the answer, on the disk; False if another has it in hand by now."""

    def drop(self, replay: IdempotentRequest) -> None:
        """Take back a claim that came to nothing: the next who asks begins anew."""

    def purge(self, now: datetime) -> int:
        """Take away all that have expired by now; how many there were."""

    def unlearn(self, scope: Scope) -> int:
        """Take away all of this caller's; how many there were."""


Vectors = Mapping[str, Vector]  # by the path of the text that each was made from


class Items(Protocol):
    def put(self, scope: Scope, item: Item) -> None:
        """Keep the caller's own item, in the place of the one there; that one's vectors are gone."""

    def item(self, scope: Scope, room: str, namespace: Namespace, key: str) -> Item | None:
        """The caller's item there, expired or not."""

    def remove(self, scope: Scope, room: str, namespace: Namespace, key: str) -> bool:
        """Take it away with its vectors; False if there was none."""

    def within(
        self,
        scope: Scope,
        room: str,
        prefix: Namespace = (),
        *,
        alive_at: datetime | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Item]:
        """The caller's items at or below `prefix`, label by label, newest first; with `alive_at` only
        those that have not expired by then."""

    def namespaces(
        self, scope: Scope, room: str, *, alive_at: datetime | None = None
    ) -> list[Namespace]:
        """Each namespace that holds an item of the caller's, once, in order."""

    def expired(self, scope: Scope, room: str, now: datetime) -> list[Item]:
        """The caller's items whose time is up, in order of namespace and key."""

    def prolong(self, scope: Scope, items: Sequence[Item], now: datetime) -> None:
        """Let these live for all their minutes again from `now` on; what has no end has none."""

    def put_vectors(self, scope: Scope, item: Item, lens: str, vectors: Vectors) -> None:
        """Keep the vectors by which a lens sees this item, in the place of earlier ones; with none it
        is known to have no text. An item that was written anew meanwhile gets none."""

    def vectors(
        self, scope: Scope, room: str, lens: str, prefix: Namespace = ()
    ) -> dict[str, Vectors]:
        """By `event_id`, the vectors of a lens for each item at or below `prefix` that it has seen."""

    def erase(self, scope: Scope) -> int:
        """Take away all items of the caller in every room, with their vectors; how many there were."""


class Spending(Protocol):
    """One row for each user, day, job, task and model; what is spent is added to it."""

    def spend(self, spent: Spent) -> None:
        """Add this to its row. Two who spend at once are both counted."""

    def spent(self, scope: Scope, since: date | None = None) -> Sequence[Spent]:
        """This caller's rows from that day on, in order of day, job, task and model."""

    def spent_by_all(self) -> Sequence[Spent]:
        """What everybody spent together, for each task and model; it names no user, day or job."""
