"""What an import did: what came in, what was there already, what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class ImportOutcome(StrEnum):
    """What became of one thing that an export held."""

    ADDED = "added"
    GROWN = "grown"  # a conversation that was known went on: only what is new came in
    CHANGED = "changed"  # a file that was known says something else now: its new version came in
    KNOWN = "known"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that cannot be taken in: where it stands, and why not."""

    where: str
    why: str
    share: float = field(default=0.0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """Progress: one thing was handled; `share`, from 0 to 1, of the file lies behind us."""

    where: str
    fate: ImportOutcome
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or with a dry run would do; the numbers count sources."""

    added: int = 0
    grown: int = 0
    changed: int = 0
    known: int = 0
    skipped: tuple[Skipped, ...] = ()
