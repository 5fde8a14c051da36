"""What a mind is given to read, and what it says it found there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remanent.model.anchor import Lifetime
from remanent.model.belief import OWNER, BeliefType
from remanent.model.node import Kind
from remanent.model.source import ContentType, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One processed source as one user reads it.

    A passage whose speaker is in `owner_names` was said by the owner; notes of the owner's own have
    no speaker and count as theirs. `assistants` name speakers that are programs, not people.
    """

    content_type: ContentType
    started_at: datetime
    passages: tuple[Passage, ...]
    owner_names: tuple[str, ...]
    assistants: tuple[str, ...] = ("assistant", "ai", "bot", "system", "agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """Five to ten searchable keywords and three to five tags."""

    keywords: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Someone or something that may deserve a node. `confidence` runs from 0 to 10.

    `kind` is person, concept or entity; `subpoints` are the separate things the text says of it.
    """

    kind: Kind
    name: str
    confidence: float
    subpoints: tuple[str, ...]
    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """A note for the anchor of that name."""

    anchor: str
    content: str
    lifetime: Lifetime = Lifetime.MONTH


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDraft:
    """How two anchors stand to each other, named as in the anchors that were given.

    `ended` says that the text tells of its end; `single` that it takes the place of any other of
    its type from the same source node (one home, one employer).
    """

    src: str
    dst: str
    relationship_type: str
    description: str
    attitude: int = 3
    proximity: int = 3
    confidence: float = 0.7
    ended: bool = False
    single: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All notes and relationships that one reading gave."""

    notes: tuple[NoteDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefDraft:
    """A statement worth holding true, and the passage it was read in."""

    statement: str
    type: BeliefType = BeliefType.FACTUAL
    importance: int = 5
    subject: str = OWNER
    passage_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that one user's mind found in one source: what the graph owes to that source.

    `is_done` says that all of it is in the graph. Names are the source's own; whom they mean is decided when it is drawn into the graph, and may
    be decided anew when more names are known.
    """

    source_key: str
    mind: str
    candidates: tuple[Candidate, ...] = ()
    findings: Findings = Findings()
    beliefs: tuple[BeliefDraft, ...] = ()
    is_done: bool = False


class Judgement(StrEnum):
    """How a new statement stands to one that is already believed."""

    SAME = "same"
    CONTRADICTS = "contradicts"
    DIFFERENT = "different"
