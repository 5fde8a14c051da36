"""What retrieval takes and gives: the requests of its verbs, the candidates of a search, explorations, walks and contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from remanent.core.dataclasses import KW_ONLY, dataclass, field
from remanent.core.model.anchor import Note
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind, Node
from remanent.core.model.relationship import Relationship, RelationshipKind
from remanent.core.model.search import Mode, Need, SearchFilters
from remanent.core.model.source import Passage


class Granularity(IntEnum):
    MICRO = 1  # sources
    MESO = 2  # storylines
    MACRO = 3  # macros


class NodeType(StrEnum):
    PERSON = "Person"
    CONCEPT = "Concept"
    ENTITY = "Entity"


# --- explorations: the request --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Something to find by meaning, from that similarity on."""

    query: str
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipFilters:
    """What a relationship has to be like to be thought of at all; no types means any."""

    min_attitude: int = 1
    max_attitude: int = 5
    min_proximity: int = 1
    max_proximity: int = 5
    relationship_types: tuple[str, ...] = ()
    exclude_relationship_types: tuple[str, ...] = ()


Queries = str | Sequence[str | Mapping[str, Any] | Query] | None


@dataclass(frozen=True, slots=True)
class ExploreRequest:
    """What an exploration looks for. Once checked (`rules.explore.checked`) every value is as it is
    compared; what may be given in several shapes has one then, and is read by the properties."""

    queries: Queries = None
    text_matches: str | Sequence[str] = ()
    relationship_filters: Mapping[str, Any] | RelationshipFilters | None = None
    granularity: int = 1
    _: KW_ONLY
    multi_query: bool = False
    mode: str = "fast"
    weights: Mapping[str, float] | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    return_explanations: bool = False
    touch: bool = True

    @property
    def checked_queries(self) -> tuple[Query, ...]:
        return cast("tuple[Query, ...]", self.queries)

    @property
    def checked_filters(self) -> RelationshipFilters:
        return cast("RelationshipFilters", self.relationship_filters)

    @property
    def checked_weights(self) -> Mapping[str, float]:
        return cast("Mapping[str, float]", self.weights)


