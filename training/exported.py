"""Exported weights at work: onnxruntime for the layers, numpy for what is before and after.

This is how the product runs them; it needs neither torch nor onnx.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

Array = npt.NDArray[Any]
EPSILON = 1e-12


class Exported:
    """Exported encoder (the reader, unless told otherwise) with its heads."""

    def __init__(self, folder: Path, name: str = "reader", threads: int = 1) -> None:
        """Load the weights."""
        with np.load(folder / "vocabulary.npz") as held:
            self.table, self.scale = held["int8"], held["scale"]
        with np.load(folder / f"{name}.npz") as held:
            front = {k: held[k].astype(np.float32) for k in held.files}
        self.heads = {k.removeprefix("head."): v for k, v in front.items() if "head." in k}
        self.front = front
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(folder / f"{name}.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def start(self, numbers: Array, kinds: Array) -> Array:
        """Give what the layers start from."""
        x = self.table[numbers].astype(np.float32) * self.scale[numbers]
        x += self.front["position"][: numbers.shape[1]] + self.front["kind"][kinds]
        x -= x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
        return np.asarray(x * self.front["norm.weight"] + self.front["norm.bias"], np.float32)

    def states(self, texts: Sequence[tuple[list[int], list[int]]], size: int = 8) -> list[Array]:
        """Give the states of many texts, in batches of like length."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i][0]))
        out: list[Array] = [np.empty(0)] * len(texts)
        for begin in range(0, len(order), size):
            chosen = order[begin : begin + size]
            longest = max(len(texts[i][0]) for i in chosen)
            numbers = np.zeros((len(chosen), longest), np.int64)
            kinds, mask = np.zeros_like(numbers), np.zeros(numbers.shape, np.int32)
            for row, i in enumerate(chosen):
                length = len(texts[i][0])
                numbers[row, :length], kinds[row, :length] = texts[i]
                mask[row, :length] = 1
            found = self.session.run(None, {"x": self.start(numbers, kinds), "mask": mask})[0]
            for row, i in enumerate(chosen):
                out[i] = found[row, : len(texts[i][0])]
        return out
