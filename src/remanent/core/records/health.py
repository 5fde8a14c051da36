"""Vitals: how the place where memory is kept is doing, and what a doctor says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The store itself. What a store in memory does not have is None."""

    problems: tuple[str, ...] = ()  # what an examination of the file found
    schema: int = 0
    newest_schema: int = 0
    embedder: str = ""  # whose vectors are in it, and of how many numbers
    dimensions: int = 0
    file_bytes: int | None = None
    wal_bytes: int | None = None
    free_pages: int = 0
    page_bytes: int = 0
    disk_free_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """How much there is, of all users together.

    `born_by` has, for each moment asked for, the events' nodes that were born by then.
    """

    nodes: Mapping[str, int] = field(default_factory=dict)
    born_by: tuple[int, ...] = ()
    pruned: int = 0  # events whose nodes have left the graph
    reflections: int = 0  # how often much had happened
    newest_event: datetime | None = None  # when the last entry of the ledger was made


class Level(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a doctor looked at: how it is, and what to do about it."""

    part: str
    level: Level
    told: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything looked at, in order."""

    findings: tuple[Finding, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing fails; warnings are allowed."""
        return all(one.level is not Level.FAIL for one in self.findings)
