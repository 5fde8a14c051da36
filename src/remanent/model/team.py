"""Users, teams and who belongs where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The owner of one personal memory. `timezone` is an IANA name; days are counted in it."""

    user_id: str
    name: str
    timezone: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Users who share sources."""

    team_id: str
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """One user's place in one team; `left_at` is set once they have gone."""

    team_id: str
    user_id: str
    role: Role
    joined_at: datetime
    left_at: datetime | None = None
