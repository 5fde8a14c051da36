"""Filters: mem0's language for which memories are meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from remanent.errors import InvalidInput
from remanent.items.rules import equal, ordered

IDS: Final = ("user_id", "agent_id", "app_id", "run_id")
ANY: Final = "*"
_DEEPEST: Final = 20
_JOINED: Final[Mapping[str, Callable[[list[bool]], bool]]] = {
    "AND": all,
    "OR": any,
    "NOT": lambda found: not any(found),
}
_MOMENTS: Final = frozenset({"created_at", "updated_at", "timestamp"})
_PLAIN: Final = frozenset({*IDS, *_MOMENTS, "id", "memory", "categories", "expiration_date"})
_OTHER_NAMES: Final = {"memory_ids": "id", "keywords": "memory"}
_ORDERS: Final = ("gt", "gte", "lt", "lte")


def fits(memory: Mapping[str, Any], wanted: Mapping[str, Any] | None, depth: int = 0) -> bool:
    """Whether a memory is one of those that are meant."""
    if depth > _DEEPEST:
        raise InvalidInput("filters", f"are nested more than {_DEEPEST} levels deep")
    return all(_meets(memory, str(name), want, depth) for name, want in (wanted or {}).items())


def _meets(memory: Mapping[str, Any], name: str, want: Any, depth: int) -> bool:
    join = _JOINED.get(name.lstrip("$").upper())
    if join is not None:
        return join([fits(memory, _part(name, one), depth + 1) for one in _parts(want)])
    if name == "metadata":
        there = memory.get("metadata") or {}
        return all(_holds(there.get(key), one) for key, one in _part(name, want).items())
    name = _OTHER_NAMES.get(name, name)
    if name in _PLAIN:
        return _holds(memory.get(name), want, is_moment=name in _MOMENTS)
    return _holds(
        (memory.get("metadata") or {}).get(name), want
    )  # as the open-source server has it


def _parts(want: Any) -> Sequence[Any]:
    return want if isinstance(want, list | tuple) else [want]


def _part(name: str, one: Any) -> Mapping[str, Any]:
    if not isinstance(one, Mapping):
        raise InvalidInput("filters", f"{name} joins filters, each an object")
    return one


def _holds(found: Any, want: Any, *, is_moment: bool = False) -> bool:
    if isinstance(want, Mapping):
        return all(_operator(found, str(sign), bound, is_moment) for sign, bound in want.items())
    if want == ANY:
        return found not in (None, "", [])
    if isinstance(want, list | tuple):
        return any(_same(found, one) for one in want)
    return _same(found, want)


def _operator(found: Any, sign: str, bound: Any, is_moment: bool) -> bool:  # noqa: FBT001
    name = sign.lstrip("$")
    if name in _ORDERS:
        if is_moment and isinstance(found, str):
            found, bound = found[: len(str(bound))], str(bound)
        return ordered(found, f"${name}", bound)
    if name in ("contains", "icontains"):
        return _contains(found, bound, ignore_case=name == "icontains")
    if name in ("in", "nin"):
        return any(_same(found, one) for one in _parts(bound)) is (name == "in")
    if name in ("eq", "ne"):
        return _same(found, bound) is (name == "eq")
    raise InvalidInput("filters", f"there is no operator {sign!r}")


def _same(found: Any, want: Any) -> bool:
    """A list, like that of categories, has what is wanted in it."""
    if isinstance(found, list) and not isinstance(want, list):
        return any(equal(one, want) for one in found)
    return equal(found, want)


def _contains(found: Any, bound: Any, *, ignore_case: bool) -> bool:
    if isinstance(found, list):
        return any(_contains(one, bound, ignore_case=ignore_case) for one in found)
    one, other = str("" if found is None else found), str(bound)
    return other.casefold() in one.casefold() if ignore_case else other in one


def named_users(wanted: Mapping[str, Any] | None, depth: int = 0) -> frozenset[str] | None:
    """The users that alone can be meant; None: anyone may be."""
    if depth > _DEEPEST:
        raise InvalidInput("filters", f"are nested more than {_DEEPEST} levels deep")
    found: frozenset[str] | None = None
    for name, want in (wanted or {}).items():
        these = _users_in(str(name).lstrip("$"), want, depth)
        if these is not None:
            found = these if found is None else found & these
    return found


def _users_in(name: str, want: Any, depth: int) -> frozenset[str] | None:
    if name == "user_id":
        return _told(want)
    if name.upper() not in ("AND", "OR"):
        return None
    parts = [named_users(_part(name, one), depth + 1) for one in _parts(want)]
    known = [one for one in parts if one is not None]
    if name.upper() == "OR":
        return frozenset[str]().union(*known) if len(known) == len(parts) else None
    return frozenset.intersection(*known) if known else None


def _told(want: Any) -> frozenset[str] | None:
    if isinstance(want, Mapping):
        want = want.get("in", want.get("$in", want.get("eq", want.get("$eq", ANY))))
    one_or_more: Collection[Any] = want if isinstance(want, list | tuple) else [want]
    return None if ANY in one_or_more else frozenset(map(str, one_or_more))
