"""Whatever a model answers, the memory gets something usable or is told clearly why not."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic_ai import exceptions as foreign
from pydantic_ai.exceptions import ContentFilterError, ModelHTTPError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from scripted_model import ERRAND, Script, a_chat, a_mind, a_reading
from test_llm_mind import READING, a_box, thing

from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.node import Kind
from remanent.core.settings import MindRules, pause_before
from remanent.errors import (
    BadMindKey,
    MindBusy,
    MindError,
    MindStopped,
    MindTooSlow,
    MindUnreadable,
    UnknownModel,
)
from remanent.minds.llm import tasks
from remanent.minds.offline import OfflineMind

OFFLINE = OfflineMind()
DIGEST = tasks.digest(READING, 1000)
SAID = {"summary": "Said."}


CATEGORIES: dict[int, Any] = {
    401: foreign.ModelAuthenticationError,
    404: foreign.ModelNotFoundError,
    413: foreign.ModelContextWindowExceededError,
    429: foreign.ModelRateLimitError,
    500: foreign.ModelServerError,
    503: foreign.ModelOverloadedError,
}


def http(status: int, *, after: float | None = None, message: str = "no") -> ModelHTTPError:
    """As the providers' adapters raise it."""
    return ModelHTTPError.for_category(
        CATEGORIES.get(status),
        status_code=status,
        model_name="model",
        body={"message": message},
        headers={} if after is None else {"retry-after": str(after)},
    )


UNREADABLE: dict[str, Any] = {
    "truncated JSON": lambda _: ModelResponse(parts=[ToolCallPart("final_result", '{"summary": "A wal')]),
    "truncated text": '{"summary": "A wal',
    "a list instead of an object": lambda _: ModelResponse(parts=[ToolCallPart("final_result", "[1, 2]")]),
    "wrong types": {"summary": 7, "keywords": {"a": 1}},
    "nothing of it": {"other": "x"},
    "an empty summary": {"summary": "  "},
    "no answer": "",
    "no part": lambda _: ModelResponse(parts=[]),
    "a refusal": "I'm sorry, but I can't help with that.",
    "a content filter": ContentFilterError("filtered"),
    "too long a text": http(413),
    "an unknown tool": lambda _: ModelResponse(parts=[ToolCallPart("delete_everything", {})]),
    "ten megabytes": {"summary": "x" * 10_000_000},
    "ten megabytes of text": "x" * 10_000_000,
}  # fmt: skip


