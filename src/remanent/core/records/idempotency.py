"""Idempotency keys: a request that was made under a name of its own, and what was answered to it."""

from __future__ import annotations

from datetime import datetime

from remanent.core.dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """One request under the name that its caller gave it, so that asking twice is once.

    `asker` is who asked for this user, `name` and `request` are digests of the name and of all that was
    asked; `claim` tells who has it in hand. Without a `status` it is not answered yet.
    """

    user_id: str
    asker: str
    name: str
    request: str
    claim: str
    begun_at: datetime
    expires_at: datetime
    status: int | None = None
    media: str = ""
    body: bytes = b""
