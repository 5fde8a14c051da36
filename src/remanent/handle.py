"""Handle: what every part of a user's memory stands on."""

from __future__ import annotations

from remanent.errors import InvalidInput, UnknownUser
from remanent.model.scope import Scope
from remanent.model.team import User
from remanent.wiring import House

MOST_HITS = 1000


class Handle:
    """One user in one open memory."""

    def __init__(self, house: House, user_id: str) -> None:
        self._house = house
        self.user_id = user_id

    @property
    def profile(self) -> User:
        """Name and time zone."""
        user = self._house.registry.user(self.user_id)
        if user is None:
            raise UnknownUser(self.user_id)
        return user

    @property
    def _scope(self) -> Scope:
        """Made anew for every call: memberships may have changed."""
        return self._house.registry.scope_of(self.user_id)


def limited(value: object) -> int:
    """How many to hand back, as asked."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_HITS:
        raise InvalidInput("limit", f"{value!r} is not a whole number from 1 to {MOST_HITS}")
    return value
