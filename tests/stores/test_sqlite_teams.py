"""Teams in one file: those of an older schema, and several programs that tend them at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.access import AuditEntry, Role, Team
from remanent.errors import Conflict, NotFound, RemanentError
from remanent.memory import Memory
from remanent.stores.sql.plain_rows import to_micros
from remanent.stores.sqlite import open_stores
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import STEPS
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import MOMENT, a_user

pytestmark = pytest.mark.quick

DAY = timedelta(days=1)


def test_teams_of_an_older_schema_are_still_there(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    old, at = SqliteDatabase(path), to_micros(MOMENT)
    with old.transaction(moving=True):
        for step in STEPS[:10]:
            old.execute(step.script)
            old.execute("INSERT INTO migrations VALUES (?, ?, 0)", (step.number, step.name))
            old.execute(f"PRAGMA user_version = {step.number}")
        old.execute("INSERT INTO users VALUES ('ann', 'Ann', 'UTC', ?)", (at,))
        old.execute("INSERT INTO teams VALUES ('red', 'Red', ?)", (at,))
        old.execute("INSERT INTO memberships VALUES ('ann', 'red', 'owner', ?, NULL)", (at,))
    old.close()
    stores = open_stores(path, now=MOMENT + DAY, embedder_name="hash", dimensions=4)
    registry = stores.registry
    assert registry.user("ann") == a_user("ann", created_at=MOMENT)
    assert registry.team("red") == Team(team_id="red", name="Red", created_at=MOMENT)
    assert registry.scope_of("ann") == Scope(user_id="ann", teams=frozenset({"red"}))
    (stay,) = registry.membership_history("ann")
    assert (stay.role, stay.joined_at, stay.left_at) == (Role.OWNER, MOMENT, None)
    assert stores.records.find(None, Select(AuditEntry)) == []
    stores.close()


@pytest.fixture
def crew(tmp_path: Path) -> Callable[[], Memory]:
    """A file in which ann and bob own the team `crew`, opened by each who asks."""

    def opened() -> Memory:
        return Memory.open(tmp_path / "m.db", mind=ScriptedMind(), embedder=HashEmbedder())

    with opened() as memory:
        ann = memory.user("ann")
        ann.create_team("The Crew", "crew")
        memory.user("bob").accept(ann.invite("crew", "bob", "owner").invitation_id)
    return opened


def at_once(*deeds: Callable[[], object]) -> list[RemanentError | None]:
    """What each came to, all done at the same time."""

    def tried(deed: Callable[[], object]) -> RemanentError | None:
        try:
            deed()
        except RemanentError as error:
            return error
        return None

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(tried, deeds))


def test_two_last_owners_do_not_leave_at_once(crew: Callable[[], Memory]) -> None:
    with crew() as one, crew() as other:
        one.user("ann").invite("crew", "cyd")
        other.user("cyd").accept(other.user("cyd").invitations()[0].invitation_id)
        ends = at_once(
            lambda: one.user("ann").leave_team("crew"), lambda: other.user("bob").leave_team("crew")
        )
        assert sorted(type(end).__name__ for end in ends) == ["Conflict", "NoneType"]
        members = one.user("cyd").members("crew")
        assert sorted(place.role.value for place in members) == ["member", "owner"]


def test_an_invitation_is_accepted_once(crew: Callable[[], Memory]) -> None:
    with crew() as one, crew() as other:
        sent = one.user("ann").invite("crew", "cyd").invitation_id
        ends = at_once(
            lambda: one.user("cyd").accept(sent),
            lambda: other.user("cyd").accept(sent),
            lambda: one.user("bob").revoke_invitation(sent),
        )
        assert all(end is None or isinstance(end, Conflict) for end in ends)
        acts = [deed.act for deed in one.audit() if deed.act != "member.invited"][2:]
        assert acts in (["invitation.accepted"], ["invitation.revoked"])
        is_in = "crew" in {place.team.team_id for place in other.user("cyd").teams()}
        assert is_in is (acts == ["invitation.accepted"])


def test_inviting_at_once_is_one_invitation(crew: Callable[[], Memory]) -> None:
    with crew() as one, crew() as other:
        ends = at_once(
            *(lambda who=who: who.user("ann").invite("crew", "cyd") for who in (one, other) * 4)
        )
        assert ends == [None] * 8
        assert len(one.user("cyd").invitations()) == 1


def test_a_removal_counts_at_once_in_every_program(crew: Callable[[], Memory]) -> None:
    with crew() as one, crew() as other:
        bob = other.user("bob").within("crew")
        key = one.user("ann").add("The kettle is on.", team="crew")
        assert bob.read(key)
        one.user("ann").remove_member("crew", "bob")
        with pytest.raises(NotFound):
            bob.read(key)
        with pytest.raises(NotFound):
            bob.members("crew")