@pytest.mark.parametrize("said", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_asked_once_more_and_then_read_offline(
    said: Any, caplog: pytest.LogCaptureFixture
) -> None:
    script = Script(digest=said)
    mind = a_mind(script)
    with caplog.at_level(logging.WARNING):
        assert mind.summarize(READING) == OFFLINE.summarize(READING)
        assert mind.topics(READING) == OFFLINE.topics(READING)

    assert 1 <= script.count("digest") <= 2
    assert mind.fallbacks == {"digest": 1}
    assert [one.message for one in caplog.records if "remanent" in one.name] == [
        "the offline mind answers instead"
    ]
    assert "Maria" not in caplog.text


def test_an_answer_that_is_mended_counts() -> None:
    script = Script(digest=({"summary": 7}, SAID))
    reply = a_chat(script)(DIGEST, ERRAND)

    assert (reply.value["summary"], reply.calls, reply.model) == ("Said.", 2, "test:model")
    assert reply.tokens_in > 0 < reply.tokens_out


def test_what_a_failure_cost_is_told() -> None:
    with pytest.raises(MindUnreadable) as caught:
        a_chat(Script(digest="no"))(DIGEST, ERRAND)

    assert caught.value.calls == 2
    assert caught.value.tokens_in > 0 < caught.value.tokens_out


EVERYTHING: dict[str, Callable[[Any], object]] = {
    "digest": lambda mind: (mind.summarize(READING), mind.topics(READING)),
    "extract": lambda mind: (mind.extract(READING), mind.beliefs(READING)),
    "believe": lambda mind: mind.believe("I live in Oslo.", owner_names=("Ada",)),
    "judge": lambda mind: mind.judge("I live in Oslo.", ["I live in Bergen."]),
    "principle": lambda mind: mind.principle(["I like tea.", "I like cake."], "owner"),
    "gist": lambda mind: mind.gist(READING),
    "need": lambda mind: mind.need("Who?", []),
    "rephrase": lambda mind: mind.rephrase("Who is Maria?", []),
    "describe": lambda mind: mind.describe("Maria", "A friend.", ["lives in Oslo"]),
}


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("said", ["prose instead of data", lambda _: ModelResponse(parts=[])])
def test_every_task_has_the_offline_mind_behind_it(name: str, said: Any) -> None:
    script = Script(**{name: said})
    mind = a_mind(script)

    assert EVERYTHING[name](mind) == EVERYTHING[name](OFFLINE)
    assert mind.fallbacks == {name: 1}


def test_what_is_remembered_does_not_wait_for_a_provider() -> None:
    mind = a_mind(Script(believe=http(401)))

    assert mind.believe("I live in Oslo.", owner_names=()) == OFFLINE.believe("I live in Oslo.", owner_names=())  # fmt: skip
    assert mind.fallbacks == {"believe": 1}


def test_five_hundred_entities_are_bounded() -> None:
    many = [thing(f"Maria Berg {number}") for number in range(500)]
    beliefs = [{"statement": f"Maria likes chess {number}.", "line": 2} for number in range(500)]
    mind = a_mind(Script(extract={"things": many, "beliefs": beliefs}), max_output_tokens=50_000)

    assert len(mind.extract(READING)) == MindRules().most_candidates
    assert len(mind.beliefs(READING)) == MindRules().most_beliefs
    assert all(one.confidence <= 5 for one in mind.extract(READING))  # none is in the text


# --- agents -------------------------------------------------------------------------------------


def endless() -> Callable[[str], list[Any]]:
    count = iter(range(10_000))
    return lambda _: [
        ("add_note_to_person", {"name": "Maria Berg", "content": f"note {next(count)}"})
    ]


WILD: dict[str, Any] = {
    "a loop": endless(),
    "a flood of calls": lambda _: [
        ("add_note_to_person", {"name": "Maria Berg", "content": f"note {number}"})
        for number in range(500)
    ],
    "nothing but tools that are not there": [("delete_all_notes", {}), ("run_sql", {"q": "DROP"})],
    "nothing but strangers": [("add_note_to_person", {"name": "Eve", "content": "x"})] * 2,
    "an error half way": ([("add_note_to_person", {"name": "Maria Berg", "content": "half"})], ContentFilterError("no")),
    "broken arguments": [("add_note_to_person", "{trunc"), ("create_relationship", "null")],
    "a flood of text": "x" * 10_000_000,
}  # fmt: skip


@pytest.mark.parametrize("said", WILD.values(), ids=WILD)
def test_an_agent_that_fails_writes_nothing_and_the_offline_one_does_it(said: Any) -> None:
    script = Script(extract={}, agent=said)
    mind, box, plain = a_mind(script), a_box(), a_box()
    mind.relate(READING, Kind.PERSON, box)
    OFFLINE.relate(READING, Kind.PERSON, plain)

    assert box.findings == plain.findings
    assert mind.fallbacks == {"agent": 1}
    assert script.count("agent") <= MindRules().agent_requests


def test_an_agent_that_repeats_itself_is_stopped() -> None:
    same = [("add_note_to_person", {"name": "Maria Berg", "content": "is away"})]
    script = Script(extract={}, agent=same)
    mind, box = a_mind(script), a_box()
    mind.relate(READING, Kind.PERSON, box)

    assert [one.content for one in box.findings.notes] == ["is away"]
    assert script.count("agent") == 2


def test_an_agent_that_says_nothing_has_written_nothing() -> None:
    mind, box = a_mind(Script(extract={}, agent="There is nothing to write.")), a_box()
    mind.relate(READING, Kind.PERSON, box)

    assert box.findings.notes == box.findings.relations == ()
    assert mind.fallbacks == {}


def test_a_provider_that_fails_half_way_leaves_nothing() -> None:
    first = [("add_note_to_person", {"name": "Maria Berg", "content": "half"})]
    box = a_box()
    with pytest.raises(BadMindKey):
        a_mind(Script(extract={}, agent=(first, http(401)))).relate(READING, Kind.PERSON, box)

    assert box.findings.notes == ()


# --- providers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "error", "asked", "words"),
    [
        (http(401), BadMindKey, 1, "REMANENT_MIND_KEY"),
        (http(404), UnknownModel, 1, "REMANENT_MIND"),
        (http(429), MindBusy, 5, "REMANENT_MINDS__CONCURRENCY"),
        (http(500), MindBusy, 5, "try again later"),
        (http(503), MindBusy, 5, "try again later"),
        (http(429, after=3600), MindBusy, 1, "wait"),
        (http(418), MindError, 1, "did not take the request"),
        (TimeoutError(), MindTooSlow, 5, "REMANENT_MINDS__TIMEOUT_SECONDS"),
    ],
)
def test_failures_are_told_by_name_and_retried_where_that_may_help(
    problem: Exception, error: type[MindError], asked: int, words: str
) -> None:
    script = Script(digest=problem)
    with pytest.raises(error, match=words) as caught:
        a_mind(script).summarize(READING)

    assert type(caught.value) is error
    assert script.count("digest") == asked
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("problem", [http(429, after=2), http(500), http(503), TimeoutError()])
def test_what_passes_is_waited_for(problem: Exception) -> None:
    script = Script(digest=(problem, problem, SAID))

    assert a_mind(script).summarize(READING) == "Said."
    assert script.count("digest") == 3


