"""Encoder in torch (a BERT of 384 dimensions), with the shared vocabulary table kept frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, INNER = 384, 12, 1536
KINDS = 8
EPSILON = 1e-12


class Layer(nn.Module):
    """Layer of the encoder (attention, then two linear maps, each with its norm)."""

    def __init__(
        self, dropout: float, width: int = WIDTH, inner: int = INNER, epsilon: float = EPSILON
    ) -> None:
        """Make a layer with random weights."""
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.o = nn.Linear(width, width)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm1 = nn.LayerNorm(width, eps=epsilon)
        self.norm2 = nn.LayerNorm(width, eps=epsilon)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Give the states after this layer; the mask is true where a token may be looked at
        (or says, as a number, how much more or less)."""
        batch, length, width = x.shape
        rate = self.dropout if self.training else 0.0
        qkv = self.qkv(x).view(batch, length, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(
            qkv[0], qkv[1], qkv[2], attn_mask=mask, dropout_p=rate
        )
        seen = self.o(seen.transpose(1, 2).reshape(batch, length, width))
        x = self.norm1(x + functional.dropout(seen, rate))
        turned = self.down(functional.gelu(self.up(x)))
        return self.norm2(x + functional.dropout(turned, rate))


class Encoder(nn.Module):
    """Encoder of token numbers into states; the vocabulary table is a buffer and never trained."""

    def __init__(
        self, base: Mapping[str, Any], layers: Sequence[int], *, dropout: float = 0.1
    ) -> None:
        """Make an encoder of the chosen layers of the base weights."""
        super().__init__()
        scale = np.ascontiguousarray(base["vocabulary.scale"]).view(np.float32)
        table = base["vocabulary.int8"].astype(np.float32) * scale
        self.register_buffer("table", torch.from_numpy(table), persistent=False)
        self.position = nn.Parameter(torch.tensor(base["position"]))
        # Row 4 * half + case: which half of a pair a token is in, and the case of its word.
        self.kind = nn.Parameter(torch.tensor(base["kind"][:1]).repeat(KINDS, 1))
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in layers)
        self.dropout = dropout
        self._fill(base, layers)

    def _fill(self, base: Mapping[str, Any], layers: Sequence[int]) -> None:
        """Copy the chosen layers of the base weights into this encoder."""
        state: dict[str, Tensor] = {
            "norm.weight": torch.tensor(base["norm.w"]),
            "norm.bias": torch.tensor(base["norm.b"]),
            "position": self.position.data,
            "kind": self.kind.data,
        }
        for ours, theirs in enumerate(layers):
            held = {k.split(".", 1)[1]: v for k, v in base.items() if k.startswith(f"{theirs}.")}
            if not held:  # the table alone: another reader's weights follow
                continue
            for name in ("o", "up", "down"):
                state[f"layers.{ours}.{name}.weight"] = torch.tensor(held[f"{name}.w"].T.copy())
                state[f"layers.{ours}.{name}.bias"] = torch.tensor(held[f"{name}.b"])
            weights = np.concatenate([held[f"{name}.w"] for name in "qkv"], axis=1)
            state[f"layers.{ours}.qkv.weight"] = torch.tensor(weights.T.copy())
            state[f"layers.{ours}.qkv.bias"] = torch.tensor(
                np.concatenate([held[f"{name}.b"] for name in "qkv"])
            )
            for name in ("norm1", "norm2"):
                state[f"layers.{ours}.{name}.weight"] = torch.tensor(held[f"{name}.w"])
                state[f"layers.{ours}.{name}.bias"] = torch.tensor(held[f"{name}.b"])
        self.load_state_dict(state, strict=len(state) > 4)

    def forward(self, numbers: Tensor, mask: Tensor, kinds: Tensor | None = None) -> Tensor:
        """Give the last states of a batch of token numbers (batch by length by width)."""
        table: Tensor = self.table
        kind = self.kind[0] if kinds is None else self.kind[kinds]
        x = table[numbers] + self.position[: numbers.shape[1]] + kind
        x = self.norm(x)
        x = functional.dropout(x, self.dropout if self.training else 0.0)
        seen = mask.bool()[:, None, None, :]
        for layer in self.layers:
            x = layer(x, seen)
        return x


def pooled(states: Tensor, mask: Tensor) -> Tensor:
    """Give the mean of the states of the real tokens, in single precision."""
    weights = mask.to(states.dtype)[..., None]
    return ((states * weights).sum(1) / weights.sum(1)).float()


def weights_of(module: nn.Module) -> dict[str, np.ndarray[Any, Any]]:
    """Give the trained weights of a module as arrays by name."""
    return {name: value.float().cpu().numpy() for name, value in module.state_dict().items()}


def load_weights(module: nn.Module, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Fill a module with arrays by name."""
    module.load_state_dict({name: torch.tensor(np.array(a)) for name, a in arrays.items()})


def padded(rows: Sequence[Sequence[int]], device: str) -> tuple[Tensor, Tensor]:
    """Give token numbers and mask of a batch, padded to a multiple of eight."""
    length = -(-max(map(len, rows)) // 8) * 8
    numbers = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), np.float32)
    for i, row in enumerate(rows):
        numbers[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return torch.from_numpy(numbers).to(device), torch.from_numpy(mask).to(device)
