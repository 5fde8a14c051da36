"""The shapes of answers, for models that follow a schema and for those that only nearly do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints

MOST = 100  # of anything in a list: more is not an answer but a flood
_KINDS = {
    "people": "person",
    "individual": "person",
    "human": "person",
    "topic": "concept",
    "goal": "concept",
    "preference": "concept",
    "value": "concept",
    "idea": "concept",
}


def _word(known: dict[str, str], usual: str, allowed: tuple[str, ...]) -> Callable[[Any], Any]:
    def meant(given: Any) -> Any:
        said = str(given).strip().casefold()
        said = known.get(said, said)
        return said if said in allowed else usual

    return meant


def _figure(least: float, most: float, usual: float) -> Callable[[Any], Any]:
    def within(given: Any) -> Any:
        try:
            value = float(given)
        except (TypeError, ValueError):
            return usual
        return usual if math.isnan(value) else min(most, max(least, value))

    return within


def _few(given: Any) -> Any:
    return given[:MOST] if isinstance(given, list) else given


def _texts(given: Any) -> Any:
    """Texts of a list; a text alone is a list of one; whatever is no text is left out."""
    if isinstance(given, str):
        given = [given]
    if given is None:
        return []
    if not isinstance(given, list):
        return given
    return [one for one in given[:MOST] if isinstance(one, str) and one.strip()]


def _whole(given: Any) -> Any:
    try:
        return int(float(given))
    except (TypeError, ValueError, OverflowError):
        return 0


def _said(given: Any) -> Any:
    return "" if given is None else given


Said = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Maybe = Annotated[str, StringConstraints(strip_whitespace=True), BeforeValidator(_said)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Line = Annotated[int, BeforeValidator(_whole)]


class Digest(BaseModel):
    summary: Said
    keywords: Texts = Field(default_factory=list)
    tags: Texts = Field(default_factory=list)


class Thing(BaseModel):
    kind: Annotated[
        Literal["person", "concept", "entity"],
        BeforeValidator(_word(_KINDS, "entity", ("person", "concept", "entity"))),
    ]
    name: Said
    type: Maybe = ""
    aliases: Texts = Field(default_factory=list)
    confidence: Annotated[float, BeforeValidator(_figure(0, 10, 5))] = 5.0
    points: Texts = Field(default_factory=list)


BeliefKind = Annotated[
    Literal["factual", "preference", "procedural", "architectural"],
    BeforeValidator(_word({}, "factual", ("factual", "preference", "procedural", "architectural"))),
]
Importance = Annotated[float, BeforeValidator(_figure(1, 10, 5))]


class Statement(BaseModel):
    statement: Said
    type: BeliefKind = "factual"
    importance: Importance = 5.0
    subject: Maybe = "owner"


class SaidStatement(Statement):
    line: Line = 0


class Found(BaseModel):
    things: Annotated[list[Thing], BeforeValidator(_few)] = Field(default_factory=list)
    beliefs: Annotated[list[SaidStatement], BeforeValidator(_few)] = Field(default_factory=list)


class Verdict(BaseModel):
    number: Line
    verdict: Annotated[
        Literal["same", "contradicts", "different"],
        BeforeValidator(_word({}, "different", ("same", "contradicts", "different"))),
    ]


class Verdicts(BaseModel):
    verdicts: Annotated[list[Verdict], BeforeValidator(_few)]


class Sentence(BaseModel):
    """One sentence, or none."""

    sentence: Maybe = ""


class Text(BaseModel):
    """A few sentences."""

    text: Said


class MaybeText(BaseModel):
    """A few sentences, or none."""

    text: Maybe = ""


class Needed(BaseModel):
    needs_memory: bool
    is_sure: bool = True
    reason: Maybe = ""


class Wordings(BaseModel):
    phrasings: Texts
    wider: Maybe = ""


class Piece(BaseModel):
    number: Line
    text: Maybe = ""


class Pieces(BaseModel):
    pieces: list[Piece]
