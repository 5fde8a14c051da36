"""Answers remembered: what a model said to a user once, it need not be asked for that user again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from remanent.clock import Clock
from remanent.core.dataclasses import dataclass, field
from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.scope import Scope
from remanent.core.ports.mind import Tools
from remanent.core.ports.records import Records
from remanent.core.records.spending import Answer
from remanent.minds.llm.request import Ask, Chat, Reply, replayed


class Turns:
    """One at a time for each name; who came later finds what the first one left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        with self._lock:
            own, count = self._waiting.get(name, (threading.Lock(), 0))
            self._waiting[name] = own, count + 1
        try:
            with own:
                yield
        finally:
            with self._lock:
                own, count = self._waiting.pop(name)
                if count > 1:
                    self._waiting[name] = own, count - 1


@dataclass(slots=True, kw_only=True)
class CachedChat:
    """A `Chat` that puts a question only if no answer is kept under its digest: that of its text, its
    prompt and version, its shape, the task and the model.

    Answers are kept for whom they were given to. Who asks the same at the same time waits for the one
    answer; two processes may both ask, and the first answer is kept. A remembered one costs no call.
    """

    chat: Chat
    records: Records
    clock: Clock
    _asked: Turns = field(default_factory=Turns)

    def model(self, task: str) -> str:
        """The model, as `provider:model`, that is asked for this task."""
        return self.chat.model(task)

    def __call__(self, ask: Ask, errand: OnBehalf) -> Reply:
        """The answer that is kept; else put the question, and keep what fits."""
        reply, _ = self._answered(ask, errand, lambda: self.chat(ask, errand))
        return reply

    def work(self, ask: Ask, tools: Tools, errand: OnBehalf) -> Reply:
        """Do again on these tools what the model did with them before; else let it work."""
        reply, is_new = self._answered(ask, errand, lambda: self.chat.work(ask, tools, errand))
        if not is_new:
            replayed(reply.value, tools)
        return reply

    def _answered(self, ask: Ask, errand: OnBehalf, put: Callable[[], Reply]) -> tuple[Reply, bool]:
        """The reply, and whether the model gave it just now."""
        scope, model = Scope(user_id=errand.user_id), self.chat.model(ask.task)
        digest = ask.digest(model)
        with self._asked.turn(f"{errand.user_id} {digest}"):
            kept = self.records.get(scope, Answer, digest)
            value = None if kept is None else _read(kept.text)
            if value is not None and _fits(value, ask):
                return Reply(value=value, model=model, calls=0), False
            reply = put()
            if _fits(reply.value, ask):
                self._keep(scope, digest, ask, reply, errand)
            return reply, True

    def _keep(self, scope: Scope, digest: str, ask: Ask, reply: Reply, errand: OnBehalf) -> None:
        self.records.claim(
            scope,
            Answer(
                digest=digest,
                user_id=errand.user_id,
                mind=reply.model,
                task=ask.task,
                text=json.dumps(reply.value, ensure_ascii=False),
                answered_at=self.clock.now(),
                tokens_in=reply.tokens_in,
                tokens_out=reply.tokens_out,
                source_key=errand.source_key,
            ),
        )


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _fits(value: Any, ask: Ask) -> bool:
    """Whether it is an answer to that question: what does not fit is not remembered, nor believed."""
    if ask.output is None:
        return isinstance(value, list)
    try:
        ask.output.model_validate(value)
    except ValueError:  # pydantic's own error is one
        return False
    return True
