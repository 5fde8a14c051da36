"""Reports on a memory as a whole: its embedder, what was erased and the certificate of it, what a rebuild
would change, and how the place where it is kept is doing. No content is ever in them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.node import Kind
from remanent.core.records.spending import Spent


class Progress:
    """How far something long has come."""

    __slots__ = ()

    done: int
    total: int

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return 1.0 if self.total <= 0 else min(1.0, self.done / self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding(Progress):
    """`towards` is the embedder that takes the place of `embedder` once all entries, `done` of `total`,
    have a vector of it; None: there is no other in sight."""

    embedder: str
    towards: str | None = None
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An entry of the index that has no new vector yet. `stamp` tells whether it was written again
    since; `user_id` is whose node it leads to, None if that is gone."""

    number: int
    key: str
    kind: Kind
    owner_key: str
    user_id: str | None
    stamp: str


class Erasable(StrEnum):
    """What can be erased."""

    SOURCE = "source"
    PERSON = "person"
    BELIEF = "belief"
    ARTIFACT = "artifact"
    EVENT = "event"
    SESSION = "session"
    USER = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Things of one sort that went from one store; `keys` are those that have one."""

    store: str
    what: str
    count: int
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The search for what was erased, after it was: how many keys and pieces of text were looked for in
    every table, how many bytes were gone through, and how often anything was found."""

    keys: int = 0
    phrases: int = 0
    bytes: int = 0
    found: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was erased, or with `dry_run` would be. `digest` is that of the list, `signature` is made
    with a secret of the memory: `Memory.verify_erasure` knows it again.

    `titles` are there for who has to decide; they are empty once it is done, and never signed.
    """

    erasure_id: str
    kind: Erasable
    key: str
    by: str
    at: datetime
    removed: tuple[Removed, ...] = ()
    rederived: Mapping[str, int] = field(default_factory=dict)  # what is another now, by sort
    users: int = 1  # whose memories were gone through
    probe: Probe = Probe()
    is_compacted: bool = False  # the file has been written anew since
    digest: str = ""
    signature: str = ""
    titles: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Progress: which part of an erasure is being done."""

    name: str
    done: int = 0
    total: int = 0


class FileTraces(NamedTuple):
    """How many bytes there are in files, and in how many places of them something stands."""

    size: int = 0
    places: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDates:
    """What each thing is, by key; when all but beliefs came to be and last changed; and of links, by kind,
    ends and detail."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    things: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict)
    links: Mapping[tuple[str, str, str, str], datetime] = field(default_factory=dict)


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
class DifferenceCount:
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

    tallies: Mapping[str, DifferenceCount] = field(default_factory=dict)
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
class Replayed(Progress):
    """How far the ledger has been lived through once more."""

    done: int
    total: int
    event_type: str = ""


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
    # Why the database itself does not tell users apart; empty: it does; None: none of its kind can.
    unwalled: str | None = None


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
    spent: tuple[Spent, ...] = ()  # for each task and model; it names no user, day or job


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One row, by table and key, that is not what was written; no key: of the table as a whole."""

    table: str
    key: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What a deep look found, at how many rows, and how many raw texts had a digest to compare."""

    damages: tuple[Damage, ...] = ()
    rows: int = 0
    digests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvaged:
    """What a new memory was made of: how much of what is true came over, and what of it could not be
    read, or is not what was written (`lost`). `rederived` counts by table the rows that were broken and
    could be derived again."""

    users: int = 0
    events: int = 0
    sources: int = 0  # raw texts
    lost: tuple[Damage, ...] = ()
    rederived: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def is_whole(self) -> bool:
        """Whether nothing that is true was lost."""
        return not self.lost


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
