"""What search and recall hand back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remanent.core.model.belief import Authority, Belief
from remanent.core.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a score: how much, and the how many best it is by that alone."""

    name: str
    words: str
    value: float
    rank: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why something stands where it stands in an answer, or why it is not in it.

    `rank` counts from 1 among all that pass the filters; `parts` are those of its score, `against`
    those of the last hit that was returned in its stead; `state` is how it is with the memory itself.
    """

    key: str
    reason: str
    returned: bool
    rank: int | None = None
    score: float | None = None
    parts: tuple[Part, ...] = ()
    against: tuple[Part, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One line of an answer: what was found, how well it fits, and where it was said.

    `source_key` is the source it can be read in, `ref` the caller's own id of the turn; `signals`
    are the parts of the score. `holds` says whether it is still so (None: not known, or disputed);
    `superseded_by` and `superseded_at` name what came in its place, and when. `cursor` is where to go on.
    """

    key: str
    kind: Kind
    text: str
    score: float
    source_key: str | None = None
    ref: str | None = None
    at: datetime | None = None
    speaker: str | None = None
    title: str = ""
    signals: Mapping[str, float] = field(default_factory=dict)
    holds: bool | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    cursor: str = ""
    explanation: Explanation | None = None


class Hits(list[Hit]):
    """Hits, best first. `reason` says why there are none; `next` is where the next page begins."""

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        reason: str = "",
        next: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(hits)
        self.reason = reason
        self.next = next


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPart:
    """One part of a score: `points` are its value by its weight, `said` tells it in words."""

    name: str
    value: float
    weight: float
    points: float
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A belief that came to mind, and how strongly.

    `parts` explain the score, when asked; `through` is the belief whose neighbour brought it.
    """

    belief: Belief
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[RecallPart, ...] = ()
    through: str | None = None

    @property
    def authority(self) -> Authority:
        """Who says so."""
        return self.belief.authority

    @property
    def disputes(self) -> str | None:
        """The asserted belief that this inference speaks against."""
        return self.belief.disputes

    @property
    def statement(self) -> str:
        return self.belief.statement
