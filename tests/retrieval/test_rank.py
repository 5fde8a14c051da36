"""Rank: what stands before what, and why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from remanent import SteppedClock, UserMemory
from remanent.core.model.mind_types import BeliefDraft
from remanent.core.model.node import Kind
from remanent.testing import ScriptedMind


def tell(ada: UserMemory, at: datetime, *said: tuple[str, str], title: str = "") -> str:
    turns = [{"speaker": who, "text": text, "id": text} for who, text in said]
    return ada.add(turns, started_at=at, title=title)


def found(ada: UserMemory, query: str, limit: int = 3) -> list[str]:
    return [hit.text for hit in ada.search(query, limit=limit, kinds=["passage"])]


@pytest.fixture
def start(clock: SteppedClock) -> datetime:
    return clock.now() - timedelta(days=300)


def test_the_answer_is_found_by_the_question_before_it(ada: UserMemory, start: datetime) -> None:
    tell(
        ada,
        start,
        ("Tom", "Where did you leave the copper kettle?"),
        ("Ada", "On the shelf behind the paint."),
        ("Tom", "The ferry leaves at noon, by the way."),
    )
    tell(ada, start, ("Tom", "The shelf in the shed is full of paint."), ("Ada", "I know."))
    ada.work()

    assert "On the shelf behind the paint." in found(ada, "Where is the copper kettle?", 2)


def test_the_score_is_the_sum_of_its_signals(ada: UserMemory, start: datetime) -> None:
    tell(ada, start, ("Tom", "The ferry leaves at noon."), ("Ada", "When does it come back?"))
    ada.work()

    for hit in ada.search("When does the ferry leave in June?", kinds=["passage"]):
        assert hit.score == pytest.approx(sum(hit.signals.values()), abs=1e-6)


def test_who_is_asked_for_a_time_prefers_what_names_one(ada: UserMemory, start: datetime) -> None:
    tell(ada, start, ("Tom", "The ferry was a joy to ride."), title="one")
    tell(ada, start, ("Tom", "The ferry ride was yesterday."), title="two")
    ada.work()

    assert found(ada, "When was the ferry ride?")[0] == "The ferry ride was yesterday."


def test_a_named_month_brings_up_what_was_said_then(ada: UserMemory) -> None:
    for month in (3, 6, 9):
        at = datetime(2023, month, 5, 9, tzinfo=UTC)
        tell(ada, at, ("Tom", f"We took the ferry to island number {month}."))
    ada.work()

    assert "number 6" in found(ada, "Which island did we take the ferry to in June?")[0]


def test_days_told_from_today_are_looked_up(ada: UserMemory, clock: SteppedClock) -> None:
    for days in (2, 14, 60):
        tell(ada, clock.now() - timedelta(days=days), ("Tom", f"We saw a film, the one of {days}."))
    ada.work()

    assert "one of 14" in found(ada, "Which film did we see two weeks ago?")[0]


def test_of_equal_things_the_recent_comes_first(ada: UserMemory, clock: SteppedClock) -> None:
    for days in (1, 90):
        tell(ada, clock.now() - timedelta(days=days), ("Tom", f"We had soup again, {days}."))
    ada.work()

    assert found(ada, "What about the soup?")[0].endswith("1.")


def test_who_speaks_to_a_program_asks_for_all_it_said(ada: UserMemory, start: datetime) -> None:
    tell(
        ada,
        start,
        ("user", "What would go with the walls?"),
        ("assistant", "A mustard sofa."),
        *(("user", f"Another matter, number {n}.") for n in range(9)),
    )
    ada.work()

    def words_around(asked: str) -> float:
        hits = ada.search(asked, kinds=["passage"], touch=False)
        said = next(hit for hit in hits if hit.text.startswith("What would go"))
        own = next(hit for hit in hits if "mustard" in hit.text)
        return said.signals["around"] / own.signals["around"]

    assert words_around("Which mustard sofa did we settle on?") > words_around(
        "Which mustard sofa?"
    )


def test_what_a_program_says_stands_back(ada: UserMemory, start: datetime) -> None:
    tell(
        ada,
        start,
        ("user", "I keep my old sneakers under the bed."),
        ("assistant", "Old sneakers are best kept dry: keep old sneakers in a box for sneakers."),
        *(("user", f"Another matter, number {n}.") for n in range(9)),
    )
    ada.work()

    assert found(ada, "Where do I keep my old sneakers?")[0].startswith("I keep")
    assert found(ada, "What did you advise about old sneakers?")[0].startswith("Old sneakers")


def test_a_source_is_as_good_as_its_best_passage(ada: UserMemory, start: datetime) -> None:
    filler = [("Tom", f"Nothing much to tell about number {n}.") for n in range(8)]
    wanted = tell(ada, start, *filler, ("Ada", "My aunt Hilda breeds alpacas."), *filler)
    tell(ada, start, ("Tom", "My aunt is well, I think."), title="other")
    ada.work()

    hits = ada.search("Who breeds alpacas?", kinds=["source"])
    assert hits[0].key == wanted
    assert hits[0].kind is Kind.SOURCE


def test_of_sources_that_say_the_same_the_newest_goes_first(
    ada: UserMemory, start: datetime
) -> None:
    older = tell(ada, start, ("user", "I have 37 old coins in my collection of coins."))
    newer = tell(
        ada,
        start + timedelta(days=90),
        ("user", "Rain again today."),
        ("user", "By now I have 38 old coins in my coin collection, after a trip to the market."),
    )
    ada.work()

    asked = "How many old coins do I have in my collection?"
    assert [hit.key for hit in ada.search(asked, kinds=["source"])][:2] == [newer, older]
    first = "How many old coins did I have first in my collection?"
    assert [hit.key for hit in ada.search(first, kinds=["source"])][:2] == [older, newer]


def test_what_is_believed_of_the_older_does_not_put_it_first(
    ada: UserMemory, mind: ScriptedMind, start: datetime
) -> None:
    """A belief lifts the older one; the newest goes first all the same, and the parts make up the score."""
    told = "I have 37 old coins in my collection of coins"
    mind.drafts = lambda reading: [
        BeliefDraft(statement=told, passage_key=one.key)
        for one in reading.passages
        if told in one.text
    ]
    older = tell(ada, start, ("user", f"{told}."))
    newer = tell(
        ada,
        start + timedelta(days=1),
        ("user", "Rain again today."),
        ("user", "By now I have 38 old coins in my coin collection, after a trip to the market."),
    )
    ada.work()

    hits = ada.search("How many old coins do I have in my collection?", kinds=["source"])
    assert [hit.key for hit in hits][:2] == [newer, older]
    assert "believed" in hits[1].signals
    assert all(hit.score == pytest.approx(sum(hit.signals.values())) for hit in hits)


def test_a_filter_changes_no_score(ada: UserMemory, start: datetime) -> None:
    key = tell(ada, start, ("Tom", "The ferry leaves at noon."))
    tell(ada, start + timedelta(days=30), ("Tom", "The ferry leaves at nine."))
    ada.work()

    every = {hit.key: hit.score for hit in ada.search("ferry", kinds=["passage"])}
    until = start + timedelta(days=1)
    some = {hit.key: hit.score for hit in ada.search("ferry", kinds=["passage"], until=until)}
    assert some == {one: score for one, score in every.items() if one.startswith(key)}


def test_sources_can_be_filtered_too(ada: UserMemory, start: datetime) -> None:
    key = tell(ada, start, ("Tom", "The ferry leaves at noon."))
    tell(ada, start + timedelta(days=30), ("Tom", "The ferry leaves at nine."))
    ada.work()

    until = start + timedelta(days=1)
    assert [hit.key for hit in ada.search("ferry", kinds=["source"], until=until)] == [key]
