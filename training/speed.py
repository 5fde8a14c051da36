"""Speed of the exported weights on this machine: onnxruntime int8 beside numpy, one thread.

Usage: ``python -m training.speed --weights FOLDER``. Prints CPU milliseconds per text of several
lengths, for the embedder and the reader. numpy runs the same weights in single precision.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from training.exported import Exported
from training.reading import gelu

LENGTHS = (12, 32, 96, 256)
HEADS, WIDTH = 12, 384
TIMES = 12


class Plain:
    """Layers of an exported encoder in numpy, dequantized once."""

    def __init__(self, path: Path) -> None:
        """Read the graph's constants."""
        held = {i.name: numpy_helper.to_array(i) for i in onnx.load(str(path)).graph.initializer}
        self.layers = 1 + max(int(name.split(".")[0]) for name in held)
        self.held = {
            name: (value.astype(np.float32) * held[f"{name[:-1]}s"])
            if name.endswith(".w")
            else value
            for name, value in held.items()
        }

    def _linear(self, name: str, x: Any) -> Any:
        return x @ self.held[f"{name}.w"] + self.held[f"{name}.b"]

    def _norm(self, name: str, x: Any) -> Any:
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.held[f"{name}.g"] + self.held[f"{name}.b"]

    def __call__(self, x: Any) -> Any:
        """Give the states of one text (tokens by width)."""
        for i in range(self.layers):
            qkv = self._linear(f"{i}.qkv", x).reshape(len(x), 3, HEADS, -1).transpose(1, 2, 0, 3)
            scores = qkv[0] @ qkv[1].transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            seen = (scores @ qkv[2]).transpose(1, 0, 2).reshape(len(x), WIDTH)
            x = self._norm(f"{i}.norm1", x + self._linear(f"{i}.o", seen))
            wide = gelu(self._linear(f"{i}.up", x)).astype(np.float32)
            x = self._norm(f"{i}.norm2", x + self._linear(f"{i}.down", wide))
        return x


def spent(call: Callable[[Any], Any], on: Any) -> float:
    """Give the CPU milliseconds of a call, the least of several."""
    call(on)
    found = []
    for _ in range(TIMES):
        start = time.process_time()
        call(on)
        found.append(time.process_time() - start)
    return 1000 * min(found)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    folder = parser.parse_args().weights
    rng = np.random.default_rng(1)
    print(f"{'CPU ms, one thread':20}", *(f"{n:>6} tok" for n in LENGTHS))
    for name in ("embedder", "reader"):
        if not (folder / f"{name}.onnx").exists():
            continue
        model, plain = Exported(folder, name), Plain(folder / f"{name}.onnx")
        rows = [([int(i) for i in rng.integers(999, 29000, n)], [0] * n) for n in LENGTHS]
        fast = [spent(model.states, [row]) for row in rows]
        starts = [model.start(np.array([n]), np.array([k]))[0] for n, k in rows]
        slow = [spent(plain, x) for x in starts]
        print(f"{name + ', ort int8':20}", *(f"{ms:10.1f}" for ms in fast))
        print(f"{name + ', numpy':20}", *(f"{ms:10.1f}" for ms in slow))


if __name__ == "__main__":
    main()
