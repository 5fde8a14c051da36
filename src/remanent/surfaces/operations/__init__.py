"""One table of all operations: what each is called, what it takes, and where it is to be had.

HTTP routes and request models, the options of the command line, the schemas of MCP tools and the tables of
the reference are built from it. It is light to import: `remanent --help` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from remanent.surfaces.operations.admin import ADMIN, CONSENTS, HEALTH, TEAMS, WORK
from remanent.surfaces.operations.beliefs import BELIEFS
from remanent.surfaces.operations.retrieval import RETRIEVAL
from remanent.surfaces.operations.schema import Group, Op
from remanent.surfaces.operations.sources import BACKUP, CORRECTIONS, EVENTS, LIFECYCLE, SOURCES

GROUPS: Final[tuple[Group, ...]] = (
    SOURCES,
    BELIEFS,
    RETRIEVAL,
    CORRECTIONS,
    LIFECYCLE,
    EVENTS,
    WORK,
    TEAMS,
    CONSENTS,
    BACKUP,
    ADMIN,
    HEALTH,
)
OPERATIONS: Final[Mapping[str, Op]] = {
    op.name: op for group in reversed(GROUPS) for op in reversed(group.ops)
}


def operation(verb: str, face: str = "UserMemory") -> Op:
    """The operation of that name, as it stands first in the table."""
    return OPERATIONS[f"{face}.{verb}"]
