"""A chat that says what a test told it to, and keeps count; and stores for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from remanent.core.model.mind_types import OnBehalf
from remanent.core.ports.mind import Tools
from remanent.minds.llm.request import Ask, Reply, replayed
from remanent.stores.sqlite import SqliteStores, open_stores
from remanent_conformance.builders import MOMENT

MODEL = "openai:gpt-4.1-mini"
ANN = OnBehalf(user_id="ann", job="extract", source_key="s1")
BOB = OnBehalf(user_id="bob", job="extract", source_key="s2")


class Word(BaseModel):
    word: str


class ScriptedChat:
    """Answers every question with `value`, every agent with `calls`; `trouble` is raised instead."""

    def __init__(self, value: Any = None, *, tokens: tuple[int, int] = (1000, 100)) -> None:
        self.value = {"word": "yes"} if value is None else value
        self.calls: list[dict[str, Any]] = []
        self.tokens = tokens
        self.requests = 1
        self.asked: list[Ask] = []
        self.trouble: Exception | None = None
        self.meanwhile: Callable[[], object] = lambda: None
        self._lock = threading.Lock()

    def model(self, task: str) -> str:
        return "openai:gpt-5-nano" if task == "digest" else MODEL

    def __call__(self, ask: Ask, errand: OnBehalf) -> Reply:
        return self._reply(ask, self.value)

    def work(self, ask: Ask, tools: Tools, errand: OnBehalf) -> Reply:
        reply = self._reply(ask, self.calls)
        replayed(self.calls, tools)
        return reply

    def _reply(self, ask: Ask, value: Any) -> Reply:
        with self._lock:
            self.asked.append(ask)
        self.meanwhile()
        if self.trouble is not None:
            raise self.trouble
        tokens_in, tokens_out = self.tokens
        return Reply(
            value=value,
            model=self.model(ask.task),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            calls=self.requests,
        )


def asks(data: str = "text", **fields: Any) -> Ask:
    given = {
        "task": "extract",
        "prompt": "extract",
        "version": 1,
        "system": "Say a word.",
        **fields,
    }
    return Ask(data=data, **{"output": Word, **given})


def stores() -> SqliteStores:
    return open_stores(":memory:", now=MOMENT, embedder_name="hash", dimensions=8)
