"""Keys: made once, shown once, asked for at every call from outside."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from remanent.clock import Clock
from remanent.core import checks
from remanent.core.ports.api_keys import Keyring
from remanent.core.ports.registry import Registry
from remanent.core.ports.transaction import Atomic
from remanent.core.records.api_key import ApiKey, NewKey, Power
from remanent.core.records.audit import OPERATOR, Act
from remanent.errors import InvalidInput, NotFound, Unauthorized, UnknownUser
from remanent.teams.audit import Witness
from remanent.teams.rules import secrets as rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What is kept of a secret is its hash; whoever loses it gets another key."""

    keyring: Keyring
    registry: Registry
    witness: Witness
    atomic: Atomic
    clock: Clock

    def create(
        self,
        user_id: str | None,
        *,
        name: str,
        powers: Iterable[str | Power],
        team: str | None,
        expires_at: datetime | None,
    ) -> NewKey:
        """Make a key for a user, or for a service that acts for all; it comes with its secret."""
        now = self.clock.now()
        key = ApiKey(
            key_id=secrets.token_hex(8),
            name=checks.identifier("name", name),
            user_id=user_id,
            powers=_powers(powers),
            team=team,
            created_by=OPERATOR,
            created_at=now,
            expires_at=_expiry(expires_at, now),
        )
        secret = rules.secret_of(key.key_id, secrets.token_urlsafe(32))
        with self.atomic(durable=True):
            self._insist_team(key)
            self.keyring.put_key(key, rules.digest_of(secret))
            self._note(Act.KEY_CREATED, key)
        return NewKey(secret=secret, key=key)

    def listed(self) -> list[ApiKey]:
        """All keys, oldest first."""
        return self.keyring.keys()

    def revoke(self, key_id: str) -> ApiKey:
        """Make a key worth nothing; again changes nothing."""
        checks.identifier("key_id", key_id)
        with self.atomic(durable=True):
            found = self.keyring.key(key_id)
            if found is None:
                raise NotFound(f"key: there is no API key called {key_id!r}")
            key = found[0]
            if key.revoked_at is not None:
                return key
            now = self.clock.now()
            self.keyring.revoke(key_id, now)
            self._note(Act.KEY_REVOKED, key)
        return replace(key, revoked_at=now)

    def authenticate(self, secret: str) -> ApiKey:
        """The key of that secret, if it is good now; `Unauthorized` for all other reasons alike."""
        key_id = rules.key_id_in(secret)
        if key_id is None:
            raise Unauthorized
        found = self.keyring.key(key_id)
        is_it = rules.fits(secret, rules.NO_DIGEST if found is None else found[1])
        now = self.clock.now()
        if found is None or not is_it or not rules.is_good(found[0], now):
            raise Unauthorized
        key = found[0]
        if not self._stands(key):
            raise Unauthorized
        if not rules.is_noted(key, now):
            self.keyring.used(key_id, now)
            key = replace(key, last_used_at=now)
        return key

    def _stands(self, key: ApiKey) -> bool:
        """Whether its user is still here, and it its team."""
        if key.user_id is None:
            return key.team is None or self.registry.team(key.team) is not None
        try:
            scope = self.registry.scope_of(key.user_id)
        except UnknownUser:
            return False
        return key.team is None or key.team in scope.teams

    def _insist_team(self, key: ApiKey) -> None:
        if key.user_id is not None:
            checks.identifier("user", key.user_id)
            scope = self.registry.scope_of(key.user_id)
            if key.team is not None and key.team not in scope.teams:
                raise NotFound(f"team: {key.user_id!r} is in no team {key.team!r}")
        elif key.team is not None and self.registry.team(key.team) is None:
            raise NotFound(f"team: {key.team!r} is not registered in this memory")

    def _note(self, act: Act, key: ApiKey) -> None:
        detail = {"name": key.name, "user_id": key.user_id, "powers": sorted(key.powers)}
        self.witness(OPERATOR, act, team_id=key.team, subject=key.key_id, detail=detail)


def _powers(given: Iterable[str | Power]) -> frozenset[Power]:
    if isinstance(given, str):
        raise InvalidInput("powers", "must be several of read, write, manage, as a list")
    found = frozenset(checks.choice("powers", Power, one) for one in given)
    if not found:
        raise InvalidInput("powers", "a key without any opens nothing")
    return found


def _expiry(value: object, now: datetime) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise InvalidInput("expires_at", f"must be a datetime, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise InvalidInput("expires_at", f"{value.isoformat()} has no time zone")
    if value <= now:
        raise InvalidInput("expires_at", f"{value.isoformat()} has passed")
    return value.astimezone(UTC)
