"""Schemas of tools, built from the table of operations: as much as a model has to know of a value."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, Field

from remanent.surfaces.http.bounds import AtFirst
from remanent.surfaces.operations.text import help_of
from remanent.surfaces.operations.words import (
    REQUIRED,
    SAME,
    Choice,
    Flag,
    Json,
    Many,
    Moment,
    Op,
    Param,
    Text,
    Type,
    Whole,
)

_PLAIN: Final[Mapping[type[Any], Any]] = {
    Text: str,
    Moment: AwareDatetime,
    Flag: bool,
    Json: dict[str, Any],
}


def told(kind: Any, help: str, default: Any = REQUIRED, **bounds: Any) -> tuple[Any, Any]:  # noqa: A002
    """A parameter: its type with its description, and its default."""
    optional = kind | None if default is None else kind
    return Annotated[optional, Field(description=help or None, **bounds)], default


def parameters_of(op: Op, more: Mapping[str, tuple[Any, Any]]) -> Iterator[inspect.Parameter]:
    """What a tool takes: what the table marks for models, and what only the tool has."""
    own = {one.field: _told(one) for one in op.params if one.mcp}
    for name, (kind, default) in {**more, **own}.items():
        yield inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=inspect.Parameter.empty if default is REQUIRED else default,
        )


def _told(param: Param) -> tuple[Any, Any]:
    kind = param.type if isinstance(param.mcp, bool) else param.mcp
    default = param.default if param.mcp_default is SAME else param.mcp_default
    text = help_of(param)
    if isinstance(kind, Moment):
        text = f"{text.rstrip('.')} (ISO 8601 with time zone)."
    bounds = {} if isinstance(param.mcp, bool) else _bounds(kind)
    return told(_annotation(kind), text, None if default == () else default, **bounds)


def _bounds(kind: Type) -> dict[str, Any]:
    match kind:
        case Text():
            return {"max_length": kind.most}
        case Many():
            return {"min_length": kind.least or None, "max_length": kind.most}
        case _:
            return {}


def _annotation(kind: Type) -> Any:
    match kind:
        case Whole():
            return Annotated[int, Field(ge=kind.least, le=kind.most)]
        case Choice():
            return Literal[kind.values]
        case Many():
            return Annotated[list[_annotation(kind.of)], AtFirst()]  # type: ignore[misc]
        case _:
            return _PLAIN[type(kind)]
