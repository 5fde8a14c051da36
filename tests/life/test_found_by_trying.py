"""What people who tried it got wrong answers to, asked again with the mind and the embedder they had."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.anchor import Anchor
from remanent.core.model.node import Kind
from remanent.core.model.page import Outcome

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 31, 9, tzinfo=UTC)
LIFE = {
    "What car do we drive?": "We drive a Nissan Leaf.",
    "Which password manager do I use?": "I use Bitwarden as my password manager.",
    "What is the name of the dog?": "The dog is called Bella.",
    "Where is the cabin?": "The cabin is in Hemsedal.",
    "What guitar do I play?": "I play a Fender guitar.",
    "When is the go-live?": "The go-live is on 6 December.",
    "Where is the customer demo?": "The customer demo is in Trondheim.",
    "Who wants a penetration test?": "Erik wants a penetration test.",
    "When do we meet for the book club?": "The book club meets on Tuesdays.",
    "Which strings do I use?": "I use Elixir strings.",
    "What is the starter called?": "The starter is called Bubbles.",
    "Write a birthday card for my mother": "My mother is Ingrid.",
    "What should I drink?": "I prefer tea in the morning.",
}


@pytest.fixture(scope="module")
def told() -> Iterator[UserMemory]:
    with Memory.open(":memory:", clock=SteppedClock(NOW)) as memory:
        piotr = memory.user("piotr", name="Piotr Nowak")
        for statement in LIFE.values():
            piotr.remember(statement)
        yield piotr


@pytest.mark.parametrize("asked", LIFE)
def test_a_question_about_ones_life_is_looked_up(told: UserMemory, asked: str) -> None:
    found = told.context(asked, touch=False)
    assert found.need.needs_search
    assert LIFE[asked].rstrip(".") in found.text


@pytest.fixture
def piotr() -> Iterator[UserMemory]:
    with Memory.open(":memory:", clock=SteppedClock(NOW)) as memory:
        yield memory.user("piotr", name="Piotr Nowak")


def wrote(user: UserMemory, text: str, day: str) -> None:
    user.add(text, started_at=datetime.fromisoformat(f"{day}T20:00:00+00:00"))


def test_what_was_moved_begins_when_that_was_said(piotr: UserMemory) -> None:
    moved = "The go-live of Heron moved from 15 November to 6 December."
    wrote(piotr, moved, "2024-06-03")
    piotr.work()
    (belief,) = piotr.beliefs()
    assert f"{belief.since:%Y-%m-%d}" == "2024-06-03"


ACCEPTED, DECLINED = "I accepted the job at Google.", "I declined the job at Google."


def test_a_job_that_was_declined_is_no_employer(piotr: UserMemory) -> None:
    piotr.add("I declined the Google job.")
    piotr.work()
    assert [one.statement for one in piotr.beliefs()] == ["I declined the Google job."]
    ties = [tie for one in piotr.anchors() for tie in piotr.relationships(one.key, history=True)]
    assert [one.relationship_type for one in ties] == []


def test_a_job_accepted_and_then_declined(piotr: UserMemory) -> None:
    """The case of the founding papers (002, lines 644 to 648): the first edge ends when the second is said,
    and both times can be asked about."""
    wrote(piotr, ACCEPTED, "2024-01-01")
    piotr.work()
    wrote(piotr, DECLINED, "2024-01-15")
    piotr.work()
    between = datetime(2024, 1, 8, tzinfo=UTC)

    assert [one.statement for one in piotr.beliefs()] == [DECLINED]
    assert [one.statement for one in piotr.beliefs(as_of=between)] == [ACCEPTED]
    (me,) = [one for one in piotr.anchors(kind="person") if one.is_owner]
    (edge,) = piotr.relationships(me.key, as_of=between)
    assert edge.valid_to is not None
    assert (edge.description, f"{edge.valid_to:%d %B}") == (ACCEPTED, "15 January")
    assert not piotr.relationships(me.key)


QUIT = "I just quit my job at Equinor."
STARTS = "I start at Cognite on 1 April as a data engineer."


def test_where_one_works_now(piotr: UserMemory) -> None:
    wrote(piotr, QUIT, "2023-12-01")
    wrote(piotr, STARTS, "2024-01-10")
    wrote(piotr, "The Leaf still works great.", "2024-05-01")
    piotr.work()
    assert "Cognite" in piotr.search("Where do I work now?")[0].text
    assert "Cognite" in piotr.recall("Where do I work now?")[0].statement


def test_what_was_so_comes_after_what_is(piotr: UserMemory) -> None:
    for statement in ("I live in Bergen.", "I used to live in Oslo.", QUIT, STARTS):
        piotr.remember(statement)
    assert piotr.recall("Where do I work now?")[0].statement == STARTS
    assert piotr.recall("Where did I use to live?")[0].statement == "I used to live in Oslo."
    assert piotr.recall("Where do I live these days?")[0].statement == "I live in Bergen."


def test_where_a_brother_lives(piotr: UserMemory) -> None:
    home = "My brother Marek lives in Kraków."
    for statement in ("My brother is Marek.", "My mother is Ingrid.", "My son is Oscar.", home):
        piotr.remember(statement)
    assert piotr.recall("Where does my brother live?")[0].statement == home
    assert piotr.search("Where does my brother live?")[0].text == home


def test_one_may_like_more_than_one_thing(piotr: UserMemory) -> None:
    piotr.remember("I like blue.")
    assert piotr.remember("I like green.").outcome is Outcome.CREATED


def test_promises_are_believed_and_firms_are_known(piotr: UserMemory) -> None:
    promise = "I promised to send him the slides by Friday."
    piotr.add(f"{promise} Hansen AS has signed the contract with us. Hansen AS pays in May.")
    piotr.work()
    assert promise in [one.statement for one in piotr.beliefs()]
    assert "Hansen AS" in [one.name for one in piotr.anchors(include_archived=True)]


def test_a_firm_named_once_keeps_its_legal_form(piotr: UserMemory) -> None:
    piotr.add("I signed the contract with Hansen AS.")
    piotr.work()
    assert "Hansen AS" in [one.name for one in piotr.anchors(include_archived=True)]
    assert "Hansen AS" in piotr.search("Who is Hansen?", touch=False)[0].text


def test_a_link_to_somebody_called_by_their_first_name_is_that_person(piotr: UserMemory) -> None:
    piotr.add("I met [[Daniel Okafor|Daniel]] at the office. Daniel plays chess.")
    piotr.work()
    known = [one for one in piotr.anchors() if isinstance(one, Anchor) and "Daniel" in one.name]
    assert [(one.kind, one.name) for one in known] == [(Kind.PERSON, "Daniel Okafor")]
    assert [one.source_count for one in known] == [1]  # though the note calls him by two names


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_heading_is_no_part_of_the_name_below_it(piotr: UserMemory, gap: str) -> None:
    piotr.add(f"# Maria Lopez{gap}Maria is my sister.")
    piotr.work()
    known = [one.name for one in piotr.anchors(include_archived=True) if "Maria" in one.name]
    assert known == ["Maria Lopez"]


@pytest.mark.parametrize(
    "told", ["Tom works at Volvo in Gothenburg.", "Tom works for Volvo in Gothenburg."]
)
def test_where_a_firm_is_is_nobodys_home(piotr: UserMemory, told: str) -> None:
    piotr.add(told)
    piotr.work()
    known = {one.key: one.name for one in piotr.anchors(include_archived=True)}
    (tom,) = [key for key, name in known.items() if name == "Tom"]
    ties = {(one.relationship_type, known[one.dst]) for one in piotr.relationships(tom)}
    assert ties == {("employer", "Volvo")}


def test_a_number_too_large_is_no_nonsense(piotr: UserMemory) -> None:
    assert piotr.cypher("RETURN 2^100000 AS x").rows == (("inf",),)


def test_after_somebody_moved_nothing_says_otherwise(piotr: UserMemory) -> None:
    wrote(piotr, "Maria lives in Oslo.", "2026-03-01")
    piotr.work()
    moved = piotr.remember("Maria moved to Bergen.").belief
    hits = piotr.search("Where does Maria live?", touch=False)
    over = [one for one in hits if "Oslo." in one.text]
    assert over
    assert all(one.superseded_by == moved.key for one in over)
    assert "Bergen" in next(one.text for one in hits if one.kind is Kind.PERSON)
    lines = piotr.context("Where does Maria live?", touch=False).text.splitlines()
    assert all("no longer so" in one for one in lines if "lives in Oslo" in one)


@pytest.mark.parametrize("told", ["remembered", "added"])
def test_where_somebody_lives_is_the_place_named_before(piotr: UserMemory, told: str) -> None:
    met = "I met Maria in Oslo, she lives there."
    if told == "added":
        wrote(piotr, met, "2026-03-01")
        piotr.work()
    else:
        piotr.remember(met)
    assert "Maria lives in Oslo." in [one.statement for one in piotr.beliefs()]
    moved = piotr.remember("Maria moved to Bergen.")
    assert moved.outcome is Outcome.INVALIDATED
    held = {one.statement.rstrip(".") for one in piotr.beliefs()}
    assert held == {"I met Maria in Oslo", "Maria moved to Bergen"}
    first = piotr.search("Where does Maria live?", touch=False)[0]
    assert "Bergen" in first.text
    lines = piotr.context("Where does Maria live?", touch=False).text.splitlines()
    assert all("no longer so" in one for one in lines if "she lives there" in one)


def test_each_half_is_a_sentence(piotr: UserMemory) -> None:
    done = piotr.remember("I met Maria in Oslo, she lives there.")
    told = [one.belief.statement for one in (done, *done.also)]
    assert told == ["I met Maria in Oslo.", "Maria lives in Oslo."]


def test_who_is_only_believed_something_of_is_not_unheard_of(piotr: UserMemory) -> None:
    piotr.remember("Maria moved to Bergen.")
    assert "Maria moved to Bergen." in piotr.explore("Maria", touch=False).meta.reason
    assert "nothing in this memory" in piotr.explore("Zoltan", touch=False).meta.reason


def test_what_is_said_after_the_clock_was_set_back_is_news(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    with Memory.open(place, clock=SteppedClock(NOW)) as memory:
        memory.user("piotr", name="Piotr Nowak").remember("I live in Oslo.")
    with Memory.open(place, clock=SteppedClock(NOW - timedelta(days=30))) as memory:
        settled = memory.user("piotr").remember("I live in Bergen now.")
    assert settled.outcome is Outcome.INVALIDATED
