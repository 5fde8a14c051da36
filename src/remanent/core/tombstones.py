"""Tombstones: what stays of an erased key, so that it is known again and cannot be read (keyed hashes)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from typing import Final

_SALT: Final = 32  # hexadecimal digits
_MARK: Final = 32


def tombstone_digest(secret: bytes, user_id: str, word: str) -> str:
    """What stays of a key in a tombstone: a salt, and what it makes of the key. The salt comes from
    the memory's secret and does not give it away, so that marks are known again where a memory has
    moved to; who holds them can test a guess, and can read nothing."""
    return _salted(_keyed(secret, user_id, "salt")[:_SALT], user_id, word)


def marks_of(
    marks: Collection[str], secret: bytes, user_id: str, words: Sequence[str]
) -> list[str]:
    """Those of the tombstones that stand for one of these words."""
    salts = {mark[:_SALT] for mark in marks if mark[_SALT : _SALT + 1] == "."}
    known = (_salted(salt, user_id, word) for salt in salts for word in words)
    before = (_keyed(secret, user_id, word)[:_MARK] for word in words)  # without a salt, as it was
    return [one for one in (*known, *before) if one in marks]


def pseudonym(secret: bytes, user_id: str) -> str:
    """What a user who was erased is called in the log."""
    return f"erased-{_keyed(secret, user_id, 'user')[:16]}"


def _salted(salt: str, user_id: str, word: str) -> str:
    return f"{salt}.{_keyed(salt.encode(), user_id, word)[:_MARK]}"


def _keyed(key: bytes, user_id: str, word: str) -> str:
    return hmac.new(key, f"{user_id}\x1f{word}".encode(), hashlib.sha256).hexdigest()
