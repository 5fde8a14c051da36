"""What each role may do in a team, and when somebody was in one (SPEC 9).

An owner may do everything. An admin tends the members: they invite up to admin, remove members, and
make members admins; other admins and owners are not theirs to touch. A member reads, contributes and
leaves. Everybody may step down. A team always has an owner. And API keys: what a secret looks like, and
when a key is good.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from remanent.core import checks
from remanent.core.dataclasses import dataclass
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContextType
from remanent.core.records.access import ApiKey, Invitation, InvitationState, Membership, Role
from remanent.errors import InvalidInput

MOST_SETTINGS: Final = 16_000  # characters of a team's settings as JSON
DEEPEST_SETTINGS: Final = 60
MOST_DAYS: Final = 36_500


class Right(StrEnum):
    """What can be allowed in a team, or not."""

    READ = "read"
    CONTRIBUTE = "contribute"
    LEAVE = "leave"
    INVITE = "invite"
    REMOVE = "remove"
    APPOINT = "appoint"
    CHANGE = "change"
    AUDIT = "audit"
    DELETE = "delete"


_MEMBER: Final = frozenset({Right.READ, Right.CONTRIBUTE, Right.LEAVE})
_ADMIN: Final = _MEMBER | {Right.INVITE, Right.REMOVE, Right.APPOINT, Right.CHANGE, Right.AUDIT}
RIGHTS: Final[Mapping[Role, frozenset[Right]]] = {
    Role.MEMBER: _MEMBER,
    Role.ADMIN: _ADMIN,
    Role.OWNER: _ADMIN | {Right.DELETE},
}
_RANK: Final = {Role.MEMBER: 0, Role.ADMIN: 1, Role.OWNER: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRules:
    """How long an invitation is good."""

    invitation_days: int = 14


def may(role: Role | None, right: Right) -> bool:
    """Whether somebody of that role may do that; None is no member."""
    return role is not None and right in RIGHTS[role]


def may_invite(actor: Role | None, as_: Role) -> bool:
    """Nobody brings in someone who may do more than they may."""
    return actor is not None and may(actor, Right.INVITE) and _RANK[as_] <= _RANK[actor]


def may_remove(actor: Role | None, other: Role) -> bool:
    """Owners remove anybody, admins only members. Removing oneself is leaving, not this."""
    return may(actor, Right.REMOVE) and _has_over(actor, other)


def may_appoint(actor: Role | None, other: Role, new: Role, *, oneself: bool = False) -> bool:
    """Whether `actor` may give somebody who is `other` the role `new`."""
    if actor is None:
        return False
    if oneself:
        return _RANK[new] <= _RANK[actor]
    return may(actor, Right.APPOINT) and _has_over(actor, other) and _RANK[new] <= _RANK[actor]


def _has_over(actor: Role | None, other: Role) -> bool:
    return actor is Role.OWNER or (actor is Role.ADMIN and other is Role.MEMBER)


def is_ownerless_without(members: Iterable[Membership], user_id: str) -> bool:
    """Whether nobody would own the team if this one did not."""
    return not any(one.role is Role.OWNER and one.user_id != user_id for one in members)


def is_open(invitation: Invitation, now: datetime) -> bool:
    """Whether an invitation can still be answered."""
    return invitation.state is InvitationState.PENDING and now < invitation.expires_at


def good_until(now: datetime, rules: TeamRules) -> datetime:
    """When an invitation made now runs out."""
    return now + timedelta(days=rules.invitation_days)


def checked_settings(value: object) -> dict[str, Any]:
    """A team's settings: a JSON object of modest size. Two of its names are obeyed (`retention_days`,
    `context`); all others are the team's own."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InvalidInput("settings", "must be a mapping of names to values")
    try:
        text = json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("settings", f"cannot be kept as JSON: {error}") from None
    if len(text) > MOST_SETTINGS:
        raise InvalidInput(
            "settings", f"are {len(text):,} characters as JSON; {MOST_SETTINGS:,} are taken"
        )
    kept: dict[str, Any] = json.loads(text)
    _insist_shallow(kept, DEEPEST_SETTINGS)
    if kept.get("retention_days") is not None:
        checks.whole("settings.retention_days", kept["retention_days"], 1, MOST_DAYS)
    if kept.get("context") is not None:
        checks.choice("settings.context", ContextType, kept["context"])
    return kept


def _insist_shallow(value: object, levels: int) -> None:
    """All members read a team's settings: what is nested too deeply could be read by none of them."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if inner and levels == 0:
        raise InvalidInput("settings", f"are nested more than {DEEPEST_SETTINGS} levels deep")
    for one in inner:
        _insist_shallow(one, levels - 1)


def scope_then(
    user_id: str, stays: Iterable[Membership], at: datetime, hidden: frozenset[str] = frozenset()
) -> Scope:
    """The user's scope as it was at a moment, from all their stays in teams, past and present, and what
    they hid by then.

    Whoever came back was gone in between; before the first stay they were a stranger or a guest.
    """
    begun = [one for one in stays if one.joined_at <= at]
    teams = frozenset(one.team_id for one in begun if one.left_at is None or at < one.left_at)
    left = frozenset(one.team_id for one in begun) - teams
    return Scope(user_id=user_id, teams=teams, left=left, hidden=hidden)


_SECRET: Final = re.compile(r"rmn_([0-9a-f]{16})_[A-Za-z0-9_-]{43}", re.ASCII)
_SELDOM: Final = timedelta(minutes=1)  # how far apart uses of a key are noted
NO_DIGEST: Final = "0" * 64  # of no secret there is


def secret_of(key_id: str, token: str) -> str:
    """The text that its holder keeps."""
    return f"rmn_{key_id}_{token}"


def key_id_in(secret: object) -> str | None:
    """The id in what claims to be a secret, or None when it is no such thing."""
    match = _SECRET.fullmatch(secret) if isinstance(secret, str) else None
    return match[1] if match else None


def digest_of(secret: str) -> str:
    """What is kept of a secret. It is random and long, so a quick hash does: there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret_of(secret: str, digest: str) -> bool:
    """Whether the secret is the one of that digest, told in a time that gives nothing away."""
    return hmac.compare_digest(digest_of(secret), digest)


def is_usable(key: ApiKey, now: datetime) -> bool:
    """Whether a key opens anything now."""
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def is_use_noted(key: ApiKey, now: datetime) -> bool:
    """Whether a use just now was noted, or one shortly before."""
    return key.last_used_at is not None and now - key.last_used_at < _SELDOM
