"""Training of the embedder: six layers taught to embed as the twelve of the base do.

Usage: ``python -m training.train_embedder --carry FOLDER --out FOLDER [--epochs N]``. The folder
is what ``gather`` made. Texts are open conversations and our own training lines, each as a
question or as a passage by the base's own prefixes. Writes ``embedder.planes`` (in parts) and
prints the dense recall on LoCoMo conversations, which measure and train nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training import planes, tasks
from training.dense_recall import MOST, PASSAGE, QUESTION, recall
from training.encoder import Encoder, padded, pooled, weights_of

LAYERS = (0, 2, 4, 6, 8, 10)


def rows_of(tok: Any, texts: Sequence[str]) -> list[list[int]]:
    """Give the token numbers of texts, cut."""
    found = tok.encode_batch(list(texts), add_special_tokens=False)
    return [[tasks.CLS, *one.ids[:MOST], tasks.SEP] for one in found]


@torch.no_grad()
def embedded(encoder: Encoder, rows: Sequence[list[int]], size: int = 512) -> Tensor:
    """Give the normed vectors of token rows, on the CPU."""
    device = encoder.position.device.type
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    out = torch.zeros(len(rows), 384)
    training, _ = encoder.training, encoder.eval()
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        numbers, mask = padded([rows[i] for i in chosen], device)
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            states = encoder(numbers, mask)
        out[chosen] = functional.normalize(pooled(states, mask), dim=1).cpu()
    encoder.train(training)
    return out


def told(carry: Path, rng: random.Random) -> list[str]:
    """Give the texts to learn on, each with the prefix of a question or a passage."""
    with gzip.open(carry / "open.json.gz", "rt", encoding="utf-8") as file:
        lines: list[str] = json.load(file)["sentences"]
    for pair in tasks.pairs(carry / "data", "train"):
        lines += [pair.old, pair.new]
    for kind in ("notes", "talks"):
        for _, row in tasks.rows(carry / "data", kind, "train"):
            lines += [row["text"]] if "text" in row else [f"{w}: {t}" for w, t in row["turns"]]
    rng.shuffle(lines)
    some = len(lines) // 7
    longer = [" ".join(rng.sample(lines, rng.randint(2, 4))) for _ in range(some)]
    return [rng.choice((QUESTION, PASSAGE)) + line for line in lines + longer]


def batches(rows: Sequence[list[int]], size: int, rng: random.Random) -> list[list[int]]:
    """Give batches of indices of rows of like length, in random order."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]) + rng.random() * 6)
    found = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
    rng.shuffle(found)
    return found


def distil(chosen: argparse.Namespace) -> Encoder:
    """Teach the shallow encoder to give the vectors of the deep one."""
    rng = random.Random(chosen.seed)
    torch.manual_seed(chosen.seed)
    tok = tasks.tokenizer(chosen.carry / "tokenizer.json")
    base = planes.read(chosen.carry / "base.planes")
    teacher = Encoder(base, range(12)).to(chosen.device)
    rows = rows_of(tok, told(chosen.carry, rng)[: chosen.most])
    goal = embedded(teacher, rows).to(chosen.device)
    print("teacher, LoCoMo recall@10:", locomo(teacher, tok, chosen), flush=True)
    student = Encoder(base, LAYERS, dropout=0.0).to(chosen.device)
    opt = torch.optim.AdamW(student.parameters(), lr=chosen.rate, weight_decay=0.01)
    steps = chosen.epochs * (len(rows) // chosen.batch)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, chosen.rate, steps + 10, pct_start=0.05)
    started = time.perf_counter()
    student.train()
    for epoch in range(chosen.epochs):
        lost = torch.zeros(())
        for batch in batches(rows, chosen.batch, rng):
            numbers, mask = padded([rows[i] for i in batch], chosen.device)
            with torch.autocast(chosen.device, dtype=torch.bfloat16):
                states = student(numbers, mask)
            found = functional.normalize(pooled(states, mask), dim=1)
            wanted = goal[batch]
            near = (1 - (found * wanted).sum(1)).mean()
            lost = near + 20 * ((found @ found.T - wanted @ wanted.T) ** 2).mean()
            opt.zero_grad(set_to_none=True)
            lost.backward()
            if torch.isfinite(torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)):
                opt.step()
            plan.step()
        spent = time.perf_counter() - started
        recall = locomo(student, tok, chosen)
        print(f"epoch {epoch} {spent:.0f} s loss {lost.item():.4f} LoCoMo {recall}", flush=True)
    return student


def locomo(encoder: Encoder, tok: Any, chosen: argparse.Namespace) -> tuple[float, float]:
    """Give dense recall@10 over LoCoMo turns, where the conversations are there to measure."""
    path = chosen.carry / "locomo.json.gz"
    if not path.exists() or chosen.most < 1000:
        return 0.0, 0.0
    return recall(path, lambda texts: embedded(encoder, rows_of(tok, texts)).numpy())


def main() -> None:
    """Distil, write and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    student = distil(chosen)
    planes.write(chosen.out / "embedder.planes", weights_of(student), in_parts=True)


if __name__ == "__main__":
    main()
