"""Whoever looks for something says that it is a question; whatever can be found is a passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.ports.embedder import TextKind
from remanent.testing import HashEmbedder, ScriptedMind

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
ASKED = "Do you remember what I told you about my kettle?"


class Heard(HashEmbedder):
    """Notes what it was given as what."""

    def __init__(self) -> None:
        self.heard: list[tuple[TextKind, str]] = []

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        self.heard += [(kind, text) for text in texts]
        return super().embed(texts, kind=kind)


class Another(Heard):
    name = "another"


Asks = Callable[[UserMemory], object]


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda me: me.search(ASKED), id="search"),
        pytest.param(lambda me: me.recall(ASKED), id="recall"),
        pytest.param(lambda me: me.explore(ASKED), id="explore"),
        pytest.param(lambda me: me.context(ASKED, budget=500), id="context"),
        pytest.param(lambda me: me.events(ASKED), id="events"),
        pytest.param(lambda me: me.shelf().embed([ASKED], kind="question"), id="shelf"),
    ],
)
def test_what_is_asked_is_a_question(ask: Asks) -> None:
    embedder = Heard()
    mind = ScriptedMind(chances={ASKED: 0.95})
    with Memory.open(":memory:", clock=SteppedClock(NOW), mind=mind, embedder=embedder) as memory:
        me = memory.user("ada", timezone="UTC")
        me.remember("The kettle is on the shelf")
        embedder.heard.clear()
        ask(me)
        assert embedder.heard
        assert {kind for kind, _ in embedder.heard} == {"question"}


def test_what_can_be_found_is_a_passage() -> None:
    embedder = Heard()
    with Memory.open(
        ":memory:", clock=SteppedClock(NOW), mind=ScriptedMind(), embedder=embedder
    ) as memory:
        me = memory.user("ada", timezone="UTC")
        me.add("The kettle is on the shelf.")
        memory.work()
        me.record("message", {"role": "user", "text": "Is there tea?"}, session_id="s")
        memory.work()
        assert len(embedder.heard) > 2
        assert {kind for kind, _ in embedder.heard} == {"passage"}


def test_what_is_believed_is_a_statement_and_stays_one_when_it_is_embedded_anew() -> None:
    embedder = Heard()
    with Memory.open(
        ":memory:", clock=SteppedClock(NOW), mind=ScriptedMind(), embedder=embedder
    ) as memory:
        me = memory.user("ada", timezone="UTC")
        me.remember("I like tea")
        key = me.remember("I love tea").belief.key
        me.restate(key, "I adore tea")
        memory.work()
        assert embedder.heard
        assert {kind for kind, _ in embedder.heard} == {"statement"}
        other = Another()
        memory.reembed(other)
        assert {kind for kind, _ in other.heard} == {"statement"}
