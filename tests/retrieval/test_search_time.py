"""Search at another time, and the newest truth first."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from plain_mind import PlainMind

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.mind_types import Judgement
from remanent.core.model.node import Kind
from remanent.core.model.search import Hit, Hits
from remanent.testing import ScriptedMind

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
DAY = timedelta(days=1)
OSLO, BERGEN = "It is so that Maria lives in Oslo", "It is so that Maria lives in Bergen"


@pytest.fixture
def mind() -> ScriptedMind:
    mind = PlainMind()
    mind.judgements = lambda one, other: Judgement.SAME if one == other else Judgement.CONTRADICTS
    return mind


def tell(user: UserMemory, text: str, at: datetime, **fields: Any) -> str:
    key = user.add(text, started_at=at, **fields)
    user.work()
    return key


def texts(hits: list[Hit]) -> set[str]:
    return {hit.text for hit in hits}


def passages(user: UserMemory, **filters: Any) -> Hits:
    return user.search("where does Maria live", kinds=["passage"], **filters)


# --- as of -------------------------------------------------------------------------------------


def test_only_what_was_said_by_then(ada: UserMemory) -> None:
    turns = [
        {"text": "Tea at dawn.", "at": (START - 9 * DAY).isoformat()},
        {"text": "Tea at dusk.", "at": (START - 5 * DAY).isoformat()},
    ]
    ada.add(turns)
    tell(ada, "Tea in May.", START - DAY)

    found = ada.search("tea", kinds=["passage"], as_of=START - 6 * DAY)

    assert texts(found) == {"Tea at dawn."}
    assert texts(ada.search("tea", kinds=["passage"], as_of=START - 5 * DAY)) == {
        "Tea at dawn.",
        "Tea at dusk.",
    }


def test_beliefs_that_held_then(ada: UserMemory) -> None:
    ada.remember(OSLO, START - 20 * DAY)
    ada.remember(BERGEN, START - 10 * DAY)

    def held(**filters: Any) -> list[str]:
        return [hit.text for hit in ada.search("Maria lives", kinds=["belief"], **filters)]

    assert held() == [BERGEN]
    assert held(as_of=START - 15 * DAY) == [OSLO]
    assert held(as_of=START - 5 * DAY) == [BERGEN]
    assert held(as_of=START - 30 * DAY) == []


def test_relationships_that_held_then(ada: UserMemory) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    tell(ada, "Tom > home > Bergen", START - 10 * DAY)

    def homes(**filters: Any) -> dict[str, bool | None]:
        found = ada.search("home", kinds=["relationship"], **filters)
        return {hit.title: hit.holds for hit in found}

    assert homes() == {"Tom home Bergen": True, "Tom home Oslo": False}
    assert homes(as_of=START - 15 * DAY) == {"Tom home Oslo": True}
    assert homes(as_of=START - 5 * DAY) == {"Tom home Bergen": True}
    now = ada.search("home", kinds=["relationship"])
    assert [hit.title for hit in now] == ["Tom home Bergen", "Tom home Oslo"]
    assert now[1].superseded_by == now[0].key
    assert now[1].superseded_at == START - 10 * DAY


def test_an_anchor_says_what_was_noted_by_then(ada: UserMemory) -> None:
    tell(ada, "Sarah Chen: likes tea", START - 20 * DAY)
    tell(ada, "Sarah Chen: moved away", START - 10 * DAY)

    def said(**filters: Any) -> list[str]:
        found = ada.search("Sarah Chen", kinds=["person"], **filters)
        return [hit.text for hit in found if hit.text.startswith("Sarah")]

    assert said(as_of=START - 15 * DAY) == ["Sarah Chen: likes tea"]
    assert said() == ["Sarah Chen: likes tea moved away"]
    assert said(as_of=START - 30 * DAY) == []


# --- known at ----------------------------------------------------------------------------------


def test_a_late_arrival_was_not_known(ada: UserMemory, clock: SteppedClock) -> None:
    """Added today, about long ago: true then, and not known then."""
    tell(ada, "Tea in March.", START - 60 * DAY)
    clock.advance(10 * DAY)
    tell(ada, "Tea in February.", START - 90 * DAY)
    then = START + DAY

    def found(**filters: Any) -> set[str]:
        return texts(ada.search("tea", kinds=["passage"], **filters))

    assert found(known_at=then) == {"Tea in March."}
    assert found(as_of=START - 80 * DAY) == {"Tea in February."}
    assert found(as_of=START - 80 * DAY, known_at=then) == set()
    assert found(known_at=clock.now()) == {"Tea in March.", "Tea in February."}


def test_a_retroactive_statement_changes_no_earlier_answer(
    ada: UserMemory, clock: SteppedClock
) -> None:
    ada.remember(OSLO, START - 20 * DAY)
    monday = clock.now()
    clock.advance(5 * DAY)
    ada.remember(BERGEN, START - 10 * DAY)

    def held(**filters: Any) -> dict[str, bool | None]:
        found = ada.search("Maria lives", kinds=["belief"], **filters)
        return {hit.text: hit.holds for hit in found}

    assert held(known_at=monday) == {OSLO: True}
    assert held(known_at=monday, as_of=START - 5 * DAY) == {OSLO: True}
    assert held(as_of=START - 5 * DAY) == {BERGEN: True}
    assert held(known_at=clock.now()) == {BERGEN: True}


def test_marks_leak_nothing_learned_later(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, OSLO, START - 20 * DAY)
    monday = clock.now()
    clock.advance(5 * DAY)
    tell(ada, BERGEN, START + DAY)

    (then,) = passages(ada, known_at=monday)
    assert (then.holds, then.superseded_by, then.superseded_at) == (True, None, None)
    (early,) = passages(ada, as_of=START)
    assert (early.holds, early.superseded_by) == (True, None)


def test_relationships_as_they_were_known(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    monday = clock.now()
    clock.advance(5 * DAY)
    tell(ada, "Tom > home > Bergen", START - 10 * DAY)

    found = ada.search("home", kinds=["relationship"], known_at=monday)

    assert [(hit.title, hit.holds) for hit in found] == [("Tom home Oslo", True)]


def test_an_anchor_says_what_was_known_by_then(ada: UserMemory, clock: SteppedClock) -> None:
    tell(ada, "Sarah Chen: likes tea", START - 20 * DAY)
    monday = clock.now()
    clock.advance(5 * DAY)
    tell(ada, "Sarah Chen: moved away", START - 30 * DAY)

    (sarah,) = [
        hit
        for hit in ada.search("Sarah Chen", kinds=["person"], known_at=monday)
        if hit.text.startswith("Sarah")
    ]

    assert sarah.text == "Sarah Chen: likes tea"


# --- newest truth first ------------------------------------------------------------------------


@pytest.mark.parametrize("newest_last", [True, False])
def test_the_passage_that_holds_stands_above(ada: UserMemory, *, newest_last: bool) -> None:
    said = [(OSLO, START - 20 * DAY), (BERGEN, START - 10 * DAY)]
    for text, at in said if newest_last else reversed(said):
        tell(ada, text, at)

    found = ada.search("Maria lives in Oslo", kinds=["passage"])

    assert [hit.text for hit in found] == [BERGEN, OSLO]
    new, old = found
    (belief,) = ada.beliefs()
    assert (new.holds, new.superseded_by) == (True, None)
    assert (old.holds, old.superseded_by) == (False, belief.key)
    assert old.superseded_at == START - 10 * DAY
    assert new.score == old.score
    assert new.signals["newer"] > 0


def test_scores_never_rise_down_the_list(ada: UserMemory) -> None:
    for day, text in enumerate((OSLO, "Maria sings", BERGEN, "Oslo is cold", OSLO + " again")):
        tell(ada, text, START - (20 - day) * DAY)

    found = ada.search("Maria lives in Oslo")

    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert found[:3] == ada.search("Maria lives in Oslo", limit=3)


def test_what_nobody_spoke_against_is_unknown_or_holds(ada: UserMemory) -> None:
    tell(ada, OSLO, START - 20 * DAY)
    tell(ada, "Rain in Oslo.", START - 10 * DAY)

    marks = {hit.text: hit.holds for hit in ada.search("Oslo", kinds=["passage"])}

    assert marks == {OSLO: True, "Rain in Oslo.": None}


def test_a_source_is_marked_when_nothing_in_it_holds(ada: UserMemory) -> None:
    old = tell(ada, OSLO, START - 20 * DAY)
    mixed = tell(ada, f"{BERGEN}\n\nIt is so that rain falls", START - 10 * DAY)

    marks = {hit.key: hit.holds for hit in ada.search("Maria Oslo rain", kinds=[Kind.SOURCE])}

    assert marks == {old: False, mixed: True}


def test_a_passage_of_a_closed_relationship_is_marked(ada: UserMemory) -> None:
    tell(ada, "Tom > home > Oslo", START - 20 * DAY)
    tell(ada, "Tom > home > Bergen", START - 10 * DAY)

    found = ada.search("Tom home Oslo", kinds=["passage"])

    assert [(hit.text, hit.holds) for hit in found] == [
        ("Tom > home > Bergen", True),
        ("Tom > home > Oslo", False),
    ]


DAYS = {
    "2024-10-14": "Met Priya and Astrid over soup. Talked about the new office.",
    "2024-09-02": "Met Tom. Decided to use Avro for 14 topics in October.",
    "2024-10-02": "The roof leaks again. Called the roofer.",
    "2025-03-20": "Planted beans and met the neighbours.",
    "2025-10-14": "Met Ingrid at the station.",
    "2024-03-20": "Painted the shed. Met Olav.",
}


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        ("Who did I meet on 14 October 2024?", {"2024-10-14"}),
        ("2024-10-14", {"2024-10-14"}),
        ("What did I do on the 14th of October?", {"2025-10-14"}),
        ("Who did I meet in October 2024?", {"2024-10-14"}),
        ("What happened in October 2024?", {"2024-10-14", "2024-10-02"}),
        ("Whom did I meet last spring?", {"2025-03-20"}),
        ("What did I do in the spring of 2024?", {"2024-03-20"}),
    ],
)
def test_a_date_in_a_question_finds_what_was_written_then(
    diary: UserMemory, asked: str, days: set[str]
) -> None:
    hits = diary.search(asked, kinds=["passage"], touch=False)
    first = {f"{hit.at:%Y-%m-%d}" for hit in hits[: len(days)] if hit.at is not None}
    assert first == days


@pytest.fixture(scope="module")
def diary() -> Iterator[UserMemory]:
    with Memory.open(":memory:", clock=SteppedClock(datetime(2025, 11, 20, 9, tzinfo=UTC))) as one:
        piotr = one.user("piotr", name="Piotr Nowak")
        for day, text in DAYS.items():
            piotr.add(
                f"# {day}\n\n{text}", started_at=datetime.fromisoformat(f"{day}T20:00:00+00:00")
            )
        one.work()
        yield piotr
