"""API keys: what lets a program in from outside, for whom, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
