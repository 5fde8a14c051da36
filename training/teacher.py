"""Trunk of a teacher: all-mpnet-base-v2, twice as wide as the reader, under the same heads.

Usage: ``python -m training.teacher --model FOLDER --out FILE [--seen FOLDER]`` packs the weights
(safetensors) for ``train_reader --trunk``. Its vocabulary is that of our base four rows further on;
with ``--seen`` the rows of words that no text of that gathered folder has are left empty.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training import planes, tasks
from training.encoder import KINDS, Layer

LAYERS, WIDTH, INNER, EPSILON = 12, 768, 3072, 1e-5
LEVELS = 63
"""Steps to each side of nought that a weight is carried in: they are the start of training only."""
SHIFT = 4
SPECIAL = {tasks.CLS: 0, tasks.SEP: 2, 103: 30526, 0: 1}
"""Marks of the base and where the teacher has its own: start, end, a hidden word, nothing."""
BUCKETS, FARTHEST = 32, 128


def bucket_of(length: int) -> Tensor:
    """Give the bucket of how far each token stands from each other, as the teacher learned them."""
    at = torch.arange(length)
    back = at[:, None] - at[None, :]
    half, exact = BUCKETS // 2, BUCKETS // 4
    far = back.abs().clamp(min=1).float()
    large = exact + (
        (far / exact).log() / math.log(FARTHEST / exact) * (half - exact)
    ).long().clamp(max=half - 1 - exact)
    return (back < 0) * half + torch.where(back.abs() < exact, back.abs(), large)


class Trunk(nn.Module):
    """Encoder like ours from other weights: wider, and with a word on how far tokens are apart."""

    def __init__(self, base: Mapping[str, Any], *, dropout: float = 0.1) -> None:
        """Make the trunk of packed weights; the vocabulary is never trained."""
        super().__init__()
        self.register_buffer("table", torch.tensor(base["table"]), persistent=False)
        self.register_buffer("near", torch.tensor(base["near"]), persistent=False)
        self.register_buffer("bucket", bucket_of(tasks.MAX_TOKENS + 32), persistent=False)
        self.position = nn.Parameter(torch.tensor(base["position"]))
        self.kind = nn.Parameter(torch.zeros(KINDS, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(dropout, WIDTH, INNER, EPSILON) for _ in range(LAYERS))
        self.dropout = dropout
        held = {k: torch.tensor(v) for k, v in base.items() if k.startswith(("layers.", "norm."))}
        self.load_state_dict({**self.state_dict(), **held})

    def forward(self, numbers: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
        """Give the last states of a batch of token numbers (batch by length by width)."""
        length = numbers.shape[1]
        table: Tensor = self.table
        x = self.norm(table[numbers] + self.position[:length] + self.kind[kinds])
        x = functional.dropout(x, self.dropout if self.training else 0.0)
        apart = self.near[self.bucket[:length, :length]].permute(2, 0, 1)[None]
        seen = apart + (mask[:, None, None, :] - 1) * 1e4
        if torch.is_autocast_enabled(x.device.type):
            seen = seen.to(torch.get_autocast_dtype(x.device.type))
        for layer in self.layers:
            x = layer(x, seen)
        return x


def stored(path: Path) -> dict[str, Any]:
    """Give the arrays of a safetensors file in single precision."""
    block = path.read_bytes()
    size = struct.unpack("<Q", block[:8])[0]
    found = {}
    for name, one in json.loads(block[8 : 8 + size]).items():
        if one.get("dtype") == "F32":
            start, end = (8 + size + at for at in one["data_offsets"])
            found[name] = np.frombuffer(block[start:end], np.float32).reshape(one["shape"])
    return found


def renamed(held: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the weights under our names, the vocabulary in the order of our base."""
    words = held["embeddings.word_embeddings.weight"]
    table = words[SHIFT : SHIFT + 30522].copy()
    for ours, theirs in SPECIAL.items():
        table[ours] = words[theirs]
    yield "table", table
    yield "position", held["embeddings.position_embeddings.weight"][2:]
    yield "near", held["encoder.relative_attention_bias.weight"]
    yield "norm.weight", held["embeddings.LayerNorm.weight"]
    yield "norm.bias", held["embeddings.LayerNorm.bias"]
    names = {
        "o": "attention.attn.o",
        "norm1": "attention.LayerNorm",
        "up": "intermediate.dense",
        "down": "output.dense",
        "norm2": "output.LayerNorm",
    }
    for i in range(LAYERS):
        for end in ("weight", "bias"):
            stem = f"encoder.layer.{i}"
            qkv = [held[f"{stem}.attention.attn.{x}.{end}"] for x in "qkv"]
            yield f"layers.{i}.qkv.{end}", np.concatenate(qkv)
            for ours, theirs in names.items():
                yield f"layers.{i}.{ours}.{end}", held[f"{stem}.{theirs}.{end}"]


def packed(held: Mapping[str, Any], seen: set[int] | None) -> dict[str, Any]:
    """Give the weights to carry: matrices in steps of a scale a row, the rest as it is."""
    out: dict[str, Any] = {}
    for name, array in renamed(held):
        if array.ndim < 2 or name == "near":
            out[name] = array
            continue
        scale = np.abs(array).max(1, keepdims=True) / LEVELS
        steps = np.rint(array / scale).astype(np.int8)
        if name == "table" and seen is not None:
            steps[[i for i in range(len(steps)) if i not in seen]] = 0
        out[name], out[f"{name}.scale"] = steps, scale
    return out


def words_seen(carry: Path) -> set[int]:
    """Give the numbers of the words that the texts of a gathered folder have."""
    tok = tasks.tokenizer(carry / "tokenizer.json")
    rows = [
        json.loads(line)
        for path in sorted((carry / "data").glob("*/*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    with gzip.open(carry / "open.json.gz", "rt", encoding="utf-8") as file:
        rows += [row for held in json.load(file).values() for row in held]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return {i for one in tok.encode_batch(lines) for i in one.ids} | {*SPECIAL, 100}


def main() -> None:
    """Pack the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--seen", type=Path, help="a gathered folder: other words are left out")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    seen = words_seen(chosen.seen) if chosen.seen else None
    weights = packed(stored(chosen.model / "model.safetensors"), seen)
    for path in planes.write(chosen.out, weights, in_parts=True):
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
