"""Requests: their models, built from the table of operations, and the bounds of what may be sent.

pydantic stands here, at the edge, and nowhere further in; what a value means is checked by the verbs.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from enum import Enum
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    StringConstraints,
    Tag,
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
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
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


def _end_of_day(value: Any) -> Any:
    """A bare date is its last instant where a time up to which is asked for."""
    is_day = isinstance(value, str) and _DAY.fullmatch(value) is not None
    return f"{value}T23:59:59.999999" if is_day else value


def in_zone(value: Any, zone: Callable[[], tzinfo]) -> Any:
    """What was sent, its times without an offset taken as of that zone, as on the command line."""
    match value:
        case None | str() | int() | float():  # as most are; to ask for a model is slow
            pass
        case datetime(tzinfo=None):
            return value.replace(tzinfo=zone()).astimezone(UTC)
        case BaseModel():
            for name, one in value:
                if (of_zone := in_zone(one, zone)) is not one:
                    setattr(value, name, of_zone)
        case list():
            return [in_zone(one, zone) for one in value]
        case _:
            pass
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


ENUMS: Final[Mapping[str, type[Enum]]] = {
    one.__name__: one
    for one in (
        ContextType, JobState, Kind, Level, Mode, Power, Role, Sensitivity, SleepJob, State
    )
}  # fmt: skip
_MOMENT: Final = Annotated[datetime, AfterValidator(in_range)]
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
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    return [plain(one) for one in value] if isinstance(value, list) else value


def _field(param: Param) -> tuple[Any, Any]:
    default = param.default if param.http_default is SAME else param.http_default
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


def _one_of(kind: types.OneOf) -> Any:
    """Which of several it is told by its look, so that what is wrong is said of that one alone."""
    looks = [_LOOKS[type(one)] for one in kind.types]
    pick = Discriminator(
        lambda value: next(
            (f"{_TAG}{word}" for word, is_ in looks if isinstance(value, is_)), None
        ),
        custom_error_type="one_of",
        custom_error_message=f"must be {types.listed([word for word, _ in looks])}",
    )
    tagged = []
    for (word, _), one in zip(looks, kind.types, strict=True):
        first = (AtFirst(),) if isinstance(one, types.Many) and one.heavy else ()
        tagged.append(Annotated[annotation(one), *first, Tag(f"{_TAG}{word}")])
    return Annotated[reduce(or_, tagged), pick]


_TAG: Final = "~"  # what stands in a place only to tell alternatives apart begins so
_OBJECT: Final = ("an object", (dict, BaseModel))
_LOOKS: Final[Mapping[type[Any], tuple[str, Any]]] = {
    types.Text: ("text", str),
    types.Real: ("a number", (int, float)),
    types.Many: ("a list", list),
    types.Json: _OBJECT,
    types.Form: _OBJECT,
    types.Null: ("null", type(None)),
}
_WORDS: Final[Mapping[str, str]] = {
    "missing": "is needed",
    "extra_forbidden": "is not taken here",
    "unexpected_keyword_argument": "is not taken here",
    "missing_keyword_only_argument": "is needed",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "list_type": "must be a list",
    "string_type": "must be text",
}


def flaws_of(
    found: Iterable[Mapping[str, Any]], known: Collection[str], whole: str
) -> list[tuple[str, str]]:
    """What is wrong with a request, each by its field and in plain words. `known` are the fields there
    are; what is wrong with all of it is `whole`."""
    flaws = []
    for one in found:
        place = [str(part) for part in one["loc"] if not str(part).startswith(_TAG)]
        if one["type"] == "json_invalid":
            detail = f"is no JSON: {one['ctx']['error']} (character {one['loc'][-1]})"
            flaws.append((whole, detail))
            continue
        text = str(one["msg"]).removeprefix("Value error, ").replace("Input should", "should")
        detail = _WORDS.get(one["type"], text)
        near = difflib.get_close_matches(place[0], known, 1) if len(place) == 1 else []
        if near and near[0] != place[0]:
            detail += f"; did you mean {near[0]}?"
        flaws.append((".".join(place) or whole, detail))
    return flaws


_ANNOTATIONS: Final[Mapping[type[Any], Callable[[Any], Any]]] = {
    types.Text: _text,
    types.Moment: lambda kind: (
        Annotated[_MOMENT, BeforeValidator(_end_of_day)] if kind.end else _MOMENT
    ),
    types.Day: lambda _: date,
    types.Flag: lambda _: bool,
    types.Null: lambda _: None,
    types.Whole: lambda kind: Annotated[int, Field(ge=kind.least, le=kind.most)],
    types.Real: _real,
    types.Choice: lambda kind: ENUMS[kind.enum] if kind.enum else Literal[kind.values],
    types.Json: lambda _: _RECORD,
    types.Many: lambda kind: list[annotation(kind.of)],  # type: ignore[misc]
    types.Form: lambda kind: body_model(kind.name, kind.fields),
    types.OneOf: _one_of,
}
