"""What stays shut to a caller whatever they may read: teams that were left, sources that are hidden."""

from __future__ import annotations

from typing import NamedTuple

from remanent.core.model.scope import Scope


class Shut(NamedTuple):
    """The teams whose memories a caller does not see, and the sources, whatever their readers say."""

    left: frozenset[str] = frozenset()
    narrowed_to: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def any(self) -> bool:
        """Whether there may be such teams or sources at all."""
        return bool(self.left or self.hidden) or self.narrowed_to is not None

    def hides(self, team: str | None, owner_key: str) -> bool:
        """Whether what is this team's, or leads to that node, is not seen; what is of no team is."""
        if owner_key in self.hidden:
            return True
        if team is None:
            return False
        return team in self.left or self.narrowed_to not in (None, team)


def shut_to(scope: Scope) -> Shut:
    """What stays shut to the caller."""
    return Shut(frozenset(left_teams(scope)), scope.narrowed_to, scope.hidden)


def left_teams(scope: Scope) -> list[str]:
    """The teams whose memories the caller has lost: left, and not joined again."""
    return sorted(scope.left - scope.teams)
