"""Graph of the encoder's layers for onnxruntime, with int8 weights.

The input is what the layers start from (vocabulary row plus position plus kind, normed), so that
several files share one vocabulary table; the output is the last states. The nodes are those that
onnxruntime fuses to itself (``QAttention``, ``DynamicQuantizeMatMul``, ``SkipLayerNormalization``),
written down directly.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from training.base import WIDTH

Array = npt.NDArray[Any]
HEADS = 12
MICROSOFT = "com.microsoft"
EPSILON = 1e-12


def quantized(weight: Array) -> tuple[Array, Array]:
    """Give a matrix (inputs by outputs) in int8 with one scale for each output."""
    scale = np.abs(weight).max(axis=0).clip(1e-8) / 127
    return np.round(weight / scale).astype(np.int8), scale.astype(np.float32)


class _Graph:
    """Graph under construction: its nodes and constants."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.held: list[onnx.TensorProto] = []

    def constant(self, name: str, value: Array) -> str:
        """Add a constant and give its name."""
        self.held.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], outputs: list[str], **more: Any) -> str:
        """Add a node and give the name of its first output."""
        self.nodes.append(helper.make_node(kind, inputs, outputs, **more))
        return outputs[0]

    def matrix(self, name: str, weight: Array) -> list[str]:
        """Add an int8 matrix and give the names of values, scales and zero points."""
        values, scale = quantized(weight)
        return [
            self.constant(f"{name}.w", values),
            self.constant(f"{name}.s", scale),
            self.constant(f"{name}.z", np.zeros(scale.shape, np.int8)),
        ]

    def linear(self, name: str, x: str, weight: Array, bias: Array) -> str:
        """Add a linear map."""
        held = self.matrix(name, weight)
        inputs = [x, *held, self.constant(f"{name}.b", bias.astype(np.float32))]
        return self.node("DynamicQuantizeMatMul", inputs, [f"{name}.out"], domain=MICROSOFT)

    def attention(self, name: str, x: str, weight: Array, bias: Array) -> str:
        """Add attention over the tokens that the mask lets through."""
        parts = [f"{name}.q8", f"{name}.qs", f"{name}.qz"]
        self.node("DynamicQuantizeLinear", [x], parts)
        values, scale, zero = self.matrix(name, weight)
        held = self.constant(f"{name}.b", bias.astype(np.float32))
        return self.node(
            "QAttention",
            [parts[0], values, held, parts[1], scale, "mask", parts[2], zero],
            [f"{name}.out"],
            domain=MICROSOFT,
            num_heads=HEADS,
        )

    def norm(self, name: str, x: str, skip: str, weights: tuple[Array, Array]) -> str:
        """Add a sum with what was skipped, and its norm."""
        held = [
            self.constant(f"{name}.g", weights[0].astype(np.float32)),
            self.constant(f"{name}.b", weights[1].astype(np.float32)),
        ]
        return self.node(
            "SkipLayerNormalization",
            [x, skip, *held],
            [f"{name}.out"],
            domain=MICROSOFT,
            epsilon=EPSILON,
        )


def built(weights: Mapping[str, Array], layers: int) -> onnx.ModelProto:
    """Build the graph from weights named as torch names them (outputs by inputs)."""
    graph = _Graph()
    x = "x"
    for i in range(layers):
        held = {k: weights[f"layers.{i}.{k}"] for k in _NAMES}
        seen = graph.attention(f"{i}.qkv", x, held["qkv.weight"].T, held["qkv.bias"])
        seen = graph.linear(f"{i}.o", seen, held["o.weight"].T, held["o.bias"])
        x = graph.norm(f"{i}.norm1", seen, x, (held["norm1.weight"], held["norm1.bias"]))
        wide = graph.linear(f"{i}.up", x, held["up.weight"].T, held["up.bias"])
        wide = graph.node("Gelu", [wide], [f"{i}.gelu"], domain=MICROSOFT)
        turned = graph.linear(f"{i}.down", wide, held["down.weight"].T, held["down.bias"])
        x = graph.norm(f"{i}.norm2", turned, x, (held["norm2.weight"], held["norm2.bias"]))
    graph.node("Identity", [x], ["states"])
    shape = ["batch", "length", WIDTH]
    made = helper.make_graph(
        graph.nodes,
        "encoder",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("mask", TensorProto.INT32, ["batch", "length"]),
        ],
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        initializer=graph.held,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8)


_NAMES = tuple(
    f"{part}.{end}"
    for part in ("qkv", "o", "up", "down", "norm1", "norm2")
    for end in ("weight", "bias")
)
