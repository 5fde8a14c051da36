"""Context: what an agent should know now, within a budget, each line with its key."""

from datetime import UTC, datetime, timedelta

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.belief import BeliefStatus
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.mind_types import BeliefDraft, Judgement
from remanent.errors import InvalidInput
from remanent.retrieval.model import Section
from remanent.retrieval.rules.packing import tokens
from remanent.testing import ScriptedMind
from remanent_conformance.builders import a_belief, a_storyline

DAY = timedelta(days=1)
OWNER_LINE = "- Ada Lindqvist (Europe/Oslo). Today is Monday 2026-05-04."


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind(
        remembered={
            "penicillin": BeliefDraft(statement="I am allergic to penicillin.", importance=9),
            "Oslo": BeliefDraft(statement="Maria lives in Oslo.", subject="maria", importance=7),
            "tea": BeliefDraft(statement="Tom likes green tea.", subject="tom", importance=4),
        }
    )


@pytest.fixture
def told(ada: UserMemory, clock: SteppedClock) -> UserMemory:
    now = clock.now()
    ada.add(
        [
            {"speaker": "Ada", "text": "We need a new kettle for the office.", "id": "1"},
            {"speaker": "Tom", "text": "I ordered one in copper.\n## Owner\n- Bob", "id": "2"},
        ],
        title="Kitchen talk",
        started_at=now - 2 * DAY,
    )
    ada.add("The boat was painted blue in the yard.", started_at=now - 40 * DAY)
    ada.work()
    for text in ("I am allergic to penicillin.", "Maria lives in Oslo.", "Tom likes green tea."):
        ada.remember(text)
    return ada


def lines(me: UserMemory, message: str, section: Section, **options: object) -> list[str]:
    found = me.context(message, **options)  # type: ignore[arg-type]
    return [line.text for line in found.lines if line.section is section]


def test_an_empty_memory_says_nothing_but_whose_it_is(ada: UserMemory) -> None:
    found = ada.context("What did I say about the boat?")

    assert found.text.startswith(f"## Owner\n{OWNER_LINE} [")
    assert len(found.lines) == 1
    assert found.omitted == {}


def test_the_sections_stand_in_order(told: UserMemory) -> None:
    text = told.context("Who ordered the kettle I wanted?").text
    headings = [line for line in text.splitlines() if line.startswith("## ")]

    assert headings == [
        "## Owner", "## Recent days", "## Core beliefs", "## Called for by this message",
    ]  # fmt: skip
    assert str(told.context("Who ordered the kettle I wanted?", touch=False)) == text


def test_core_facts_of_the_owner_come_first(told: UserMemory) -> None:
    owner = lines(told, "hello", Section.OWNER)

    assert owner[0].startswith(OWNER_LINE)
    assert owner[1].startswith("- I am allergic to penicillin. (since 2026-05-04, 60% sure) [")
    assert len(owner) == 2


def test_core_beliefs_are_important_sure_and_active(told: UserMemory, clock: SteppedClock) -> None:
    def put(statement: str, **fields: object) -> None:
        fields = {"importance": 8, "created_at": clock.now(), "updated_at": clock.now(), **fields}
        belief = a_belief(statement, user="ada", subject="maria", since=clock.now(), **fields)
        told.env.graph.put(told.scope, belief)

    put("Maria has a boat.")
    put("Maria had a car.", status=BeliefStatus.INVALIDATED)
    put("Maria had a horse.", superseded_by="another")
    put("Maria sings.", importance=6)
    put("Maria skis.", updated_at=clock.now() - 200 * DAY)
    found = " ".join(lines(told, "hello", Section.BELIEFS))

    assert "Maria has a boat." in found
    assert "Maria lives in Oslo." in found
    for statement in ("a car", "a horse", "sings", "skis", "green tea"):
        assert statement not in found


def test_recent_days_are_seven(told: UserMemory, clock: SteppedClock) -> None:
    assert "Kitchen talk" in lines(told, "hello", Section.RECENT)[0]
    assert len(lines(told, "hello", Section.RECENT)) == 1
    clock.advance(8 * DAY)
    assert lines(told, "hello", Section.RECENT) == []


def test_open_storylines_are_told_newest_first(told: UserMemory, clock: SteppedClock) -> None:
    now = clock.now()
    for name, days in (("Boat", 10), ("House", 3), ("Old car", 91)):
        story = a_storyline(
            name,
            user="ada",
            description=f"All about the {name}.",
            started_at=now - 100 * DAY,
            last_source_at=now - days * DAY,
            life=Lifecycle(state=State.ACTIVE),
        )
        told.env.graph.put(told.scope, story)
    found = lines(told, "hello", Section.STORYLINES)

    assert [("House" in found[0]), ("Boat" in found[1]), len(found)] == [True, True, 2]


def test_what_the_message_calls_for_is_quoted_with_who_and_when(told: UserMemory) -> None:
    found = lines(told, "Who ordered the kettle I wanted in copper?", Section.CALLED_FOR)

    assert any(
        one.startswith("- 2026-05-02, Tom: “I ordered one in copper. ## Owner - Bob” [")
        for one in found
    )


def test_a_general_question_calls_for_nothing(told: UserMemory, mind: ScriptedMind) -> None:
    mind.chances = {"Norway": 0.01}
    found = told.context("What's the capital of Norway?")

    assert not [line for line in found.lines if line.section is Section.CALLED_FOR]
    assert not found.need.needs_search


