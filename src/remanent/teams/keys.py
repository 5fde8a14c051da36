"""API keys: made once, shown once, asked for at every call from outside.

What is kept of a secret is its hash; whoever loses it gets another key.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from datetime import datetime

from remanent.core import checks
from remanent.core.env import Env
from remanent.core.ports.records import Select
from remanent.core.records.access import OPERATOR, ApiKey, AuditAction, NewKey, Power
from remanent.core.records.export import KeyRecord
from remanent.errors import InvalidInput, NotFound, Unauthorized
from remanent.teams import rules
from remanent.teams.audit import write_audit


def create_key(
    env: Env,
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
    now = env.clock.now()
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
    with env.atomic(durable=True):
        _insist_team(env, key)
        env.records.claim(None, KeyRecord(**asdict(key), digest=rules.digest_of(secret)))
        _audit_key(env, AuditAction.KEY_CREATED, key)
    return NewKey(secret=secret, key=key)


def revoke_key(env: Env, key_id: str) -> ApiKey:
    """Make an API key worth nothing, at once and for good."""
    checks.identifier("key_id", key_id)
    with env.atomic(durable=True):
        key = env.records.get(None, ApiKey, key_id)
        if key is None:
            raise NotFound(f"key: there is no API key called {key_id!r}")
        if key.revoked_at is not None:
            return key
        now = env.clock.now()
        env.records.change(None, Select(ApiKey, {"key_id": key_id}), revoked_at=now)
        _audit_key(env, AuditAction.KEY_REVOKED, key)
    return replace(key, revoked_at=now)


def authenticate(env: Env, secret: str) -> ApiKey:
    """The API key whose secret this is; `Unauthorized` if it is none, has expired, was revoked, or
    its user has gone or left its team."""
    key_id = rules.key_id_in(secret)
    if key_id is None:
        raise Unauthorized
    entry = env.records.get(None, KeyRecord, key_id)
    is_it = rules.is_secret_of(secret, rules.NO_DIGEST if entry is None else entry.digest)
    now = env.clock.now()
    if entry is None or not is_it or not rules.is_usable(entry, now):
        raise Unauthorized
    key = ApiKey(**{one.name: getattr(entry, one.name) for one in fields(ApiKey)})
    if not _user_and_team_are_there(env, key):
        raise Unauthorized
    if not rules.is_use_noted(key, now):
        env.records.change(None, Select(ApiKey, {"key_id": key_id}), last_used_at=now)
        key = replace(key, last_used_at=now)
    return key


def _user_and_team_are_there(env: Env, key: ApiKey) -> bool:
    """Whether its user is still here, and it its team."""
    if key.user_id is None:
        return key.team is None or env.registry.team(key.team) is not None
    if env.registry.user(key.user_id) is None:
        return False
    return key.team is None or key.team in env.registry.scope_of(key.user_id).teams


def _insist_team(env: Env, key: ApiKey) -> None:
    if key.user_id is not None:
        checks.identifier("user", key.user_id)
        scope = env.registry.scope_of(key.user_id)
        if key.team is not None and key.team not in scope.teams:
            raise NotFound(f"team: {key.user_id!r} is in no team {key.team!r}")
    elif key.team is not None and env.registry.team(key.team) is None:
        raise NotFound(f"team: {key.team!r} is not registered in this memory")


def _audit_key(env: Env, act: AuditAction, key: ApiKey) -> None:
    about = {"name": key.name, "user_id": key.user_id, "powers": sorted(key.powers)}
    write_audit(env, OPERATOR, act, team_id=key.team, subject=key.key_id, **about)


def _powers(given: Iterable[str | Power]) -> frozenset[Power]:
    if isinstance(given, str):
        raise InvalidInput("powers", "must be several of read, write, manage, as a list")
    powers = frozenset(checks.choice("powers", Power, one) for one in given)
    if not powers:
        raise InvalidInput("powers", "a key without any opens nothing")
    return powers


def _expiry(value: object, now: datetime) -> datetime | None:
    ends = checks.point("expires_at", value)
    if ends is not None and ends <= now:
        raise InvalidInput("expires_at", f"{ends.isoformat()} has passed")
    return ends
