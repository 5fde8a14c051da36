"""Settings, providers and keys: a real HTTP server that speaks as OpenAI's does, and what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ERRAND
from test_llm_mind import READING

from remanent import Config, Memory, SteppedClock
from remanent.config import load_config
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.settings import MindRules
from remanent.errors import (
    BadMindKey,
    ConfigError,
    MindBusy,
    MindError,
    MindUnreachable,
    UnknownModel,
)
from remanent.minds.by_name import mind_of
from remanent.minds.llm.chat import PydanticChat
from remanent.minds.llm.mind import LlmMind
from remanent.minds.llm.providers import KEYS, builder, key_for, split_name
from remanent.minds.offline import OfflineMind
from remanent.stores.sqlite import SqliteStores
from remanent.testing import HashEmbedder

SECRET = "sk-test-5f3c0a9e77aa41d2"


class Server(ThreadingHTTPServer):
    """Answers with what `said` gives for the request's number, from 1, and the request itself."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.said: Any = lambda number, asked: (200, {}, completion(asked))
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Answer(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            heard = {name.lower(): value for name, value in self.headers.items()}
            self.server.requests.append((self.path, heard, asked))
            number = len(self.server.requests)
        status, headers, body = self.server.said(number, asked)
        told = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def completion(asked: dict[str, Any]) -> dict[str, Any]:
    """An answer to the digest, an empty one to all else, in the way it was asked for."""
    names = [one["function"]["name"] for one in asked.get("tools", ())]
    value: dict[str, Any] = {}
    if "index card" in json.dumps(asked["messages"]):
        value = {"summary": "From the server.", "keywords": ["server"], "tags": ["test"]}
    name = "finish" if "finish" in names else (names or ["final_result"])[0]
    call = {"name": name, "arguments": json.dumps(value)}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if names:
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": call}]
    else:
        message["content"] = json.dumps(value)
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if names else "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }  # fmt: skip


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        yield served
        served.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_keys_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in (*KEYS.values(), ("REMANENT_MIND_KEY", "OLLAMA_BASE_URL")):
        for name in names:
            monkeypatch.delenv(name, raising=False)


def opened(
    server: Server, tmp_path: Path, clock: SteppedClock, mind: str = "openai:gpt-test", **rules: Any
) -> Memory:
    quick = MindRules(retry_seconds=0.0, retry_most_seconds=0.0, max_retries=2, **rules)
    config = Config(memory=str(tmp_path / "memory.db"), mind=mind, mind_url=server.url, minds=quick)
    return Memory.open(config, clock=clock, embedder=HashEmbedder())


def the_mind(memory: Memory, errand: OnBehalf = ERRAND) -> LlmMind:
    bound = memory.env.mind.on(errand)
    assert isinstance(bound, LlmMind)
    return bound


@pytest.mark.parametrize("provider", ["openai", "vllm", "llamacpp", "ollama"])
def test_any_compatible_server_is_asked_by_its_url(
    server: Server,
    tmp_path: Path,
    clock: SteppedClock,
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REMANENT_MIND_KEY", SECRET)
    with opened(server, tmp_path, clock, f"{provider}:small-model") as memory:
        mind = the_mind(memory)
        assert mind.summarize(READING) == "From the server."
        assert mind.name.startswith(f"{provider}:small-model#")

    ((path, headers, asked),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {SECRET}"
    assert asked["model"] == "small-model"


@pytest.mark.parametrize("output", ["auto", "native", "tool", "prompted"])
def test_answers_can_be_asked_for_in_three_ways(
    server: Server, tmp_path: Path, clock: SteppedClock, output: str
) -> None:
    with opened(server, tmp_path, clock, output=output) as memory:
        assert the_mind(memory).summarize(READING) == "From the server."

    asked = server.requests[0][2]
    assert ("tools" in asked) is (output in {"auto", "tool"})
    if output == "native":
        assert asked["response_format"]["type"] == "json_schema"


def test_a_model_for_each_task(server: Server, tmp_path: Path, clock: SteppedClock) -> None:
    with opened(server, tmp_path, clock, extract="openai:big", ask="ollama:tiny") as memory:
        mind = the_mind(memory)
        mind.summarize(READING), mind.extract(READING)

    assert [asked["model"] for _, _, asked in server.requests] == ["gpt-test", "big"]


@pytest.mark.parametrize(
    ("status", "body", "error", "asked"),
    [
        (401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}, BadMindKey, 1),
        (404, {"error": {"message": "no such model", "code": "model_not_found"}}, UnknownModel, 1),
        (429, {"error": {"message": "slow down"}}, MindBusy, 3),
        (500, {"error": {"message": "oops"}}, MindBusy, 3),
        (400, {"error": {"message": f"bad request with {SECRET}"}}, MindError, 1),
    ],
)
def test_what_the_server_says_becomes_an_error_of_ours_without_the_key(
    server: Server,
    tmp_path: Path,
    clock: SteppedClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    status: int,
    body: dict[str, Any],
    error: type[MindError],
    asked: int,
) -> None:
    monkeypatch.setenv("REMANENT_MIND_KEY", SECRET)
    server.said = lambda number, given: (status, {}, body)
    with opened(server, tmp_path, clock) as memory, caplog.at_level(0, "remanent"):
        mind = the_mind(memory)
        with pytest.raises(error) as caught:
            mind.summarize(READING)
        assert SECRET not in str(caught.value) + repr(caught.value) + caplog.text + repr(mind)
        assert SECRET not in repr(memory.env.config) + repr(vars(mind._chat.chat.chat))  # type: ignore[attr-defined]

    assert len(server.requests) == asked
    assert SECRET.encode() not in (tmp_path / "memory.db").read_bytes()


@pytest.mark.parametrize("provider", ["anthropic", "google"])
@pytest.mark.parametrize(
    ("status", "error", "asked"), [(401, BadMindKey, 1), (404, UnknownModel, 1), (429, MindBusy, 3)]
)
def test_other_providers_fail_in_the_same_words(
    server: Server,
    tmp_path: Path,
    clock: SteppedClock,
    monkeypatch: pytest.MonkeyPatch,
    *,
    provider: str,
    status: int,
    error: type[MindError],
    asked: int,
) -> None:
    monkeypatch.setenv("REMANENT_MIND_KEY", SECRET)
    said = {"error": {"type": "some_error", "message": f"no {SECRET}", "code": status}}
    server.said = lambda number, given: (status, {}, said)
    with (
        opened(server, tmp_path, clock, f"{provider}:m") as memory,
        pytest.raises(error) as caught,
    ):
        the_mind(memory).summarize(READING)

    assert SECRET not in str(caught.value)
    assert len(server.requests) == asked


def _changed(**fields: Any) -> Any:
    """The usual answer with some fields of its choice changed."""

    def said(number: int, asked: dict[str, Any]) -> Any:
        whole = completion(asked)
        whole["choices"][0].update(fields)
        return 200, {}, whole

    return said


SILENT = {"role": "assistant", "content": None}
ODD: dict[str, Any] = {
    "a refusal": _changed(message={**SILENT, "refusal": "I cannot."}, finish_reason="stop"),
    "a filter": _changed(message=SILENT, finish_reason="content_filter"),
    "nothing": _changed(message=SILENT, finish_reason="stop"),
    "a text cut short": _changed(message={**SILENT, "content": '{"summ'}, finish_reason="length"),
    "no choice": lambda number, asked: (200, {}, {**completion(asked), "choices": []}),
    "another protocol": lambda number, asked: (200, {}, {"hello": "world"}),
    "a list": lambda number, asked: (200, {}, []),
    "a page": lambda number, asked: (200, {"content-type": "text/html"}, "<html>"),
}


@pytest.mark.parametrize("said", ODD.values(), ids=ODD)
def test_odd_answers_of_servers_are_answered_offline(
    server: Server, tmp_path: Path, clock: SteppedClock, said: Any
) -> None:
    server.said = said
    with opened(server, tmp_path, clock) as memory:
        mind = the_mind(memory)
        assert mind.summarize(READING) == OfflineMind().summarize(READING)
        assert mind.fallbacks == {"digest": 1}


def test_a_server_that_is_busy_for_a_moment(
    server: Server, tmp_path: Path, clock: SteppedClock
) -> None:
    def said(number: int, asked: dict[str, Any]) -> Any:
        return (429, {"retry-after": "0"}, {}) if number < 3 else (200, {}, completion(asked))

    server.said = said
    with opened(server, tmp_path, clock) as memory:
        assert the_mind(memory).summarize(READING) == "From the server."
    assert len(server.requests) == 3


def test_nobody_at_that_address(tmp_path: Path, clock: SteppedClock) -> None:
    with Server() as gone:
        pass  # its port is free again
    with opened(gone, tmp_path, clock) as memory, pytest.raises(MindUnreachable, match="MIND_URL"):
        the_mind(memory).summarize(READING)


def test_a_job_that_meets_a_broken_server_is_parked_and_can_be_done_later(
    server: Server, tmp_path: Path, clock: SteppedClock
) -> None:
    server.said = lambda number, asked: (500, {}, {"error": {"message": "oops"}})
    quick = MindRules(retry_seconds=0.0, retry_most_seconds=0.0, max_retries=1)
    chat = PydanticChat("openai:m", builder(server.url, {}), quick)
    mind = LlmMind(chat, OfflineMind(), quick, errand=ERRAND)
    place = tmp_path / "memory.db"
    with Memory.open(place, clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada", name="Ada Lindqvist")
        key = ada.add("I met Maria Berg in Oslo.")
        for _ in range(10):
            ada.work()
            clock.advance(timedelta(hours=1))
        (job,) = ada.jobs([JobState.PARKED])
        assert "MindBusy" in (job.error or "")

        server.said = lambda number, asked: (200, {}, completion(asked))
        ada.retry_job(job.key)
        ada.work()
        node = ada.read(key).node
        assert isinstance(node, Source)
        assert node.processing_status is ProcessingStatus.EXTRACTED
        assert node.summary == "From the server."


# --- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "env", "field", "words"),
    [
        ({"mind": "nobody:x"}, {}, "mind", "openai:MODEL"),
        ({"mind": "openai"}, {}, "mind", "openai:MODEL"),
        ({"mind": "openai: "}, {}, "mind", "openai:MODEL"),
        ({"mind": "openai:gpt"}, {}, "mind", "OPENAI_API_KEY"),
        ({"mind": "anthropic:claude"}, {"OPENAI_API_KEY": "x"}, "mind", "ANTHROPIC_API_KEY"),
        ({"mind": "google:gemini"}, {}, "mind", "GOOGLE_API_KEY"),
        ({"mind": "vllm:x"}, {}, "mind_url", "REMANENT_MIND_URL"),
        ({"mind": "ollama:x", "minds": MindRules(judge="openai:y")}, {}, "mind", "OPENAI_API_KEY"),
        ({"mind": "ollama:x", "minds": MindRules(judge="z")}, {}, "minds.judge", "is not one of"),
        ({"mind": "ollama:x", "minds": MindRules(output="xml")}, {}, "minds.output", "native"),
    ],
)
def test_settings_are_checked_before_anything_is_opened(
    settings: dict[str, Any], env: dict[str, str], field: str, words: str
) -> None:
    config = Config(memory=":memory:", **settings)
    with pytest.raises(ConfigError, match=words) as caught:
        mind_of(config.mind, config, env)
    assert caught.value.field == field


@pytest.mark.parametrize("name", ["openai:a", "anthropic:b", "google:c", "ollama:d"])
def test_every_provider_is_made_without_asking_anybody(name: str) -> None:
    provider, model = split_name(name)
    made = builder("", {"REMANENT_MIND_KEY": SECRET})(name)

    assert made.model_name == model
    assert SECRET not in repr(made)
    assert key_for(provider, "", {"REMANENT_MIND_KEY": SECRET}) == SECRET


def test_a_key_goes_only_to_whom_it_is_for() -> None:
    env = {"OPENAI_API_KEY": SECRET}

    assert key_for("openai", "", env) == SECRET
    assert key_for("openai", "http://elsewhere/v1", env) != SECRET
    for provider in ("anthropic", "google"):
        own = {KEYS[provider][0]: SECRET}
        assert key_for(provider, "", own) == SECRET
        with pytest.raises(ConfigError, match=r"set REMANENT_MIND_KEY$"):
            key_for(provider, "http://elsewhere", own)


def test_the_environment_names_the_mind_and_the_key_is_no_setting() -> None:
    env = {
        "REMANENT_MIND": "openai:gpt-x",
        "REMANENT_MIND_URL": "http://localhost:8000/v1",
        "REMANENT_MIND_KEY": SECRET,
        "REMANENT_MINDS__EXTRACT": "openai:gpt-big",
        "REMANENT_MINDS__TIMEOUT_SECONDS": "30",
    }
    config = load_config(environ=env)

    assert (config.mind, config.mind_url) == ("openai:gpt-x", "http://localhost:8000/v1")
    assert (config.minds.extract, config.minds.timeout_seconds) == ("openai:gpt-big", 30.0)
    assert SECRET not in repr(config)


SCRIPT = """
import sys
from remanent import Memory
with Memory.open(":memory:") as memory:
    ada = memory.user("ada")
    ada.add("I met Maria in Oslo.")
    ada.work()
print(*sorted(one for one in sys.modules if one.startswith(("pydantic", "openai"))))
"""


def test_without_a_language_model_nothing_of_it_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)  # fmt: skip

    assert not [one for one in done.stdout.split() if one.startswith(("pydantic_ai", "openai"))]


MISSING = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pydantic_ai":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
from remanent import Config, Memory
from remanent.errors import ConfigError
try:
    Memory.open(Config(memory=":memory:", mind="ollama:llama"))
except ConfigError as error:
    print(error)
"""


def test_a_missing_extra_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, check=True)  # fmt: skip

    assert "pip install 'remanent[llm]'" in done.stdout


def test_prompts_are_in_the_package() -> None:
    from remanent.minds.llm.prompts import NAMES, prompt

    folder = Path(str(sys.modules["remanent.minds.llm"].__file__)).parent / "prompts"
    assert {one.stem for one in folder.glob("*.md")} == set(NAMES)
    assert all(prompt(name).version >= 1 and prompt(name).text for name in NAMES)


def test_the_stores_behind_it_count_and_remember(
    server: Server, tmp_path: Path, clock: SteppedClock
) -> None:
    for _ in range(2):
        with opened(server, tmp_path, clock) as memory:
            assert isinstance(memory.env.stores, SqliteStores)
            assert the_mind(memory).summarize(READING) == "From the server."
    assert len(server.requests) == 1
