"""Bounds of what may be asked: how deep, how long, how much of it may be wrong at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, FailFast, model_validator

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
    found = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return (inner for inner in found if isinstance(inner, dict | list))


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

    def given(self, *without: str) -> dict[str, Any]:
        """What was said, as a verb takes it."""
        return {
            name: getattr(self, name) for name in type(self).model_fields if name not in without
        }
