"""Semantic nodes: the people, concepts and entities of one user's world, and what they are called."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar

from remanent.core.dataclasses import dataclass
from remanent.core.model.keys import canonical_name
from remanent.core.model.node import Kind, Node


class Lifetime(StrEnum):
    """How long a note is worth keeping; the days are in `rules.resolution`."""

    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    FOREVER = "forever"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A dated, attributed, expiring piece of text on an anchor or a relationship.

    Where it stands (`on`), its source and its content identify it.
    """

    on: str
    content: str
    added_by: str
    date_added: datetime
    source_key: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor(Node):
    """What Person, Concept and Entity have in common. Their notes are kept beside them, by key.

    `line_digest` tells by which text it was last made findable.
    """

    name: str
    created_by: str
    confidence: float = 1.0
    description: str = ""
    is_dirty: bool = False
    aliases: tuple[str, ...] = ()
    source_count: int = 0
    first_mentioned_at: datetime | None = None
    last_mentioned_at: datetime | None = None
    distinct_days: tuple[date, ...] = ()
    has_meso: bool = False
    has_macro: bool = False
    line_digest: str = ""

    @property
    def distinct_source_days(self) -> int:
        """On how many days of the user's calendar a source mentioned it."""
        return len(self.distinct_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Anchor):
    """Always an individual. Exactly one per user is the owner, made from the profile."""

    kind: ClassVar[Kind] = Kind.PERSON

    canonical_name: str
    is_owner: bool = False

    @property
    def natural(self) -> str | None:
        return self.canonical_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept(Anchor):
    """A goal, preference, value, worry or topic."""

    kind: ClassVar[Kind] = Kind.CONCEPT

    @property
    def natural(self) -> str | None:
        return canonical_name(self.inferred("name"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Anchor):
    """A group, company, place, project, product or event: anything tracked by a proper name."""

    kind: ClassVar[Kind] = Kind.ENTITY

    type: str

    @property
    def natural(self) -> str | None:
        return f"{canonical_name(self.inferred('name'))}|{self.inferred('type')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """An anchor reduced to what it is called."""

    key: str
    kind: Kind
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    is_owner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """A person as a source named them, whether or not they have a node; names as they were written.

    An alias that is another full name was said outright to be theirs: "Eva Lund, née Berg". `sources`
    tells how many named them just so.
    """

    name: str
    aliases: tuple[str, ...] = ()
    sources: int = 1
