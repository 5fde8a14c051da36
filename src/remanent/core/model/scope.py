"""The scope: who is asking. Every read of user data goes through one of these."""

from __future__ import annotations

from remanent.core.dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One caller: whose memory, in which teams now, and which teams they have left.

    `narrowed_to` a team, they see what is of no team and what is that team's, and nothing of others.
    Sources of others that they have `hidden` are not there, whoever shares them.
    """

    user_id: str
    teams: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    narrowed_to: str | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def tokens(self) -> tuple[str, ...]:
        """What the caller can show at the door, matched against a node's `readers`."""
        teams = self.teams if self.narrowed_to is None else self.teams & {self.narrowed_to}
        return (f"user:{self.user_id}", *(f"team:{team}" for team in sorted(teams)))

    @property
    def lost(self) -> frozenset[str]:
        """The teams whose memories the caller has lost: left, and not joined again."""
        return self.left - self.teams

    @property
    def contributing(self) -> Scope:
        """The same user, as whoever gave something to a team: it is still to be worked on for the
        others when they have left."""
        return Scope(user_id=self.user_id, teams=self.teams | self.left)
