"""Use keeps a memory (SPEC 7), and what has faded is found when it is needed (SPEC 12.13)."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.mind_types import BeliefDraft, Candidate
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Question
from remanent.retrieval import rank
from remanent.testing import HashEmbedder, ScriptedMind

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
KETTLE = (
    "The new kettle in the kitchen of the office is made of copper, holds two litres of water, "
    "whistles a little tune and came by post from a small workshop in Trondheim last summer."
)
WIFI = "the wifi password of the cabin"


@pytest.fixture
def mind() -> ScriptedMind:
    return ScriptedMind(remembered={"tea": BeliefDraft(statement="I like green tea.")})


@pytest.fixture
def cabin(ada: UserMemory) -> str:
    key = ada.add("The wifi password of the cabin is heron seven.", title="Cabin")
    ada.work()
    return key


def life(user: UserMemory, key: str) -> Lifecycle:
    node = user.env.graph.get(user.scope, key)
    assert node is not None
    return node.life


def found(user: UserMemory, query: str = WIFI, **asked: object) -> dict[str | None, bool]:
    """The sources of a search, and whether they came out of the archive."""
    asked = {"kinds": ["passage", "source"], **asked}
    return {one.source_key: one.cold for one in user.search(query, **asked)}


def looked_at(user: UserMemory, *, cold: bool) -> int:
    """How many entries are weighed."""
    question = Question(text="", vector=HashEmbedder().embed(["x"])[0], weights={"dense": 1.0})
    return len(user.env.index.weigh(user.scope, question, kinds=(), limit=99, cold=cold))


# --- use ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["search", "context"])
def test_being_handed_out_is_access_once_an_hour(
    ada: UserMemory, clock: SteppedClock, cabin: str, verb: str
) -> None:
    for step, count in ((0 * HOUR, 1), (HOUR / 2, 1), (HOUR / 2, 2), (30 * DAY, 3)):
        clock.advance(step)
        getattr(ada, verb)(f"Do you remember {WIFI}?")
        assert life(ada, cabin).access_count == count
    assert life(ada, cabin).state is State.ACTIVE


def test_what_stands_in_every_prompt_does_not_stay_there_by_itself(
    ada: UserMemory, clock: SteppedClock, mind: ScriptedMind, cabin: str
) -> None:
    mind.chances = {"Hello!": 0.01}  # nothing is searched for it
    for _ in range(5):
        assert any(cabin in line.key for line in ada.context("Hello!").lines)
        clock.advance(2 * HOUR)
    assert life(ada, cabin).access_count == 1


def test_what_comes_to_mind_is_steadier_once_an_hour(ada: UserMemory, clock: SteppedClock) -> None:
    key = ada.remember("tea").belief.key
    before = ada.beliefs()[0].stability
    for _ in range(3):
        assert ada.recall("green tea")
    assert life(ada, key).access_count == 1
    clock.advance(HOUR)
    ada.recall("green tea")
    ada.search("green tea")
    assert life(ada, key).access_count == 2
    assert ada.beliefs()[0].stability == pytest.approx(before + 0.2)


def test_who_asks_about_the_past_or_without_touch_leaves_no_trace(
    ada: UserMemory, clock: SteppedClock, cabin: str
) -> None:
    ada.remember("tea")
    now = clock.now()
    for given in ({"touch": False}, {"as_of": now}, {"known_at": now}):
        assert ada.search(WIFI, **given)
        assert ada.context(WIFI, **given).lines
        ada.recall("green tea", **given)
    assert life(ada, cabin) == Lifecycle()
    assert all(one.life.access_count == 0 for one in ada.beliefs())


def test_only_what_is_returned_is_used(ada: UserMemory, cabin: str) -> None:
    other = ada.add("The cabin has a red door.")
    ada.work()
    ada.search(WIFI, limit=1, mode="deep", kinds=["passage"])
    assert (life(ada, cabin).access_count, life(ada, other).access_count) == (1, 0)


def test_what_only_fills_the_page_is_not_used(
    memory: Memory, ada: UserMemory, clock: SteppedClock, cabin: str
) -> None:
    """Whoever asks for one thing keeps that one, and none of the nine that came beside it."""
    others = [ada.add(f"The number {n} in the drawer is blue.") for n in range(9)]
    ada.work()
    hits = ada.search(WIFI, kinds=["passage"])
    assert {one.source_key for one in hits} == {cabin, *others}
    assert life(ada, cabin).access_count == 1
    assert all(life(ada, key).access_count == 0 for key in others)
    rules = replace(memory.env.config.lifecycle, used_from=0.0)
    ada.env = replace(ada.env, config=replace(ada.env.config, lifecycle=rules))
    ada.search(WIFI, kinds=["passage"])
    assert all(life(ada, key).access_count == 1 for key in others)


def test_another_lives_by_the_use_of_its_owner(memory: Memory, ada: UserMemory) -> None:
    bob = memory.user("bob")
    ada.create_team("The Band", "band")
    bob.accept(ada.invite("band", "bob").invitation_id)
    key = ada.add("The wifi password of the cabin is heron seven.", team="band")
    memory.work()
    ada.archive(key)
    assert found(bob)[key] is True
    assert life(ada, key).access_count == 0


def test_a_read_waits_for_no_writer_and_its_use_is_written_later(
    tmp_path: Path, clock: SteppedClock
) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path, clock=clock, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        key = ada.add("The wifi password of the cabin is heron seven.")
        ada.work()
        ada.search(WIFI, touch=False)
        answers: list[int] = []
        with memory.env.atomic():  # somebody writes, and does not end
            reader = threading.Thread(target=lambda: answers.append(len(ada.search(WIFI))))
            reader.start()
            reader.join(timeout=30)
            assert answers != [0]
            assert answers
        assert life(ada, key).access_count == 0
        used = clock.now()
        clock.advance(DAY)
        ada.search("something else", kinds=["belief"])
        assert (life(ada, key).access_count, life(ada, key).last_accessed_at) == (1, used)
        with Memory.open(path, clock=clock, embedder=HashEmbedder()) as other:
            with other.env.atomic():  # another program writes
                assert ada.search(WIFI)
            assert life(ada, key).access_count == 1


# --- the archive -------------------------------------------------------------------------------


def test_what_has_faded_is_found_marked_and_called_back(ada: UserMemory, cabin: str) -> None:
    at_hand = ada.add(KETTLE)
    ada.work()
    ada.archive(cabin)
    assert looked_at(ada, cold=False) < looked_at(ada, cold=True)
    assert found(ada, KETTLE, touch=False) == {at_hand: False}  # and nothing else is looked at

    (hit, *_) = ada.search(WIFI, kinds=["passage"], touch=False)
    assert (hit.source_key, hit.cold) == (cabin, True)
    assert hit.signals["cold"] < 0
    assert life(ada, cabin).state is State.ARCHIVED

    line = next(one for one in ada.context(f"Do you remember {WIFI}?").lines if cabin in one.key)
    assert "(from the archive)" in line.text
    assert life(ada, cabin).state is State.ACTIVE
    assert found(ada, kinds=["passage"], touch=False)[cabin] is False
    assert looked_at(ada, cold=False) == looked_at(ada, cold=True)
    assert life(ada, at_hand).state is not State.ARCHIVED


def test_a_time_that_lies_in_the_archive_is_looked_for_there(
    ada: UserMemory, clock: SteppedClock
) -> None:
    old = ada.add("We ate fish.", started_at=clock.now() - 100 * DAY)
    ada.add(KETTLE)
    ada.work()
    ada.archive(old)
    assert old not in found(ada, KETTLE, touch=False)
    assert found(ada, f"{KETTLE} In January 2026?", touch=False)[old] is True
    assert old not in found(ada, f"{KETTLE} In March 2024?", touch=False)
    assert old in found(ada, KETTLE, until=clock.now() - 90 * DAY, touch=False)
    assert old in found(ada, KETTLE, as_of=clock.now() - 90 * DAY)
    assert life(ada, old).state is State.ARCHIVED


def test_of_a_source_one_hit_comes_out_of_the_archive(ada: UserMemory) -> None:
    key = ada.add([{"speaker": "Ada", "text": f"{WIFI}, number {n}"} for n in range(4)])
    ada.work()
    ada.archive(key)
    hits = ada.search(f"{WIFI}?", kinds=["passage", "source"], touch=False)
    assert [one.source_key for one in hits] == [key]


def test_what_is_believed_leads_to_the_archived_source_it_was_read_from(
    ada: UserMemory, mind: ScriptedMind
) -> None:
    boat = "Bought Fjordfugl off old Henning, she leaks a bit at the stern but who cares."
    mind.drafts = {"Fjordfugl": [BeliefDraft(statement="Ada owns a wooden sailing boat.")]}
    told = ada.add(boat)
    others = [ada.add(f"A boat lay at pier {n} all day long.") for n in (1, 2)]
    ada.work()
    for key in (told, *others):
        ada.archive(key)
    (hit, *_) = ada.search("Which kind of boat does Ada have?", kinds=["passage"], touch=False)
    assert hit.source_key == told
    assert hit.signals["believed"] > 0


def _questions(ada: UserMemory, query: str, monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """What a search asks the index."""
    asked, index = list[Question](), ada.env.index
    weigh = index.weigh

    def heard(scope: Scope, question: Question, **more: Any) -> object:
        asked.append(question)
        return weigh(scope, question, **more)

    monkeypatch.setattr(index, "weigh", heard)
    ada.search(query, touch=False)
    return asked


@pytest.mark.parametrize(("others", "shorter"), [((), 1), (("Ragnhild Moe",), 0)])
def test_somebody_is_looked_for_by_a_first_name_that_nobody_else_has(
    ada: UserMemory,
    mind: ScriptedMind,
    others: tuple[str, ...],
    shorter: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("Ragnhild Aasen", *others):
        about = Candidate(kind=Kind.PERSON, name=name, confidence=9, subpoints=("a", "b", "c"))
        mind.candidates = {**mind.candidates, name: [about]}
        ada.add(f"Met {name} today.")
    ada.work()
    query = "Which goats does Ragnhild Aasen keep?"
    asked = rank.question_of(ada.env, ada.scope, query, kinds=(Kind.PASSAGE,))
    short = rank.also_by_first_names(ada.env, ada.scope, query, asked)
    also = short.also
    assert len(also) == len(asked.also) + shorter
    assert (short.weights["recent"] < asked.weights["recent"]) == bool(shorter)
    assert rank.asked_of_the_past(ada.env, short).also == also
    put = [one.also for one in _questions(ada, query, monkeypatch)]  # with nothing in the archive
    assert [len(one) for one in put] == [len(also)] * 2  # to beliefs, then to all that was said
    assert all("Ragnhild" in text and "Aasen" not in text for text, _ in also[len(asked.also) :])


def test_nothing_of_an_erased_source_is_in_the_archive(
    memory: Memory, ada: UserMemory, cabin: str
) -> None:
    ada.archive(cabin)
    assert memory.env.index.cold_days(ada.scope) is not None
    ada.erase(cabin)
    assert memory.env.index.cold_days(ada.scope) is None
    assert cabin not in found(ada)


def test_what_was_undone_and_put_away_is_not_called_back(ada: UserMemory, cabin: str) -> None:
    ada.undo(cabin)
    ada.archive(cabin)
    assert cabin not in found(ada)
    assert cabin in found(ada, include_archived=True)


def test_what_was_looked_up_for_a_question_is_not_looked_up_again(
    memory: Memory, ada: UserMemory, cabin: str
) -> None:
    index, asked = memory.env.index, Question(text="cabin", vector=None, weights={"lexical": 1.0})
    assert index.weigh(ada.scope, asked, kinds=(Kind.SOURCE,), limit=9)
    ada.archive(cabin)
    assert index.cold_days(ada.scope, Question(text="", vector=None, weights={})) is not None
    later = replace(asked, text="wifi")
    index.weigh(ada.scope, later, kinds=(Kind.SOURCE,), limit=9)
    assert later.seen is asked.seen
    assert list(later.seen) == [ada.scope]


def test_the_archive_is_the_readers_own(memory: Memory, ada: UserMemory, cabin: str) -> None:
    bob = memory.user("bob")
    bob.add("The wifi password of the office is otter.")
    memory.work()
    ada.archive(cabin)
    assert memory.env.index.cold_days(bob.scope) is None
    assert cabin not in found(bob)


def test_a_rebuilt_memory_has_the_same_archive(memory: Memory, ada: UserMemory, cabin: str) -> None:
    ada.add("The kettle is copper.")
    ada.work()
    ada.archive(cabin)
    before = (found(ada, touch=False), looked_at(ada, cold=False), looked_at(ada, cold=True))
    memory.rebuild()
    assert before == (
        found(ada, touch=False),
        looked_at(ada, cold=False),
        looked_at(ada, cold=True),
    )


def test_another_process_sees_what_was_archived(tmp_path: Path, clock: SteppedClock) -> None:
    path = tmp_path / "memory.db"
    with (
        Memory.open(path, clock=clock, embedder=HashEmbedder()) as one,
        Memory.open(path, clock=clock, embedder=HashEmbedder()) as two,
    ):
        ada, again = one.user("ada"), two.user("ada")
        key = ada.add("The wifi password of the cabin is heron seven.")
        ada.work()
        assert found(again, touch=False)[key] is False
        ada.archive(key)
        assert found(again, touch=False)[key] is True
        with suppress(RuntimeError), one.env.atomic():
            ada.restore(key)
            assert found(ada, touch=False)[key] is False
            raise RuntimeError
        assert found(ada, touch=False)[key] is True