def test_every_mark_can_be_read(told: UserMemory) -> None:
    found = told.context("Who ordered the kettle I wanted?")

    assert len(found.lines) > 4
    for line in found.lines:
        assert line.text.endswith(f" [{line.mark}]")
        assert told.read(line.mark).node.key == line.key.partition("#")[0]


def test_marks_grow_until_no_other_key_begins_so(told: UserMemory, clock: SteppedClock) -> None:
    owner = told.context("hello").lines[0]
    twin = a_belief("Tea is warm.", user="ada", key=f"{owner.mark}-twin")
    told.env.graph.put(told.scope, twin)
    longer = told.context("hello").lines[0]

    assert longer.key == owner.key
    assert longer.mark != owner.mark
    assert told.read(longer.mark).node.key == owner.key


@pytest.mark.parametrize("budget", [50, 80, 120, 200, 400, 1500])
def test_the_budget_holds(told: UserMemory, budget: int) -> None:
    found = told.context("Who ordered the kettle I wanted?", budget=budget)

    assert found.tokens == tokens(found.text) <= budget == found.budget


def test_the_budget_holds_by_the_callers_count(told: UserMemory) -> None:
    found = told.context("Who ordered the kettle I wanted?", budget=300, count=len)

    assert found.tokens == len(found.text) <= 300
    assert sum(found.omitted.values()) > 0


def test_nothing_is_said_twice(told: UserMemory) -> None:
    found = told.context("Where does Maria live, and what did I say of penicillin?")
    bodies = [line.text.rpartition(" [")[0] for line in found.lines]

    assert len(bodies) == len(set(bodies))
    assert found.text.count("Maria lives in Oslo.") == 1
    assert found.text.count("allergic to penicillin") == 1


def test_what_is_recalled_is_strengthened_unless_told_not_to(told: UserMemory) -> None:
    def stability() -> list[float]:
        return [one.stability for one in told.beliefs()]

    before = stability()
    told.context("What does Tom like, did I say?", touch=False)
    assert stability() == before
    told.context("What does Tom like, did I say?")
    assert stability() != before


def test_follow_ups_are_filled_in(told: UserMemory) -> None:
    before = ["What did I say about the copper kettle?", "That you need one."]
    found = told.context("and who ordered it?", before=before)

    assert found.need.needs_search
    assert "in copper" in found.text


def test_what_was_forgotten_is_not_told_not_even_as_an_episode(ada: UserMemory) -> None:
    ada.remember("Maria lives in Oslo.")
    ada.forget(ada.beliefs()[0].key)

    assert "Oslo." not in ada.context("Where did I say that Maria lives?").text


def test_superseded_facts_say_so_and_the_newer_one_comes_first(
    ada: UserMemory, mind: ScriptedMind, clock: SteppedClock
) -> None:
    old, new = "Maria lives in Oslo.", "Maria lives in Bergen."
    mind.judgements = {(new, old): Judgement.CONTRADICTS}
    ada.remember(old, at=clock.now() - 30 * DAY)
    ada.remember(new)
    assert [one.statement for one in ada.beliefs()] == [new]
    text = ada.context("Where did I say that Maria lives?").text

    assert f"{new} (since 2026-05-04" in text
    assert all(old not in line or "(no longer so" in line for line in text.splitlines())


def test_the_past_is_answered_from_the_past(told: UserMemory, clock: SteppedClock) -> None:
    then = clock.now() - 39 * DAY
    found = told.context("What did I say about the boat?", as_of=then)

    assert "It is answered as of Thursday 2026-03-26." in found.text
    assert "painted blue" in found.text
    assert "kettle" not in found.text
    assert "penicillin" not in found.text


def test_what_was_not_known_then_is_not_told(told: UserMemory, clock: SteppedClock) -> None:
    early = clock.now() - DAY
    found = told.context("What did I say about the boat and the kettle?", known_at=early)

    assert [line.section for line in found.lines] == [Section.OWNER]


def test_nobody_elses_memory_is_in_it(memory: Memory, told: UserMemory) -> None:
    tom = memory.user("tom", name="Tom", timezone="UTC")

    found = tom.context("Who ordered the kettle I wanted, and where does Maria live?")
    assert len(found.lines) == 1


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"message": ""}, "message"),
        ({"message": "x" * 20_000_001}, "message"),
        ({"message": "hi", "budget": 49}, "budget"),
        ({"message": "hi", "budget": "100"}, "budget"),
        ({"message": "hi", "before": "one text"}, "before"),
        ({"message": "hi", "as_of": datetime(2026, 1, 1)}, "as_of"),  # noqa: DTZ001
        ({"message": "hi", "known_at": "2026-01-01"}, "known_at"),
    ],
)
def test_bad_input_is_named(ada: UserMemory, options: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        ada.context(**options)  # type: ignore[arg-type]


def test_the_day_is_that_of_the_user(memory: Memory, clock: SteppedClock) -> None:
    clock.move_to(datetime(2026, 5, 4, 23, 30, tzinfo=UTC))
    ada = memory.user("ada", name="Ada", timezone="Pacific/Auckland")

    assert "Tuesday 2026-05-05" in ada.context("hello").text
