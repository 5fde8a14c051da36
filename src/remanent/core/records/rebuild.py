"""Rebuilding: the graph derived once more, held against the one in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class DifferenceKind(StrEnum):
    """What became of a thing: it is new, it is gone, or it says something else."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that differs: `sort` is a kind of node, relationship, link, assertion, note,
    extraction or passage; `fields` are those of its fields that say something else."""

    sort: str
    key: str
    name: str
    how: DifferenceKind
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of one sort are new, gone, changed, and the same."""

    added: int = 0
    removed: int = 0
    changed: int = 0
    same: int = 0

    @property
    def differ(self) -> int:
        """How many are not the same."""
        return self.added + self.removed + self.changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two graphs side by side: the numbers of all that differs, and the first few of each sort.

    Lives and dates of writing are no difference: what did not change keeps those it has.
    """

    tallies: Mapping[str, Tally] = field(default_factory=dict)
    samples: tuple[Difference, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether nothing differs at all."""
        return not any(one.differ for one in self.tallies.values())

    @property
    def differ(self) -> int:
        """How many things differ."""
        return sum(one.differ for one in self.tallies.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A step that old memories did not write down: a user's source, to be processed or extracted."""

    user_id: str
    source_key: str
    extracts: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """How far the ledger has been lived through once more."""

    done: int
    total: int
    event_type: str = ""

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return 1.0 if self.total <= 0 else min(1.0, self.done / self.total)
