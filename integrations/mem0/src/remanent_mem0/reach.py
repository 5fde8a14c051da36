"""Filters, mem0's language for which memories are meant; and the reach of a request: whose it may touch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from fastapi import Request

from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.records.access import ApiKey, Power
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownUser
from remanent.items.rules import equal, ordered
from remanent.memory import Memory, UserMemory
from remanent.surfaces.http.caller import door_of, key_of, named_team, named_user

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


def _holds(actual: Any, want: Any, *, is_moment: bool = False) -> bool:
    if isinstance(want, Mapping):
        return all(_operator(actual, str(sign), bound, is_moment) for sign, bound in want.items())
    if want == ANY:
        return actual not in (None, "", [])
    if isinstance(want, list | tuple):
        return any(_same(actual, one) for one in want)
    return _same(actual, want)


def _operator(actual: Any, sign: str, bound: Any, is_moment: bool) -> bool:  # noqa: FBT001
    name = sign.lstrip("$")
    if name in _ORDERS:
        if is_moment and isinstance(actual, str):
            actual, bound = actual[: len(str(bound))], str(bound)
        return ordered(actual, f"${name}", bound)
    if name in ("contains", "icontains"):
        return _contains(actual, bound, ignore_case=name == "icontains")
    if name in ("in", "nin"):
        return any(_same(actual, one) for one in _parts(bound)) is (name == "in")
    if name in ("eq", "ne"):
        return _same(actual, bound) is (name == "eq")
    raise InvalidInput("filters", f"there is no operator {sign!r}")


def _same(actual: Any, want: Any) -> bool:
    """A list, like that of categories, has what is wanted in it."""
    if isinstance(actual, list) and not isinstance(want, list):
        return any(equal(one, want) for one in actual)
    return equal(actual, want)


def _contains(actual: Any, bound: Any, *, ignore_case: bool) -> bool:
    if isinstance(actual, list):
        return any(_contains(one, bound, ignore_case=ignore_case) for one in actual)
    one, other = str("" if actual is None else actual), str(bound)
    return other.casefold() in one.casefold() if ignore_case else other in one


def named_users(wanted: Mapping[str, Any] | None, depth: int = 0) -> frozenset[str] | None:
    """The users that alone can be meant; None: anyone may be."""
    if depth > _DEEPEST:
        raise InvalidInput("filters", f"are nested more than {_DEEPEST} levels deep")
    users: frozenset[str] | None = None
    for name, want in (wanted or {}).items():
        these = _users_in(str(name).lstrip("$"), want, depth)
        if these is not None:
            users = these if users is None else users & these
    return users


def _users_in(name: str, want: Any, depth: int) -> frozenset[str] | None:
    if name == "user_id":
        return _user_ids(want)
    if name.upper() not in ("AND", "OR"):
        return None
    parts = [named_users(_part(name, one), depth + 1) for one in _parts(want)]
    known = [one for one in parts if one is not None]
    if name.upper() == "OR":
        return frozenset[str]().union(*known) if len(known) == len(parts) else None
    return frozenset.intersection(*known) if known else None


def _user_ids(want: Any) -> frozenset[str] | None:
    if isinstance(want, Mapping):
        want = want.get("in", want.get("$in", want.get("eq", want.get("$eq", ANY))))
    one_or_more: Collection[Any] = want if isinstance(want, list | tuple) else [want]
    return None if ANY in one_or_more else frozenset(map(str, one_or_more))


KINDS: Final = ("agent", "app", "run")  # who owns what no user is named for: `agent:<id>`
_MOST_OWNERS: Final = 10_000


class UnknownMemory(NotFound):
    """No memory of that id that the caller may see."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"memory: there is none with the id {memory_id!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """One user's key reaches that user; a service's key, or none with `--dev`, reaches all, or the user
    that the request names beside it. Within a `team`, it reaches that team's members."""

    memory: Memory
    key: ApiKey | None
    own: str | None  # the one user that it acts for
    team: str | None
    now: datetime
    owners: OrderedDict[str, str]  # of memories, by id: where to look first

    def owner_for(self, ids: Mapping[str, str]) -> UserMemory:
        """Whose memory something new becomes part of, registered if it is their first."""
        named = ids.get("user_id")
        if self.own is not None:
            if named not in (None, self.own):
                raise Forbidden("this key acts for one user only")
            is_service = self.key is None or self.key.user_id is None
            return self._within(self.own, create=is_service)
        if named is None:
            kind = next((kind for kind in KINDS if f"{kind}_id" in ids), None)
            if kind is None:
                raise InvalidInput(
                    "user_id", "say whose memory this is: one of the ids is required"
                )
            named = f"{kind}:{ids[f'{kind}_id']}"
        return self._within(named, create=True)

    def users_for(self, wanted: Mapping[str, Any] | None) -> list[UserMemory]:
        """The users whose memories a filter can mean, of those that this key reaches."""
        named = named_users(wanted)
        if self.own is not None:
            if named is not None and self.own not in named:
                raise Forbidden("this key acts for one user only")
            return [self._within(self.own)]
        known = sorted(named) if named is not None else self.users()
        return [user for one in known if (user := self._known(one)) is not None]

    def users(self) -> list[str]:
        """Everyone this key reaches."""
        if self.own is not None:
            return [self.own]
        return sorted(user.user_id for user in self.memory.users())

    def find(self, memory_id: str, *, ended: bool = False) -> tuple[UserMemory, Belief]:
        """The memory of that id, and whose it is; one that has `ended` only where that is asked for."""
        users = self.users()
        first = self.owners.get(memory_id)
        for user_id in sorted(users, key=lambda user_id: user_id != first):
            user = self._known(user_id)
            belief = None if user is None else _belief(user, memory_id)
            if user is None or belief is None:
                continue
            self.owners[memory_id] = user.user_id
            while len(self.owners) > _MOST_OWNERS:
                self.owners.popitem(last=False)
            if belief.status is BeliefStatus.ACTIVE or ended:
                return user, belief
            break
        raise UnknownMemory(memory_id)

    def _known(self, user_id: str) -> UserMemory | None:
        """That user, if there is one, who is in the team that this is about."""
        if self.team is not None and not self._is_member(user_id, self.team):
            return None
        try:
            return self._within(user_id)
        except UnknownUser:
            return None

    def _is_member(self, user_id: str, team: str) -> bool:
        try:
            there = self.memory.user(user_id, create=False).within(None).teams()
        except UnknownUser:
            return False
        return any(one.team.team_id == team for one in there)

    def _within(self, user_id: str, *, create: bool = False) -> UserMemory:
        user = self.memory.user(user_id, create=create)
        return user if self.team is None else user.within(self.team)


def reach_of(request: Request, power: Power) -> Reach:
    """What the key of this request reaches, if it has that power."""
    key = key_of(request, power)
    state = request.app.state
    if not hasattr(state, "mem0_owners"):
        state.mem0_owners = OrderedDict()
    door = door_of(request)
    return Reach(
        memory=door.memory,
        key=key,
        own=named_user(request, key),
        team=named_team(request, key),
        now=door.clock.now(),
        owners=state.mem0_owners,
    )


def owner_ids(user_id: str) -> dict[str, str]:
    """The ids that a user stands for: their own, or that of an agent, app or run."""
    kind, _, name = user_id.partition(":")
    return {f"{kind}_id": name} if kind in KINDS and name else {"user_id": user_id}


def given_ids(*places: Mapping[str, Any] | None) -> dict[str, str]:
    """The ids in these, the first that has one; an empty one is none."""
    ids: dict[str, str] = {}
    for place in places:
        for name in IDS:
            value = (place or {}).get(name)
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                ids.setdefault(name, str(value))
    return ids


def every(places: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """One filter of several, all of which have to fit."""
    some = [one for one in places if one]
    return some[0] if len(some) == 1 else {"AND": some} if some else {}


def _belief(user: UserMemory, key: str) -> Belief | None:
    try:
        node = user.read(key).node
    except (NotFound, InvalidInput):
        return None
    whole = isinstance(node, Belief) and node.key == key and node.user_id == user.user_id
    return node if isinstance(node, Belief) and whole else None
