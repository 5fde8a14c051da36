"""Items: which values can be kept, which ones a filter wants, and which namespaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from remanent.core.checks import plain
from remanent.core.dataclasses import dataclass
from remanent.core.decode import json_object
from remanent.core.records.item import Namespace, Put
from remanent.errors import InvalidInput

ANY: Final = "*"
LONGEST_VALUE: Final = 1_000_000  # characters of JSON
_LONGEST_NAME: Final = 500
_DEEPEST: Final = 60
_LONGEST_TTL: Final = 60 * 24 * 366 * 100  # minutes
_FILTER_KEY: Final = re.compile(r"[\w$@/:+ -]+(\.[\w$@/:+ -]+)*")
_ORDER: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
}


def checked(put: Put) -> Put:
    """The wish with a value that JSON can hold, a copy that is nobody else's."""
    namespace = tuple(_name("namespace", one) for one in put.namespace)
    if not namespace:
        raise InvalidInput("namespace", "is empty")
    ttl = None if put.value is None else put.ttl_minutes
    if ttl is not None and not 0 <= _number("ttl", ttl) <= _LONGEST_TTL:
        raise InvalidInput("ttl", f"{ttl!r} is not a number of minutes from 0 to {_LONGEST_TTL}")
    value = put.value
    if value is not None:
        value = json_object("value", value, LONGEST_VALUE, deepest=_DEEPEST, check=_insist_whole)
    return Put(
        namespace=namespace,
        key=_name("key", put.key),
        value=value,
        paths=put.paths,
        ttl_minutes=None if ttl is None else float(ttl),
    )


def _name(field: str, value: object) -> str:
    text = plain(field, value)
    if not text or len(text) > _LONGEST_NAME:
        raise InvalidInput(field, f"must be 1 to {_LONGEST_NAME} characters")
    return text


def _number(field: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(field, f"{value!r} is not a number")
    return value


def _insist_whole(field: str, text: str) -> None:
    if any("\ud800" <= one <= "\udfff" for one in text):
        raise InvalidInput(field, "holds half of a character (a lone surrogate)")


def fits(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether the value has all that the filter asks for. A key is a name, or a path with dots."""
    return all(_matches(at(value, key), want) for key, want in (wanted or {}).items())


def check_filter(wanted: Mapping[str, Any] | None) -> None:
    """Refuse a filter that could not be meant."""
    for key, want in (wanted or {}).items():
        if not _FILTER_KEY.fullmatch(str(key)):
            raise InvalidInput("filter", f"Invalid filter key: {key!r}")
        _check_operators(want)


def _check_operators(want: object) -> None:
    if not isinstance(want, Mapping):
        return
    signs = [key for key in want if str(key).startswith("$")]
    for sign in signs:
        if sign not in _ORDER and sign not in ("$eq", "$ne"):
            raise InvalidInput("filter", f"Unsupported operator: {sign!r}")
    for inner in () if signs else want.values():
        _check_operators(inner)


def at(value: object, path: str) -> Any:
    """What stands under that name, or else at that path of names; None where there is nothing."""
    if not isinstance(value, Mapping):
        return None
    if path in value:
        return value[path]
    first, _, rest = path.partition(".")
    return at(value.get(first), rest) if rest else None


def _matches(value: Any, want: Any) -> bool:
    if isinstance(want, Mapping):
        if any(str(key).startswith("$") for key in want):
            return all(_passes(value, sign, bound) for sign, bound in want.items())
        return isinstance(value, Mapping) and all(
            _matches(value.get(key), inner) for key, inner in want.items()
        )
    if isinstance(want, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(want)
        return same and all(map(_matches, value, want))
    return equal(value, want)


def _passes(value: Any, sign: str, bound: Any) -> bool:
    if sign == "$eq":
        return _matches(value, bound)
    if sign == "$ne":
        return not _matches(value, bound)
    return ordered(value, sign, bound)


def equal(one: Any, other: Any) -> bool:
    """As JSON has it: true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def ordered(value: Any, sign: str, bound: Any) -> bool:
    """Numbers against numbers and texts against texts; anything else has no order."""
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (value, bound))
    texts = isinstance(value, str) and isinstance(bound, str)
    return (numbers or texts) and _ORDER[sign](value, bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceQuery:
    """Which namespaces are wanted: those that begin and end so, where `*` is any one label, cut off
    after `max_depth` labels."""

    prefixes: Sequence[Namespace] = ()
    suffixes: Sequence[Namespace] = ()
    max_depth: int | None = None

    def of(self, namespaces: Sequence[Namespace]) -> list[Namespace]:
        """Those that are wanted, each once, in order."""
        prefixes = {
            one[: self.max_depth]
            for one in namespaces
            if all(_begins(one, path) for path in self.prefixes)
            and all(_begins(one[::-1], path[::-1]) for path in self.suffixes)
        }
        return sorted(prefixes)


def _begins(namespace: Namespace, path: Namespace) -> bool:
    labels = zip(namespace, path, strict=False)
    return len(namespace) >= len(path) and all(want in (ANY, label) for label, want in labels)


def words(value: object) -> str:
    """All that a value says in words, one text after the other: what the built-in embedder is given."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return ". ".join(text for text in map(words, value) if text)
    return "" if value is None or isinstance(value, bool) else str(value)
