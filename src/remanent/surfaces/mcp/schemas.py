"""Schemas of tools: what they take, built from the table of operations, and the models of what they answer."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, Field

from remanent.core.model.belief import Belief
from remanent.core.model.page import Settled
from remanent.core.model.search import Hit
from remanent.surfaces.http.requests import AtFirst, annotation
from remanent.surfaces.operations import schema as types
from remanent.surfaces.operations.schema import REQUIRED, SAME, Op, Param, help_of

_PLAIN: Final[Mapping[type[Any], Any]] = {
    types.Text: str,
    types.Moment: AwareDatetime,
    types.Flag: bool,
    types.Json: dict[str, Any],
}


def described(kind: Any, help: str, default: Any = REQUIRED, **bounds: Any) -> tuple[Any, Any]:  # noqa: A002
    """A parameter: its type with its description, and its default."""
    optional = kind | None if default is None else kind
    return Annotated[optional, Field(description=help or None, **bounds)], default


def parameters_of(
    op: Op, more: Mapping[str, tuple[Any, Any]], *, whole: bool = False
) -> Iterator[inspect.Parameter]:
    """What a tool takes: what the table marks for models, or the `whole`, and what only the tool has."""
    params = [one.but(mcp=True) if whole else one for one in op.params]
    own = {one.field: _described(one) for one in params if one.mcp}
    for name, (kind, default) in {**more, **own}.items():
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=inspect.Parameter.empty if default is REQUIRED else default,
        )


def _described(param: Param) -> tuple[Any, Any]:
    kind = param.type if isinstance(param.mcp, bool) else param.mcp
    default = param.default if param.mcp_default is SAME else param.mcp_default
    text = help_of(param)
    if isinstance(kind, types.Moment):
        text = f"{text.rstrip('.')} (ISO 8601 with time zone)."
    bounds = {} if isinstance(param.mcp, bool) else _bounds(kind)
    return described(_annotation(kind), text, None if default == () else default, **bounds)


def _bounds(kind: types.Type) -> dict[str, Any]:
    match kind:
        case types.Text():
            return {"max_length": kind.most}
        case types.Many():
            return {"min_length": kind.least or None, "max_length": kind.most}
        case _:
            return {}


def _annotation(kind: types.Type) -> Any:
    match kind:
        case types.Whole():
            return Annotated[int, Field(ge=kind.least, le=kind.most)]
        case types.Choice():
            return Literal[kind.values]
        case types.Many():
            return Annotated[list[_annotation(kind.of)], AtFirst()]  # type: ignore[misc]
        case types.Form() | types.OneOf() | types.Real() | types.Null():
            return annotation(kind)
        case _:
            return _PLAIN[type(kind)]


class FoundMemory(BaseModel):
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
    cold: bool = Field(default=False, description="It had faded out of mind, and was called back.")
    contributed_by: str | None = Field(
        default=None, description="Whose word it is, where the user did not contribute it."
    )


class SearchAnswer(BaseModel):
    """What a search found, best first."""

    hits: list[FoundMemory]
    reason: str = Field(default="", description="Why nothing was found, if so.")
    next: str | None = Field(default=None, description="Give this as `after` for the next page.")


class HeldBelief(BaseModel):
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
    contributed_by: str | None = Field(
        default=None, description="Whose word it is, where the user did not contribute it."
    )


class Beliefs(BaseModel):
    """Beliefs, best first."""

    beliefs: list[HeldBelief]


class SettledStatement(BaseModel):
    """What remembering did: created, reinforced, weakened, invalidated, disputed or predated."""

    outcome: str
    belief: HeldBelief
    other: HeldBelief | None = Field(default=None, description="The belief that it contradicts.")


class RememberedBelief(SettledStatement):
    """What remembering did: created, reinforced, weakened, invalidated, disputed or predated."""

    also: list[SettledStatement] = Field(
        default_factory=list, description="What became of the text's other statements, in order."
    )


class ContextText(BaseModel):
    """A context, ready to be put into a prompt."""

    text: str
    tokens: int
    needs_memory: bool = Field(description="Whether the message calls for memory at all.")


class AddedSource(BaseModel):
    """A source that was taken in."""

    key: str
    status: str = Field(description="raw until it is read, then processed, then extracted.")


class RecordedEvent(BaseModel):
    """An event that was recorded."""

    event_id: str
    key: str
    seq: int
    is_new: bool = Field(description="False: an event of this id was there before and stands.")


class ForgottenBelief(BaseModel):
    """A belief that is held true no longer."""

    key: str
    statement: str
    forgotten: int = Field(description="How many beliefs went with it, itself included.")
    dry_run: bool


_HIT = ("key", "text", "at", "speaker", "title", "source_key", "holds", "cold", "contributed_by")
_BELIEF = ("key", "statement", "subject", "importance", "updated_at", "contributed_by")


def memory_from_hit(hit: Hit) -> FoundMemory:
    fields = {name: getattr(hit, name) for name in _HIT}
    return FoundMemory(kind=hit.kind.value, score=round(hit.score, 4), **fields)


def belief_out(belief: Belief, score: float | None = None) -> HeldBelief:
    return HeldBelief(
        **{name: getattr(belief, name) for name in _BELIEF},
        type=belief.type.value,
        status=belief.status.value,
        confidence=round(belief.confidence, 4),
        score=None if score is None else round(score, 4),
    )


def remembered(settled: Settled) -> RememberedBelief:
    also: list[SettledStatement] = [remembered(one) for one in settled.also]
    other = None if settled.other is None else belief_out(settled.other)
    return RememberedBelief(
        outcome=settled.outcome.value, belief=belief_out(settled.belief), other=other, also=also
    )
