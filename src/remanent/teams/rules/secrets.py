"""What a key's secret looks like, and when a key is good."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime, timedelta
from typing import Final

from remanent.core.records.api_key import ApiKey

_SECRET: Final = re.compile(r"rmn_([0-9a-f]{16})_[A-Za-z0-9_-]{43}", re.ASCII)
_SELDOM: Final = timedelta(minutes=1)  # how far apart uses of a key are noted
NO_DIGEST: Final = "0" * 64  # of no secret there is


def secret_of(key_id: str, token: str) -> str:
    """The text that its holder keeps."""
    return f"rmn_{key_id}_{token}"


def key_id_in(secret: object) -> str | None:
    """The id in what claims to be a secret, or None when it is no such thing."""
    found = _SECRET.fullmatch(secret) if isinstance(secret, str) else None
    return found[1] if found else None


def digest_of(secret: str) -> str:
    """What is kept of a secret. It is random and long, so a quick hash does: there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


def fits(secret: str, digest: str) -> bool:
    """Whether the secret is the one of that digest, told in a time that gives nothing away."""
    return hmac.compare_digest(digest_of(secret), digest)


def is_good(key: ApiKey, now: datetime) -> bool:
    """Whether a key opens anything now."""
    return key.revoked_at is None and (key.expires_at is None or now < key.expires_at)


def is_noted(key: ApiKey, now: datetime) -> bool:
    """Whether a use just now was noted, or one shortly before."""
    return key.last_used_at is not None and now - key.last_used_at < _SELDOM
