"""What the tools answer with: as much as a model needs to go on, and the keys to ask further by."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from remanent.core.model.belief import Belief
from remanent.core.model.page import Settled
from remanent.core.model.search import Hit, Recollection


class Found(BaseModel):
    """One thing that was found."""

    key: str = Field(description="Give this to `show`, `traverse` or `forget`.")
    kind: str = Field(description="passage, source, belief, person, concept, entity, storyline ...")
    text: str
    score: float
    at: datetime | None = Field(default=None, description="When it was said or happened.")
    speaker: str | None = None
    title: str = Field(default="", description="What the source is called.")
    source_key: str | None = Field(default=None, description="The source it can be read in.")
    holds: bool | None = Field(
        default=None, description="Whether it is still so; null where that is not known."
    )


class Answer(BaseModel):
    """What a search found, best first."""

    hits: list[Found]
    reason: str = Field(default="", description="Why nothing was found, if so.")
    next: str | None = Field(default=None, description="Give this as `after` for the next page.")


class Held(BaseModel):
    """One belief."""

    key: str
    statement: str
    subject: str
    type: str
    confidence: float
    importance: int
    status: str
    updated_at: datetime
    score: float | None = None


class Beliefs(BaseModel):
    """Beliefs, best first."""

    beliefs: list[Held]


class Remembered(BaseModel):
    """What remembering did: created, reinforced, weakened, invalidated, disputed or predated."""

    outcome: str
    belief: Held
    other: Held | None = Field(default=None, description="The belief that it contradicts.")


class Told(BaseModel):
    """A context, ready to be put into a prompt."""

    text: str
    tokens: int
    needs_memory: bool = Field(description="Whether the message calls for memory at all.")


class Taken(BaseModel):
    """A source that was taken in."""

    key: str
    status: str = Field(description="raw until it is read, then processed, then extracted.")


class Noted(BaseModel):
    """An event that was recorded."""

    event_id: str
    key: str
    seq: int
    is_new: bool = Field(description="False: an event of this id was there before and stands.")


class Forgotten(BaseModel):
    """A belief that is held true no longer."""

    key: str
    statement: str
    forgotten: int = Field(description="How many beliefs went with it, itself included.")
    dry_run: bool


def found(hit: Hit) -> Found:
    return Found(
        key=hit.key,
        kind=hit.kind.value,
        text=hit.text,
        score=round(hit.score, 4),
        at=hit.at,
        speaker=hit.speaker,
        title=hit.title,
        source_key=hit.source_key,
        holds=hit.holds,
    )


def held(belief: Belief, score: float | None = None) -> Held:
    return Held(
        key=belief.key,
        statement=belief.statement,
        subject=belief.subject,
        type=belief.type.value,
        confidence=round(belief.confidence, 4),
        importance=belief.importance,
        status=belief.status.value,
        updated_at=belief.updated_at,
        score=None if score is None else round(score, 4),
    )


def recalled(found: Recollection) -> Held:
    return held(found.belief, found.score)


def remembered(settled: Settled) -> Remembered:
    return Remembered(
        outcome=settled.outcome.value,
        belief=held(settled.belief),
        other=None if settled.other is None else held(settled.other),
    )
