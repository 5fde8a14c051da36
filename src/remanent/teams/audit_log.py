"""Deeds: the audit log, for those who may read it.

Everybody reads what they did themselves; a team's log is for its owners and admins.
"""

from __future__ import annotations

from remanent.core.checks import paging
from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.records.audit import AuditEntry
from remanent.teams import audit
from remanent.teams.permissions import require_role
from remanent.teams.rules.roles import Right


def audit_log(
    env: Env, scope: Scope, team_id: str | None, *, after: int, limit: int
) -> list[AuditEntry]:
    """The caller's own deeds, or those in a team that they tend, from beyond `after` on."""
    paging(after, limit)
    if team_id is not None:
        with audit.audited(env, scope, "audit.read", team_id=team_id):
            require_role(env, scope, team_id, Right.AUDIT)
    return env.stores.audit.deeds(scope, team_id=team_id, after=after, limit=limit)


def audit_log_of_all(env: Env, *, after: int, limit: int) -> list[AuditEntry]:
    """Everybody's, for whoever runs the memory."""
    paging(after, limit)
    return env.stores.audit.all_deeds(after=after, limit=limit)
