"""Every route of the API, in the order of its description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from fastapi import APIRouter

from remanent.surfaces.http.routes import (
    beliefs,
    carrying,
    events,
    finding,
    health,
    keeping,
    living,
    sources,
    teams,
    work,
)

ROUTERS: Final[Sequence[APIRouter]] = (
    sources.router,
    beliefs.router,
    finding.router,
    living.router,
    events.router,
    work.router,
    teams.router,
    carrying.router,
    keeping.router,
    health.router,
    health.open_router,
)

# Verbs that have no route, and why.
WITHOUT_ROUTE: Final[Mapping[str, str]] = {
    "UserMemory.consolidation_due": "counts to five; an agent does that itself",
    "UserMemory.within": "the header Remanent-Team does it, for any route",
    "UserMemory.shelf": "its faces have routes of their own shape",
    "Memory.open": "the server has opened it",
    "Memory.close": "the server closes it when it ends",
    "Memory.authenticate": "every request is let in by it",
    "Memory.warm_up": "the server does it when it starts",
    "Memory.rebuild": "hands back a graph to be looked at and switched to: `remanent rebuild`",
    "Memory.discard_rebuild": "belongs to rebuild",
}
