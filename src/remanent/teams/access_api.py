"""Guarding: keys that let programs in from outside, and the log of what was done."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from remanent.core.env import Env
from remanent.core.records.access import ApiKey, AuditEntry, NewKey, Power
from remanent.teams.audit import audit_log_of_all
from remanent.teams.keys import authenticate, create, listed, revoke


class AccessApi:
    """Part of `Memory`: for whoever runs it."""

    env: Env

    def create_key(
        self,
        user_id: str | None,
        *,
        name: str,
        powers: Iterable[str | Power] = (Power.READ, Power.WRITE),
        team: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """Make an API key for a user, or (None) for a service that acts for any of them.

        `powers` are read, write and manage; with a `team` it sees that team's things and the user's
        own only. Its secret is in what comes back, and nowhere else.
        """
        return create(self.env, user_id, name=name, powers=powers, team=team, expires_at=expires_at)

    def keys(self) -> list[ApiKey]:
        """All API keys, revoked ones as well, oldest first."""
        return listed(self.env)

    def revoke_key(self, key_id: str) -> ApiKey:
        """Make an API key worth nothing, at once and for good."""
        return revoke(self.env, key_id)

    def authenticate(self, secret: str) -> ApiKey:
        """The API key whose secret this is; `Unauthorized` if it is none, has expired, was revoked, or
        its user has gone or left its team."""
        return authenticate(self.env, secret)

    def audit(self, after: int = 0, limit: int = 100) -> list[AuditEntry]:
        """What everybody did about teams, keys and whole memories, oldest first, from beyond `after`."""
        return audit_log_of_all(self.env, after=after, limit=limit)
