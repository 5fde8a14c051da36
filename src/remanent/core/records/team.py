"""Users, teams and who belongs where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


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
    """Users who share sources. `settings` are the team's own; Remanent reads none of them."""

    team_id: str
    name: str
    created_at: datetime
    created_by: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One user's place in one team; `left_at` is set once they have gone."""

    team_id: str
    user_id: str
    role: Role
    joined_at: datetime
    left_at: datetime | None = None


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
