"""The last answers, for intents that ask the same question: summary and topics, candidates and beliefs.

The real chat: any provider that pydantic-ai knows, asked for answers by schema or as an agent.
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput, UsageLimits
from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from remanent.core.model.mind_types import OnBehalf
from remanent.core.ports.mind import Tools
from remanent.core.recent import Recent
from remanent.core.settings import MindRules
from remanent.errors import MindError, MindUnreadable
from remanent.minds.llm import retries
from remanent.minds.llm.request import Ask, Chat, Reply
from remanent.minds.llm.retries import Patient, Pause, as_mind_error
from remanent.minds.llm.tools import FINISH, Hands

MOST = 32

Place = tuple[str, str]  # the user and the question's digest


class RecentAnswers(Recent[Place, tuple[object]]):
    """Whoever asks what is being asked waits for that answer; different questions do not wait."""

    def __init__(self) -> None:
        super().__init__(MOST)
        self._asking: dict[Place, threading.Lock] = {}

    def answer(self, place: Place, ask: Callable[[], object]) -> object:
        """The answer kept there, or else what `ask` gives, kept from now on; a failure is not kept."""
        with self._guard:
            one_at_a_time = self._asking.setdefault(place, threading.Lock())
        try:
            with one_at_a_time:
                kept = self.get(place)
                if kept is None:  # an answer that was of no use is one, too: it is not asked again
                    kept = (ask(),)
                    self.put(place, kept)
                return kept[0]
        finally:
            with self._guard:
                self._asking.pop(place, None)


T = TypeVar("T")


class Finished(BaseModel):
    """Say that nothing is left to write."""


class PydanticChat:
    """Asks models by name, each made once, when it is first asked.

    Args:
        main: the model for tasks that name none, as `provider:model`.
        build: makes the model of that name.
        rules: model per task, patience and bounds.
        pause: how to wait between two attempts.
        chance: spreads attempts; from 0 to 1.
    """

    def __init__(
        self,
        main: str,
        build: Callable[[str], Model],
        rules: MindRules | None = None,
        *,
        pause: Pause = asyncio.sleep,
        chance: Callable[[], float] = random.random,  # noqa: S311 - no secret
    ) -> None:
        self._main = main
        self._build = build
        self._rules = rules or MindRules()
        self._pause = pause
        self._chance = chance
        self._until: list[Callable[[], bool]] = []
        self._making = threading.Lock()
        self._models: dict[str, Patient] = {}

    def model(self, task: str) -> str:
        """The model for that task."""
        return self._rules.model(task, self._main)

    @contextmanager
    def until(self, stop: Callable[[], bool]) -> Iterator[None]:
        """Within this, ask nothing more once `stop()` says so, not even the same once again:
        `MindStopped`. A question that is under way may end."""
        self._until.append(stop)
        try:
            yield
        finally:
            self._until.remove(stop)

    def close(self) -> None:
        """Close the connections that were kept for the next question; one more would open its own."""
        with self._making:
            models, self._models = self._models, {}
        for model in models.values():
            retries.run(_left(model.wrapped))

    def __call__(self, ask: Ask, errand: OnBehalf) -> Reply:
        """One answer by schema; what does not fit goes back once with what is wrong."""
        name = self._allowed(ask, errand)
        if ask.output is None:
            raise MindError(f"task {ask.task}: it has no shape to answer in")
        shape: Any = ask.output
        kinds = {"native": NativeOutput, "tool": ToolOutput, "prompted": PromptedOutput}
        if self._rules.output in kinds:
            shape = kinds[self._rules.output](shape)
        agent: Agent[None, Any] = Agent(
            self._model(name),
            output_type=shape,
            instructions=ask.system,
            retries={"output": 1, "tools": 1},
            model_settings=self._settings(),
            deps_type=type(None),
        )
        spent, limits = RunUsage(), UsageLimits(request_limit=2)
        result = _run(agent.run(ask.data, usage=spent, usage_limits=limits), name, spent)
        return _reply(result.output.model_dump(mode="json"), name, spent)

    def work(self, ask: Ask, tools: Tools, errand: OnBehalf) -> Reply:
        """An agent at work; `MindUnreadable` when nothing it wanted was taken, or when it went on and on."""
        name = self._allowed(ask, errand)
        hands, spent = Hands(tools), RunUsage()
        agent: Agent[None, Any] = Agent(
            self._model(name),
            output_type=[ToolOutput(Finished, name=FINISH), str],
            instructions=ask.system,
            tools=hands.offered(ask),
            # How often is for us to say: after one round of repair we stop, and nothing is lost.
            retries={"tools": 99, "output": 1},
            end_strategy="exhaustive",
            model_settings=self._settings(),
            deps_type=type(None),
        )
        limits = UsageLimits(
            request_limit=self._rules.agent_requests, tool_calls_limit=self._rules.agent_calls
        )
        tried = _run(_at_work(agent, ask.data, hands, spent, limits), name, spent)
        if tried and not hands.taken:
            raise _spent(MindUnreadable(f"mind {name}: none of its calls could be taken"), spent)
        return _reply(hands.taken, name, spent)

    def _allowed(self, ask: Ask, errand: OnBehalf) -> str:
        if errand.private:
            raise MindError(f"task {ask.task}: a private errand never leaves this machine")
        return self.model(ask.task)

    def _model(self, name: str) -> Patient:
        with self._making:
            if name not in self._models:
                self._models[name] = Patient(
                    self._build(name),
                    name,
                    self._rules,
                    pause=self._pause,
                    chance=self._chance,
                    stopped=lambda: any(stop() for stop in self._until),
                )
            return self._models[name]

    def _settings(self) -> ModelSettings:
        return ModelSettings(
            max_tokens=self._rules.max_output_tokens,
            timeout=self._rules.timeout_seconds or 3600.0,
            max_retries=0,  # `Patient` counts them
        )


async def _left(model: Model) -> None:
    """Whoever leaves a model last closes its connections; of some, its client's own `close` does not."""
    async with model:
        pass


