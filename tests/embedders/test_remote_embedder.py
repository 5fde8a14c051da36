"""The embedder behind a URL, against a real server that can misbehave."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remanent.core.settings import EmbeddingRules
from remanent.embedders.remote import OpenAiEmbedder
from remanent.errors import ConfigError, EmbedderError
from remanent.memory import Memory
from remanent.testing import HashEmbedder, ScriptedMind

sys.path.insert(0, str(Path(__file__).parent))
from embedding_server import GARBAGE, KEY, MODEL, Served, serving

TEXTS = ["I live in Oslo", "", "tea \ud800 milk", "日本語", "a" * 9000]


@pytest.fixture
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


class Pauses(list[float]):
    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def an_embedder(server: Served, **given: Any) -> tuple[OpenAiEmbedder, Pauses]:
    pauses = Pauses()
    rules = EmbeddingRules(**{"timeout_seconds": 600.0, **given.pop("rules", {})})
    known = {"url": server.url, "key": KEY, "rules": rules, "pause": pauses, **given}
    return OpenAiEmbedder(known.pop("model", MODEL), **known), pauses


def test_unit_vectors_in_the_order_of_the_texts(server: Served) -> None:
    embedder, _ = an_embedder(server)
    found = embedder.embed(["I live in Oslo", "tea and milk"])
    assert found.dtype == np.float32
    assert np.allclose(found, HashEmbedder().embed(["I live in Oslo", "tea and milk"]), atol=1e-6)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert embedder.name == f"openai:{MODEL}"
    assert not embedder.is_local


def test_any_text_has_a_vector(server: Served) -> None:
    embedder, _ = an_embedder(server)
    assert embedder.embed(TEXTS).shape == (len(TEXTS), 64)
    assert embedder.embed([]).shape == (0, 64)


def test_the_length_is_asked_once(server: Served) -> None:
    embedder, _ = an_embedder(server)
    assert embedder.dimensions == 64
    assert embedder.dimensions == 64
    assert len(server.asked) == 1


def test_texts_go_in_batches(server: Served) -> None:
    embedder, _ = an_embedder(server, rules={"batch": 3, "batch_characters": 20})
    texts = [f"text {n}" for n in range(7)] + ["x" * 50, "y"]
    assert embedder.embed(texts).shape == (9, 64)
    assert [text for batch in server.asked for text in batch] == texts
    assert all(len(batch) <= 3 for batch in server.asked)
    assert ["x" * 50] in server.asked


@pytest.mark.parametrize("trouble", ["429", "500", "503", "hang-up"])
def test_what_passes_is_tried_again(server: Served, trouble: str) -> None:
    embedder, pauses = an_embedder(server)
    server.plan = [trouble, trouble]
    assert embedder.embed(["tea"]).shape == (1, 64)
    assert len(pauses) == 2
    assert all(one >= 7 for one in pauses) or trouble != "429"  # what the server asked for


def test_a_server_that_never_answers_is_given_up(server: Served) -> None:
    embedder, pauses = an_embedder(server, rules={"timeout_seconds": 0.2, "max_retries": 1})
    server.plan = ["hang", "hang"]
    with pytest.raises(EmbedderError, match=r"in time.*TIMEOUT_SECONDS"):
        embedder.embed(["tea"])
    assert len(pauses) == 1


def test_a_server_that_keeps_failing_is_given_up(server: Served) -> None:
    embedder, pauses = an_embedder(server, rules={"max_retries": 2})
    server.plan = ["503"] * 3
    with pytest.raises(EmbedderError, match="HTTP 503"):
        embedder.embed(["tea"])
    assert len(pauses) == 2


def test_a_wait_that_is_too_long_is_not_waited(server: Served) -> None:
    embedder, pauses = an_embedder(server, rules={"retry_most_seconds": 3.0})
    server.plan = ["429"]
    with pytest.raises(EmbedderError, match="rate limit"):
        embedder.embed(["tea"])
    assert pauses == []


@pytest.mark.parametrize("garbage", sorted(GARBAGE.keys() - {"short", "uncounted"}))
def test_garbage_is_an_error_and_never_a_vector(server: Served, garbage: str) -> None:
    embedder, _ = an_embedder(server)
    server.plan = [garbage]
    with pytest.raises(EmbedderError, match=f"embedder openai:{MODEL}"):
        embedder.embed(["tea", "milk"])
    assert embedder.embed(["tea"]).shape == (1, 64)  # and the next call finds it well again


def test_vectors_that_change_their_length_are_refused(server: Served) -> None:
    embedder, _ = an_embedder(server)
    assert embedder.dimensions == 64
    server.plan = ["short"]
    with pytest.raises(EmbedderError, match="32 numbers now, and had 64"):
        embedder.embed(["tea"])


def test_a_bad_key_an_unknown_model_and_nobody_there(server: Served) -> None:
    wrong, _ = an_embedder(server, key="sk-wrong-key-987654321")
    with pytest.raises(EmbedderError, match="REMANENT_EMBEDDER_KEY") as caught:
        wrong.embed(["tea"])
    assert "sk-" not in str(caught.value)
    unknown, _ = an_embedder(server, model="nobody-made-this")
    with pytest.raises(EmbedderError, match="openai:nobody-made-this: is not known there"):
        unknown.embed(["tea"])
    nobody, pauses = an_embedder(server, url="http://127.0.0.1:9/v1")
    with pytest.raises(EmbedderError, match=r"cannot be reached.*REMANENT_EMBEDDER_URL"):
        nobody.embed(["tea"])
    assert pauses == []


def test_a_redirect_is_not_followed(server: Served) -> None:
    """Words and key go to the server that was named, and to no other."""
    embedder, _ = an_embedder(server)
    server.plan = ["away"]
    with pytest.raises(EmbedderError, match="HTTP 307"):
        embedder.embed(["tea"])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/v1", "nothing", "http://"])
def test_an_address_must_be_one(url: str) -> None:
    with pytest.raises(ConfigError, match="embedder_url"):
        OpenAiEmbedder(MODEL, url=url)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="REMANENT_EMBEDDER_KEY") as caught:
        OpenAiEmbedder(MODEL, url="https://ada:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


def test_a_memory_lives_with_it_and_opens_without_it(server: Served, tmp_path: Path) -> None:
    embedder, _ = an_embedder(server)
    path = tmp_path / "m.db"
    with Memory.open(path, mind=ScriptedMind(), embedder=embedder) as memory:
        me = memory.user("ada")
        me.add("Sarah moved to Oslo last spring.")
        memory.work()
        assert me.search("Oslo")[0].signals["dense"] > 0
    away, _ = an_embedder(server, url="http://127.0.0.1:9/v1")
    asked = len(server.asked)
    with Memory.open(
        path, mind=ScriptedMind(), embedder=away
    ) as memory:  # the file knows the length
        assert [one.text for one in memory.user("ada").search("Oslo")][:1]
    assert len(server.asked) == asked


def test_a_model_of_another_length_cannot_write(server: Served, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    embedder, _ = an_embedder(server)
    with Memory.open(path, mind=ScriptedMind(), embedder=embedder) as memory:
        memory.user("ada").add("Sarah moved to Oslo.")
        memory.work()
    changed, _ = an_embedder(server)
    with Memory.open(path, mind=ScriptedMind(), embedder=changed) as memory:
        me = memory.user("ada")
        server.plan = ["short"] * 20
        me.add("Tom moved to Bergen.")
        assert memory.work(limit=1).done == 0
        (job,) = me.jobs(["ready"])
        assert "32 dimensions" in (job.error or "")
