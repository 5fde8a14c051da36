"""Lifecycle reports: what faded, what an access did, what lies ahead."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Faded:
    """What one night of fading did: how many unarchived memories lost salience, and how many it
    archived, by kind. `first` are the keys of the first of those."""

    faded: int = 0
    archived: Mapping[Kind, int] = field(default_factory=dict)
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """One memory and its life now; `changed` says whether what was asked for changed it."""

    key: str
    kind: Kind
    name: str
    life: Lifecycle
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Point:
    """How present a memory is at one time."""

    at: datetime
    salience: float


@dataclass(frozen=True, slots=True)
class Access:
    """One time that a memory was called on, and how present it was before and after."""

    at: datetime
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What becomes of a memory that nobody asks for, from `now` on; `behind` is how present it was, from the
    first of its `accesses` on: the newest thirty of them, oldest first.

    `half_life` is in days (None: it does not fade); `archived_at` is None where it never is. The same
    after one access today stands in `if_accessed`, `half_life_if_accessed`, `archived_if_accessed`.
    """

    key: str
    kind: Kind
    name: str
    life: Lifecycle
    now: datetime
    accesses: tuple[Access, ...]
    behind: tuple[Point, ...]
    points: tuple[Point, ...]
    half_life: float | None
    archived_at: datetime | None
    if_accessed: tuple[Point, ...]
    half_life_if_accessed: float | None
    archived_if_accessed: datetime | None


class SourceFactKind(StrEnum):
    """What a source can tell."""

    BELIEF = "belief"
    RELATIONSHIP = "relationship"
    NOTE = "note"
    MENTION = "mention"
    HINT = "hint"  # a sentence that brings names together, read or not


class SourceFact(NamedTuple):
    """One thing that a source tells and that still holds; `thing` is the same for whoever tells it. Only
    beliefs can be unasked for, and only where others were asked for."""

    thing: str
    sort: SourceFactKind
    confidence: float = 1.0
    importance: float = 5.0
    was_asked_for: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """An unarchived source of the user's own, and what it tells: all that still holds, and how many
    things that no longer do. `is_settled` is False while it waits to be read."""

    key: str
    started_at: datetime
    salience: float
    access_count: int
    is_pinned: bool
    is_settled: bool
    told: tuple[SourceFact, ...] = ()
    fallen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgettable:
    """A source that would be among the first to go, and why."""

    key: str
    name: str
    started_at: datetime
    worth: float
    why: str
