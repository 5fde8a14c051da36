"""A small local model behind an OpenAI-compatible server, asked as a user's settings would.

It writes badly. What must hold is that whatever it writes leaves a valid, scoped, repeatable memory.
"""

from __future__ import annotations

import dataclasses
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Served

from remanent import Memory, SteppedClock, UserMemory
from remanent.backup.rules import CIRCUMSTANCES, LIVED
from remanent.config import Config, load_config
from remanent.core.model.relationship import LinkKind
from remanent.core.model.source import Source
from remanent.errors import MindError, MindUnreachable
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.testing import HashEmbedder
from remanent.testing.digest import digest

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
TALK = [
    {"speaker": "Ada Lindqvist", "text": "Maria Berg leads the Kestrel project at Northwind.", "id": "1"},
    {"speaker": "Tom Vance", "text": "I moved to Bergen in March and I work with Maria Berg.", "id": "2"},
    {"speaker": "Ada Lindqvist", "text": "I prefer tea, and I live in Oslo.", "id": "3"},
]  # fmt: skip
WITHOUT = CIRCUMSTANCES | LIVED


def settings(served: Served, path: Path, **more: str) -> Config:
    """What a user sets in the environment for a server of their own."""
    return load_config(
        path,
        environ={
            "REMANENT_MIND": f"openai:{served.model}",
            "REMANENT_MIND_URL": served.url,
            "REMANENT_MINDS__OUTPUT": "native",  # JSON by schema, which the server enforces
            "REMANENT_MINDS__MAX_OUTPUT_TOKENS": "80",
            "REMANENT_MINDS__AGENT_REQUESTS": "2",
            "REMANENT_MINDS__TIMEOUT_SECONDS": "600",
            "REMANENT_MINDS__CONCURRENCY": "1",
            **more,
        },
    )


@contextmanager
def opened(config: Config, at: datetime = START) -> Iterator[Memory]:
    with Memory.open(config, clock=SteppedClock(at), embedder=HashEmbedder()) as memory:
        yield memory


def ada_of(memory: Memory) -> UserMemory:
    return memory.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")


def exported(memory: Memory, user: str) -> list[Mapping[str, Any]]:
    env = memory.env
    return list(env.graph.export(env.registry.scope_of(user)))


def told(memory: Memory, user: str = "ada") -> str:
    return digest(exported(memory, user), without=WITHOUT)


@dataclasses.dataclass
class Lived:
    """A memory that has read one conversation and remembered two things with the small model."""

    memory: Memory
    config: Config
    key: str
    calls: int
    bob_before: str

    @property
    def ada(self) -> UserMemory:
        return ada_of(self.memory)


