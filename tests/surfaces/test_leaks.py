"""The hunt for leaks: it finds none, and it would find one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from effort import times
from telltale import Careless, hunted

from remanent_conformance.hunts.hunt import ASKS, Plan, Request, hunt
from remanent_conformance.hunts.town import Secrets, Town
from remanent_conformance.hunts.web import Web


def look_up(town: Town, r: Request) -> object:
    """As somebody else: the oldest mistake there is."""
    return town.me(r.somebody()).search("Notes about Kestrel", limit=50)


def test_a_careless_way_in_is_found_out(tmp_path: Path) -> None:
    found = hunted(tmp_path, hunt, Plan(users=4, teams=1, calls=80), Careless(look_up))
    assert {leak.path for leak in found.leaks} == {"careless"}
    assert not found.crashes


@pytest.mark.slow
@pytest.mark.torture
def test_calls_of_every_kind_tell_nobody_what_they_may_not_know(tmp_path: Path) -> None:
    plan = Plan(users=times(6, 50), teams=times(2, 10), calls=times(700, 10_000))
    found = hunted(tmp_path, hunt, plan, Web())
    assert found.leaks == []
    assert found.crashes == []
    assert found.calls == plan.calls
    assert found.told > 0.3 * plan.calls  # they do get answers
    assert found.paths.keys() >= ASKS.keys()
    assert {"left", "joined", "talked", "erased"} <= found.moves.keys()


class TestSecrets:
    """The hunt's own idea of SPEC 9, by example."""

    def test_what_is_personal_is_for_owner_and_guests(self, told: Secrets) -> None:
        token = told.make("ann", "a source", guests=["bob"])
        assert self._knowing(told, token) == {"ann", "bob"}

    def test_what_is_a_teams_is_lost_with_it_but_not_by_guests(self, told: Secrets) -> None:
        token = told.make("ann", "a title", team="red", guests=["cid", "bob"])
        assert self._knowing(told, token) == {"ann", "bob", "cid"}
        told.leave("red", "bob")
        assert self._knowing(told, token) == {"ann", "cid"}
        told.join("red", "bob")
        assert self._knowing(told, token) == {"ann", "bob", "cid"}

    def test_what_was_learnt_stays_and_what_is_erased_goes(self, told: Secrets) -> None:
        token = told.make("ann", "a text", team="red", lasting=True)
        told.leave("red", "bob")
        assert self._knowing(told, token) == {"ann", "bob"}
        told.erase([token])
        assert self._knowing(told, token) == set()

    def test_what_is_high_is_not_for_the_team(self, told: Secrets) -> None:
        token = told.make("ann", "a title", team="red", high=True)
        assert self._knowing(told, token) == {"ann"}

    @pytest.fixture
    def told(self) -> Secrets:
        told = Secrets(random.Random(1))
        for one in ("ann", "bob"):
            told.join("red", one)
        return told

    @staticmethod
    def _knowing(told: Secrets, token: str) -> set[str]:
        return {one for one in ("ann", "bob", "cid", "dan") if not told.leaked_to(one, token, "")}
