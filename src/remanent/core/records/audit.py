"""The audit log: who did what to teams, keys and whole memories. Never what a memory says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

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
