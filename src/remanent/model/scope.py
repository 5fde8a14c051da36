"""Who is asking. Every read of user data goes through one of these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One caller: whose memory, in which teams now, and which teams they have left."""

    user_id: str
    teams: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()

    @property
    def tokens(self) -> tuple[str, ...]:
        """What the caller can show at the door, matched against a node's `readers`."""
        return (f"user:{self.user_id}", *(f"team:{team}" for team in sorted(self.teams)))
