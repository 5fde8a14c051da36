"""Deeds: the audit log, for those who may read it."""

from __future__ import annotations

from dataclasses import dataclass

from remanent.core.checks import paging
from remanent.core.model.scope import Scope
from remanent.core.records.audit import Deed
from remanent.teams.audit import Witness
from remanent.teams.permissions import Admit
from remanent.teams.rules.roles import Right


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """Everybody reads what they did themselves; a team's log is for its owners and admins."""

    admit: Admit
    witness: Witness

    def __call__(self, scope: Scope, team_id: str | None, *, after: int, limit: int) -> list[Deed]:
        """The caller's own deeds, or those in a team that they tend, from beyond `after` on."""
        paging(after, limit)
        if team_id is not None:
            with self.witness.watching(scope, "audit.read", team_id=team_id):
                self.admit(scope, team_id, Right.AUDIT)
        return self.witness.audit.deeds(scope, team_id=team_id, after=after, limit=limit)

    def all(self, *, after: int, limit: int) -> list[Deed]:
        """Everybody's, for whoever runs the memory."""
        paging(after, limit)
        return self.witness.audit.all_deeds(after=after, limit=limit)
