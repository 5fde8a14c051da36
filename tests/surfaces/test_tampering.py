"""The hunt for tampering: it finds none, and it would find some; and what attackers did over HTTP, by example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from command_line import remanent
from effort import times
from telltale import Telltale

from remanent import Memory
from remanent.clock import SteppedClock
from remanent.ingest import extract
from remanent.testing import HashEmbedder
from remanent.testing.leaks.hunt import Ask, Plan, Request, Way
from remanent.testing.leaks.integrity import ATTACKS, IntegrityReport, hunt_tampering
from remanent.testing.leaks.town import Town
from remanent.testing.leaks.web import Web

SMALL = Plan(users=4, teams=1, calls=40)


def hunted(place: Path, plan: Plan, *ways: Way) -> IntegrityReport:
    clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with Memory.open(
        place / "town.db", clock=clock, mind=Telltale(), embedder=HashEmbedder()
    ) as memory:
        return hunt_tampering(memory, clock, plan, ways=ways)


class Careless:
    """A way in that does as somebody else what it is asked to."""

    def __init__(self, careless: Callable[[Town, Request], Any]) -> None:
        self.careless = careless

    def open(self, town: Town) -> Mapping[str, tuple[int, Ask]]:
        return {"careless": (40, lambda r: self.careless(town, r))}

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("careless", "what"),
    [
        (lambda town, r: town.me(r.somebody()).remember(r.words()), "beliefs"),
        (lambda town, r: town.me(r.somebody()).block("nobody"), "hidden and blocked"),
        (lambda town, r: town.memory.create_key(r.somebody(), name=r.user), "keys"),
        (lambda town, r: town.me(r.somebody()).add(r.words()), "sources"),
    ],
    ids=["believes for others", "blocks for others", "makes others' keys", "adds for others"],
)
def test_a_careless_way_in_is_found_out(
    tmp_path: Path, careless: Callable[[Town, Request], Any], what: str
) -> None:
    found = hunted(tmp_path, SMALL, Careless(careless))
    assert what in {one.what for one in found.tamperings}
    assert all("careless" in one.paths for one in found.tamperings)
    assert not found.crashes


def test_a_careless_rule_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In what others give, a speaker of the owner's name is the owner: as it once was."""
    monkeypatch.setattr(extract, "_by_owner", lambda *_: True)
    monkeypatch.setattr(extract, "Support", _unsigned(extract.Support))
    found = hunted(tmp_path, replace(SMALL, calls=80))
    assert {"beliefs", "heard unmarked"} <= {one.what for one in found.tamperings}


def _unsigned(support: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: support(**{**given, "contributed_by": None})


@pytest.mark.slow
@pytest.mark.torture
def test_nobody_changes_what_others_believe_see_or_are_told(tmp_path: Path) -> None:
    plan = Plan(users=10, teams=2, calls=times(200, 10_000))
    found = hunted(tmp_path, plan, Web(attacking=True))
    assert found.tamperings == []
    assert found.crashes == []
    assert found.calls == plan.calls
    assert found.heard > 20  # lies do reach a team, and say whose they are
    assert len(found.paths) > 0.8 * len(ATTACKS)


def test_the_command_hunts_in_a_town_of_its_own(tmp_path: Path) -> None:
    done = remanent(
        *("audit", "integrity", "--users", "4", "--teams", "1", "--calls", "20", "--json"),
        *("--memory", str(tmp_path / "mine.db"), "--no-server"),
    )
    assert done.code == 0
    assert done.json["tamperings"] == []
    assert done.json["calls"] == 20
    assert not (tmp_path / "mine.db").exists()
