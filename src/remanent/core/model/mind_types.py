"""Readings and findings: what a mind is given to read, what it says it found there, and on whose behalf."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.anchor import Lifetime
from remanent.core.model.belief import OWNER, BeliefType
from remanent.core.model.node import Kind
from remanent.core.model.source import ContentType, ContextType, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One processed source as one user reads it.

    A passage whose speaker is in `owner_names` was said by the owner; notes of the owner's own have
    no speaker and count as theirs. Without `owner_speaks` somebody else contributed the source: then
    nobody in it is the owner, and who has a name of theirs is told of. `assistants` name speakers that are programs, not people.
    """

    content_type: ContentType
    started_at: datetime
    passages: tuple[Passage, ...]
    owner_names: tuple[str, ...]
    owner_speaks: bool = True
    assistants: tuple[str, ...] = ("assistant", "ai", "bot", "system", "agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topics:
    """Five to ten searchable keywords and three to five tags; what the source was for, if it tells."""

    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    context: ContextType | None = None


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
    its type from the same source node (one home, one employer). `since` is when it began, or ended, if
    the words tell; with `corrects` it holds from where that began whose place it takes. The words stay with
    it for their `lifetime`, else as long as their source does.
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
    since: datetime | None = None
    corrects: bool = False
    lifetime: Lifetime | None = field(default=None, metadata={"sparse": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All notes and relationships that one reading gave."""

    notes: tuple[NoteDraft, ...] = ()
    relations: tuple[RelationDraft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefDraft:
    """A statement worth holding true, and the passage it was read in.

    `since` is when it began to hold, if the words tell; one that `corrects` another holds from where
    that one began.
    """

    statement: str
    type: BeliefType = BeliefType.FACTUAL
    importance: int = 5
    subject: str = OWNER
    passage_key: str | None = None
    since: datetime | None = None
    corrects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """All that one user's mind found in one source: what the graph owes to that source.

    `passed_over` are people whom the source named in full, or said outright to have two names, and of
    whom it says too little for a node: they count where a first name could be theirs.
    `is_done` says that all of it is in the graph; `is_undone` that it was taken back on request, and
    is not to be read again unless somebody asks. Names are the source's own; whom they mean is
    decided when it is drawn into the graph, and may be decided anew when more names are known.
    Of a long source under way: what was found up to `found_to`, which is drawn up to `read_to`.
    """

    source_key: str
    mind: str
    candidates: tuple[Candidate, ...] = ()
    findings: Findings = Findings()
    beliefs: tuple[BeliefDraft, ...] = ()
    passed_over: tuple[Candidate, ...] = ()
    is_done: bool = False
    is_undone: bool = False
    found_to: int | None = field(default=None, metadata={"sparse": True})
    read_to: int | None = field(default=None, metadata={"sparse": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One thing that happened in a story: a source's summary, or a storyline within a macro."""

    at: datetime
    text: str
    until: datetime | None = None
    source_count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryText:
    """A story to be told anew in `fewest` to `most` sentences: what was told so far and its chapters,
    in order of time."""

    name: str  # of the anchor
    kind: Kind  # of the anchor
    told: str
    chapters: tuple[Chapter, ...]
    fewest: int = 2
    most: int = 3


class Judgement(StrEnum):
    """How a new statement stands to one that is already believed."""

    SAME = "same"
    REFINES = "refines"  # the same, said more closely: both stand
    CONTRADICTS = "contradicts"
    DOUBTFUL = "doubtful"  # it may contradict: both stand, in dispute
    DIFFERENT = "different"


SETTLING: Final = "settle"  # the job of settling what a source says, many statements at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBehalf:
    """One piece of work for one user. What a mind says on it is counted there and remembered there.

    `private` says that the words to be read come from a source of high sensitivity: they never leave
    this machine. `job` is what it is done for ("process", "extract", "refresh" ...), and `source_key`
    the source it is about, if one.
    """

    user_id: str
    job: str = ""
    source_key: str | None = None
    private: bool = False
