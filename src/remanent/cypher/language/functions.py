"""The functions of the language, over many rows at once or of values: an unknown argument gives unknown."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any, Final, TypeVar

from remanent.cypher.language import tree
from remanent.cypher.language.moments import Duration
from remanent.cypher.language.picture import Edge, Node, Path, Thing, iso, key_of
from remanent.cypher.language.values import (
    MOST_ITEMS,
    bounded_list,
    bounded_text,
    identity,
    is_number,
    order,
    sort_of,
    whole,
)
from remanent.errors import BadQuery, QueryLimit

# What is left of the values of a group once the unknown ones are gone, and further arguments.
Aggregate = Callable[[list[Any], list[Any]], Any]


def numbers(name: str, values: list[Any]) -> list[Any]:
    """The arguments of a function or sign that takes numbers."""
    odd = next((one for one in values if not is_number(one)), None)
    if odd is not None:
        raise BadQuery(f"{name} takes numbers, not {sort_of(odd)}")
    return values


def _sum(values: list[Any], _: list[Any]) -> Any:
    if values and all(isinstance(one, Duration) for one in values):
        total = Duration()
        for one in values:
            total = total.plus(one)
        return total
    total_number = sum(numbers("sum", values))
    return whole(total_number) if isinstance(total_number, int) else total_number


def _avg(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    total = _sum(values, more)
    return total.times(1 / len(values)) if isinstance(total, Duration) else total / len(values)


def _spread(values: list[Any], less: int) -> float:
    count = len(numbers("stDev", values))
    if count <= less:
        return 0.0
    mean = sum(values) / count
    return math.sqrt(sum((one - mean) ** 2 for one in values) / (count - less))


def _percentile(values: list[Any], more: list[Any]) -> tuple[list[Any], float]:
    share = more[0] if more else None
    if not is_number(share) or share is None or not 0 <= share <= 1:
        raise BadQuery("a percentile is a number from 0 to 1")
    return sorted(numbers("percentile", values)), share


def _percentile_cont(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    ordered, share = _percentile(values, more)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _percentile_disc(values: list[Any], more: list[Any]) -> Any:
    if not values:
        return None
    ordered, share = _percentile(values, more)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


AGGREGATES: Final[Mapping[str, Aggregate]] = {
    "count": lambda values, _: len(values),
    "collect": lambda values, _: bounded_list(list(values)),
    "sum": _sum,
    "avg": _avg,
    "min": lambda values, _: min(values, key=order, default=None),
    "max": lambda values, _: max(values, key=order, default=None),
    "stdev": lambda values, _: _spread(values, 1),
    "stdevp": lambda values, _: _spread(values, 0),
    "percentilecont": _percentile_cont,
    "percentiledisc": _percentile_disc,
}


def aggregates_in(expr: Any) -> list[tree.Call]:
    """The outermost aggregating calls; what a subquery counts is its own affair."""
    if isinstance(expr, tree.Call) and expr.name in AGGREGATES:
        return [expr]
    if isinstance(expr, tree.Subquery):
        return []
    return [found for one in tree.children(expr) for found in aggregates_in(one)]


class Gathering:
    """One aggregate over the rows of one group."""

    __slots__ = ("_distinct", "_how", "_more", "_seen", "_values")

    def __init__(self, name: str, *, distinct: bool) -> None:
        self._how = AGGREGATES[name]
        self._distinct = distinct
        self._seen: set[Any] = set()
        self._values: list[Any] = []
        self._more: list[Any] = []

    def take(self, value: Any, more: list[Any]) -> None:
        """One more row; what is unknown is passed over."""
        if value is None:
            return
        self._more = more
        if self._distinct:
            known = identity(value)
            if known in self._seen:
                return
            self._seen.add(known)
        self._values.append(value)

    @property
    def result(self) -> Any:
        return self._how(self._values, self._more)


Function = Callable[..., Any]
T = TypeVar("T")
MOST_PATTERN: Final = 1000


def text_of(name: str, value: Any) -> str:
    """The argument as text; times are written out, other things are refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, (date, time)):
        return as_text(value)
    raise BadQuery(f"{name} takes text, not {sort_of(value)}")


def number_of(name: str, value: Any) -> float | int:
    if not is_number(value):
        raise BadQuery(f"{name} takes a number, not {sort_of(value)}")
    number: float | int = value
    return number


def whole_of(name: str, value: Any) -> int:
    if isinstance(value, bool):
        raise BadQuery(f"{name} takes a whole number, not {sort_of(value)}")
    return _of(int, "a whole number", name, value)


def list_of(name: str, value: Any) -> list[Any]:
    return _of(list, "a list", name, value)


def _of(type_: type[T], what: str, name: str, value: Any) -> T:
    """The argument of a function, which takes only what is of that type."""
    if not isinstance(value, type_):
        raise BadQuery(f"{name} takes {what}, not {sort_of(value)}")
    return value


