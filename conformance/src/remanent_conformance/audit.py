"""What every audit log promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from remanent.core.model.scope import Scope
from remanent.core.ports.records import AuditLog
from remanent.core.records.access import AuditAction, AuditEntry
from remanent.testing.builders import MOMENT


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
        assert audit.deeds(Scope(user_id="ann")) == [mine]
        assert audit.deeds(Scope(user_id="bob")) == [theirs]
        assert audit.deeds(Scope(user_id="eve")) == []

    def test_the_operators_deeds_are_no_users(self, audit: AuditLog) -> None:
        deed = audit.put_deed(a_deed(""))
        assert audit.deeds(Scope(user_id="operator")) == []
        assert audit.all_deeds() == [deed]

    def test_a_teams_deeds_are_seen_from_inside(self, audit: AuditLog) -> None:
        red, _, _ = (
            audit.put_deed(a_deed("bob", team_id="red")),
            audit.put_deed(a_deed("bob", team_id="blue")),
            audit.put_deed(a_deed("bob")),
        )
        inside = Scope(user_id="ann", teams=frozenset({"red"}))
        assert audit.deeds(inside, team_id="red") == [red]
        assert audit.deeds(inside, team_id="blue") == []
        assert audit.deeds(Scope(user_id="bob"), team_id="red") == []

    def test_a_narrowed_caller_sees_no_other_team(self, audit: AuditLog) -> None:
        deeds = [audit.put_deed(a_deed(team_id=team)) for team in ("red", "blue", None)]
        narrowed = Scope(user_id="ann", teams=frozenset({"red"}), narrowed_to="red")
        assert audit.deeds(narrowed) == [deeds[0], deeds[2]]

    def test_pages_follow_one_another(self, audit: AuditLog) -> None:
        deeds = [audit.put_deed(a_deed(team_id="red", subject=str(n))) for n in range(7)]
        scope = Scope(user_id="ann", teams=frozenset({"red"}))
        for read in (
            audit.all_deeds,
            lambda **page: audit.deeds(scope, **page),
            lambda **page: audit.deeds(scope, team_id="red", **page),
        ):
            found: list[AuditEntry] = []
            while page := read(after=found[-1].seq if found else 0, limit=3):
                found += page
            assert found == deeds
            assert read(after=0, limit=0) == []
