"""The truth of a made-up year asks for nothing that was not said."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bench.life.living import make_year
from bench.life.wordings import FACTS
from bench.life.world import DAY, SEVERAL, START, Slot, Telling, World

NOW = START + 300 * DAY
ANY_NUMBER = SEVERAL | {"car", "status", "drink"}
"""What one may have, or be, more than one of, or drink beside each other."""


def told(slot: Slot, day: int, value: str, previous: str = "", **fields) -> Telling:
    at = START + day * DAY
    how = "change" if previous else "state"
    return Telling(slot, value, previous, day, how, at=at, recorded_at=at, **fields)


def world_of(slot: Slot, *tellings: Telling) -> World:
    return World(seed=0, days=365, slots=[slot], tellings=list(tellings))


def test_one_value_takes_the_place_of_the_other() -> None:
    home = Slot("owner.home", "home", "owner", 1.0)
    world = world_of(home, told(home, 10, "Oslo"), told(home, 50, "Bergen", "Oslo"))

    assert world.knowable(home, START + 49 * DAY, NOW) == ({"Oslo"}, False)
    assert world.knowable(home, START + 50 * DAY, NOW) == ({"Bergen"}, False)
    assert world.knowable(home, START + 60 * DAY, START + 49 * DAY) == ({"Oslo"}, False)
    assert world.knowable(home, START, NOW) == (frozenset(), False)


def test_of_what_one_may_have_several_only_what_is_said_to_be_over_is_over() -> None:
    hobby = Slot("owner.hobby", "hobby", "owner", 1.0)
    first, second = told(hobby, 10, "chess"), told(hobby, 50, "rowing", "chess")
    third = told(hobby, 90, "yoga", "rowing", names_previous=True)
    world = world_of(hobby, first, second, third)

    assert world.knowable(hobby, START + 60 * DAY, NOW)[0] == {"chess", "rowing"}
    assert world.knowable(hobby, START + 95 * DAY, NOW)[0] == {"chess", "yoga"}
    assert world.current(hobby) == {"chess", "yoga"}


def test_what_was_told_late_leaves_the_days_open_that_it_does_not_tell() -> None:
    hobby = Slot("owner.hobby", "hobby", "owner", 1.0)
    late = told(hobby, 120, "rowing", "chess", since=START + 59 * DAY, to_month=True)
    world = world_of(hobby, told(hobby, 10, "chess"), late)

    assert world.knowable(hobby, START + 70 * DAY, NOW)[1]
    assert world.knowable(hobby, START + 70 * DAY, START + 119 * DAY) == ({"chess"}, False)
    assert world.knowable(hobby, START + 100 * DAY, NOW) == ({"chess", "rowing"}, False)


@pytest.mark.parametrize("kind", sorted(ANY_NUMBER - SEVERAL))
def test_what_may_be_held_together_is_said_to_be_over(kind: str) -> None:
    words = FACTS[kind]

    assert [one for one in (*words.change, *words.late) if "{Y}" not in one] == []


def test_a_telling_names_what_is_over_if_its_sentence_does() -> None:
    world = make_year(6, 200, 120).world

    for one in world.tellings:
        named = bool(one.previous) and one.previous.casefold() in one.sentence.casefold()
        assert one.names_previous == named, one.sentence


def test_what_is_told_of_one_of_two_namesakes_is_told_under_the_full_name() -> None:
    world = make_year(6, 200, 120).world
    annas = [one for one in world.people.values() if one.first == "Anna"]

    assert len(annas) == 2
    for person in annas:
        lines = [one.sentence for one in world.tellings if one.slot.subject == person.id]
        named = [one for one in lines if "Anna" in one]
        assert all(any(full in one for _, full in person.names) for one in named)


def test_the_same_arguments_make_the_same_year() -> None:
    one, other = make_year(6, 60, 60), make_year(6, 60, 60)

    assert [piece.content for piece in one.pieces] == [piece.content for piece in other.pieces]
    assert one.end - START == timedelta(days=61)
