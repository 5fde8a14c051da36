"""A memory with a language model behind it: few calls, and the same result however often it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from obedient_model import Reader
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo
from scripted_model import an_unbound_mind, prompt_of

from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.mind_types import OnBehalf
from remanent.core.model.node import Kind
from remanent.ingest.extract import extract_source
from remanent.ingest.process import process_source
from remanent.minds.llm.mind import LlmMind
from remanent.testing import HashEmbedder
from remanent_conformance.builders import digest

TEXT = (
    "Maria Berg lives in Oslo. Maria Berg works at Northwind. Maria Berg likes chess. "
    "I live in Bergen. I met Maria Berg in May."
)


class Counting(Reader):
    """Remembers which prompts it was given."""

    def __init__(self) -> None:
        super().__init__(obedient=False)
        self.asked: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.asked.append(prompt_of(info.instructions or ""))
        return super().__call__(messages, info)


@pytest.fixture
def reader() -> Counting:
    return Counting()


@pytest.fixture
def llm(reader: Counting) -> LlmMind:
    bound = an_unbound_mind(reader).on(OnBehalf(user_id="ada"))
    assert isinstance(bound, LlmMind)
    return bound


@pytest.fixture
def house(tmp_path: Path, clock: SteppedClock, llm: LlmMind) -> Iterator[Memory]:
    with Memory.open(
        tmp_path / "memory.db", clock=clock, mind=llm, embedder=HashEmbedder()
    ) as opened:
        yield opened


@pytest.fixture
def her(house: Memory) -> UserMemory:
    return house.user("ada", name="Ada Lindqvist", timezone="Europe/Oslo")


def whole(her: UserMemory) -> str:
    return digest(her.env.graph.export(her.scope))


def test_a_source_becomes_a_graph_in_few_calls(
    her: UserMemory, reader: Counting, llm: LlmMind
) -> None:
    key = her.add(TEXT)
    her.work()

    found = her.env.graph.extraction(her.scope, key)
    assert found is not None
    assert found.mind == llm.name
    (maria,) = [one for one in her.anchors(Kind.PERSON) if one.name == "Maria Berg"]
    assert [one.content for one in her.env.graph.notes(her.scope, maria.key)]
    assert {one.statement for one in her.beliefs()} == {
        "I live in Bergen.",
        "I met Maria Berg in May.",
    }
    assert sorted(one for one in reader.asked if one != "judge") == ["agent", "digest", "extract"]
    assert llm.fallbacks == {}


def test_reading_again_changes_nothing(her: UserMemory) -> None:
    key = her.add(TEXT)
    her.work()
    before = whole(her)
    process_source(her.env, her.scope, key, again=True)
    extract_source(her.env, her.scope, key, again=True)

    assert whole(her) == before


def test_many_sources_at_once_from_many_threads(
    house: Memory, her: UserMemory, llm: LlmMind
) -> None:
    for number in range(6):
        her.add(f"{TEXT} It was day number {number}.")
    with ThreadPoolExecutor(3) as pool:
        done = [one.result().done for one in [pool.submit(house.work) for _ in range(3)]]

    assert sum(done) >= 12
    assert llm.fallbacks == {}
    (maria,) = [one for one in her.anchors(Kind.PERSON) if one.name == "Maria Berg"]
    assert maria.source_count == 6