def test_the_provider_says_how_long_to_wait() -> None:
    waited: list[float] = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)

    chat = a_chat(Script(digest=(http(429, after=17), http(500), http(500), SAID)), pause)
    chat(DIGEST, ERRAND)

    assert waited == [17, 2, 4]


def test_the_key_is_never_in_an_error() -> None:
    secret = "sk-proj-0123456789abcdef"
    for status in (400, 401, 418):
        problem = http(status, message=f"Incorrect API key provided: {secret}")
        with pytest.raises(MindError) as caught:
            a_chat(Script(digest=problem))(DIGEST, ERRAND)
        assert secret not in str(caught.value) + repr(caught.value)


def test_a_model_that_never_answers_is_given_up() -> None:
    async def silent(*_: object) -> ModelResponse:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(MindTooSlow):
        a_chat(silent, timeout_seconds=0.01, max_retries=1)(DIGEST, ERRAND)


def test_no_more_are_asked_at_once_than_allowed() -> None:
    lock, now, most = threading.Lock(), 0, 0

    async def counting(*_: object) -> ModelResponse:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        for _ in range(10):
            await asyncio.sleep(0)
        with lock:
            now -= 1
        return ModelResponse(parts=[TextPart("no")])

    chat = a_chat(counting, concurrency=3)

    def put(number: int) -> None:
        with pytest.raises(MindUnreadable):
            chat(tasks.digest(a_reading(f"Text {number}"), 100), ERRAND)

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(put, range(24)))
    assert most == 3


def test_it_can_be_asked_from_a_running_event_loop() -> None:
    async def asking() -> Any:
        return a_chat(Script(digest=SAID))(DIGEST, ERRAND).value["summary"]

    assert asyncio.run(asking()) == "Said."


def test_once_stopped_nothing_is_asked() -> None:
    script = Script(digest=SAID)
    chat = a_chat(script)
    with chat.until(lambda: True), pytest.raises(MindStopped):
        chat(DIGEST, ERRAND)
    assert script.asked == []
    assert chat(DIGEST, ERRAND).value["summary"] == "Said."


def test_a_stop_ends_the_waiting() -> None:
    script = Script(digest=http(500))
    told: list[float] = []

    async def pause(seconds: float) -> None:
        told.append(seconds)

    chat = a_chat(script, pause)
    with chat.until(lambda: bool(told)), pytest.raises(MindStopped):
        chat(DIGEST, ERRAND)
    assert script.count("digest") == 1


def test_the_chat_itself_refuses_what_is_private() -> None:
    script = Script()
    with pytest.raises(MindError, match="never leaves"):
        a_chat(script)(DIGEST, OnBehalf(user_id="ada", private=True))
    assert script.asked == []


@pytest.mark.parametrize(
    ("attempt", "asked", "chance", "pause"),
    [
        (1, None, 1.0, 1.0),
        (1, None, 0.0, 0.5),
        (3, None, 1.0, 4.0),
        (4, 30.0, 1.0, 30.0),
        (1, 0.0, 1.0, 1.0),
        (1, 61.0, 1.0, None),
        (5, None, 1.0, None),
    ],
)
def test_pauses_double_and_honour_what_was_asked(
    attempt: int, asked: float | None, chance: float, pause: float | None
) -> None:
    assert pause_before(attempt, asked, chance) == pause
