"""Witness: writes down who did what, and who was refused; and lets those read it who may.

Call it inside the transaction of the deed: both are kept, or neither is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.records.audit import AuditAction, AuditEntry
from remanent.errors import Forbidden, NotFound


def write_audit(
    env: Env,
    actor: str,
    act: AuditAction,
    *,
    team_id: str | None = None,
    subject: str = "",
    detail: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write a deed down. `detail` names things, and holds nothing of what a memory says."""
    deed = AuditEntry(
        seq=0,
        at=env.clock.now(),
        actor=actor,
        act=act.value,
        team_id=team_id,
        subject=subject,
        detail=detail or {},
    )
    return env.stores.audit.put_deed(deed)


@contextmanager
def audited(
    env: Env, scope: Scope, act: str, *, team_id: str | None = None, subject: str = ""
) -> Iterator[None]:
    """A block, around its transaction, whose refusal is written down as well.

    A team is named as the caller named it, whether there is one or not: their own log must not
    tell them.
    """
    try:
        yield
    except (Forbidden, NotFound):
        write_audit(
            env,
            scope.user_id,
            AuditAction.REFUSED,
            team_id=team_id,
            subject=subject,
            detail={"wanted": act},
        )
        raise
