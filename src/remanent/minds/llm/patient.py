"""A model that is asked patiently: few at a time, not for ever, and again when that may help."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remanent.core.mind_settings import MindRules, pause_before
from remanent.errors import MindStopped, MindUnreadable
from remanent.minds.llm import loop
from remanent.minds.llm.trouble import as_mind_error, may_pass

Pause = Callable[[float], Awaitable[None]]

_CHARACTERS_PER_TOKEN = 16  # generous: only what no honest answer comes near is refused unread


class Patient(WrapperModel):
    """Every request of every task and agent goes through here; all that fails is a `MindError`."""

    def __init__(
        self,
        wrapped: Model,
        name: str,
        rules: MindRules,
        *,
        pause: Pause,
        chance: Callable[[], float],
        stopped: Callable[[], bool],
    ) -> None:
        super().__init__(wrapped)
        self._name = name
        self._rules = rules
        self._pause = pause
        self._chance = chance
        self._stopped = stopped

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        attempt = 0
        while True:
            attempt += 1
            try:
                async with loop.gate(self._rules.concurrency):
                    self._go_on()
                    async with asyncio.timeout(self._rules.timeout_seconds or None):
                        answer = await self.wrapped.request(
                            messages, model_settings, model_request_parameters
                        )
                return self._bounded(answer)
            except (foreign.ModelAPIError, OSError) as problem:  # a TimeoutError is an OSError
                wait = self._wait(problem, attempt)
                if wait is None:
                    raise as_mind_error(problem, self._name) from None
            except (LookupError, TypeError, AttributeError, ValueError) as problem:
                # An adapter that fell over what its server said; the server will say it again.
                words = f"mind {self._name}: its server gave no answer of its protocol"
                raise MindUnreadable(f"{words} ({type(problem).__name__})") from None
            self._go_on()
            await self._pause(wait)

    def _go_on(self) -> None:
        if self._stopped():
            raise MindStopped(f"mind {self._name}: stopped before it was asked")

    def _wait(self, problem: Exception, attempt: int) -> float | None:
        if not may_pass(problem):
            return None
        asked = getattr(problem, "retry_after", None)
        return pause_before(attempt, asked, self._chance(), self._rules)

    def _bounded(self, answer: ModelResponse) -> ModelResponse:
        most = self._rules.max_output_tokens * _CHARACTERS_PER_TOKEN
        if sum(_length(part) for part in answer.parts) > most:
            raise MindUnreadable(f"mind {self._name}: its answer is far longer than it may be")
        return answer


def _length(part: object) -> int:
    if isinstance(part, TextPart | ThinkingPart):
        return len(part.content)
    if isinstance(part, ToolCallPart):
        return len(part.args_as_json_str())
    return 0
