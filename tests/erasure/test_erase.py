"""Erasing: a memory from which something was erased is one that never had it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import erased
import on_postgres
import pytest
from effort import IS_TORTURE, times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_undo import BERGEN, NOTE, OSLO, SOURCES, START, STEPS, TOM, Life

QUERIES = ("Where does Maria Berg live near", "chess in Oslo", "Tom", "who sings or rows", "home")


class Lived(Life):
    """Lives through steps, leaving one out, with nights after those that are named."""

    def through(
        self, steps: Sequence[str], *, but: int | None = None, nights: Sequence[int] = ()
    ) -> list[str]:
        keys = []
        for number, step in enumerate(steps):
            self.clock.move_to(START + timedelta(days=number))
            if number == but:
                keys.append("")
            elif step.startswith("remember "):
                self.ada.remember(step.removeprefix("remember "), event_id=f"said-{number}")
                keys.append(f"said-{number}")
            else:
                keys.append(self.ada.add(step, title=f"Step {number}"))
            self.memory.work()
            if number in nights:
                self.clock.move_to(START + timedelta(days=number, hours=21))
                self.memory.sleep()
        self.clock.move_to(START + timedelta(days=len(steps) + 1))
        return keys


def never_had(
    steps: Sequence[str], number: int, nights: Sequence[int] = (), place: str = ":memory:"
) -> None:
    """Erased after all, or never there: the same memory, the same answers, the same dates, and by
    `rebuild` the same once more."""
    one, other = Lived(place), Lived()
    try:
        keys = one.through(steps, nights=nights)
        one.ada.erase(keys[number])
        other.through(steps, but=number, nights=nights)
        erased.same(one.memory, other.memory, "ada", QUERIES)
        assert dates(one) == dates(other)
        with one.memory.rebuild() as derived:
            assert derived.comparison.samples == ()
            derived.discard()
    finally:
        one.memory.close()
        other.memory.close()


def dates(life: Life) -> dict[str, tuple[datetime, datetime]]:
    """When everything but beliefs came to be, and last changed: scores fade with it."""
    stores = life.memory.env.stores
    return dict(stores.graph.dates(stores.registry.scope_of("ada")).things)


CASES = [
    pytest.param([NOTE, "Maria Berg: sings"], 0, id="a note and a mention"),
    pytest.param([NOTE, "Tom Vance: rows"], 0, id="somebody whom nothing else mentions"),
    pytest.param(["Maria: sings", "Maria Berg: rows"], 1, id="a full name that settled another"),
    pytest.param(["Maria Berg: rows", "Maria: sings"], 0, id="a name that another leant on"),
    pytest.param(["Maria: sings", "Maria Berg: rows", "Maria Lund: swims"], 2, id="in the way"),
    pytest.param(
        ["Sal: sings", "Maria Berg: rows", "Maria Berg aka Sal: swims", "Sal: runs"],
        2,
        id="another name",
    ),
    pytest.param(["Tom > home > Oslo", "Tom > home > Bergen"], 1, id="a move"),
    pytest.param(
        ["Tom > home > Oslo", "Tom > home > Bergen", "Tom > home > Hamar"], 1, id="between"
    ),
    pytest.param([OSLO, NOTE], 0, id="the only word for a belief"),
    pytest.param([OSLO, f"{OSLO} anew"], 0, id="the first of two"),
    pytest.param([OSLO, BERGEN], 1, id="a replacement"),
    pytest.param([OSLO, BERGEN, f"{OSLO} anew"], 1, id="what came between two of a mind"),
    pytest.param(
        [f"remember {OSLO}", BERGEN, f"remember {OSLO} anew"], 1, id="between what was remembered"
    ),
    pytest.param([OSLO, f"remember {BERGEN}", NOTE], 1, id="something that was remembered"),
    pytest.param([f"remember {OSLO}", BERGEN], 0, id="remembered first, replaced since"),
    pytest.param([OSLO, f"remember {BERGEN}; {TOM}", NOTE], 1, id="two remembered at once"),
    pytest.param(
        [f"remember {TOM}; {OSLO}", f"{BERGEN}", f"remember {OSLO}; {TOM} anew"],
        1,
        id="between what was remembered at once",
    ),
    pytest.param([f"remember {OSLO}; {BERGEN}", f"remember {TOM}; {OSLO}"], 0, id="twice two"),
    pytest.param(
        [
            "It is so that Tom Vance lives near Oslo anew",
            f"remember {BERGEN}",
            "remember It is so that Tom Vance lives near Oslo",
        ],
        0,
        id="a neighbour",
    ),
    pytest.param(
        ["Maria Berg > friend > Oslo!", "Maria > home > Hamar", "Maria Berg > home > Oslo"],
        0,
        id="a full name that comes later now",
    ),
]


@pytest.mark.parametrize(("steps", "number"), CASES)
def test_erased_is_never_had(steps: list[str], number: int) -> None:
    never_had(steps, number)


# A server writes all its tables anew after each: every third case will do, but in `make torture`.
@pytest.mark.server
@pytest.mark.slow
@pytest.mark.parametrize(("steps", "number"), CASES if IS_TORTURE else CASES[::3])
def test_erased_on_a_server_is_never_had(
    steps: list[str], number: int, schemas: on_postgres.Schemas
) -> None:
    with schemas.given() as url:
        never_had(steps, number, place=url)


@pytest.mark.parametrize(("steps", "number"), CASES)
def test_erased_is_never_had_with_nights_between(steps: list[str], number: int) -> None:
    never_had(steps, number, nights=range(len(steps)))


@pytest.mark.parametrize(
    ("steps", "nights"),
    [
        pytest.param(
            [
                "Dr Vance > home > Oslo\nDr Vance > home > Bergen\nMaria > home > Oslo",
                "Dr Vance > home > Oslo\nTom Vance > friend > Hamar!",
                "Maria Berg > friend > Bergen!",
            ],
            [0, 1, 2],
            id="drawn again with another",
        ),
        pytest.param(
            [
                "Tom Vance > friend > Oslo!",
                "Dr Vance: likes Bergen",
                "Maria: likes Bergen",
                "Tom Vance > friend > Oslo!\nDr Vance > friend > Bergen!",
            ],
            [2, 3],
            id="a night that had nothing to tell",
        ),
    ],
)
def test_what_is_known_later_without_it_is_told_later(steps: list[str], nights: list[int]) -> None:
    never_had(steps, 0, nights)


BUSY = [f"Maria Berg: does thing {n}\nMaria Berg > friend > Oslo" for n in range(7)]


@pytest.mark.parametrize("number", [0, 3, 6])
def test_a_storyline_is_told_from_the_others(number: int) -> None:
    never_had(BUSY, number, nights=range(7))


@pytest.mark.parametrize("number", [0, 2, 4])
def test_a_storyline_that_would_not_have_been_told_is_not(number: int) -> None:
    never_had(BUSY[:5], number, nights=range(5))


def test_a_storyline_that_would_have_been_told_later_is() -> None:
    never_had(BUSY[:6], 1, nights=range(6))


@pytest.mark.slow
@settings(max_examples=times(10, 200), suppress_health_check=list(HealthCheck))
@given(st.lists(STEPS, max_size=4), SOURCES, st.lists(STEPS, max_size=4))
def test_erased_is_never_had_in_any_small_life(
    before: list[str], source: str, after: list[str]
) -> None:
    steps = [*before, source, *after]
    if steps.count(source) == 1:
        never_had(steps, len(before))


@pytest.mark.slow
@settings(max_examples=times(10, 200), suppress_health_check=list(HealthCheck))
@given(
    st.lists(STEPS, max_size=4), SOURCES, st.lists(STEPS, max_size=4), st.sets(st.integers(0, 8))
)
def test_erased_is_never_had_in_any_small_life_with_nights(
    before: list[str], source: str, after: list[str], nights: set[int]
) -> None:
    steps = [*before, source, *after]
    if steps.count(source) == 1:
        never_had(steps, len(before), nights=sorted(nights))
