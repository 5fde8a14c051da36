"""A model that says what the test wrote down, by prompt, and a house with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from remanent.core.model.mind_types import OnBehalf, Reading
from remanent.core.model.source import ContentType
from remanent.core.settings import MindRules
from remanent.minds.llm.chat import PydanticChat
from remanent.minds.llm.mind import LlmMind
from remanent.minds.llm.prompts import NAMES, prompt
from remanent.minds.llm.retries import Pause
from remanent.minds.offline import OfflineMind
from remanent_conformance.builders import MOMENT, a_passage, a_source

ERRAND = OnBehalf(user_id="ada", job="extract", source_key="s")


class Script:
    """What is said to each prompt: a value, a function of the data, or a list of such, used in turn.

    A value is a dict (the structured answer), a list (an agent's calls as (name, args)), a text, a
    whole response, or an error to raise. `asked` fills with (prompt, data).
    """

    def __init__(self, **said: Any) -> None:
        self.said = said
        self.asked: list[tuple[str, str]] = []
        self._turns: dict[str, Iterator[Any]] = {}

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        name, data = prompt_of(info.instructions or ""), data_of(messages)
        self.asked.append((name, data))
        said = self.said[name]
        if isinstance(said, tuple):
            said = next(self._turns.setdefault(name, iter(said)), said[-1])
        if callable(said) and not isinstance(said, type):
            said = said(data)
        if isinstance(said, Exception):
            raise said
        return response(said, info)

    def count(self, name: str) -> int:
        return sum(asked == name for asked, _ in self.asked)


def prompt_of(instructions: str) -> str:
    found = [one for one in NAMES if instructions.startswith(prompt(one).text.split("{{")[0][:40])]
    assert len(found) == 1, instructions[:80]
    return found[0]


def data_of(messages: list[ModelMessage]) -> str:
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    assert isinstance(part.content, str)
                    return part.content
    raise AssertionError("no data")


def response(said: Any, info: AgentInfo) -> ModelResponse:
    if isinstance(said, ModelResponse):
        return said
    if isinstance(said, str):
        return ModelResponse(parts=[TextPart(said)])
    if isinstance(said, list):
        return ModelResponse(parts=[ToolCallPart(name, args) for name, args in said])
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, said)])
    return ModelResponse(parts=[TextPart(json.dumps(said))])


async def no_pause(seconds: float) -> None:
    """Time does not pass in tests."""


def a_chat(
    script: Callable[..., Any],
    pause: Pause = no_pause,
    **rules: Any,
) -> PydanticChat:
    return PydanticChat(
        "test:model",
        lambda _: FunctionModel(script),
        MindRules(**rules),
        pause=pause,
        chance=lambda: 1.0,
    )


def a_mind(script: Callable[..., Any], **rules: Any) -> LlmMind:
    bound = an_unbound_mind(script, **rules).on(ERRAND)
    assert isinstance(bound, LlmMind)
    return bound


def an_unbound_mind(script: Callable[..., Any], **rules: Any) -> LlmMind:
    return LlmMind(a_chat(script, **rules), OfflineMind(), MindRules(**rules))


def a_reading(*said: tuple[str | None, str] | str) -> Reading:
    source = a_source()
    passages = []
    for number, one in enumerate(said):
        speaker, text = (None, one) if isinstance(one, str) else one
        passages.append(a_passage(source, number, text, speaker=speaker))
    return Reading(
        content_type=ContentType.CONVERSATION,
        started_at=MOMENT,
        passages=tuple(passages),
        owner_names=("Ada Lindqvist", "ada", "Ada", "user", "me", "i"),
    )
