"""Verbs that have no route, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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
    "Memory.migrate": "moves what the server serves to another place: `remanent migrate`",
    "Memory.cancel_migration": "belongs to migrate",
    "Memory.salvage": "mends a file that a server could not open: `remanent salvage`",
}
