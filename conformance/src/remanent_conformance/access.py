"""What every store of API keys and every audit log promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from remanent.core.model.scope import Scope
from remanent.core.ports.records import ApiKeys, AuditLog
from remanent.core.records.access import ApiKey, AuditAction, AuditEntry, Power
from remanent_conformance.builders import MOMENT


def a_deed(actor: str = "ann", **fields: Any) -> AuditEntry:
    return AuditEntry(
        **{"seq": 0, "at": MOMENT, "actor": actor, "act": AuditAction.TEAM_CREATED.value, **fields}
    )


class AuditContract:
    """Override `new_audit`."""

    @pytest.fixture
    def new_audit(self) -> Callable[[], AuditLog]:
        raise NotImplementedError("a function that makes an empty log")

    @pytest.fixture
    def audit(self, new_audit: Callable[[], AuditLog]) -> AuditLog:
        return new_audit()

    def test_a_deed_comes_back_with_its_number(self, audit: AuditLog) -> None:
        full = a_deed(team_id="red", subject="bob", detail={"role": "admin", "days": [1, None]})
        first, second = audit.put_deed(full), audit.put_deed(replace(full, seq=99))
        assert first == replace(full, seq=first.seq)
        assert first.seq < second.seq
        assert audit.all_deeds() == [first, second]

    def test_everybody_sees_their_own(self, audit: AuditLog) -> None:
        mine, theirs = audit.put_deed(a_deed(team_id="red")), audit.put_deed(a_deed("bob"))
        assert audit.entries(Scope(user_id="ann")) == [mine]
        assert audit.entries(Scope(user_id="bob")) == [theirs]
        assert audit.entries(Scope(user_id="eve")) == []

    def test_the_operators_deeds_are_no_users(self, audit: AuditLog) -> None:
        deed = audit.put_deed(a_deed(""))
        assert audit.entries(Scope(user_id="operator")) == []
        assert audit.all_deeds() == [deed]

    def test_a_teams_deeds_are_seen_from_inside(self, audit: AuditLog) -> None:
        red, _, _ = (
            audit.put_deed(a_deed("bob", team_id="red")),
            audit.put_deed(a_deed("bob", team_id="blue")),
            audit.put_deed(a_deed("bob")),
        )
        inside = Scope(user_id="ann", teams=frozenset({"red"}))
        assert audit.entries(inside, team_id="red") == [red]
        assert audit.entries(inside, team_id="blue") == []
        assert audit.entries(Scope(user_id="bob"), team_id="red") == []

    def test_a_narrowed_caller_sees_no_other_team(self, audit: AuditLog) -> None:
        deeds = [audit.put_deed(a_deed(team_id=team)) for team in ("red", "blue", None)]
        narrowed = Scope(user_id="ann", teams=frozenset({"red"}), narrowed_to="red")
        assert audit.entries(narrowed) == [deeds[0], deeds[2]]

    def test_pages_follow_one_another(self, audit: AuditLog) -> None:
        deeds = [audit.put_deed(a_deed(team_id="red", subject=str(n))) for n in range(7)]
        scope = Scope(user_id="ann", teams=frozenset({"red"}))
        for read in (
            audit.all_deeds,
            lambda **page: audit.entries(scope, **page),
            lambda **page: audit.entries(scope, team_id="red", **page),
        ):
            entries: list[AuditEntry] = []
            while page := read(after=entries[-1].seq if entries else 0, limit=3):
                entries += page
            assert entries == deeds
            assert read(after=0, limit=0) == []


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
        keys = keyring.keys()
        assert [one.key_id for one in keys] == ["one", "two", "three"]

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
