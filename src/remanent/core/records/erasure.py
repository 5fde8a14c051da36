"""Erasing: what went for good, and the signed paper that says so. No content is ever in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDates:
    """When things came to be and last changed, by key; of links, by kind, ends and detail."""

    things: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict)
    links: Mapping[tuple[str, str, str, str], datetime] = field(default_factory=dict)
