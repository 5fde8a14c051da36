"""Stable keys: deterministic from what a thing naturally is, unchanged when it is renamed."""

from __future__ import annotations

import hashlib
import re
import unicodedata
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_NAMESPACE = uuid.UUID("8c1f7f0e-5a3b-5d0c-9a55-72656d616e65")
_SEPARATOR = "\x1f"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def key_for(user_id: str, kind: str, *natural: str) -> str:
    """The key of the thing that `natural` names among one user's things of one kind."""
    return str(uuid.uuid5(_NAMESPACE, _SEPARATOR.join((user_id, kind, *natural))))


def time_ordered(at: datetime, tail: bytes) -> str:
    """A UUID (version 7) that sorts by `at` to the millisecond; `tail` is ten bytes of entropy."""
    millis = (at - _EPOCH) // timedelta(milliseconds=1)
    value = (millis & ((1 << 48) - 1)) << 80 | int.from_bytes(tail[:10], "big")
    value = value & ~(0xF << 76) | (0x7 << 76)
    value = value & ~(0x3 << 62) | (0x2 << 62)
    return str(uuid.UUID(int=value))


def content_hash(text: str) -> str:
    """The fingerprint by which the same content is recognised."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_name(name: str) -> str:
    """`Sarah  Chén` -> `sarah-chén`: one spelling per name, for look-up only."""
    return _known(name) if len(name) <= _LONGEST_NAME else _canonical(name)


def _canonical(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    if folded.isascii():  # most are, and long texts are compared too
        return "-".join(_PLAIN_WORDS.findall(folded))
    return "-".join("".join(one if _is_letter(one) else " " for one in folded).split())


_PLAIN_WORDS = re.compile("[a-z0-9]+")
_LONGEST_NAME = 100  # that is kept in mind: the same few names are asked for again and again
_known = lru_cache(maxsize=16384)(_canonical)


def _is_letter(character: str) -> bool:
    """Letters, digits, and the marks by which some scripts write their vowels."""
    return character.isalnum() or unicodedata.category(character).startswith("M")