async def _at_work(
    agent: Agent[None, Any], data: str, hands: Hands, spent: RunUsage, limits: UsageLimits
) -> bool:
    """Let it work until it says it is done; whether it tried to write anything.

    A model that calls several tools at once has said all it has to say: it is not asked again, unless
    some call was refused. One that calls them singly goes on until it stops or repeats itself.
    """
    tried, mended = False, False
    async with agent.iter(data, usage=spent, usage_limits=limits) as run:
        async for node in run:
            if not Agent.is_model_request_node(node):
                continue
            said = _last_calls(run.all_messages())
            if not said:
                continue
            tried = True
            refused = _is_refused(node.request)
            if refused and not mended:
                mended = True
            elif refused or len(said) > 1 or hands.repeated:
                break
    return tried


def _last_calls(messages: list[Any]) -> list[ToolCallPart]:
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            return [part for part in message.parts if isinstance(part, ToolCallPart)]
    return []


def _is_refused(request: ModelRequest) -> bool:
    return any(
        part.part_kind == "retry-prompt" or getattr(part, "outcome", "success") != "success"
        for part in request.parts
    )


def _run(work: Coroutine[Any, Any, T], name: str, spent: RunUsage) -> T:
    try:
        return retries.run(work)
    except MindError as problem:
        raise _spent(problem, spent) from None
    except (foreign.AgentRunError, foreign.UserError, OSError, ValueError) as problem:
        raise _spent(as_mind_error(problem, name), spent) from None


def _spent(problem: MindError, spent: RunUsage) -> MindError:
    problem.tokens_in, problem.tokens_out = spent.input_tokens, spent.output_tokens
    problem.calls = spent.requests
    return problem


def _reply(value: Any, name: str, spent: RunUsage) -> Reply:
    return Reply(
        value=value,
        model=name,
        tokens_in=spent.input_tokens,
        tokens_out=spent.output_tokens,
        calls=spent.requests,
    )


_NOBODY = OnBehalf(user_id="", job="doctor")


class Pong(BaseModel):
    """The one word."""

    word: str


def probe(chat: Chat) -> Reply:
    """Put the smallest of questions; a `MindError` says what is wrong. Nothing of anyone's is in it."""
    ask = Ask(
        task="ask",
        prompt="probe",
        version=1,
        system="Answer with the single word: pong.",
        data="ping",
        output=Pong,
    )
    return chat(ask, _NOBODY)
