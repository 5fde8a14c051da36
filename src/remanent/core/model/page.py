"""Results: what the verbs hand back to a person or an agent, beyond the nouns themselves."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.anchor import Note
from remanent.core.model.belief import Belief, BeliefStatus, Change, Support
from remanent.core.model.event import Lag
from remanent.core.model.job import LongReading
from remanent.core.model.lifecycle import State
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Link, Relationship
from remanent.core.model.source import Passage


class Outcome(StrEnum):
    """What remembering something did."""

    CREATED = "created"
    REINFORCED = "reinforced"
    WEAKENED = "weakened"  # a belief with much support was contradicted: both stand, it is weaker
    INVALIDATED = "invalidated"  # a belief was contradicted and replaced
    DISPUTED = "disputed"  # it may contradict, or may not overrule it: both stand
    PREDATED = "predated"  # the statement is older than the belief that contradicts it
    REPEATED = "repeated"  # this very episode was settled before; nothing changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The belief that now speaks for what was remembered, and the one it contradicted, if any.

    Of a text with several statements this is the first, and `also` has the others, in order.
    """

    outcome: Outcome
    belief: Belief
    other: Belief | None = None
    also: tuple[Settled, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A belief that another was drawn from, as it stands now."""

    key: str
    statement: str
    status: BeliefStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One episode behind a belief, down to the words.

    Behind an inference, `through` are the beliefs that lead from it to these words, in order.
    """

    support: Support
    quote: str
    speaker: str | None = None
    title: str = ""
    through: tuple[Ground, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A change of a belief; `words` are those of what brought it about, where that is known."""

    change: Change
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One belief of a history: what happened to it, and the episodes behind it."""

    belief: Belief
    occurrences: tuple[Occurrence, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that a belief replaced or gave way to, however indirectly, oldest first.

    `key` is the belief that was asked about.
    """

    key: str
    chapters: tuple[Chapter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredEvent:
    """An event that a summary stands for; `is_gone` says that only the ledger has it still."""

    event_id: str
    at: datetime
    text: str
    is_gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One memory opened by its key, with all that hangs on it: of an anchor, the newest notes,
    of a source, those that it gave.

    `titles` names the nodes at the far ends of its links and relationships, and the beliefs that it
    replaced or gave way to; `raw` is a source's content as it came in, for whoever contributed it;
    `covered` are the events of an episode, in order of time; `extraction` is what the reader's own mind
    found in a source, and which mind that was; `content` is a source's text as it was processed, and its type.
    """

    node: Node
    passages: tuple[Passage, ...] = ()
    notes: tuple[Note, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    links: tuple[Link, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None
    covered: tuple[CoveredEvent, ...] = ()
    extraction: Extraction | None = None
    content: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """A person, concept or entity as it is drawn; `since` is when it was first mentioned."""

    key: str
    kind: Kind
    name: str
    type: str
    salience: float
    state: State
    source_count: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdge:
    """A relationship between two of the nodes, for as long as it held."""

    key: str
    src: str
    dst: str
    type: str
    description: str
    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    salience: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorGraph:
    """Anchors and every relationship there ever was between them: a part of the graph, to be drawn."""

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a run through the queue did."""

    done: int = 0
    retried: int = 0
    parked: int = 0

    @property
    def handled(self) -> int:
        """All jobs that were taken in hand."""
        return self.done + self.retried + self.parked

    def __add__(self, other: Worked) -> Worked:
        return Worked(
            done=self.done + other.done,
            retried=self.retried + other.retried,
            parked=self.parked + other.parked,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Progress: one job was handled, and so many are still due."""

    kind: str
    key: str
    error: str | None
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How one user's memory is; `reading` are the long sources that are read in slices just now."""

    user_id: str
    name: str
    timezone: str
    now: datetime
    counts: Mapping[str, int]
    jobs: Mapping[str, int]
    events: int
    mind: str
    embedder: str
    place: str
    lag: Lag
    reading: tuple[LongReading, ...] = ()


def title_of(node: Node) -> str:
    """What to call a node in one line."""
    for attribute in ("name", "statement", "title", "summary", "text", "event_type"):
        value = getattr(node, attribute, "")
        if value:
            return str(value)
    return f"{node.kind.value} {node.key[:8]}"
