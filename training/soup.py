"""Mean of several readers ("model soup"): trained from one start, they average to a better one.

Usage: ``python -m training.soup --carry FOLDER --readers FILE,FILE --out FOLDER``. Writes the
mean as ``reader.planes`` (in parts) and ``reader.json`` with its measures. The mean is taken as
it is: no test batch has a say in the choice.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from training import heads, planes
from training.encoder import Encoder, load_weights
from training.evaluate import report


def mean_of(paths: list[Path]) -> dict[str, planes.Array]:
    """Give the mean of the weights of several readers."""
    total: dict[str, planes.Array] = {}
    for path in paths:
        for name, array in planes.read(path).items():
            total[name] = total.get(name, np.zeros_like(array)) + array / len(paths)
    return total


def main() -> None:
    """Average, write and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--readers", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="reader")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    weights = mean_of([Path(name) for name in chosen.readers.split(",")])
    planes.write(chosen.out / f"{chosen.name}.planes", weights, in_parts=True)
    base = planes.read(chosen.carry / "base.planes")
    reader = heads.Reader(Encoder(base, range(12)))
    load_weights(reader, weights)
    chosen.most, chosen.heads = 100_000, "judge,sources"
    report(reader.to(chosen.device).eval(), chosen)


if __name__ == "__main__":
    main()
