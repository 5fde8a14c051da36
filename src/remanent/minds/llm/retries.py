"""One event loop of our own, in a thread of its own: connections live longer than a call, and any
thread may call, whether or not it has a loop.

A model that is asked patiently: few at a time, not for ever, and again when that may help.

What can go wrong with a provider, in our words, each with the setting that may help.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from pydantic_ai import exceptions as foreign
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from remanent.core.dataclasses import dataclass, field
from remanent.core.settings import MindRules, pause_before
from remanent.errors import (
    BadMindKey,
    MindBusy,
    MindError,
    MindRefused,
    MindStopped,
    MindTooLong,
    MindTooSlow,
    MindUnreachable,
    MindUnreadable,
    UnknownModel,
)

T = TypeVar("T")


@dataclass(slots=True)
class _Loop:
    """The loop of one process; a fork has to start its own."""

    pid: int
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    gates: dict[int, asyncio.Semaphore] = field(default_factory=dict)


_starting = threading.Lock()
_running: list[_Loop] = []


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to. Whoever stops waiting, by an interrupt, stops the work."""
    future = asyncio.run_coroutine_threadsafe(work, _loop().loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def gate(concurrency: int) -> asyncio.Semaphore:
    """Lets so many through at once, of all in this process who agree on the number; ask on the loop."""
    return _loop().gates.setdefault(concurrency, asyncio.Semaphore(max(1, concurrency)))


def _loop() -> _Loop:
    with _starting:
        if not _running or _running[-1].pid != os.getpid():
            fresh = _Loop(os.getpid())
            threading.Thread(target=fresh.loop.run_forever, name="minds", daemon=True).start()
            _running.append(fresh)
        return _running[-1]


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
                async with gate(self._rules.concurrency):
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


_KEYLIKE = re.compile(r"\b(?:sk|pk|key|AIza|Bearer)[-_ A-Za-z0-9*.]{8,}", re.IGNORECASE)
_AGAIN = frozenset({408, 409, 425, 429})

# The first row with a class that fits speaks. What we say never holds what the provider said, but for a
# refusal of the request itself, which nobody can mend without it.
_KNOWN: tuple[tuple[tuple[type[Exception], ...], type[MindError], str], ...] = (
    (
        (foreign.ModelAuthenticationError,),
        BadMindKey,
        "does not take the key; set REMANENT_MIND_KEY to one that may use it",
    ),
    (
        (foreign.ModelNotFoundError,),
        UnknownModel,
        "is not known there; check REMANENT_MIND (provider:model) and REMANENT_MIND_URL",
    ),
    (
        (foreign.ModelContextWindowExceededError,),
        MindTooLong,
        "cannot read so much at once; lower REMANENT_MINDS__EXTRACT_TOKENS or name another model",
    ),
    (
        (foreign.ModelQuotaExceededError,),
        MindBusy,
        "has no credit left; top up the account, or set REMANENT_MIND to another model",
    ),
    (
        (foreign.ModelRateLimitError,),
        MindBusy,
        "takes no more for now (rate limit); lower REMANENT_MINDS__CONCURRENCY, or wait",
    ),
    (
        (foreign.ModelTimeoutError, foreign.ModelRequestTimeout, TimeoutError),
        MindTooSlow,
        "did not answer in time; raise REMANENT_MINDS__TIMEOUT_SECONDS",
    ),
    (
        (foreign.ModelConnectionError, OSError),
        MindUnreachable,
        "cannot be reached; check REMANENT_MIND_URL and the network",
    ),
    (
        (foreign.ModelUnavailableError,),
        MindBusy,
        "is overloaded or out of service; try again later, or set REMANENT_MIND to another model",
    ),
    (
        (foreign.ModelServerError,),
        MindBusy,
        "failed on its side; try again later, or set REMANENT_MIND to another model",
    ),
    ((foreign.ContentFilterError,), MindRefused, "will not answer this (its content filter)"),
    (
        (foreign.UsageLimitExceeded,),
        MindUnreadable,
        "went on for longer than it may; raise REMANENT_MINDS__AGENT_REQUESTS",
    ),
    (
        (foreign.UnexpectedModelBehavior,),
        MindUnreadable,
        "gave no answer of the shape asked for; try REMANENT_MINDS__OUTPUT or another model",
    ),
)


def as_mind_error(problem: Exception, model: str) -> MindError:
    """The same trouble as one of ours; nothing of the key is in it."""
    for kinds, ours, words in _KNOWN:
        if isinstance(problem, kinds):
            return ours(f"mind {model}: {words}")
    status = getattr(problem, "status_code", None)
    if isinstance(status, int) and (status in _AGAIN or status >= 500):
        return MindBusy(f"mind {model}: failed on its side (HTTP {status}); try again later")
    if isinstance(problem, foreign.ModelAPIError):
        return MindError(f"mind {model}: did not take the request: {_excerpt(problem)}")
    return MindUnreadable(f"mind {model}: {type(problem).__name__}")


def may_pass(problem: Exception) -> bool:
    """Whether the same request may fare better in a while."""
    if isinstance(problem, foreign.ModelTimeoutError | foreign.ModelRequestTimeout | TimeoutError):
        return True
    if isinstance(problem, foreign.ModelConnectionError):
        return problem.phase != "connect"  # nobody is there: waiting here would only hide it
    passing = (foreign.ModelRateLimitError, foreign.ModelUnavailableError, foreign.ModelServerError)
    if isinstance(problem, passing):
        return True
    if isinstance(problem, foreign.ModelQuotaExceededError | foreign.ModelRequestRejectedError):
        return False
    status = getattr(problem, "status_code", None)
    return isinstance(status, int) and (status in _AGAIN or status >= 500)


def _excerpt(problem: foreign.ModelAPIError) -> str:
    return _KEYLIKE.sub("(hidden)", " ".join(str(problem.message).split()))[:300]
