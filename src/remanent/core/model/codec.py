"""Dataclasses to plain JSON values and back: one codec for every store and for export."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

from remanent.core.model.anchor import Concept, Entity, Person
from remanent.core.model.belief import Belief
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind, Node
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline, Summary

T = TypeVar("T")
_Revive = Callable[[Any], Any]
_PLAIN: Final = frozenset({str, int, float, bool, types.NoneType})

NODE_TYPES: Mapping[Kind, type[Node]] = {
    one.kind: one
    for one in (
        Person,
        Concept,
        Entity,
        Source,
        Artifact,
        Storyline,
        Macro,
        Belief,
        EventNode,
        Summary,
    )
}


def to_record(thing: Any) -> Any:
    """`thing` as dicts, lists, strings, numbers, booleans and None. Times become ISO text."""
    type_: Any = type(thing)
    return thing if type_ in _PLAIN else _taker(type_)(thing)


@cache
def _taker(type_: Any) -> Callable[[Any], Any]:
    """How a thing of this type is taken apart. Made once for each: an answer is mostly this."""
    if dataclasses.is_dataclass(type_):
        fields = dataclasses.fields(type_)
        # Of fields that came later None is left out, so that older records stay what they were.
        sparse = [one.name for one in fields if one.metadata.get("sparse")]
        return partial(_fields_apart, [one.name for one in fields], sparse)
    if issubclass(type_, Enum):
        return attrgetter("_value_")  # `value` is much slower
    if issubclass(type_, date):  # a datetime is a date
        return cast("Any", type_).isoformat  # type: ignore[no-any-return]
    if issubclass(type_, Mapping):
        return lambda thing: {str(name): to_record(value) for name, value in thing.items()}
    if issubclass(type_, (frozenset, set)):
        return lambda thing: sorted(map(to_record, thing), key=str)
    is_row = issubclass(type_, (tuple, list))
    return lambda thing: list(map(to_record, thing)) if is_row else thing


def _fields_apart(names: Sequence[str], sparse: Sequence[str], thing: Any) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name in names:
        one = getattr(thing, name)
        type_: Any = type(one)
        record[name] = one if type_ in _PLAIN else _taker(type_)(one)
    for name in sparse:
        if record[name] is None:
            del record[name]
    return record


def from_record(
    type_: type[T],
    record: Mapping[str, Any],
    *,
    ready: Mapping[str, Any] = types.MappingProxyType({}),
) -> T:
    """The `type_` that `to_record` took apart. Unknown names are left out: an older reader may meet them.

    `ready` are values of fields that `record` does not hold, taken as they are.
    """
    known, revivers = _plan(cast("Any", type_))
    if known.issuperset(record):
        values = dict(record)
    else:
        values = {name: value for name, value in record.items() if name in known}
    for name, revive in revivers:
        value = values.get(name)
        if value is not None:
            values[name] = revive(value)
    return type_(**values, **ready)


@cache
def _plan(type_: Any) -> tuple[frozenset[str], tuple[tuple[str, _Revive], ...]]:
    """The names of the fields, and how to revive those whose plain value is not the real one.

    Made once for each type: reading many nodes is mostly this, and type hints are slow to look into.
    """
    hints = typing.get_type_hints(type_)
    names = [one.name for one in dataclasses.fields(type_)]
    how = ((name, _reviver(hints[name])) for name in names)
    return frozenset(names), tuple((name, one) for name, one in how if one is not None)


def _reviver(hint: Any) -> _Revive | None:
    """How to revive a value that is not None; None when it is its own plain value."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _reviver(next(one for one in typing.get_args(hint) if one is not types.NoneType))
    if origin is tuple:
        return _tuple_reviver(_reviver(typing.get_args(hint)[0]))
    if not isinstance(hint, type):
        return None
    if dataclasses.is_dataclass(hint):
        return partial(from_record, hint)
    if issubclass(hint, Enum):
        return _enum_reviver(hint)
    return hint.fromisoformat if issubclass(hint, date) else None


def _tuple_reviver(revive: _Revive | None) -> _Revive:
    if revive is None:
        return tuple
    return lambda values: tuple([None if one is None else revive(one) for one in values])


def _enum_reviver(type_: type[Enum]) -> _Revive:
    members = {one.value: one for one in type_}  # asking the enum itself is much slower
    return lambda value: members.get(value) or type_(value)
