"""Export of trained weights to what the product loads: one vocabulary, two graphs, the heads.

Usage: ``python -m training.export --base FOLDER --embedder FILE --reader FILE --out FOLDER``.

| file | holds |
|---|---|
| ``vocabulary.npz`` | the int8 table of the base with a scale a row, shared by both encoders |
| ``tokenizer.json`` | the tokenizer of the base |
| ``embedder.onnx`` and ``embedder.npz`` | six layers in int8; position, kind and first norm |
| ``reader.onnx`` and ``reader.npz`` | twelve layers in int8; the same, and all heads |
| ``sums.json`` | CRC-32, SHA-256 and size of every file |

The way back, for a reader whose trained weights are gone: ``python -m training.export --back FOLDER
--out FILE`` gives those of a folder of exported ones as planes, in int8 as they are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from training import graph, planes

Array = npt.NDArray[Any]
FRONT = ("position", "kind", "norm.weight", "norm.bias")


def inside(weights: Mapping[str, Array]) -> dict[str, Array]:
    """Give the weights of the encoder alone, under their own names."""
    found = {k.removeprefix("encoder."): v for k, v in weights.items() if "encoder." in k}
    return found or dict(weights)


def write_encoder(out: Path, name: str, weights: Mapping[str, Array]) -> None:
    """Write the graph of an encoder, and what stands before and after it."""
    encoder = inside(weights)
    layers = 1 + max(int(k.split(".")[1]) for k in encoder if k.startswith("layers."))
    onnx.save_model(graph.built(encoder, layers), str(out / f"{name}.onnx"))
    rest = {key: encoder[key].astype(np.float16) for key in FRONT}
    if len(encoder) != len(weights):
        heads = {k: v for k, v in weights.items() if not k.startswith("encoder.")}
        rest |= {f"head.{k}": v.astype(np.float16) for k, v in heads.items()}
    np.savez(out / f"{name}.npz", **rest)  # type: ignore[arg-type]


def write_sums(out: Path) -> dict[str, dict[str, Any]]:
    """Write checksums and size of every file, and give them."""
    sums = {
        path.name: {
            "crc32": f"{zlib.crc32(path.read_bytes()):08x}",
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
        }
        for path in sorted(out.iterdir())
        if path.suffix in {".onnx", ".npz"} or path.name == "tokenizer.json"
    }
    (out / "sums.json").write_text(json.dumps(sums, indent=1) + "\n", "utf-8")
    return sums


def regained(folder: Path, name: str = "reader") -> dict[str, Array]:
    """Give the weights of an exported reader under torch's names, matrices in int8 with their scales."""
    model = onnx.load_model(str(folder / f"{name}.onnx"))
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    out: dict[str, Array] = {}
    for key, values in held.items():
        layer, part, end = key.split(".")
        stem = f"encoder.layers.{layer}.{part}"
        if end == "w":
            out[f"{stem}.weight"] = values.T
            out[f"{stem}.weight.scale"] = held[f"{layer}.{part}.s"][:, None]
        elif end in {"g", "b"}:
            out[f"{stem}.{'weight' if end == 'g' else 'bias'}"] = values
    with np.load(folder / f"{name}.npz") as rest:
        for key in rest.files:
            whole = key.removeprefix("head.") if key.startswith("head.") else f"encoder.{key}"
            out[whole] = rest[key].astype(np.float32)
    return out


def main() -> None:
    """Export everything, or bring a reader back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--back", type=Path, help="exported weights to bring back as planes")
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    if chosen.back:
        planes.write(chosen.out, regained(chosen.back))
        return
    if not chosen.base:
        parser.error("--base is needed to export")
    chosen.out.mkdir(parents=True, exist_ok=True)
    base = planes.read(chosen.base / "base.planes")
    np.savez(
        chosen.out / "vocabulary.npz",
        int8=base["vocabulary.int8"],
        scale=np.ascontiguousarray(base["vocabulary.scale"]).view(np.float32),
    )
    shutil.copy(chosen.base / "tokenizer.json", chosen.out / "tokenizer.json")
    for name in ("embedder", "reader"):
        if path := getattr(chosen, name):
            write_encoder(chosen.out, name, planes.read(path))
    sums = write_sums(chosen.out)
    for name, one in sums.items():
        print(f"{name:18} {one['bytes']:>12,} {one['sha256'][:16]}")
    print(f"{'all':18} {sum(one['bytes'] for one in sums.values()):>12,}")


if __name__ == "__main__":
    main()
