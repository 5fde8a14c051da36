"""Dataclasses to plain JSON values and back: one codec for every store and for export."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast

from remanent.model.anchor import Concept, Entity, Person
from remanent.model.belief import Belief
from remanent.model.event import EventNode
from remanent.model.node import Kind, Node
from remanent.model.source import Artifact, Source
from remanent.model.story import Macro, Storyline, Summary

T = TypeVar("T")

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
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {f.name: to_record(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    if isinstance(thing, Enum):
        return thing.value
    if isinstance(thing, date):  # a datetime is a date
        return thing.isoformat()
    if isinstance(thing, Mapping):
        return {str(name): to_record(value) for name, value in thing.items()}
    if isinstance(thing, (tuple, list, frozenset, set)):
        return [to_record(one) for one in thing]
    return thing


def from_record(type_: type[T], record: Mapping[str, Any]) -> T:
    """The `type_` that `to_record` took apart. Unknown names are left out: an older reader may meet them."""
    hints = _hints(cast("Any", type_))
    return type_(
        **{name: _revive(hints[name], value) for name, value in record.items() if name in hints}
    )


@cache
def _hints(type_: Any) -> dict[str, Any]:
    wanted = {f.name for f in dataclasses.fields(type_)}
    return {name: hint for name, hint in typing.get_type_hints(type_).items() if name in wanted}


def _revive(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _revive(
            next(one for one in typing.get_args(hint) if one is not types.NoneType), value
        )
    if origin is tuple:
        inner = typing.get_args(hint)[0]
        return tuple(_revive(inner, one) for one in value)
    if isinstance(hint, type):
        return _revive_plain(hint, value)
    return value


def _revive_plain(hint: type, value: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        return from_record(hint, value)
    if issubclass(hint, Enum):
        return hint(value)
    if issubclass(hint, date):
        return hint.fromisoformat(value)
    return value
