"""Embedders of other packages. The packages and their weights are not needed here: a model made by the
test stands in, through the same constructor; what loads the real one is tried where it is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from remanent.config import Config, load_config
from remanent.core.settings import EmbeddingRules
from remanent.embedders.builtin import NAME
from remanent.embedders.by_name import embedder_of
from remanent.embedders.extras import fastembed, sentence_transformers
from remanent.errors import ConfigError, EmbedderError
from remanent.testing import HashEmbedder


class Encoder:
    """As sentence-transformers has it: `encode` gives an array, of no certain length each."""

    def __init__(self, model: str) -> None:
        self.model = model

    def encode(self, texts: list[str]) -> np.ndarray:
        return HashEmbedder().embed(texts) * 5


class Embedding:
    """As fastembed has it: `embed` gives vectors one by one."""

    def __init__(self, model: str) -> None:
        self.model = model

    def embed(self, texts: list[str]) -> Iterator[np.ndarray]:
        yield from HashEmbedder().embed(texts) * 5


class Broken:
    def encode(self, texts: Sequence[str]) -> object:
        raise RuntimeError("out of memory")


class Kinds:
    """A model of either package that has a method for each kind of text, and one for any."""

    def __init__(self, model: str) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Callable[[list[str]], np.ndarray]:
        def embed(texts: list[str]) -> np.ndarray:
            self.asked.append(name)
            return HashEmbedder().embed(texts)

        return embed


@pytest.mark.parametrize(
    ("make", "methods"),
    [
        (sentence_transformers, ["encode_query", "encode_document", "encode_document"]),
        (fastembed, ["query_embed", "passage_embed", "passage_embed"]),
    ],
)
def test_a_model_that_knows_questions_and_passages_is_told_which(make, methods) -> None:
    model = Kinds("m")
    embedder = make("m", load=lambda _: model)
    embedder.embed(["Where?"], kind="question")
    embedder.embed(["There."], kind="passage")
    embedder.embed(["There."])
    assert model.asked == methods


@pytest.mark.parametrize(
    ("make", "load", "name"),
    [
        (sentence_transformers, Encoder, "sentence-transformers:m"),
        (fastembed, Embedding, "fastembed:m"),
    ],
)
def test_unit_vectors_of_a_model_that_is_loaded_when_needed(make, load, name) -> None:
    loaded: list[str] = []
    embedder = make("m", load=lambda model: loaded.append(model) or load(model))
    assert (embedder.name, loaded, embedder.is_local) == (name, [], True)
    assert embedder.dimensions == 64
    found = embedder.embed(["I live in Oslo", ""])
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert loaded == ["m"]
    assert embedder.embed([]).shape == (0, 64)


def test_what_a_package_raises_is_ours() -> None:
    embedder = sentence_transformers("m", load=lambda _: Broken())
    with pytest.raises(EmbedderError, match="RuntimeError: out of memory"):
        embedder.embed(["tea"])


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("sentence-transformers:m", "sentence_transformers", "st"),
        ("fastembed:m", "fastembed", "fastembed"),
    ],
)
def test_a_missing_package_says_how_to_get_it(name: str, package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is not None:
        pytest.skip(f"{package} is installed here")
    with pytest.raises(ConfigError, match=rf"pip install 'remanent\[{extra}\]'"):
        embedder_of(name, Config()).embed(["tea"])


@pytest.mark.parametrize(
    "name", ["", "nobody", "openai", "openai:", "openai: ", "fastembed:", "x:y"]
)
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="setting embedder"):
        embedder_of(name, Config(), {})


def test_the_built_in_one_has_two_names() -> None:
    assert embedder_of("builtin", Config()).name == "remanent-embed-1" == NAME
    assert embedder_of("remanent-embed-1", Config()).is_local


def test_the_one_that_was_built_in_is_known_by_name_alone() -> None:
    old = embedder_of("granite-30m-int8", Config())
    assert (old.name, old.is_local, old.embed([]).shape) == ("granite-30m-int8", True, (0, 384))
    with pytest.raises(EmbedderError, match="is no more"):
        old.embed(["tea"])


def test_a_key_goes_only_to_whom_it_is_for() -> None:
    own = {"OPENAI_API_KEY": "sk-openai", "REMANENT_EMBEDDER_KEY": ""}
    with pytest.raises(ConfigError, match="REMANENT_EMBEDDER_KEY or OPENAI_API_KEY"):
        embedder_of("openai:m", Config(), {})
    assert embedder_of("openai:m", Config(), own)._key == "sk-openai"
    there = Config(embedder_url="http://localhost:1/v1")
    assert embedder_of("openai:m", there, own)._key == ""
    assert embedder_of("openai:m", there, {"REMANENT_EMBEDDER_KEY": "k"})._key == "k"


def test_settings_of_the_environment() -> None:
    env = {
        "REMANENT_EMBEDDER": "openai:m",
        "REMANENT_EMBEDDER_URL": "http://localhost:1/v1",
        "REMANENT_EMBEDDER_KEY": "sk-secret",
        "REMANENT_EMBEDDING__SCALE": "0.1=0, 0.5=0.7, 1=1",
    }
    config = load_config("m.db", environ=env)
    assert "sk-secret" not in repr(config)
    embedder = embedder_of(config.embedder, config, env)
    assert embedder.scale == ((0.1, 0.0), (0.5, 0.7), (1.0, 1.0))
    bad = Config(embedder_url="http://x/v1", embedding=EmbeddingRules(scale="1=1 0=0"))
    with pytest.raises(ConfigError, match=r"embedding\.scale"):
        embedder_of("openai:m", bad, {})