# --- explorations: the answer ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRef:
    """A semantic node named in passing."""

    entity_key: str
    node_type: NodeType
    name: str
    description: str = ""
    type: str = ""  # of an entity: organization, place, ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StorylineRef:
    storyline_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroRef:
    macro_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePreview:
    """Enough of a source to know whether to open it."""

    entity_key: str
    summary: str
    started_at: datetime
    context_type: str
    participants: tuple[str, ...] = ()
    contributed_by: str | None = field(default=None, metadata={"sparse": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class StorylinePreview:
    """A storyline in one line; `one_liner` is the first sentence of its description."""

    storyline_id: str
    name: str
    one_liner: str
    source_count: int
    started_at: datetime
    last_source_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageHit:
    """A passage of a source that fits."""

    key: str
    text: str
    score: float
    speaker: str | None = None
    at: datetime | None = None
    ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticNodeHit:
    entity_key: str
    node_type: NodeType
    name: str
    description: str
    notes_snippets: tuple[str, ...]
    salience: float
    state: State
    last_accessed_at: datetime | None
    relevance_score: float
    type: str = ""  # of an entity
    neighbours: tuple[NodeRef, ...] = ()
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipHit:
    key: str
    from_entity_key: str
    to_entity_key: str
    from_name: str
    to_name: str
    relationship_kind: RelationshipKind
    relationship_type: str
    description: str
    attitude: int
    proximity: int
    notes_snippets: tuple[str, ...]
    salience: float
    state: State
    valid_from: datetime
    valid_to: datetime | None
    relevance_score: float
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHit:
    """A source in full, or a preview of one (`is_full` False): then without passages, nodes and refs."""

    entity_key: str
    summary: str
    context_type: str
    source_type: str
    started_at: datetime
    ended_at: datetime | None
    relevance_score: float
    title: str = ""
    is_full: bool = True
    # whose it is, where it is not the user's own
    contributed_by: str | None = field(default=None, metadata={"sparse": True})
    passages: tuple[PassageHit, ...] = ()
    mentioned_nodes: tuple[NodeRef, ...] = ()
    storyline_refs: tuple[StorylineRef, ...] = ()
    macro_refs: tuple[MacroRef, ...] = ()
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorylineHit:
    """A storyline in full, or its name alone (`is_full` False): then nothing below the name is filled."""

    storyline_id: str
    name: str
    relevance_score: float
    is_full: bool = False
    description: str = ""
    source_count: int = 0
    started_at: datetime | None = None
    last_source_at: datetime | None = None
    anchor: NodeRef | None = None
    top_people: tuple[NodeRef, ...] = ()
    top_entities: tuple[NodeRef, ...] = ()
    top_concepts: tuple[NodeRef, ...] = ()
    preview_sources: tuple[SourcePreview, ...] = ()
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroHit:
    """A macro in full, or its name alone (`is_full` False): then nothing below the name is filled."""

    macro_id: str
    name: str
    relevance_score: float
    is_full: bool = False
    description: str = ""
    storyline_count: int = 0
    total_source_count: int = 0
    started_at: datetime | None = None
    last_event_at: datetime | None = None
    anchor: NodeRef | None = None
    storylines: tuple[StorylinePreview, ...] = ()
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactHit:
    entity_key: str
    name: str
    description: str
    content_type: str
    created_at: datetime
    related_nodes: tuple[NodeRef, ...]
    relevance_score: float
    explanation: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorationMeta:
    """How the answer came about. `reason` says why there is none; `remarks` what could not be done."""

    granularity: Granularity
    query_used: tuple[str, ...]
    text_matches: tuple[str, ...] = ()
    mode: Mode = Mode.FAST
    as_of: datetime | None = None
    known_at: datetime | None = None
    reason: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticPart:
    people: tuple[SemanticNodeHit, ...] = ()
    concepts: tuple[SemanticNodeHit, ...] = ()
    entities: tuple[SemanticNodeHit, ...] = ()
    relationships: tuple[RelationshipHit, ...] = ()

    @property
    def nodes(self) -> tuple[SemanticNodeHit, ...]:
        """All semantic nodes, best first."""
        hits = (*self.people, *self.concepts, *self.entities)
        return tuple(sorted(hits, key=lambda one: (-one.relevance_score, one.entity_key)))


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodicPart:
    sources: tuple[SourceHit, ...] = ()
    storylines: tuple[StorylineHit, ...] = ()
    macros: tuple[MacroHit, ...] = ()
    artifacts: tuple[ArtifactHit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """The answer."""

    meta: ExplorationMeta
    semantic: SemanticPart = SemanticPart()
    episodic: EpisodicPart = EpisodicPart()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all that was returned."""
        return (
            *(one.entity_key for one in self.semantic.nodes),
            *(one.key for one in self.semantic.relationships),
            *(one.entity_key for one in self.episodic.sources),
            *(one.storyline_id for one in self.episodic.storylines),
            *(one.macro_id for one in self.episodic.macros),
            *(one.entity_key for one in self.episodic.artifacts),
        )


# --- walks -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """One edge of a way: from one memory to the next.

    `word` is a relationship's type or a link's kind; `backward` says that the edge points the other
    way; `relationship_key` is None for a link.
    """

    from_key: str
    to_key: str
    word: str
    backward: bool = False
    relationship_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One memory that was reached: its rank (all ranks sum to one), how many edges away it is, and
    the way by which most of the rank came. A seed is no edge away."""

    key: str
    kind: Kind
    title: str
    score: float
    distance: int
    path: tuple[Leg, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """The best of what was reached, best first; `titles` names every memory on the ways.

    `within_reach` counts all that was reached, returned or not.
    """

    seeds: tuple[str, ...]
    reached: tuple[Reached, ...]
    within_reach: int
    titles: dict[str, str]
    as_of: datetime | None = None
    known_at: datetime | None = None
    reason: str = ""


# --- contexts --------------------------------------------------------------------------------


Before = Sequence[str | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a context is wanted for, not checked yet.

    `before` is the conversation so far; `count` counts tokens the caller's way (None: our way);
    `agent_id` says which agent's standing instructions are wanted beside those for all.
    """

    message: str
    budget: int = 1500
    _: KW_ONLY
    before: Before = ()
    as_of: datetime | None = None
    known_at: datetime | None = None
    touch: bool = True
    count: Callable[[str], int] | None = None
    agent_id: str = ""


class Section(StrEnum):
    """The parts of a context, in the order they stand in it."""

    INSTRUCTIONS = "instructions"
    OWNER = "owner"
    RECENT = "recent"
    STORYLINES = "storylines"
    BELIEFS = "beliefs"
    CALLED_FOR = "called_for"


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


# --- searches --------------------------------------------------------------------------------


Signals = Mapping[str, float]  # the parts of one score, by name


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Whether a candidate still holds, and what superseded it.

    `holds` is None where that is not known or disputed. `says` are the keys of all beliefs and
    relationships it states, `over` of those of them that fell, `after` of what came in their place.
    """

    holds: bool | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    says: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    after: tuple[str, ...] = ()


UNKNOWN = Validity()


class Candidate(NamedTuple):
    """One thing that may answer a search, with as much of it as is known so far.

    The ranking gives all to `cosine`: `entry` is the key in the index, `pool` has the signals of all that were
    ranked together by entry, `covered` and `cosine` say how well it answers. The filter adds what was read, as
    known at that time; `validity` (None: not looked up yet) comes with the newest `notes` and a tie's `ends`.
    """

    entry: str
    key: str
    kind: Kind
    owner: str
    score: float = 0.0
    signals: Signals = MappingProxyType({})
    pool: Mapping[str, Signals] = MappingProxyType({})
    covered: float = 0.0
    cosine: float = 0.0
    node: Node | None = None
    passage: Passage | None = None
    relationship: Relationship | None = None
    validity: Validity | None = None
    notes: Sequence[Note] = ()
    ends: Sequence[Node] = ()


@dataclass(frozen=True, slots=True)
class SearchArguments(SearchFilters):
    """A query with its filters, and how the hits are wanted.

    `after` is the cursor of the hit to go on behind; with `touch` finding may leave a trace.
    """

    query: str
    limit: int = 10
    _: KW_ONLY
    explain: bool = False
    after: str | None = None
    touch: bool = True
    mode: str | Mode = Mode.FAST


@dataclass(frozen=True, slots=True)
class WhyNotArguments(SearchFilters):
    """The memory that is missed, and the search that should have returned it."""

    key: str
    query: str
    limit: int = 10