@pytest.fixture(scope="module")
def lived(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    config = settings(served, tmp_path_factory.mktemp("lived") / "memory.db")
    with opened(config) as memory:
        ada, bob = ada_of(memory), memory.user("bob", name="Bob Hale")
        # Of high sensitivity, so that it never reaches the model, and there is something to disturb.
        bob.add("I own a boat. The boat lies in Hamar.", sensitivity="high")
        memory.work()
        bob_before = told(memory, "bob")
        key = ada.add(TALK, type="conversation")
        worked = memory.work()
        assert (worked.retried, worked.parked) == (0, 0)
        calls = _calls(ada)
        ada.remember("I live in Oslo", event_id="oslo")
        ada.remember("I live in Bergen", event_id="bergen")
        yield Lived(memory, config, key, calls, bob_before)


def _calls(user: UserMemory) -> int:
    return user.spending().total.calls


def test_what_it_reads_is_a_valid_graph(lived: Lived) -> None:
    records = exported(lived.memory, "ada")
    graph, scope = lived.memory.env.graph, lived.ada.scope
    page = lived.ada.read(lived.key)
    assert isinstance(page.node, Source)
    assert page.node.summary
    assert page.node.keywords
    assert page.extraction is not None
    assert page.extraction.is_done
    assert page.extraction.mind == lived.memory.env.mind.name
    for record in records:
        value = record["value"]
        assert value.get("user_id", "ada") == "ada"
        for end in ("src", "dst", "on", "source_key", "anchor_key"):
            if value.get(end) is not None and record["record"] != "passage":
                assert graph.get(scope, value[end]) or graph.relationship(scope, value[end]), value
    for link in page.links:
        if link.kind is LinkKind.MENTIONS:
            assert graph.get(scope, link.dst) is not None
    for anchor in lived.ada.anchors():
        assert anchor.name.strip()
        assert 0.0 <= anchor.confidence <= 10.0


def test_what_it_believes_has_episodes_and_bounds(lived: Lived) -> None:
    held = lived.ada.beliefs()
    assert held
    for one in held:
        assert 0.0 < one.confidence <= 1.0
        assert 1 <= one.importance <= 10
        assert lived.ada.why(one.key)
    assert any("Bergen" in one.statement for one in held)


def test_nobody_else_is_touched(lived: Lived) -> None:
    assert told(lived.memory, "bob") == lived.bob_before
    assert lived.memory.user("bob").spending().total.calls == 0


def test_what_it_cost_is_on_the_books(lived: Lived) -> None:
    spent = lived.ada.spending()
    assert lived.calls > 0
    assert spent.total.tokens_in > 0
    assert spent.total.tokens_out > 0
    assert {one.model for one in spent.rows} == {"openai:smollm2"}
    assert {one.task for one in spent.rows} >= {"digest", "extract", "agents"}


def test_agents_that_cannot_use_tools_are_stood_in_for(lived: Lived) -> None:
    """Small models hardly call tools: nothing breaks, and what the offline mind did is counted."""
    rows = [one for one in lived.ada.spending().rows if one.task == "agents"]
    assert sum(one.calls for one in rows) >= 1
    assert lived.ada.read(lived.key).extraction is not None


def test_the_same_again_asks_nobody(lived: Lived, served: Served, tmp_path: Path) -> None:
    before, spent = told(lived.memory), _calls(lived.ada)
    env = lived.memory.env
    process_source(env, lived.ada.scope, lived.key, again=True)
    extract_source(env, lived.ada.scope, lived.key, again=True)
    assert told(lived.memory) == before
    assert _calls(lived.ada) == spent


def test_a_rebuild_asks_nobody(lived: Lived) -> None:
    spent = _calls(lived.ada)
    with lived.memory.rebuild() as rebuilt:
        assert rebuilt.comparison.is_same, rebuilt.comparison.samples
        rebuilt.discard()
    assert _calls(lived.ada) == spent


def test_undo_and_redo_ask_nobody(lived: Lived) -> None:
    before, spent = told(lived.memory), _calls(lived.ada)
    lived.ada.undo(lived.key)
    assert told(lived.memory) != before
    lived.ada.redo(lived.key)
    assert _calls(lived.ada) == spent


def test_beliefs_go_out_and_come_in(lived: Lived, tmp_path: Path) -> None:
    path = tmp_path / "beliefs.jsonl"
    out = lived.ada.export_beliefs(path)
    with Memory.open(
        tmp_path / "other.db", clock=SteppedClock(START), embedder=HashEmbedder()
    ) as other:
        brought = ada_of(other).import_beliefs(path)
        assert brought.added == out.beliefs > 0
        said = {one.statement for one in ada_of(other).beliefs()}
        assert said == {one.statement for one in lived.ada.beliefs()}


def test_a_story_is_told(served: Served, tmp_path: Path) -> None:
    """Three days about one project, read by the offline mind; the night asks the model to tell it."""
    low = {"REMANENT_STORY__SOURCES_FROM": "2", "REMANENT_STORY__DAYS_FROM": "2"}
    config = settings(served, tmp_path / "memory.db", **low)
    offline = dataclasses.replace(config, mind="offline", mind_url="")
    clock = SteppedClock(START)
    with Memory.open(offline, clock=clock, embedder=HashEmbedder()) as memory:
        ada = ada_of(memory)
        for day in range(3):
            clock.move_to(START + timedelta(days=day))
            ada.add(
                "Maria Berg called me. Maria Berg works at Northwind with me. "
                f"Maria Berg finished part {day} of Project Kestrel."
            )
            memory.work()
    with opened(config, START + timedelta(days=8)) as memory:
        ada = ada_of(memory)
        slept = ada.sleep(only=["promote"])
        assert slept
        stories = ada.stories()
        assert stories
        assert all(one.description.strip() for one in stories)
        assert "stories" in {one.task for one in ada.spending().rows}
        spent = _calls(ada)
        ada.sleep(only=["promote"])
        assert _calls(ada) == spent


def test_an_unreachable_server_is_said_to_be_so(served: Served, tmp_path: Path) -> None:
    with socket.socket() as one:  # nobody listens on a port that is bound and not opened
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}/v1"
        config = settings(Served(url=url), tmp_path / "memory.db", REMANENT_MINDS__MAX_RETRIES="0")
        with opened(config) as memory:
            ada = ada_of(memory)
            key = ada.add(TALK, type="conversation")
            with pytest.raises(MindUnreachable, match="REMANENT_MIND_URL"):
                process_source(memory.env, ada.scope, key)
            assert exported(memory, "ada")  # nothing is half written: the source waits
            node = ada.read(key).node
            assert isinstance(node, Source)
            assert node.processing_status.value == "raw"


def test_a_path_that_is_not_there_is_said_to_be_so(served: Served, tmp_path: Path) -> None:
    """This server answers for whatever model is named, as llama.cpp does; another path it has not."""
    astray = Served(url=served.url.removesuffix("/v1") + "/nowhere")
    config = settings(astray, tmp_path / "memory.db", REMANENT_MINDS__MAX_RETRIES="0")
    with opened(config) as memory:
        ada = ada_of(memory)
        key = ada.add(TALK, type="conversation")
        with pytest.raises(MindError, match="REMANENT_MIND"):
            process_source(memory.env, ada.scope, key)
