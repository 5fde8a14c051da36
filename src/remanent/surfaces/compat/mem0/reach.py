"""Reach: whose memories a request of mem0's may touch."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from fastapi import Request

from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.records.api_key import ApiKey, Power
from remanent.errors import Forbidden, InvalidInput, NotFound, UnknownUser
from remanent.memory import Memory, UserMemory
from remanent.surfaces.compat.mem0 import filters
from remanent.surfaces.http.caller import door_of, key_of, named_team, named_user

MADE_UP: Final = ("agent", "app", "run")  # who owns what no user is named for: `agent:<id>`
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

    def adding_to(self, ids: Mapping[str, str]) -> UserMemory:
        """Whose memory something new becomes part of, registered if it is their first."""
        named = ids.get("user_id")
        if self.own is not None:
            if named not in (None, self.own):
                raise Forbidden("this key acts for one user only")
            is_service = self.key is None or self.key.user_id is None
            return self._within(self.own, create=is_service)
        if named is None:
            kind = next((one for one in MADE_UP if f"{one}_id" in ids), None)
            if kind is None:
                raise InvalidInput(
                    "user_id", "say whose memory this is: one of the ids is required"
                )
            named = f"{kind}:{ids[f'{kind}_id']}"
        return self._within(named, create=True)

    def meant(self, wanted: Mapping[str, Any] | None) -> list[UserMemory]:
        """The users whose memories a filter can mean, of those that this key reaches."""
        named = filters.named_users(wanted)
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

    def held(self, memory_id: str, *, ended: bool = False) -> tuple[UserMemory, Belief]:
        """The memory of that id, and whose it is; one that has `ended` only where that is asked for."""
        users = self.users()
        first = self.owners.get(memory_id)
        for one in sorted(users, key=lambda user_id: user_id != first):
            user = self._known(one)
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
    return {f"{kind}_id": name} if kind in MADE_UP and name else {"user_id": user_id}


def given_ids(*places: Mapping[str, Any] | None) -> dict[str, str]:
    """The ids in these, the first that has one; an empty one is none."""
    found: dict[str, str] = {}
    for place in places:
        for name in filters.IDS:
            value = (place or {}).get(name)
            if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
                found.setdefault(name, str(value))
    return found


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
