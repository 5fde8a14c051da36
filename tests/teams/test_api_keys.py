"""API keys: made once, shown once, good until they are not, and kept as hashes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.clock import SteppedClock
from remanent.core.records.access import ApiKey, Power
from remanent.errors import InvalidInput, NotFound, Unauthorized, UnknownUser
from remanent.memory import Memory
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(START)


@pytest.fixture
def memory(clock: SteppedClock, tmp_path: Path) -> Iterator[Memory]:
    place = tmp_path / "m.db"
    with Memory.open(place, clock=clock, mind=ScriptedMind(), embedder=HashEmbedder()) as one:
        ada = one.user("ada")
        ada.create_team("The Crew", "crew")
        bob = one.user("bob")
        bob.accept(ada.invite("crew", "bob").invitation_id)
        yield one


def known(memory: Memory, key_id: str) -> ApiKey:
    return next(one for one in memory.keys() if one.key_id == key_id)  # noqa: SIM118


def test_a_key_lets_its_holder_in(memory: Memory) -> None:
    made = memory.create_key("ada", name="laptop")
    assert made.key.powers == {Power.READ, Power.WRITE}
    assert (made.key.user_id, made.key.team, made.key.expires_at) == ("ada", None, None)
    found = memory.authenticate(made.secret)
    assert (found.key_id, found.user_id, found.last_used_at) == (made.key.key_id, "ada", START)
    assert made.secret.startswith(f"rmn_{made.key.key_id}_")


def test_two_keys_are_never_alike(memory: Memory) -> None:
    one, two = (memory.create_key("ada", name="same") for _ in range(2))
    assert one.secret != two.secret
    assert one.key.key_id != two.key.key_id


def test_the_secret_is_nowhere_in_the_file(memory: Memory, tmp_path: Path) -> None:
    made = memory.create_key(None, name="server")
    memory.authenticate(made.secret)
    token = made.secret.rpartition(f"_{made.key.key_id}_")[2] or made.secret[21:]
    memory.close()
    for file in tmp_path.iterdir():
        assert token.encode() not in file.read_bytes()
    (kept,) = sqlite3.connect(tmp_path / "m.db").execute("SELECT digest FROM api_keys").fetchall()
    assert len(kept[0]) == 64


def test_all_that_is_no_good_is_told_alike(memory: Memory, clock: SteppedClock) -> None:
    made = memory.create_key("ada", name="a", expires_at=START + 60 * SECOND)
    revoked = memory.create_key("ada", name="b")
    memory.revoke_key(revoked.key.key_id)
    unknown = f"rmn_{'0' * 16}_{made.secret[21:]}"
    another = memory.create_key("bob", name="c")
    mixed = f"rmn_{made.key.key_id}_{another.secret[21:]}"
    told = set()
    for secret in ("", "nonsense", unknown, mixed, made.secret[:-1], revoked.secret, None):
        with pytest.raises(Unauthorized) as caught:
            memory.authenticate(secret)  # type: ignore[arg-type]
        told.add(str(caught.value))
    clock.advance(60 * SECOND)
    with pytest.raises(Unauthorized) as caught:
        memory.authenticate(made.secret)
    assert told == {str(caught.value)}
    assert known(memory, made.key.key_id).last_used_at is None


def test_a_use_is_noted_once_a_minute(memory: Memory, clock: SteppedClock) -> None:
    made = memory.create_key("ada", name="busy")
    seen = []
    for _ in range(5):
        memory.authenticate(made.secret)
        seen.append(known(memory, made.key.key_id).last_used_at)
        clock.advance(25 * SECOND)
    assert [one - START for one in seen if one] == [
        0 * SECOND,
        0 * SECOND,
        0 * SECOND,
        75 * SECOND,
        75 * SECOND,
    ]


def test_a_key_goes_with_its_user_and_its_team(memory: Memory) -> None:
    mine = memory.create_key("bob", name="crew's", team="crew")
    service = memory.create_key(None, name="for all", team="crew")
    ada, bob = memory.user("ada"), memory.user("bob")
    assert memory.authenticate(mine.secret).team == "crew"
    ada.remove_member("crew", "bob")
    with pytest.raises(Unauthorized):
        memory.authenticate(mine.secret)
    bob.accept(ada.invite("crew", "bob").invitation_id)
    assert memory.authenticate(mine.secret).user_id == "bob"
    assert memory.authenticate(service.secret).user_id is None
    ada.delete_team("crew")
    for made in (mine, service):
        with pytest.raises(Unauthorized):
            memory.authenticate(made.secret)


def test_revoking_is_for_good_and_once(memory: Memory, clock: SteppedClock) -> None:
    made = memory.create_key("ada", name="lost")
    gone = memory.revoke_key(made.key.key_id)
    clock.advance(60 * SECOND)
    assert memory.revoke_key(made.key.key_id) == gone == known(memory, made.key.key_id)
    assert gone.revoked_at == START
    assert [one.act for one in memory.audit()].count("key.revoked") == 1
    with pytest.raises(NotFound, match="no API key"):
        memory.revoke_key("none")


def test_keys_are_written_down_without_their_secrets(memory: Memory) -> None:
    made = memory.create_key("bob", name="bot", powers=["read"], team="crew")
    last = memory.audit()[-1]
    assert (last.actor, last.act, last.subject) == ("", "key.created", made.key.key_id)
    assert last.detail == {"name": "bot", "user_id": "bob", "powers": ["read"]}
    assert made.secret not in str(memory.audit())
    assert memory.user("ada").audit("crew")[-1] == last  # a key to the team is its owner's concern


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", {"name": ""}),
        ("powers", {"powers": []}),
        ("powers", {"powers": ["rule"]}),
        ("powers", {"powers": "read"}),
        ("expires_at", {"expires_at": START}),
        ("expires_at", {"expires_at": datetime(2027, 1, 1)}),  # noqa: DTZ001
        ("expires_at", {"expires_at": "tomorrow"}),
    ],
)
def test_bad_input_names_its_field(memory: Memory, field: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.create_key("ada", **{"name": "x", **given})
    assert caught.value.field == field
    assert memory.keys() == []


def test_a_key_is_for_somebody_who_is_there(memory: Memory) -> None:
    with pytest.raises(UnknownUser):
        memory.create_key("nobody", name="x")
    for user_id in ("ada", None):
        with pytest.raises(NotFound, match="gang"):
            memory.create_key(user_id, name="x", team="gang")
    memory.user("eve")
    with pytest.raises(NotFound, match="crew"):
        memory.create_key("eve", name="x", team="crew")
    assert memory.keys() == []
