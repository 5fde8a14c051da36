"""Users, teams and who belongs where; API keys, which let a program in from outside; and the audit log, never of
what a memory says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from remanent.core.dataclasses import dataclass, field


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


class InvitationState(StrEnum):
    """What became of an invitation. One that has run out stays pending, and is worth nothing."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The owner of one personal memory. `timezone` is an IANA name; days are counted in it.

    `primary_team` is the one they share with unless they say otherwise, `active_team` the only one
    whose things they want to see now.
    """

    user_id: str
    name: str
    timezone: str
    created_at: datetime
    primary_team: str | None = None
    active_team: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Users who share sources. Of `settings` two are obeyed, all others are the team's own."""

    team_id: str
    name: str
    created_at: datetime
    created_by: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def retention_days(self) -> int | None:
        """After so many days a night archives its sources; None: they fade as all others do."""
        return self.settings.get("retention_days")

    @property
    def context(self) -> str | None:
        """The context of its sources that come with none of their own."""
        return self.settings.get("context")


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One user's place in one team; `left_at` is set once they have gone."""

    team_id: str
    user_id: str
    role: Role
    joined_at: datetime
    left_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay(Membership):
    """One that ended before the user came again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A team, and the caller's own place in it."""

    team: Team
    membership: Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """A team's door held open for one user id, for a while."""

    invitation_id: str
    team_id: str
    user_id: str
    role: Role
    invited_by: str
    at: datetime
    expires_at: datetime
    state: InvitationState = InvitationState.PENDING


class Power(StrEnum):
    """What a key is good for: asking, changing a memory, or tending teams and keys."""

    READ = "read"
    WRITE = "write"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """All that is known of a key but its secret, which only its holder has.

    Without a `user_id` it is a service's, and acts for any user. With a `team` whoever comes with it
    sees that team's things and the user's own, and no other team's.
    """

    key_id: str
    name: str
    user_id: str | None
    powers: frozenset[Power]
    team: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key just made, with its secret, which is shown this once and kept nowhere."""

    secret: str
    key: ApiKey


OPERATOR: Final = ""  # whoever holds the file itself; no user can be called so


class AuditAction(StrEnum):
    """What can be done that is written down."""

    TEAM_CREATED = "team.created"
    TEAM_CHANGED = "team.changed"
    TEAM_DELETED = "team.deleted"
    MEMBER_INVITED = "member.invited"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_DECLINED = "invitation.declined"
    INVITATION_REVOKED = "invitation.revoked"
    ROLE_CHANGED = "role.changed"
    MEMBER_REMOVED = "member.removed"
    MEMBER_LEFT = "member.left"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    MEMORY_ERASED = "memory.erased"
    MEMORY_EXPORTED = "memory.exported"
    MEMORY_IMPORTED = "memory.imported"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that somebody did, or was refused. `subject` is whom or what it was done to."""

    seq: int
    at: datetime
    actor: str
    act: str
    team_id: str | None = None
    subject: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
