"""The audit log: deeds, in the order in which they were done."""

from __future__ import annotations

from typing import Protocol

from remanent.core.model.scope import Scope
from remanent.core.records.audit import AuditEntry


class AuditLog(Protocol):
    def put_deed(self, deed: AuditEntry) -> AuditEntry:
        """Write the deed down; it comes back with its number, whatever number it had."""
        ...

    def deeds(
        self, scope: Scope, *, team_id: str | None = None, after: int = 0, limit: int = 100
    ) -> list[AuditEntry]:
        """What the caller did, or what was done in that team of theirs, from beyond the number `after`,
        oldest first. A narrowed caller sees no deeds in other teams."""
        ...

    def all_deeds(self, *, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """The same of everybody, for whoever runs the memory."""
        ...
