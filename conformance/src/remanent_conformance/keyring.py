"""What every keyring promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from remanent.core.ports.records import ApiKeys
from remanent.core.records.access import ApiKey, Power
from remanent.testing.builders import MOMENT

HOUR = timedelta(hours=1)


def a_key(key_id: str = "one", **fields: Any) -> ApiKey:
    given: dict[str, Any] = {
        "name": "a bot",
        "user_id": "ann",
        "powers": frozenset({Power.READ, Power.WRITE}),
        "team": None,
        "created_by": "",
        "created_at": MOMENT,
    }
    return ApiKey(key_id=key_id, **given | fields)


class KeyringContract:
    """Override `new_keyring`."""

    @pytest.fixture
    def new_keyring(self) -> Callable[[], ApiKeys]:
        raise NotImplementedError("a function that makes an empty keyring")

    @pytest.fixture
    def keyring(self, new_keyring: Callable[[], ApiKeys]) -> ApiKeys:
        return new_keyring()

    @pytest.mark.parametrize(
        "key",
        [
            a_key(),
            a_key(user_id=None, powers=frozenset(Power)),
            a_key(team="red", expires_at=MOMENT + HOUR, powers=frozenset({Power.READ})),
            a_key(revoked_at=MOMENT + HOUR, last_used_at=MOMENT, created_by="bob"),
        ],
        ids=["plain", "service", "narrow", "over"],
    )
    def test_a_key_comes_back_as_it_was_put(self, keyring: ApiKeys, key: ApiKey) -> None:
        keyring.put_key(key, "digest")
        assert keyring.key("one") == (key, "digest")
        assert keyring.keys() == [key]

    def test_there_is_no_other(self, keyring: ApiKeys) -> None:
        assert keyring.key("one") is None
        assert keyring.keys() == []
        keyring.revoke("one", MOMENT)
        keyring.used("one", MOMENT)
        assert keyring.key("one") is None

    def test_a_key_is_put_once(self, keyring: ApiKeys) -> None:
        keyring.put_key(a_key(), "digest")
        keyring.put_key(a_key(name="another", user_id="eve"), "another digest")
        assert keyring.key("one") == (a_key(), "digest")

    def test_keys_come_oldest_first(self, keyring: ApiKeys) -> None:
        for key_id, hours in (("two", 2), ("three", 3), ("one", 1)):
            keyring.put_key(a_key(key_id, created_at=MOMENT + hours * HOUR), key_id)
        found = keyring.keys()
        assert [one.key_id for one in found] == ["one", "two", "three"]

    def test_the_first_revocation_stands(self, keyring: ApiKeys) -> None:
        keyring.put_key(a_key(), "digest")
        keyring.put_key(a_key("two"), "other")
        keyring.revoke("one", MOMENT + HOUR)
        keyring.revoke("one", MOMENT + 2 * HOUR)
        assert keyring.key("one") == (replace(a_key(), revoked_at=MOMENT + HOUR), "digest")
        assert keyring.key("two") == (a_key("two"), "other")

    def test_the_last_use_stands(self, keyring: ApiKeys) -> None:
        keyring.put_key(a_key(), "digest")
        for hours in (1, 2):
            keyring.used("one", MOMENT + hours * HOUR)
        assert keyring.key("one") == (replace(a_key(), last_used_at=MOMENT + 2 * HOUR), "digest")
