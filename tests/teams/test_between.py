"""Whatever others in a team say in between, what is one's own is believed as if they had said nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from effort import times
from two_people import TwoPeople

from remanent import UserMemory
from remanent.anchors.owner import owner_key
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.read import own

PLACES = ("Lyon", "Bergen", "Hamar")
WORDINGS = (
    "Jo Vance lives in {place} with {other} and works on Project Kestrel.",
    "Jo Vance lives in {place} with {other} and works on Project Kestrel.",
    "Jo Vance lives in {place}.",
    "Jo Vance no longer lives in {place}.",
    "Actually Jo Vance lives in {place} with {other}.",
)


@dataclass(frozen=True)
class Said:
    """One statement: by whom, in which words, how many days after the fact it is told."""

    by: str
    words: str
    late: int


def plan(dice: random.Random) -> list[Said]:
    return [
        Said(
            dice.choice(("ada", "bob")),
            dice.choice(WORDINGS).format(
                place=dice.choice(PLACES), other=dice.choice(("Sam Reed", "Kim Wu"))
            ),
            dice.choice((0, 0, 1, 3)),
        )
        for _ in range(dice.randint(4, 7))
    ]


def lived(folder: Path, said: list[Said], *, alone: bool) -> Mapping[tuple[str, datetime], object]:
    """What Ada believes of her own words in the end, with Bob's in the team's sources, or alone."""
    folder.mkdir()
    with TwoPeople.living(folder) as town:
        town.share_a_team()
        for one in said:
            town.clock.advance(timedelta(hours=7))
            at = town.clock.now() - timedelta(days=one.late)
            if one.by == "ada":
                town.ada.add(one.words, type="text-note", started_at=at)
            elif not alone:
                town.bob.add(one.words, type="text-note", team="crew", started_at=at)
            town.work()
            town.ada.adopt("crew")
            town.work()
        return believed(town.ada)


def believed(ada: UserMemory) -> dict[tuple[str, datetime], object]:
    return {
        (said.statement, said.at): (one.since, one.until)
        for one in own(ada.env, ada.scope, Belief)
        if one.status is BeliefStatus.ACTIVE
        for said in one.supports
        if said.contributed_by is None
    }


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("seed", range(times(3, 100)))
def test_what_others_say_in_between_changes_nothing_of_ones_own(tmp_path: Path, seed: int) -> None:
    said = plan(random.Random(seed))
    among = lived(tmp_path / "among", said, alone=False)
    assert among == lived(tmp_path / "alone", said, alone=True), said


KESTREL = "Ana Costa lives in {} with {} of Project Kestrel."
MOVED = (
    ("ada", KESTREL.format("Bergen", "zqobeajzt05ifl")),
    ("ada", KESTREL.format("Bergen", "zquq14mcnwq1xu")),
    ("bob", KESTREL.format("Oslo", "zq26yyobqe7nv0")),  # by which the edge to Bergen is over
    ("ada", KESTREL.format("Porto", "zqj8br5cpbt6vw")),  # and by this what Ada believes of it
    ("bob", KESTREL.format("Bergen", "zq0a92ydrvz5in")),
)


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 5])
def test_what_one_says_ends_ones_beliefs_then_and_not_when_others_speak(
    tmp_path: Path, count: int
) -> None:
    said = [Said(by, words, 0) for by, words in MOVED[:count]]
    among = lived(tmp_path / "among", said, alone=False)
    assert [statement for statement, _ in among] == [MOVED[3][1]]
    assert among == lived(tmp_path / "alone", said, alone=True)


def test_what_one_remembers_ends_all_that_tells_of_the_same_at_once(tmp_path: Path) -> None:
    with TwoPeople.living(tmp_path) as town:
        for words in ("Ana Costa lives in Bergen.", KESTREL.format("Bergen", "Sam Reed")):
            town.clock.advance(timedelta(hours=7))
            town.ada.add(words, type="text-note")
            town.work()
        town.clock.advance(timedelta(hours=7))
        town.ada.remember(KESTREL.format("Lyon", "Kim Wu"))

        assert [statement for statement, _ in believed(town.ada)] == [
            KESTREL.format("Lyon", "Kim Wu")
        ]


def lies(dice: random.Random) -> list[tuple[str, str, bool]]:
    """Who says where she lives, in words like nobody else's, and whether it is read at once."""
    signs = "abcdefghijklmnopqrstuvwxyz0123456789"
    return [
        (
            dice.choice(("ada", "bob")),
            KESTREL.format(
                dice.choice(("Bergen", "Lyon", "Hamar", "Oslo")),
                "zq" + "".join(dice.choices(signs, k=12)),
            ),
            dice.random() < 0.6,
        )
        for _ in range(dice.randint(5, 9))
    ]


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("seed", range(times(1, 60)))
def test_what_another_erases_changes_nothing_of_ones_own(tmp_path: Path, seed: int) -> None:
    with TwoPeople.living(tmp_path) as town:
        town.share_a_team()
        theirs = []
        for by, words, is_read in [*lies(random.Random(seed)), ("ada", "Ana Costa is well.", True)]:
            town.clock.advance(timedelta(hours=7))
            if by == "ada":
                town.ada.add(words, type="text-note")
            else:
                theirs.append(town.bob.add(words, type="text-note", team="crew"))
            if is_read:
                town.work()
                town.ada.adopt("crew")
                town.work()
        before = believed(town.ada)
        for key in theirs:
            town.bob.erase(key)
            town.work()
            assert believed(town.ada) == before


