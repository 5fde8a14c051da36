"""Embedders of other packages with real weights, named as a user names them: by their folder."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from remanent.config import Config
from remanent.embedders.extras import _pooling, fastembed, sentence_transformers
from remanent.errors import EmbedderError, EmbedderMismatch
from remanent.memory import Memory
from remanent.testing import HashEmbedder, ScriptedMind

sys.path.insert(0, str(Path(__file__).parent))
from granite_pack import GraniteEmbedder
from weights import granite, insist, minilm

pytestmark = [pytest.mark.weights, pytest.mark.slow]

TEXTS = [
    "I live in Oslo.",
    "My home is in Oslo.",
    "The ferry was late again.",
    "日本語",
    "a " * 900,
]
HARD = ["", " \n", "tea \ud800 milk", "x" * 20_000]
MAKERS = {"fastembed": minilm, "sentence-transformers": granite}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def folder(package: str) -> Path:
        if package not in made:
            made[package] = MAKERS[package](tmp_path_factory.mktemp("models") / package)
        return made[package]

    return folder


def test_fastembed_gives_what_the_weights_say(folders: Callable[[str], Path]) -> None:
    folder = folders("fastembed")
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    embedder = fastembed(str(folder))
    assert embedder.dimensions == 384
    for text in TEXTS:
        ids = np.array([tokenizer.encode(text).ids])
        fed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        (hidden,) = session.run(None, {**fed, "token_type_ids": np.zeros_like(ids)})
        mean = hidden[0].mean(axis=0)
        assert np.allclose(embedder.embed([text])[0], mean / np.linalg.norm(mean), atol=2e-2)


def test_sentence_transformers_gives_what_the_built_in_one_does(
    folders: Callable[[str], Path],
) -> None:
    theirs = sentence_transformers(str(folders("sentence-transformers"))).embed(TEXTS)
    assert np.allclose(theirs, GraniteEmbedder().embed(TEXTS), atol=1e-4)


@pytest.mark.parametrize("package", MAKERS)
def test_meaning_is_near_and_any_text_has_a_vector(
    folders: Callable[[str], Path], package: str
) -> None:
    make = {"fastembed": fastembed, "sentence-transformers": sentence_transformers}[package]
    embedder = make(str(folders(package)))
    found = embedder.embed([*TEXTS, *HARD])
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1
    assert np.allclose(make(str(folders(package))).embed(TEXTS[:1]), found[:1], atol=2e-2)


@pytest.mark.parametrize("package", MAKERS)
def test_a_memory_goes_over_to_it_and_back(
    folders: Callable[[str], Path], package: str, tmp_path: Path
) -> None:
    name, path = f"{package}:{folders(package)}", tmp_path / "m.db"
    with Memory.open(path, mind=ScriptedMind()) as memory:
        me = memory.user("ada")
        me.add("Sarah moved to Oslo last spring.")
        me.add("The ferry to Bergen was late.")
        memory.work()
        seen: list[str] = []
        memory.reembed(
            name, progress=lambda _: seen.append(me.search("Where does Sarah live?")[0].text)
        )
        assert seen
        assert all("Sarah" in one for one in seen)  # with the old vectors, meanwhile
        assert memory.embedding().embedder == name
        assert "Sarah" in me.search("Who went to live in Norway's capital?")[0].text
        assert all(one.level.value == "ok" for one in memory.doctor().findings)
    with Memory.open(path, mind=ScriptedMind()) as memory:  # settings that name none follow
        assert memory.embedding().embedder == name
        assert memory.user("ada").search("Sarah")[0].signals["dense"] > 0
        memory.reembed("builtin")
    with pytest.raises(EmbedderMismatch, match="remanent-embed-1"):
        Memory.open(Config(memory=str(path), embedder=name), mind=ScriptedMind())
    with pytest.raises(EmbedderMismatch, match="remanent-embed-1"):
        Memory.open(path, mind=ScriptedMind(), embedder=HashEmbedder())


@pytest.mark.parametrize("package", MAKERS)
def test_a_folder_that_is_gone_is_said_to_be_so(
    folders: Callable[[str], Path], package: str, tmp_path: Path
) -> None:
    here = tmp_path / "model"
    shutil.copytree(folders(package), here)
    with Memory.open(
        Config(memory=str(tmp_path / "m.db"), embedder=f"{package}:{here}"), mind=ScriptedMind()
    ) as memory:
        memory.user("ada").add("Sarah moved to Oslo.")
        memory.work()
    shutil.rmtree(here)
    with Memory.open(tmp_path / "m.db", mind=ScriptedMind()) as memory:
        assert memory.user("ada").search("Oslo")  # by words
        (found,) = [one for one in memory.doctor().findings if one.part == "embedder"]
        assert (found.level.value, f"there is no folder {here}" in found.told) == ("fail", True)


def test_pooling_is_the_folders_own(tmp_path: Path) -> None:
    insist("fastembed")
    place = tmp_path / "1_Pooling" / "config.json"
    assert _pooling(tmp_path) == "MEAN"
    place.parent.mkdir()
    for told, found in (
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "CLS"),
        ({"pooling_mode_mean_tokens": True}, "MEAN"),
        ({"pooling_mode": "cls", "embedding_dimension": 384}, "CLS"),
        ({"pooling_mode": "lasttoken"}, "LAST_TOKEN"),
    ):
        place.write_text(json.dumps(told))
        assert _pooling(tmp_path) == found
    for bad in ('{"pooling_mode": "max"}', "{", '{"pooling_mode_max_tokens": true}', "[]"):
        place.write_text(bad)
        with pytest.raises(EmbedderError, match="1_Pooling"):
            _pooling(tmp_path)


def test_other_pooling_gives_other_vectors(folders: Callable[[str], Path], tmp_path: Path) -> None:
    first = tmp_path / "first"
    shutil.copytree(folders("fastembed"), first)
    (first / "1_Pooling").mkdir()
    (first / "1_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    mean = fastembed(str(folders("fastembed"))).embed(TEXTS)
    assert not np.allclose(mean, fastembed(str(first)).embed(TEXTS), atol=0.1)
