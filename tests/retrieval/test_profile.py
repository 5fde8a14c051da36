"""What is known about the owner: by section, bounded, as of any time, and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind
from remanent.errors import InvalidInput
from remanent.retrieval.rules.profile import ProfileSection, section_of

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = {
    "I am allergic to peanuts.": "health_and_safety",
    "I have type 2 diabetes.": "health_and_safety",
    "My name is Ada.": "who_i_am",
    "I am a carpenter.": "who_i_am",
    "I live in Oslo.": "where_i_live_and_work",
    "My sister is Maria.": "people_close_to_me",
    "I prefer tea in the morning.": "preferences",
    "My goal is to learn Spanish.": "goals",
    "Always answer in French.": "standing_instructions",
    "I play the guitar.": "also",
}


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", clock=SteppedClock(BEGIN)) as opened:
        yield opened


@pytest.fixture
def ada(memory: Memory) -> UserMemory:
    return memory.user("ada", name="Ada Lind")


def a_belief(statement: str, subject: str = "owner") -> Belief:
    return Belief(
        user_id="ada",
        key="k",
        statement=statement,
        subject=subject,
        since=BEGIN,
        created_at=BEGIN,
        updated_at=BEGIN,
    )


def test_words_say_where_a_belief_stands() -> None:
    assert {text: str(section_of(a_belief(text))) for text in SAID} == SAID


def test_of_others_only_whoever_is_close_is_there() -> None:
    assert section_of(a_belief("My wife Eva lives in Bergen.", "eva")) is ProfileSection.PEOPLE
    assert section_of(a_belief("Maria lives in Oslo.", "maria")) is None


def test_it_is_told_by_section_with_keys_that_work(ada: UserMemory) -> None:
    for text in SAID:
        ada.remember(text)
    ada.remember("Maria lives in Bergen.")
    known = ada.about_me()

    assert known.name == "Ada Lind"
    assert {one.text: one.section for one in known.lines} == SAID
    order = [one.value for one in ProfileSection]
    assert [one.section for one in known.lines] == sorted(
        (one.section for one in known.lines), key=order.index
    )
    assert all(one.kind is Kind.BELIEF and one.since == BEGIN for one in known.lines)
    keys = {one.text: one.key for one in known.lines}
    ada.restate(keys["I live in Oslo."], "I live in Oslo, at the harbour.")
    ada.forget(keys["I play the guitar."])
    texts = [one.text for one in ada.about_me().lines]
    assert "I live in Oslo, at the harbour." in texts
    assert "I play the guitar." not in texts


def test_what_may_hurt_comes_first_when_there_is_little_room(ada: UserMemory) -> None:
    for text in SAID:
        ada.remember(text)
    few, short = ada.about_me(3), ada.about_me(budget=100)

    assert [one.section for one in few.lines].count("health_and_safety") == 2
    assert (len(few.lines), few.omitted) == (3, len(SAID) - 3)
    assert sum(len(one.text) for one in short.lines) <= 100
    assert short.omitted == len(SAID) - len(short.lines)
    assert "I am allergic to peanuts." in [one.text for one in short.lines]
    for wrong in (0, 99, True, "many"):
        with pytest.raises(InvalidInput, match="budget"):
            ada.about_me(budget=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="limit"):
        ada.about_me(0)


def test_it_tells_what_was_so_then(memory: Memory, ada: UserMemory) -> None:
    clock = memory.env.clock
    assert isinstance(clock, SteppedClock)
    ada.remember("I live in Oslo.")
    clock.advance(timedelta(days=30))
    ada.remember("I live in Bergen now.")

    assert [one.text for one in ada.about_me().lines] == ["I live in Bergen now."]
    then = ada.about_me(as_of=BEGIN + timedelta(days=1))
    assert [one.text for one in then.lines] == ["I live in Oslo."]


def test_nothing_of_others_is_in_it_unmarked(memory: Memory, ada: UserMemory) -> None:
    bob = memory.user("bob", name="Bob Ray")
    bob.remember("I live in Lyon.")
    ada.create_team("Band", "band")
    bob.accept(ada.invite("band", "bob").invitation_id)
    turn = {"speaker": "Bob Ray", "text": "Ada is allergic to walnuts. I am allergic to kiwis."}
    bob.add([turn], type="conversation", team="band")
    memory.work()
    ada.adopt("band")
    memory.work()

    lines = ada.about_me().lines
    assert not [one for one in lines if "Lyon" in one.text or "kiwi" in one.text]
    assert all(one.contributed_by == "bob" for one in lines)
    assert [one.text for one in bob.about_me().lines if "Lyon" in one.text]


def test_it_leaves_no_trace(ada: UserMemory) -> None:
    key = ada.remember("I live in Oslo.").belief.key
    before = ada.env.graph.get(ada.scope, key)
    ada.about_me()

    assert ada.env.graph.get(ada.scope, key) == before