def test_standing_instructions_do_not_crowd_out_what_a_statement_contradicts(
    tmp_path: Path,
) -> None:
    with TwoPeople.living(tmp_path) as town:
        town.ada.remember("I live in Porto.")
        for number in range(8):
            town.ada.instruct(f"I live in Bergen now, {number}.", agent_id=f"bot{number}")
        town.clock.advance(timedelta(hours=7))
        town.ada.remember("I live in Bergen now.")

        held = [one.statement for one in town.ada.beliefs() if one.instructs is None]
        assert held == ["I live in Bergen now."]


def homes(ada: UserMemory) -> list[tuple[str, datetime, datetime | None]]:
    edges = ada.env.graph.relationships(
        ada.scope, owner_key("ada"), relationship_type="home", history=True
    )
    return [(one.dst, one.valid_from, one.valid_to) for one in edges]


def test_what_another_erases_leaves_where_one_lived_when_as_it_was(tmp_path: Path) -> None:
    """What Ada remembers ends where she lived before; where she lives since she says later."""
    with TwoPeople.living(tmp_path) as town:
        town.share_a_team()
        theirs = town.bob.add("Ada Lind lives in Porto.", type="text-note", team="crew")
        town.work()
        town.ada.adopt("crew")
        town.work()
        town.ada.add("I live in Oslo.", type="text-note")
        town.work()
        town.clock.advance(timedelta(hours=7))
        town.ada.remember("I live in Lyon now.")
        town.clock.advance(timedelta(hours=7))
        town.ada.add("I live in Bergen now.", type="text-note")
        town.work()
        before = homes(town.ada)
        town.bob.erase(theirs)

        assert len(before) == 2
        assert homes(town.ada) == before


def test_what_goes_has_no_part_in_what_was_over_before(tmp_path: Path) -> None:
    """She is in Bergen once more: that she had left it ended what was believed of it all the same."""
    with TwoPeople.living(tmp_path) as town:
        town.share_a_team()
        for number, place in enumerate(("Bergen", "Bergen", "Oslo", "Bergen")):
            town.bob.add(KESTREL.format(place, f"zq{number}8br5cpbt6v"), team="crew")
            town.work()
            town.ada.adopt("crew")
            town.work()
            town.clock.advance(timedelta(hours=7))
        other = KESTREL.replace("Ana Costa", "Jo Vance").format("Bergen", "zq0a92ydrvz5in")
        key = town.bob.add(other, team="crew")
        town.work()
        town.ada.adopt("crew")
        town.work()
        before = of_ana(town.ada)
        town.bob.erase(key)

        assert any(by == {"home"} for _, _, by in before.values())  # ended by a relationship
        assert of_ana(town.ada) == before


def of_ana(ada: UserMemory) -> dict[str, tuple[str, datetime | None, set[str]]]:
    """What Ada ever believed of Ana: its state, until when, and the types of what ended it."""
    graph, found = ada.env.graph, {}
    for one in own(ada.env, ada.scope, Belief):
        by = graph.relationships_by_key(ada.scope, [each.by or "" for each in one.changes])
        if "Ana Costa" in one.statement:
            types = {each.relationship_type for each in by.values()}
            found[one.statement] = (one.status.value, one.until, types)
    return found
