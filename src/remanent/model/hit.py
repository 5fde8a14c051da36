"""What search and recall hand back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from remanent.model.belief import Belief
from remanent.model.node import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One line of an answer: what was found, how well it fits, and where it was said.

    `source_key` is the source it can be read in, `ref` the caller's own id of the turn; `signals`
    are the parts of the score.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A belief that came to mind, and how strongly."""

    belief: Belief
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        return self.belief.statement
