"""Context: what an agent should know now, ready for a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from remanent.core.model.query_types import Need


class Section(StrEnum):
    """The parts of a context, in the order they stand in it."""

    OWNER = "owner"
    RECENT = "recent"
    STORYLINES = "storylines"
    BELIEFS = "beliefs"
    CALLED_FOR = "called_for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a context is wanted for, as the caller gave it, not checked yet.

    `before` is the conversation so far; `count` counts tokens the caller's way (None: our way).
    """

    message: str
    budget: int
    before: Sequence[object] = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    touch: bool = True
    count: Callable[[str], int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line as it stands in the text. `mark`, in brackets at its end, is as much of the key as
    `read` needs to find it; `is_cut` says that the line holds less than there is."""

    section: Section
    key: str
    mark: str
    text: str
    tokens: int
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Lines by section, never more than `budget` tokens. `omitted` counts what found no room."""

    text: str
    tokens: int
    budget: int
    lines: tuple[Line, ...]
    need: Need
    omitted: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text
