"""Weights that come with the package: verified when loaded, once in a process."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from remanent.errors import DamagedWeights, EmbedderError, MindError
from remanent.weights.encoder import (
    CLS,
    SEP,
    Encoder,
    _saturates,
    arrays,
    encoder,
    tokenizer,
    verified,
)
from remanent.weights.recent import FOLDER, RecentTexts

REMEDY = "pip install --force-reinstall remanent"
MOST_BYTES = 48_000_000  # a tenth less in the wheel, where 45 million are allowed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what the embedder needs."""
    for name in ("sums.json", "tokenizer.json", "vocabulary.npz", "embedder.npz", "embedder.onnx"):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", ["vocabulary", "embedder", "reader"])
def test_arrays_are_those_of_the_file(name: str) -> None:
    content = verified(f"{name}.npz")
    found = arrays(content)

    with np.load(io.BytesIO(content)) as held:
        assert found.keys() == set(held.files)
        for key in held.files:
            assert found[key].dtype == held[key].dtype
            assert np.array_equal(found[key], held[key])


def test_a_compressed_file_is_none_of_ours() -> None:
    made = io.BytesIO()
    np.savez_compressed(made, one=np.arange(100))

    with pytest.raises(ValueError, match="compressed"):
        arrays(made.getvalue())


def test_every_file_is_what_its_sum_says_and_nothing_else_is_there() -> None:
    sums = json.loads((FOLDER / "sums.json").read_text("utf-8"))
    code = {"__init__.py", "encoder.py", "recent.py", "wordpiece.py", "sums.json"}
    there = {one.name for one in FOLDER.iterdir() if one.is_file()} - code
    assert there == set(sums)
    for name, one in sums.items():
        content = verified(name)
        assert len(content) == one["bytes"]
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
    assert sum(one["bytes"] for one in sums.values()) <= MOST_BYTES


@pytest.mark.parametrize(
    "name", ["tokenizer.json", "vocabulary.npz", "embedder.npz", "embedder.onnx"]
)
def test_an_altered_file_is_refused_by_name_and_with_the_remedy(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(DamagedWeights, match="CRC-32") as refusal:
        verified(name, folder)
    assert refusal.value.path == str(folder / name)
    assert REMEDY in str(refusal.value)


@pytest.mark.parametrize("name", ["embedder.onnx", "sums.json"])
def test_a_missing_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DamagedWeights, match="cannot be read"):
        Encoder("embedder", folder)


@pytest.mark.parametrize("sums", ["", "[]", "{}", '{"embedder.npz": 1}'])
def test_sums_that_say_nothing_are_refused(folder: Path, sums: str) -> None:
    (folder / "sums.json").write_text(sums)
    with pytest.raises(DamagedWeights):
        verified("embedder.npz", folder)


def test_it_is_an_error_of_the_embedder_and_of_the_mind() -> None:
    assert issubclass(DamagedWeights, EmbedderError)
    assert issubclass(DamagedWeights, MindError)


def test_a_failure_is_not_kept(folder: Path) -> None:
    (folder / "vocabulary.npz").rename(folder / "away")
    with pytest.raises(DamagedWeights):
        encoder("embedder", folder)
    (folder / "away").rename(folder / "vocabulary.npz")
    assert encoder("embedder", folder) is encoder("embedder", folder)


def test_states_have_a_row_for_each_token_and_depend_on_the_text_alone() -> None:
    model = encoder("embedder")
    rows = [([CLS, *range(2000, 2000 + count), SEP], [0] * (count + 2)) for count in (1, 9, 60)]
    together = model.states(rows)
    assert [one.shape for one in together] == [(3, 384), (11, 384), (62, 384)]
    alone = [model.states([row])[0] for row in reversed(rows)]
    assert all(np.array_equal(a, b) for a, b in zip(together, reversed(alone), strict=True))
    assert model.longest == 512
    assert not model.heads


def test_a_marker_that_somebody_writes_is_text() -> None:
    assert SEP not in tokenizer().encode("a [SEP] b").ids


@pytest.mark.parametrize(
    ("machine", "flags", "answer"),
    [
        ("x86_64", "fpu avx2 avx512_vnni", False),
        ("AMD64", "fpu avx2 avx_vnni", False),
        ("x86_64", "fpu avx2", True),
        ("x86_64", None, True),
        ("aarch64", None, False),
    ],
)
def test_sums_are_made_slowly_where_a_processor_would_saturate(
    tmp_path: Path, machine: str, flags: str | None, answer: bool
) -> None:
    cpu = tmp_path / "cpuinfo"
    if flags is not None:
        cpu.write_text(f"flags\t\t: {flags}\n")
    assert _saturates(cpu, machine) is answer


def test_what_was_made_of_recent_texts_is_made_once_and_no_word_of_them_is_kept() -> None:
    recent, made = RecentTexts[str](most=2), list[str]()

    def ask(text: str) -> str:
        return recent.of(text, partial(make, text))

    def make(text: str) -> str:
        made.append(text)
        return f"of {len(made)}"

    assert [ask("first"), ask("first"), ask("second"), ask("first")] == [
        "of 1",
        "of 1",
        "of 2",
        "of 1",
    ]
    ask("third")  # the second has not been asked for as long as any

    assert [ask("first"), ask("second")] == ["of 1", "of 4"]
    assert made == ["first", "second", "third", "second"]
    assert "second" not in repr(vars(recent))
