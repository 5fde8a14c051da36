"""Where a source came from, its content, and artifacts of JSON: given, kept and shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from plain_mind import PlainMind

from remanent import Memory, UserMemory
from remanent.core.model.source import Artifact, Source
from remanent.errors import InvalidInput
from remanent.testing import HashEmbedder


@pytest.fixture
def ada() -> Iterator[UserMemory]:
    with Memory.open(":memory:", mind=PlainMind(), embedder=HashEmbedder()) as memory:
        yield memory.user("ada", name="Ada Lindqvist")
        memory.work()


def source_of(ada: UserMemory, key: str) -> Source:
    node = ada.read(key).node
    assert isinstance(node, Source)
    return node


CAME = {"origin": "notion", "channel": "team", "url": "https://example.com/1", "confidence": 0.8}


def test_what_the_caller_says_is_kept_and_rebuilt(ada: UserMemory) -> None:
    key = ada.add("Maria Lind: Plays chess.", provenance=CAME)
    ada.work()
    assert CAME.items() <= source_of(ada, key).provenance.items()
    (row,) = ada.cypher("MATCH (s:Source) RETURN s.provenance.url AS url").rows
    assert row == ("https://example.com/1",)
    memory = Memory(ada.env)
    with memory.rebuild() as made:
        assert made.comparison.is_same
        made.switch()
    assert CAME.items() <= source_of(memory.user("ada"), key).provenance.items()


def test_what_a_reader_does_with_it_is_theirs(ada: UserMemory) -> None:
    key = ada.add("Maria Lind: Plays chess.", provenance=CAME)
    cast("dict[str, Any]", source_of(ada, key).provenance)["url"] = "changed"
    assert CAME.items() <= source_of(ada, key).provenance.items()


def test_a_thread_keeps_its_channel(ada: UserMemory) -> None:
    record = {"channel": "general", "messages": [{"user": "U1", "text": "Hi.", "ts": "1.0"}]}
    key = ada.add(record, type="slack-thread")
    assert source_of(ada, key).provenance["channel"] == "general"
    said = ada.add(record | {"channel": "other"}, type="slack-thread", provenance={"channel": "x"})
    assert source_of(ada, said).provenance["channel"] == "x"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"place": "x"}, "provenance"),
        ({"confidence": 2}, "provenance.confidence"),
        ({"confidence": True}, "provenance.confidence"),
        ({"url": " "}, "provenance.url"),
        ({"origin": 5}, "provenance.origin"),
    ],
)
def test_what_is_wrong_with_it_is_named(
    ada: UserMemory, given: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidInput) as problem:
        ada.add("Anything.", provenance=given)
    assert problem.value.field == field
    assert ada.sources() == []


def test_a_source_has_its_content(ada: UserMemory) -> None:
    turns = [{"speaker": "Ada", "text": "Hello."}, {"speaker": "Tom", "text": "Goodbye."}]
    key = ada.add(turns)
    ada.work()
    wanted = {"type": "conversation", "content": "Ada: Hello.\n\nTom: Goodbye."}
    assert ada.read(key).content == wanted
    (row,) = ada.cypher("MATCH (s:Source) RETURN s.content AS content").rows
    assert row == (wanted,)
    (row,) = ada.cypher("MATCH (s:Source) WHERE s.content.content CONTAINS 'Tom' RETURN s.key").rows
    assert row == (key,)


def test_an_artifact_may_be_json(ada: UserMemory) -> None:
    source = ada.add("Maria Lind: Plays chess.")
    ada.work()
    made = {"steps": [1, 2], "done": False}
    key = ada.produce(source, "Plan", made)
    assert ada.produce(source, "Plan", dict(reversed(made.items()))) == key
    node = ada.read(key).node
    assert isinstance(node, Artifact)
    assert node.content == {"type": "json", "output": made}
    text = ada.read(ada.produce(source, "Draft", "As text.")).node
    assert isinstance(text, Artifact)
    assert text.content == {"type": "md_file", "output": "As text."}
    with pytest.raises(InvalidInput):
        ada.produce(source, "Plan", {"x": object()})
    done = ada.correct(key, "ttl_policy", "ephemeral")
    assert done.changed
