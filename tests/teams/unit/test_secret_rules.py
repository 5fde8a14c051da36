"""Secrets of API keys, and when a key is good."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.core.records.access import ApiKey
from remanent.teams import rules
from remanent_conformance.records import KEY

pytestmark = pytest.mark.quick

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TOKEN = "abc-DEF_123" * 3 + "0123456789"  # 43 characters


def test_a_secret_names_its_key_and_is_kept_as_a_hash() -> None:
    secret = rules.secret_of("0123456789abcdef", TOKEN)
    assert secret == f"rmn_0123456789abcdef_{TOKEN}"
    assert rules.key_id_in(secret) == "0123456789abcdef"
    digest = rules.digest_of(secret)
    assert digest == hashlib.sha256(secret.encode()).hexdigest()
    assert rules.is_secret_of(secret, digest)
    assert not rules.is_secret_of(f"{secret[:-1]}x", digest)
    assert not rules.is_secret_of(secret, rules.NO_DIGEST)


@pytest.mark.parametrize(
    "other",
    [
        "",
        None,
        7,
        b"rmn_0123456789abcdef_" + TOKEN.encode(),
        f"rmn_0123456789abcdef_{TOKEN}\n",
        f" rmn_0123456789abcdef_{TOKEN}",
        f"rmn_0123456789abcdeg_{TOKEN}",
        f"rmn_0123456789ABCDEF_{TOKEN}",
        f"rmn_0123456789abcdef_{TOKEN}0",
        f"rmn_0123456789abcdef_{TOKEN[1:]}",
        f"rmn_0123456789abcdef_{TOKEN[1:]}é",
        f"sk_0123456789abcdef_{TOKEN}",
    ],
)
def test_other_things_are_no_secrets(other: object) -> None:
    assert rules.key_id_in(other) is None


@given(st.text() | st.binary() | st.none())
def test_anything_may_be_shown_at_the_door(anything: object) -> None:
    assert rules.key_id_in(anything) is None


def a_key(**changed: Any) -> ApiKey:
    return replace(KEY, **{"expires_at": None, **changed})


def test_a_key_is_good_until_it_is_revoked_or_runs_out() -> None:
    assert rules.is_usable(a_key(), NOW)
    assert rules.is_usable(a_key(expires_at=NOW + SECOND), NOW)
    assert not rules.is_usable(a_key(expires_at=NOW), NOW)
    assert not rules.is_usable(a_key(revoked_at=NOW), NOW)
    assert not rules.is_usable(a_key(revoked_at=NOW, expires_at=NOW + SECOND), NOW)


def test_uses_are_noted_a_minute_apart() -> None:
    assert not rules.is_use_noted(a_key(), NOW)
    assert rules.is_use_noted(a_key(last_used_at=NOW), NOW + 59 * SECOND)
    assert not rules.is_use_noted(a_key(last_used_at=NOW), NOW + 60 * SECOND)
