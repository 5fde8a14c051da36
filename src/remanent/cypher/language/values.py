"""Values: when two are equal, which comes first, and what counts as the same."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, Final

from remanent.cypher.language.moments import Duration, as_date, as_moment
from remanent.cypher.language.picture import Edge, Node, Path
from remanent.errors import BadQuery, QueryLimit

MOST_CHARACTERS: Final = 1_000_000
MOST_ITEMS: Final = 1_000_000
_LARGEST: Final = 2**63
_SIGNS: Final = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def sort_of(value: Any) -> str:
    """What people call a value of that kind."""
    kinds: tuple[tuple[Any, str], ...] = (
        (type(None), "null"), (bool, "a truth value"), (int, "a whole number"), (float, "a number"),
        (str, "text"), (list, "a list"), (Mapping, "a map"), (Node, "a node"),
        (Edge, "a relationship"), (Path, "a path"), (Duration, "a duration"),
        (datetime, "a time"), (date, "a date"), (time, "a time of day"),
    )  # fmt: skip
    return next((name for kind, name in kinds if isinstance(value, kind)), "a value")


def whole(value: int) -> int:
    """A whole number that fits into 64 bits."""
    if not -_LARGEST <= value < _LARGEST:
        raise BadQuery("a whole number has left the range of 64 bits")
    return value


def bounded_text(value: str) -> str:
    if len(value) > MOST_CHARACTERS:
        raise QueryLimit("size", f"a text has grown past {MOST_CHARACTERS:,} characters")
    return value


def bounded_list(value: list[Any]) -> list[Any]:
    if len(value) > MOST_ITEMS:
        raise QueryLimit("size", f"a list has grown past {MOST_ITEMS:,} items")
    return value


# -- equality: true, false or unknown ---------------------------------------------------------


def equal(left: Any, right: Any) -> bool | None:
    """Whether they are equal; None where one of them, or a part, is unknown."""
    if left is None or right is None:
        return None
    if isinstance(left, list) and isinstance(right, list):
        return _equal_lists(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _equal_maps(left, right)
    if is_number(left) and is_number(right):
        return bool(left == right)
    left, right = alike(left, right)
    if left is None or right is None or type(left) is not type(right):
        return False
    return bool(left == right)


def _equal_lists(left: list[Any], right: list[Any]) -> bool | None:
    if len(left) != len(right):
        return False
    return all_of(equal(one, other) for one, other in zip(left, right, strict=True))


def _equal_maps(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool | None:
    if left.keys() != right.keys():
        return False
    return all_of(equal(left[name], right[name]) for name in left)


def all_of(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all are true; None where none is false and one is unknown."""
    unknown = False
    for verdict in verdicts:
        if verdict is False:
            return False
        unknown = unknown or verdict is None
    return None if unknown else True


def alike(left: Any, right: Any) -> tuple[Any, Any]:
    """Both as one kind where one is a time and the other says one: agents write times as text."""
    if isinstance(left, datetime) or isinstance(right, datetime):
        return _as_moments(left, right)
    if type(left) is date or type(right) is date:
        return as_date(left), as_date(right)
    return left, right


def _as_moments(left: Any, right: Any) -> tuple[Any, Any]:
    first, second = as_moment(left), as_moment(right)
    if first is None or second is None or (first.tzinfo is None) != (second.tzinfo is None):
        return None, None
    return first, second


# -- order ------------------------------------------------------------------------------------


def compare(sign: str, left: Any, right: Any) -> bool | None:
    """`left sign right`; None where that is unknown or the two cannot be compared."""
    if sign in ("=", "<>"):
        verdict = equal(left, right)
        return verdict if sign == "=" or verdict is None else not verdict
    pair = _comparable(left, right)
    return None if pair is None else bool(_SIGNS[sign](*pair))


def _comparable(left: Any, right: Any) -> tuple[Any, Any] | None:
    if left is None or right is None:
        return None
    if is_number(left) and is_number(right):
        return left, right
    if isinstance(left, list) and isinstance(right, list):
        return [order(one) for one in left], [order(one) for one in right]
    left, right = alike(left, right)
    if type(left) is not type(right) or not isinstance(left, (str, bool, date, time)):
        return None
    return left, right


_RANKS: Final = (
    (Mapping, 0), (Node, 1), (Edge, 2), (list, 3), (Path, 4), (datetime, 5), (date, 6), (time, 7),
    (Duration, 8), (str, 9), (bool, 10),
)  # fmt: skip


def order(value: Any) -> tuple[Any, ...]:
    """A key by which all values can be put in order, whatever they are; unknown comes last."""
    if value is None:
        return (99,)
    if is_number(value):
        return (12, 0) if math.isnan(value) else (11, value)
    rank = next((rank for kind, rank in _RANKS if isinstance(value, kind)), 98)
    return (rank, _inner_order(value))


def _inner_order(value: Any) -> Any:  # noqa: PLR0911 - one for each kind of value
    match value:
        case Node() | Edge():
            return value.id
        case list():
            return [order(one) for one in value]
        case Path():
            return [one.id for one in value.nodes]
        case Duration():
            return value.rough_seconds
        case datetime(tzinfo=None):
            return value.replace(tzinfo=UTC)
        case Mapping():
            return sorted((name, order(one)) for name, one in value.items())
        case _:
            return value


# -- sameness, for DISTINCT and for groups ----------------------------------------------------


def identity(value: Any) -> Any:
    """Two values are the same thing when their identities are equal; unknown is the same as unknown."""
    match value:
        case bool() | None:
            return (type(value).__name__, value)
        case Node() | Edge():
            return (type(value).__name__, value.id)
        case list():
            return ("list", tuple(identity(one) for one in value))
        case Path():
            return ("path", value.nodes[0].id, tuple(one.id for one in value.edges))
        case Mapping():
            return ("map", tuple(sorted((name, identity(one)) for name, one in value.items())))
        case _:
            return value
