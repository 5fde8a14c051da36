"""Edges: bi-temporal relationships between semantic nodes, and plain links."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.node import Correction


class RelationshipKind(StrEnum):
    """Fixed by the two ends."""

    HAS_RELATIONSHIP_WITH = "has_relationship_with"  # person - person
    ENGAGES_WITH = "engages_with"  # person - concept
    ASSOCIATED_WITH = "associated_with"  # person - entity
    RELATES_TO = "relates_to"  # concept - concept
    INVOLVES = "involves"  # concept - entity
    CONNECTED_TO = "connected_to"  # entity - entity


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """How two semantic nodes of one user stand to each other, for as long as it was so.

    A change in the world closes this edge (`valid_to`) and opens another; nothing is overwritten.
    `line_digest` tells by which text it was last made findable.
    """

    key: str
    user_id: str
    kind: RelationshipKind
    src: str
    dst: str
    relationship_type: str
    recorded_by: str
    recorded_at: datetime
    valid_from: datetime
    valid_to: datetime | None = None
    description: str = ""
    attitude: int = 3
    proximity: int = 3
    is_dirty: bool = False
    confidence: float = 1.0
    line_digest: str = ""
    created_at: datetime
    updated_at: datetime
    life: Lifecycle = field(default_factory=Lifecycle)
    by_hand: tuple[Correction, ...] | None = field(default=None, metadata={"sparse": True})

    def holds_at(self, moment: datetime) -> bool:
        """True from `valid_from` up to, not including, `valid_to`."""
        return self.valid_from <= moment and (self.valid_to is None or moment < self.valid_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One source's word on how two anchors stood to each other at one time.

    Relationships are drawn from these: their intervals follow from all assertions of one source
    node and type, in whatever order those were read. `ended` tells of an end; `single` says that
    only one such relationship can hold at a time (one home, one employer).
    """

    user_id: str
    source_key: str
    kind: RelationshipKind
    src: str
    dst: str
    relationship_type: str
    description: str
    at: datetime
    recorded_at: datetime
    attitude: int = 3
    proximity: int = 3
    confidence: float = 0.7
    ended: bool = False
    single: bool = False


class LinkKind(StrEnum):
    MENTIONS = "mentions"  # source -> anchor
    PRODUCED = "produced"  # source -> artifact
    ABOUT = "about"  # storyline or belief -> anchor
    INCLUDES = "includes"  # storyline -> source
    ROOTED_IN = "rooted_in"  # macro -> anchor
    GROUPS = "groups"  # macro -> storyline
    SAME_AS = "same_as"  # anchor -> anchor: merged by hand
    SUPPORTS = "supports"  # source or event -> belief
    NEIGHBOUR = "neighbour"  # belief -> belief
    DERIVED_FROM = "derived_from"  # inferred belief -> belief
    FOLLOWS = "follows"  # event -> event
    CAUSED_BY = "caused_by"  # event -> event
    SIMILAR_TO = "similar_to"  # event -> event
    REFERENCES = "references"  # event -> anchor
    SUMMARIZES = "summarizes"  # summary -> event, or summary of a lower level
    SHORTCUT = "shortcut"  # any node -> any node: often accessed together


@dataclass(frozen=True, slots=True)
class Link:
    """A plain edge: it exists or it does not. `detail` tells two links of one pair apart."""

    user_id: str
    kind: LinkKind
    src: str
    dst: str
    created_at: datetime
    detail: str = ""
    weight: float = 1.0
