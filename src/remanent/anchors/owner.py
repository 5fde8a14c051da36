"""The owner node: a user enters the registry, and their owner node enters the graph.

The owner is made from the profile and never from text (SPEC 3).
"""

from __future__ import annotations

from datetime import datetime

from remanent.core import checks
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.anchor import Person
from remanent.core.model.event import USER_REGISTERED, Event
from remanent.core.model.keys import canonical_name, key_for
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.new_event import new_event
from remanent.core.records.access import User


def register_user(env: Env, user_id: str, *, name: str | None, timezone: str | None) -> User:
    """Register the user or bring their profile up to date; the same again changes nothing."""
    checks.identifier("user", user_id)
    with env.atomic(durable=True):
        known = env.registry.user(user_id)
        now = env.clock.now()
        user = _profile(known, user_id, name, timezone, now)
        if user != known:
            profile = {"name": user.name, "timezone": user.timezone}
            env.ledger.append(new_event(user_id, USER_REGISTERED, profile, now=now))
            env.registry.put_user(user)
            _put_owner(env, user, now)
    return user


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Give the user once more the profile that the event tells of."""
    payload, now = event.payload, event.recorded_at
    known = env.registry.user(scope.user_id)
    user = _profile(known, scope.user_id, str(payload["name"]), str(payload["timezone"]), now)
    with env.atomic():
        env.registry.put_user(user)
        _put_owner(env, user, now)


def _put_owner(env: Env, user: User, now: datetime) -> None:
    scope = Scope(user_id=user.user_id)
    key = owner_key(user.user_id)
    node = env.graph.get(scope, key)
    if isinstance(node, Person):
        owner = replace(
            node,
            name=user.name,
            canonical_name=canonical_name(user.name) or user.user_id,
            aliases=tuple(dict.fromkeys((*node.aliases, node.name))),
            updated_at=now,
        )
    else:
        owner = _owner(user, key, now)
    env.graph.put(scope, owner)


def owner_key(user_id: str) -> str:
    """The key of the owner node: not tied to a name, which may change."""
    return key_for(user_id, Kind.PERSON, "owner")


def _profile(
    known: User | None, user_id: str, name: str | None, timezone: str | None, now: datetime
) -> User:
    base = known or User(user_id=user_id, name=user_id, timezone="UTC", created_at=now)
    if name is not None:
        base = replace(base, name=checks.identifier("name", name))
    if timezone is not None:
        base = replace(base, timezone=checks.timezone("timezone", timezone))
    return base


def _owner(user: User, key: str, now: datetime) -> Person:
    return Person(
        key=key,
        user_id=user.user_id,
        created_at=now,
        updated_at=now,
        name=user.name,
        canonical_name=canonical_name(user.name) or user.user_id,
        is_owner=True,
        created_by=user.user_id,
        confidence=1.0,
        life=Lifecycle(salience=1.0, state=State.CORE, ttl_policy=TtlPolicy.KEEP_FOREVER),
    )
