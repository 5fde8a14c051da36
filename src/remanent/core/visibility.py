"""Who may read, write and contribute what (SPEC 9, 12.5).

A node says who may read it (`readers`) and whose leavers lose it (`team`); a scope says who is
asking. High sensitivity is the node's affair: its readers then name no team. A scope that is narrowed
to a team sees what is of no team and what is that team's, be the caller a member of others or a guest.
"""

from __future__ import annotations

from collections.abc import Sequence

from remanent.core.model.scope import Scope


def may_read(scope: Scope, readers: Sequence[str], team: str | None) -> bool:
    """Whether the caller is named among the readers, has not left the team it belongs to, and has not
    narrowed their sight to another.

    The oracle of the tests: the stores decide by their own statements, which must say the same.
    """
    if team is not None and scope.narrowed_to not in (None, team):
        return False
    if team in scope.left and team not in scope.teams:
        return False  # spec 12.5: a leaver loses it even as a participant; a guest was never in
    return not set(scope.tokens).isdisjoint(readers)


def may_write(scope: Scope, user_id: str) -> bool:
    """Whether the caller may change what belongs to that user: only their own.

    The oracle of the tests, as `may_read` is.
    """
    return scope.user_id == user_id


def may_contribute(scope: Scope, team_id: str | None) -> bool:
    """Whether the caller may add to that team: members may; what has no team is personal."""
    return team_id is None or team_id in scope.teams
