"""Decoding: a dataclass from plain values of unknown origin, every one of them checked."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from typing import Any, Final

from remanent.core.checks import unbroken
from remanent.core.model.codec import to_record
from remanent.core.model.lifecycle import Lifecycle
from remanent.errors import InvalidInput

Reviver = Callable[[str, Any], Any]  # of the name of a field, and its plain value

Bounds = Mapping[type, Mapping[str, tuple[float, float]]]  # of the fields of a type

_COUNT: Final = (0.0, math.inf)
SHARE: Final = (0.0, 1.0)
LIFE_BOUNDS: Final[Bounds] = {
    Lifecycle: {
        "salience": SHARE,
        "access_count": _COUNT,
        "recall_frequency": _COUNT,
        "last_recall_interval": _COUNT,
        "decay_gradient": _COUNT,
    }
}
_LARGEST: Final = 2**63 - 1
_LONGEST_SHOWN: Final = 60


def parsed_object(field: str, text: str, **options: Any) -> dict[str, Any]:
    """The JSON object that a text is; `options` as `json.loads` takes them."""
    try:
        values = json.loads(text, **options)
    except ValueError as problem:
        raise InvalidInput(field, f"is not JSON: {problem}") from None
    except RecursionError:
        raise InvalidInput(field, "is nested too deeply") from None
    if not isinstance(values, dict):
        raise InvalidInput(field, "must be a JSON object")
    return values


def revived(type_: type, record: object, where: str = "") -> Any:
    """The `type_` of a record: nothing missing, nothing unknown, every value of its type; else
    `InvalidInput` that names the field."""
    if not isinstance(record, Mapping):
        raise InvalidInput(where or "value", "must be an object")
    plan, needed = _plan(type_)
    if not plan.keys() >= record.keys():
        unknown = str(min(record.keys() - plan.keys()))[:_LONGEST_SHOWN]
        raise InvalidInput(_within(where, unknown), f"is no field of {type_.__name__}")
    values = {name: plan[name](_within(where, name), value) for name, value in record.items()}
    for name in needed:
        if name not in values:
            raise InvalidInput(_within(where, name), "is missing")
    return type_(**values)


def insist_bounds(value: Any, bounds: Bounds) -> None:
    """`InvalidInput` if a number of the value, or of its life, lies outside of what its type may have."""
    for part, prefix in ((value, ""), (getattr(value, "life", None), "life.")):
        for name, (low, high) in bounds.get(type(part), {}).items():
            number = getattr(part, name)
            if number is not None and not low <= number <= high:
                upper = "up" if high == math.inf else f"to {high:g}"
                problem = f"{number!r} is not a number from {low:g} {upper}"
                raise InvalidInput(f"{prefix}{name}", problem)


@contextmanager
def on_line(number: int) -> Iterator[None]:
    """What is wrong in this block is wrong on that line."""
    try:
        yield
    except InvalidInput as problem:
        field = problem.field.removeprefix("line 1: ")
        raise InvalidInput(f"line {number}: {field}", problem.problem) from None


@cache
def _plan(type_: Any) -> tuple[Mapping[str, Reviver], tuple[str, ...]]:
    """How to revive each field, and which ones have to be there."""
    hints = typing.get_type_hints(type_)
    fields = dataclasses.fields(type_)
    needed = tuple(
        one.name
        for one in fields
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    )
    return {one.name: _reviver(hints[one.name]) for one in fields}, needed


@cache
def _reviver(hint: Any) -> Reviver:
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        inner = _reviver(next(one for one in typing.get_args(hint) if one is not types.NoneType))
        return lambda at, value: None if value is None else inner(at, value)
    if origin is tuple:
        return _tuple(_reviver(typing.get_args(hint)[0]))
    if hint in _PLAIN:
        return _PLAIN[hint]
    if dataclasses.is_dataclass(hint):
        return lambda at, value: revived(typing.cast("Any", hint), value, at)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice(hint)
    return _mapping


def _tuple(inner: Reviver) -> Reviver:
    def revive(at: str, value: Any) -> Any:
        if not isinstance(value, list):
            raise InvalidInput(at, "must be a list")
        return tuple([inner(at, one) for one in value])

    return revive


def _choice(type_: type[Enum]) -> Reviver:
    members = {one.value: one for one in type_}

    def revive(at: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in members:
            raise InvalidInput(at, f"{_shown(value)} is not one of: {', '.join(members)}")
        return members[value]

    return revive


def _text(at: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(at, f"{_shown(value)} is not text")
    return value if value.isascii() else unbroken(at, value)


def _truth(at: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(at, f"{_shown(value)} is not true or false")
    return value


def _whole(at: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST:
        raise InvalidInput(at, f"{_shown(value)} is not a whole number of 64 bits")
    return value


def _number(at: str, value: Any) -> float:
    """A whole number stays one: it is written down as it was."""
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, float):
        raise InvalidInput(at, f"{_shown(value)} is not a number")
    return _whole(at, value)


def _plain(at: str, value: Any) -> Any:
    """A text, a number, yes or no, or nothing."""
    if value is None or isinstance(value, bool):
        return value
    return _text(at, value) if isinstance(value, str) else _number(at, value)


def _moment(at: str, value: Any) -> datetime:
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
        if parsed is not None and parsed.tzinfo is not None and parsed.utcoffset() is not None:
            return parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(at, f"{_shown(value)} is not a date and time with its offset")


def _day(at: str, value: Any) -> date:
    try:
        if isinstance(value, str):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise InvalidInput(at, f"{_shown(value)} is not a day")


def _mapping(at: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(at, "must be an object")
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise InvalidInput(at, "holds what cannot be kept as JSON text") from None
    return value


def json_object(
    field: str, value: object, longest: int, *, deepest: int, check: Callable[[str, str], object]
) -> dict[str, Any]:
    """A copy of a mapping as JSON has it, which is nobody else's, if there is one, it is neither too long nor too
    deep, and `check` takes every text in it by its place."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a JSON object, not {type(value).__name__}")
    try:
        text = json.dumps(to_record(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise InvalidInput(field, f"cannot be kept as JSON: {problem}") from None
    if len(text) > longest:
        raise InvalidInput(
            field, f"has {len(text):,} characters of JSON; at most {longest:,} are taken"
        )
    kept: dict[str, Any] = json.loads(text)
    for depth, place, inner in _inside(field, kept):
        if depth > deepest:
            raise InvalidInput(place, f"is nested more than {deepest} levels deep")
        if isinstance(inner, str):
            check(place, inner)
    return kept


def _inside(place: str, value: object, depth: int = 0) -> Iterator[tuple[int, str, object]]:
    """All that a value of JSON holds, names as well, each with how deep it lies and where."""
    yield depth, place, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield depth, place, name
            yield from _inside(f"{place}.{name}", inner, depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _inside(f"{place}[{number}]", inner, depth + 1)


def _within(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


_PLAIN: Final[Mapping[Any, Reviver]] = {
    str: _text,
    bool: _truth,
    int: _whole,
    float: _number,
    datetime: _moment,
    date: _day,
    Any: _plain,
}
