"""Remembered answers: asked once, then known; for whom they were given, and no one else."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from scripted_chat import ANN, BOB, ScriptedChat, Word, asks, stores

from remanent.core.model.anchor import Lifetime
from remanent.core.model.mind_types import NoteDraft
from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.spending import Answer, Spent, total
from remanent.errors import MindUnreadable
from remanent.ingest.extract import Toolbox
from remanent.minds.answer_cache import CachedChat
from remanent.minds.llm.request import Chat, Reply
from remanent.minds.meter import Meter, MeteredChat
from remanent.stores.sqlite import SqliteStores
from remanent.testing import SteppedClock
from remanent_conformance.builders import MOMENT, a_person

CLOCK = SteppedClock(MOMENT)
NOTE = {
    "tool": "add_note_to_person",
    "args": {"name": "Sarah Chen", "content": "Plays the cello.", "lifetime": Lifetime.FOREVER},
}


@pytest.fixture
def kept() -> Iterator[SqliteStores]:
    opened = stores()
    yield opened
    opened.close()


def remembering(chat: Chat, kept: SqliteStores) -> CachedChat:
    return CachedChat(chat=chat, records=kept.records, clock=CLOCK)


def test_what_was_asked_once_is_not_asked_again(kept: SqliteStores) -> None:
    told = ScriptedChat({"word": "æøå 🌍"})
    first = remembering(told, kept)(asks(), ANN)
    again = remembering(told, kept)(asks(), ANN)  # as after a restart

    assert first.calls == 1
    assert again == Reply(value={"word": "æøå 🌍"}, model=first.model, calls=0)
    assert len(told.asked) == 1


def test_a_remembered_answer_costs_nothing(kept: SqliteStores) -> None:
    metered = MeteredChat(chat=ScriptedChat(), meter=Meter(records=kept.records, clock=CLOCK))
    chat = remembering(metered, kept)
    chat(asks(), ANN)
    once = total(kept.records.find(Scope(user_id="ann"), Select(Spent)))
    chat(asks(), ANN)

    assert once.calls == 1
    assert total(kept.records.find(Scope(user_id="ann"), Select(Spent))) == once


@pytest.mark.parametrize(
    "other",
    [
        asks("other text"),
        asks(version=2),
        asks(prompt="believe"),
        asks(task="digest"),  # and so another model
        asks(system="Say two words."),
    ],
)
def test_another_question_is_asked(kept: SqliteStores, other: object) -> None:
    told = ScriptedChat()
    chat = remembering(told, kept)
    chat(asks(), ANN)
    chat(other, ANN)  # type: ignore[arg-type]

    assert len(told.asked) == 2


def test_another_shape_is_another_question(kept: SqliteStores) -> None:
    class Longer(Word):
        more: str = ""

    told = ScriptedChat()
    chat = remembering(told, kept)
    chat(asks(), ANN)
    chat(asks(output=Longer), ANN)

    assert len(told.asked) == 2


def test_no_one_is_answered_from_what_another_asked(kept: SqliteStores) -> None:
    told = ScriptedChat()
    chat = remembering(told, kept)
    chat(asks(), ANN)

    assert chat(asks(), BOB).calls == 1
    assert len(told.asked) == 2


def test_an_answer_that_does_not_fit_is_not_remembered(kept: SqliteStores) -> None:
    told = ScriptedChat({"wrong": 1})
    chat = remembering(told, kept)
    chat(asks(), ANN)
    told.value = {"word": "right"}

    assert chat(asks(), ANN).value == {"word": "right"}
    assert chat(asks(), ANN).calls == 0


def test_a_failure_is_not_remembered(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.trouble = MindUnreadable("not a word")
    chat = remembering(told, kept)
    with pytest.raises(MindUnreadable):
        chat(asks(), ANN)
    told.trouble = None

    assert chat(asks(), ANN).calls == 1


def test_an_agents_calls_are_done_again_on_the_tools(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.calls = [NOTE]
    chat, sarah = remembering(told, kept), a_person()
    boxes = [Toolbox([sarah]) for _ in range(2)]
    replies = [chat.work(asks(output=None), box, ANN) for box in boxes]

    assert [one.calls for one in replies] == [1, 0]
    assert len(told.asked) == 1
    assert boxes[0].findings == boxes[1].findings
    assert [type(one) for one in boxes[1].findings.notes] == [NoteDraft]


def test_a_call_that_the_tools_no_longer_take_is_left_out(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.calls = [NOTE]
    chat = remembering(told, kept)
    chat.work(asks(output=None), Toolbox([a_person()]), ANN)
    others = Toolbox([a_person("Peter")])
    chat.work(asks(output=None), others, ANN)

    assert others.findings.notes == ()


def test_who_asks_the_same_at_once_waits_for_the_one_answer(kept: SqliteStores) -> None:
    told = ScriptedChat()
    told.meanwhile = lambda: threading.Event().wait(0.05)  # so that the others come meanwhile
    chat, replies = remembering(told, kept), list[Reply]()
    threads = [threading.Thread(target=lambda: replies.append(chat(asks(), ANN))) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(told.asked) == 1
    assert sorted(one.calls for one in replies) == [0, 0, 0, 0, 0, 1]


def test_what_is_unlearnt_is_asked_again(kept: SqliteStores) -> None:
    told = ScriptedChat()
    chat = remembering(told, kept)
    chat(asks(), ANN)

    assert kept.records.delete(Scope(user_id="ann"), Select(Answer, {"source_key": "s1"})) == 1
    assert chat(asks(), ANN).calls == 1
