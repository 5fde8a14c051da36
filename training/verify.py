"""Verification of exported weights: do they say what the trained model says, on the CPU?

Usage: ``python -m training.verify --carry FOLDER --reader FILE --embedder FILE --weights FOLDER``.
The trained weights run in torch in single precision, the exported ones as the product runs them.
Exit status 1 if they differ by more than int8 explains.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training import heads, planes, reading, tasks
from training.encoder import Encoder, load_weights
from training.exported import Exported
from training.torch_states import arrays, encoder_of
from training.train_embedder import LAYERS

LEAST_COSINE = 0.99
MOST_TURNED = 0.04
"""Share of pairs at most on which the judge's likeliest label differs."""
PAIRS = 300


def intact(folder: Path) -> bool:
    """Say whether every file has the checksum that was written with it."""
    sums = json.loads((folder / "sums.json").read_text("utf-8"))
    return all(
        hashlib.sha256((folder / name).read_bytes()).hexdigest() == one["sha256"]
        for name, one in sums.items()
    )


def embedder_cosine(chosen: argparse.Namespace, base: Any, rows: list[Any]) -> float:
    """Give the least cosine between vectors of the trained and the exported embedder."""
    trained = Encoder(base, LAYERS)
    load_weights(trained, planes.read(chosen.embedder))
    ours = encoder_of(trained.eval(), size=16)(rows)
    theirs = Exported(chosen.weights, "embedder").states(rows)
    pairs = zip((s.mean(0) for s in ours), (s.mean(0) for s in theirs), strict=True)
    return min(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)) for a, b in pairs)


def judge_turned(chosen: argparse.Namespace, base: Any, rows: list[Any]) -> tuple[float, float]:
    """Give the share of pairs judged otherwise, and the mean difference of probabilities."""
    trained = heads.Reader(Encoder(base, range(12)))
    load_weights(trained, planes.read(chosen.reader))
    trained.eval()
    exported = Exported(chosen.weights)
    held = arrays(trained)
    ours = [reading.judged(held, s) for s in encoder_of(trained.encoder, size=16)(rows)]
    theirs = [reading.judged(exported.heads, s) for s in exported.states(rows)]
    a, b = reading.softmax(np.stack(ours)), reading.softmax(np.stack(theirs))
    return float((a.argmax(1) != b.argmax(1)).mean()), float(np.abs(a - b).mean())


def main() -> None:
    """Verify and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    base = planes.read(chosen.carry / "base.planes")
    tok = tasks.tokenizer(chosen.carry / "tokenizer.json")
    pairs = tasks.pairs(chosen.carry / "data", "dev")[:PAIRS]
    told = [tasks.tokens(tok, f"passage: {p.new}")[0] for p in pairs]
    plain = [([tasks.CLS, *ids, tasks.SEP], [0] * (len(ids) + 2)) for ids in told]
    whole = intact(chosen.weights)
    least = embedder_cosine(chosen, base, plain)
    both = [tasks.pair_tokens(tok, p.old, p.new) for p in pairs]
    turned, apart = judge_turned(chosen, base, both)
    print(f"checksums {'right' if whole else 'WRONG'}; embedder: least cosine {least:.4f}")
    print(f"judge: {100 * turned:.1f} % judged otherwise, probabilities {apart:.4f} apart")
    if not whole or least < LEAST_COSINE or turned > MOST_TURNED:
        sys.exit(1)


if __name__ == "__main__":
    main()