def as_text(value: Any) -> str:
    """`toString`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (date, time)):
        return iso(value)
    if isinstance(value, (str, int, float, Duration)):
        return str(value)
    raise BadQuery(f"toString takes a plain value, not {sort_of(value)}")


# -- text -------------------------------------------------------------------------------------


def _texts(name: str, change: Callable[..., Any]) -> Function:
    return lambda *given: change(*(text_of(name, one) for one in given))


def _replace(value: Any, old: Any, new: Any) -> str:
    text, old, new = (text_of("replace", one) for one in (value, old, new))
    if not old:
        return text
    if len(text) + text.count(old) * (len(new) - len(old)) > MOST_ITEMS:
        raise QueryLimit("size", f"a text would grow past {MOST_ITEMS:,} characters")
    return text.replace(old, new)


def _substring(value: Any, start: Any, length: Any = None) -> str:
    text, first = text_of("substring", value), whole_of("substring", start)
    size = len(text) if length is None else whole_of("substring", length)
    if first < 0 or size < 0:
        raise BadQuery("substring takes no negative numbers")
    return text[first : first + size]


def _left(value: Any, length: Any) -> str:
    return text_of("left", value)[: max(0, whole_of("left", length))]


def _right(value: Any, length: Any) -> str:
    size = max(0, whole_of("right", length))
    return text_of("right", value)[-size:] if size else ""


def _split(value: Any, by: Any) -> list[Any]:
    text, sign = text_of("split", value), text_of("split", by)
    return bounded_list(text.split(sign) if sign else list(text))


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, list) else text_of("reverse", value)[::-1]


def matches(text: Any, pattern: Any) -> bool | None:
    """`text =~ pattern`: the whole text, as on Neo4j."""
    if not isinstance(text, (str, date)) or not isinstance(pattern, str):
        return None
    if len(pattern) > MOST_PATTERN:
        raise QueryLimit("size", f"a regular expression has more than {MOST_PATTERN} characters")
    try:
        return re.fullmatch(pattern, as_text(text)) is not None
    except (re.error, OverflowError) as problem:
        raise BadQuery(f"{pattern[:60]!r} is not a regular expression: {problem}") from None


# -- conversions ------------------------------------------------------------------------------


def _to_integer(value: Any) -> int | None:
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, str):
        value = _to_float(value)
    if not isinstance(value, float) or not math.isfinite(value):
        return None
    return whole(int(value))


def _to_float(value: Any) -> float | None:
    if is_number(value):
        return float(value)
    try:
        return float(value) if isinstance(value, str) and "_" not in value else None
    except ValueError:
        return None


def _to_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value != 0
    text = value.strip().lower() if isinstance(value, str) else ""
    return {"true": True, "false": False}.get(text)


# -- lists, nodes and paths -------------------------------------------------------------------


def _size(value: Any) -> int:
    if isinstance(value, (str, list, Mapping)):
        return len(value)
    raise BadQuery(f"size takes a list or text, not {sort_of(value)}")


def _range(first: Any, last: Any, step: Any = 1) -> list[int]:
    start, end, by = (whole_of("range", one) for one in (first, last, step))
    if by == 0:
        raise BadQuery("range takes no step of 0")
    made = range(start, end + (1 if by > 0 else -1), by)
    if len(made) > MOST_ITEMS:
        raise QueryLimit("size", f"range would make more than {MOST_ITEMS:,} numbers")
    return list(made)


def _end(name: str, value: Any, place: int) -> Any:
    items = list_of(name, value)
    return items[place] if items else None


def _edge(name: str, value: Any) -> Edge:
    return _of(Edge, "a relationship", name, value)


def _path(name: str, value: Any) -> Path:
    return _of(Path, "a path", name, value)


def _thing(name: str, value: Any) -> Thing:
    return _of(Thing, "a node or a relationship", name, value)


def properties_of(value: Any) -> Mapping[str, Any]:
    """What `properties(value)` gives."""
    if isinstance(value, Thing):
        return dict(value.properties)
    if isinstance(value, Mapping):
        return value
    raise BadQuery(f"properties takes a node, a relationship or a map, not {sort_of(value)}")


def _length(value: Any) -> int:
    return len(value.edges) if isinstance(value, Path) else _size(value)


# -- numbers ----------------------------------------------------------------------------------


def _numeric(name: str, change: Callable[..., float]) -> Function:
    def call(*given: Any) -> float:
        given = tuple(float(number_of(name, one)) for one in given)
        try:
            return change(*given)
        except (ValueError, OverflowError):
            return math.nan

    return call


def _absolute(value: Any) -> Any:
    number = abs(number_of("abs", value))
    return whole(number) if isinstance(number, int) else number


def _sign(value: Any) -> int:
    number = number_of("sign", value)
    return (number > 0) - (number < 0)


def _round(value: Any, places: Any = 0) -> float:
    """Halves go up, as on Neo4j."""
    number, digits = float(number_of("round", value)), whole_of("round", places)
    if not math.isfinite(number) or not 0 <= digits <= 15:
        return number
    scale = float(10**digits)
    return math.floor(number * scale + 0.5) / scale


FUNCTIONS: Final[Mapping[str, tuple[int, int, Function]]] = {
    # text: fewest and most arguments, and what to call
    "tolower": (1, 1, _texts("toLower", str.lower)),
    "lower": (1, 1, _texts("lower", str.lower)),
    "toupper": (1, 1, _texts("toUpper", str.upper)),
    "upper": (1, 1, _texts("upper", str.upper)),
    "trim": (1, 1, _texts("trim", str.strip)),
    "ltrim": (1, 1, _texts("ltrim", str.lstrip)),
    "rtrim": (1, 1, _texts("rtrim", str.rstrip)),
    "btrim": (1, 2, _texts("btrim", str.strip)),
    "normalize": (1, 1, _texts("normalize", lambda one: unicodedata.normalize("NFC", one))),
    "replace": (3, 3, _replace),
    "substring": (2, 3, _substring),
    "left": (2, 2, _left),
    "right": (2, 2, _right),
    "split": (2, 2, _split),
    "reverse": (1, 1, _reverse),
    "char_length": (1, 1, _texts("char_length", len)),
    "character_length": (1, 1, _texts("character_length", len)),
    "tostring": (1, 1, lambda one: bounded_text(as_text(one))),
    "tostringornull": (1, 1, lambda one: None if isinstance(one, (list, Mapping)) else as_text(one)),
    "tointeger": (1, 1, _to_integer),
    "toint": (1, 1, _to_integer),
    "tointegerornull": (1, 1, _to_integer),
    "tofloat": (1, 1, _to_float),
    "tofloatornull": (1, 1, _to_float),
    "toboolean": (1, 1, _to_boolean),
    "tobooleanornull": (1, 1, _to_boolean),
    # lists, nodes, relationships, paths
    "size": (1, 1, _size),
    "length": (1, 1, _length),
    "isempty": (1, 1, lambda one: _size(one) == 0),
    "range": (2, 3, _range),
    "head": (1, 1, lambda one: _end("head", one, 0)),
    "last": (1, 1, lambda one: _end("last", one, -1)),
    "tail": (1, 1, lambda one: list_of("tail", one)[1:]),
    "tostringlist": (1, 1, lambda one: [None if i is None else as_text(i) for i in list_of("toStringList", one)]),
    "tointegerlist": (1, 1, lambda one: [_to_integer(i) for i in list_of("toIntegerList", one)]),
    "tofloatlist": (1, 1, lambda one: [_to_float(i) for i in list_of("toFloatList", one)]),
    "labels": (1, 1, lambda one: [_of(Node, "a node", "labels", one).label]),
    "type": (1, 1, lambda one: _edge("type", one).type),
    "startnode": (1, 1, lambda one: _edge("startNode", one).start),
    "endnode": (1, 1, lambda one: _edge("endNode", one).end),
    "nodes": (1, 1, lambda one: list(_path("nodes", one).nodes)),
    "relationships": (1, 1, lambda one: list(_path("relationships", one).edges)),
    "rels": (1, 1, lambda one: list(_path("rels", one).edges)),
    "properties": (1, 1, properties_of),
    "keys": (1, 1, lambda one: sorted(properties_of(one))),
    "id": (1, 1, lambda one: _thing("id", one).id),
    "elementid": (1, 1, lambda one: key_of(_thing("elementId", one))),
    # numbers
    "abs": (1, 1, _absolute),
    "sign": (1, 1, _sign),
    "round": (1, 2, _round),
    "ceil": (1, 1, _numeric("ceil", lambda one: float(math.ceil(one)))),
    "floor": (1, 1, _numeric("floor", lambda one: float(math.floor(one)))),
    "sqrt": (1, 1, _numeric("sqrt", math.sqrt)),
    "exp": (1, 1, _numeric("exp", math.exp)),
    "log": (1, 1, _numeric("log", math.log)),
    "log10": (1, 1, _numeric("log10", math.log10)),
    "sin": (1, 1, _numeric("sin", math.sin)),
    "cos": (1, 1, _numeric("cos", math.cos)),
    "tan": (1, 1, _numeric("tan", math.tan)),
    "asin": (1, 1, _numeric("asin", math.asin)),
    "acos": (1, 1, _numeric("acos", math.acos)),
    "atan": (1, 1, _numeric("atan", math.atan)),
    "atan2": (2, 2, _numeric("atan2", math.atan2)),
    "degrees": (1, 1, _numeric("degrees", math.degrees)),
    "radians": (1, 1, _numeric("radians", math.radians)),
    "isnan": (1, 1, lambda one: math.isnan(number_of("isNaN", one))),
    "pi": (0, 0, lambda: math.pi),
    "e": (0, 0, lambda: math.e),
}  # fmt: skip
