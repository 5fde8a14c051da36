"""The hunt for tampering: it finds none, and it would find some; and what attackers did over HTTP, by example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from effort import times
from telltale import Careless, Settlement, hunted

from remanent.erasure import erase, redo_beliefs, rules
from remanent.ingest import extract
from remanent_conformance.hunts.hunt import Plan, Request
from remanent_conformance.hunts.integrity import ATTACKS, hunt_tampering
from remanent_conformance.hunts.town import Town
from remanent_conformance.hunts.web import Web

SMALL = Plan(users=4, teams=1, calls=40)


@pytest.fixture(scope="module")
def small_town(tmp_path_factory: pytest.TempPathFactory) -> Settlement:
    """One town for all hunts here that a test makes careless: what was careless comes after it is settled."""
    return Settlement.founded(tmp_path_factory.mktemp("town") / "town.db", SMALL)


def own_of(town: Town, user: str) -> str:
    """The first that somebody put down, for themselves alone."""
    return next(key for key, owner in town.owner_of.items() if owner == user)


@pytest.mark.parametrize(
    ("careless", "what"),
    [
        (lambda town, r: town.me(r.somebody()).remember(r.words()), "beliefs"),
        (lambda town, r: town.me(r.somebody()).block("nobody"), "hidden and blocked"),
        (lambda town, r: town.memory.create_key(r.somebody(), name=r.user), "keys"),
        (lambda town, r: town.me(r.somebody()).add(r.words()), "sources"),
        (lambda town, r: town.me(r.somebody()).erase(own_of(town, r.somebody())), "sources"),
    ],
    ids=["believes", "blocks", "makes keys", "adds", "erases"],
)
def test_whoever_acts_for_others_is_found_out(
    tmp_path: Path, small_town: Settlement, careless: Callable[[Town, Request], Any], what: str
) -> None:
    found = small_town.hunted(tmp_path, hunt_tampering, SMALL, Careless(careless))
    assert what in {one.what for one in found.tamperings}
    assert all("careless" in one.paths for one in found.tamperings)
    assert not found.crashes


def test_a_careless_rule_is_found_out(
    tmp_path: Path, small_town: Settlement, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In what others give, a speaker of the owner's name is the owner: as it once was."""
    monkeypatch.setattr(extract, "_by_owner", lambda *_: True)
    monkeypatch.setattr(extract, "Support", _unsigned(extract.Support))
    found = small_town.hunted(tmp_path, hunt_tampering, replace(SMALL, calls=80))
    assert {"beliefs", "heard unmarked"} <= {one.what for one in found.tamperings}


def _unsigned(support: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: support(**{**given, "contributed_by": None})


def erase_some(town: Town, r: Request) -> object:
    """Whatever a team has, one after the other."""
    return town.me(r.user).erase(town.dice.choice(sorted(town.owner_of)))


@pytest.mark.torture
def test_what_is_somebody_s_to_erase_takes_along_what_came_of_it(
    tmp_path: Path, small_town: Settlement
) -> None:
    plan = replace(SMALL, calls=times(40, 400))
    found = small_town.hunted(tmp_path, hunt_tampering, plan, Careless(erase_some))
    assert found.tamperings == []
    assert found.crashes == []


@pytest.mark.parametrize(
    ("module", "name", "careless", "what", "calls"),
    [
        (erase, "_owns_team", lambda *_: True, "sources", 40),
        (rules, "without", lambda *_: None, "ledger", 80),
        (redo_beliefs, "_supports", lambda *_: (), "beliefs", 80),
    ],
    ids=["anybody's", "more of the ledger", "more of what is believed"],
)
def test_an_erasure_that_takes_more_is_found_out(
    tmp_path: Path,
    small_town: Settlement,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    name: str,
    careless: Callable[..., Any],
    what: str,
    calls: int,
) -> None:
    monkeypatch.setattr(module, name, careless)
    plan = replace(SMALL, calls=calls)
    found = small_town.hunted(tmp_path, hunt_tampering, plan, Careless(erase_some))
    assert what in {one.what for one in found.tamperings}


def test_the_same_dice_do_the_same(tmp_path: Path, small_town: Settlement) -> None:
    seen = []
    for place in (tmp_path / "one", tmp_path / "other"):
        place.mkdir()
        plan = replace(SMALL, calls=20)
        found = small_town.hunted(place, hunt_tampering, plan, Web(attacking=True))
        seen.append((found.paths, found.refusals, found.heard))
    assert seen[0] == seen[1]


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("seed", range(times(1, 10)))
def test_nobody_changes_what_others_believe_see_or_are_told(tmp_path: Path, seed: int) -> None:
    """In ten towns rather than in one: what a town has to settle grows faster than what is said in it."""
    plan = Plan(users=times(6, 10), teams=2, calls=times(90, 1_000), seed=seed + 1)
    found = hunted(tmp_path, hunt_tampering, plan, Web(attacking=True))
    assert found.tamperings == []
    assert found.crashes == []
    assert found.calls == plan.calls
    assert found.heard > 20  # lies do reach a team, and say whose they are
    assert len(found.paths) > 0.8 * len(ATTACKS)
