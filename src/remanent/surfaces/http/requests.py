"""Requests: their models, built from the table of operations, and the bounds of what may be sent.

pydantic stands here, at the edge, and nowhere further in; what a value means is checked by the verbs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    StringConstraints,
    create_model,
    model_validator,
)

from remanent.core.model.job import JobState
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.search import Mode
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import ContextType, Sensitivity
from remanent.core.model.story import Level
from remanent.core.records.access import Power, Role
from remanent.surfaces.operations import schema as types
from remanent.surfaces.operations.schema import REQUIRED, SAME, Param, help_of

_FIRST, _LAST = 1, 9998  # a day more or less of either is still a date
_DEEPEST: Final = 60
_MOST_UNKNOWN: Final = 20
_LONGEST_NAME: Final = 200  # bytes: what every file system takes


class AtFirst(FailFast):
    """The first bad one of a list is told, and the others are not looked at."""

    __hash__ = object.__hash__  # a union of types wants one


def in_range(value: datetime) -> datetime:
    if not _FIRST < value.year <= _LAST:
        raise ValueError(f"the year must be from {_FIRST + 1} to {_LAST}")
    return value


def shallow(value: dict[str, Any]) -> dict[str, Any]:
    """What is nested deeper than anybody means it is not taken apart, nor kept for others to read."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST + 1):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return value
    raise ValueError(f"is nested more than {_DEEPEST} levels deep")


def _inside(one: Any) -> Iterable[Any]:
    values = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return (inner for inner in values if isinstance(inner, dict | list))


def file_name(value: str) -> str:
    if len(value.encode("utf-8", "replace")) > _LONGEST_NAME:
        raise ValueError(f"has more than {_LONGEST_NAME} bytes")
    return value


class Ask(BaseModel):
    """A request; what it does not know is an error, not passed over."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _few(cls, value: Any) -> Any:
        """A hundred thousand unknown fields are one mistake, not as many: nobody waits for the list."""
        if isinstance(value, dict) and len(value) > len(cls.model_fields) + _MOST_UNKNOWN:
            raise ValueError("has far more fields than there are")
        return value

    def fields(self, *without: str) -> dict[str, Any]:
        """What was said, as a verb takes it."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if name not in without
        }


ENUMS: Final[Mapping[str, type[Enum]]] = {
    one.__name__: one
    for one in (
        ContextType, JobState, Kind, Level, Mode, Power, Role, Sensitivity, SleepJob, State,
    )
}  # fmt: skip
_MOMENT: Final = Annotated[AwareDatetime, AfterValidator(in_range)]
_RECORD: Final = Annotated[dict[str, Any], AfterValidator(shallow)]
_models: dict[str, type[Ask]] = {}


def body_model(name: str, params: Sequence[Param], says: str = "") -> type[Ask]:
    """The model of that name, made once: several routes may take the same."""
    if name not in _models:
        _models[name] = new_model(name, params, says)
    return _models[name]


def new_model(name: str, params: Sequence[Param], says: str = "") -> type[Ask]:
    """A request with these fields."""
    fields: dict[str, Any] = {one.field: _field(one) for one in params}
    return create_model(name, __base__=Ask, __doc__=says or None, **fields)


def plain(value: Any) -> Any:
    """A value as a verb takes it: objects of ours as dicts of what they have."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    return [plain(one) for one in value] if isinstance(value, list) else value


def default_of(param: Param) -> Any:
    return param.default if param.http_default is SAME else param.http_default


def _field(param: Param) -> tuple[Any, Any]:
    default = default_of(param)
    more = _bounds(param.type)
    if param.help:
        more["description"] = help_of(param)
    if param.example is not None:
        more["examples"] = [param.example]
    kind = annotation(param.type)
    if default is REQUIRED:
        return kind, Field(**more)
    if default is None:
        return kind | None, Field(default=None, **more)
    return kind, Field(default=list(default) if isinstance(default, tuple) else default, **more)


def _bounds(kind: types.Type) -> dict[str, Any]:
    """What is said of a field as a whole, not of its type."""
    match kind:
        case types.Many():
            bounds = {
                "max_length": kind.most,
                "min_length": kind.least or None,
                "fail_fast": kind.heavy or None,
            }
            return {name: one for name, one in bounds.items() if one is not None}
        case types.Json(most=int(most)):
            return {"max_length": most}
        case _:
            return {}


def annotation(kind: types.Type) -> Any:
    """The type that checks a value."""
    return _ANNOTATIONS[type(kind)](kind)


def _text(kind: types.Text) -> Any:
    if kind.pattern:
        return Annotated[str, StringConstraints(pattern=kind.pattern), AfterValidator(file_name)]
    return Annotated[str, StringConstraints(min_length=kind.least or None, max_length=kind.most)]


def _real(kind: types.Real) -> Any:
    low: dict[str, Any] = {"gt" if kind.inside else "ge": kind.least}
    high: dict[str, Any] = {"lt" if kind.below else "le": kind.most}
    return Annotated[float, Field(allow_inf_nan=False, **low, **high)]


def _alternative(kind: types.Type) -> Any:
    """One of several; of a long list, the first bad one is told, and the others are not looked at."""
    plain = annotation(kind)
    return Annotated[plain, AtFirst()] if isinstance(kind, types.Many) and kind.heavy else plain


_ANNOTATIONS: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    types.Text: _text,
    types.Moment: lambda _: _MOMENT,
    types.Day: lambda _: date,
    types.Flag: lambda _: bool,
    types.Null: lambda _: None,
    types.Whole: lambda kind: Annotated[int, Field(ge=kind.least, le=kind.most)],
    types.Real: _real,
    types.Choice: lambda kind: ENUMS[kind.enum] if kind.enum else Literal[kind.values],
    types.Json: lambda _: _RECORD,
    types.Many: lambda kind: list[annotation(kind.of)],  # type: ignore[misc]
    types.Form: lambda kind: body_model(kind.name, kind.fields),
    types.OneOf: lambda kind: reduce(or_, (_alternative(one) for one in kind.types)),
}
