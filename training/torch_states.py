"""States of texts by an encoder in torch, as arrays: the trained model, before any export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from training.encoder import Encoder, padded


def encoder_of(encoder: Encoder, *, size: int = 128, exact: bool = False) -> Any:
    """Give a function that encodes token numbers and kinds into states, in batches by length."""
    device = encoder.position.device.type

    @torch.no_grad()
    def encode(texts: Sequence[tuple[list[int], list[int]]]) -> list[np.ndarray[Any, Any]]:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i][0]))
        out: list[Any] = [None] * len(texts)
        half = device == "cuda" and not exact
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            numbers, mask = padded([texts[i][0] for i in chosen], device)
            kinds, _ = padded([texts[i][1] for i in chosen], device)
            with torch.autocast(device, dtype=torch.bfloat16, enabled=half):
                states = encoder(numbers, mask, kinds).float().cpu().numpy()
            for row, i in enumerate(chosen):
                out[i] = states[row, : len(texts[i][0])]
        return out

    return encode


def arrays(reader: torch.nn.Module) -> dict[str, np.ndarray[Any, Any]]:
    """Give the weights of the heads, without those of the encoder, as arrays by name."""
    return {
        name: value.float().cpu().numpy()
        for name, value in reader.state_dict().items()
        if not name.startswith("encoder.")
    }
