"""Training of the embedder: twelve layers learn our questions, six learn to embed as they do.

Usage: ``python -m training.train_embedder --carry FOLDER --out FOLDER [--epochs N]``. The folder
is what ``gather`` made. First the base learns to put a question near the passages that answer it
(``questions.py``), held to its own vectors on all other texts; then six of its layers learn its
vectors on open conversations and our own training lines. Writes ``embedder.planes`` (in parts)
and prints the dense recall on questions kept back and on LoCoMo conversations, which measure and
train nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training import planes, tasks
from training.dense_recall import MOST, PASSAGE, QUESTION, recall
from training.encoder import Encoder, padded, pooled, weights_of
from training.questions import Quiz, quizzes

LAYERS = (0, 2, 4, 6, 8, 10)
NEAREST, WRONG = 20, 5
"""Of the passages nearest to a question that do not answer it, so many are drawn from and drawn."""
TEMPERATURE = 0.02


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


class Quizzing:
    """Batches of questions with a right passage each, and wrong ones that look like it."""

    def __init__(self, held: Sequence[Quiz], tok: Any, teacher: Encoder) -> None:
        """Hold the tokens of questions and passages, and what is nearest to each question."""
        self.passages: list[list[int]] = []
        self.rows: list[tuple[list[int], set[int], list[int]]] = []
        """Tokens of a question, the passages that answer it, the nearest that do not."""
        for quiz in held:
            start = len(self.passages)
            texts = rows_of(tok, [PASSAGE + p for p in quiz.passages])
            asked = rows_of(tok, [QUESTION + a.text for a in quiz.asked])
            near = embedded(teacher, asked) @ embedded(teacher, texts).T
            for row, question, scores in zip(asked, quiz.asked, near, strict=True):
                order = scores.argsort(descending=True).tolist()
                wrong = [start + i for i in order if i not in question.right][:NEAREST]
                self.rows.append((row, {start + i for i in question.right}, wrong))
            self.passages += texts

    def loss(self, encoder: Encoder, rng: random.Random, size: int) -> Tensor:
        """Give the contrastive loss of a batch: the right passage among all of the batch."""
        batch = rng.sample(self.rows, size)
        offered: list[int] = []
        for _, right, wrong in batch:
            offered += [rng.choice(sorted(right)), *rng.sample(wrong, min(WRONG, len(wrong)))]
        offered = sorted(set(offered))
        column = {number: i for i, number in enumerate(offered)}
        asked = vectors(encoder, [row for row, _, _ in batch])
        found = vectors(encoder, [self.passages[number] for number in offered])
        good = torch.zeros(size, len(offered), dtype=torch.bool)
        for i, (_, right, _) in enumerate(batch):
            good[i, [column[n] for n in right if n in column]] = True
        logs = (asked @ found.T / TEMPERATURE).log_softmax(1)
        return -logs.masked_fill(~good.to(logs.device), -1e4).logsumexp(1).mean()


def vectors(encoder: Encoder, rows: Sequence[list[int]]) -> Tensor:
    """Give the normed vectors of token rows, with gradients."""
    device = encoder.position.device.type
    numbers, mask = padded(rows, device)
    with torch.autocast(device, dtype=torch.bfloat16):
        states = encoder(numbers, mask)
    return functional.normalize(pooled(states, mask), dim=1)


@torch.no_grad()
def quiz_recall(encoder: Encoder, held: Sequence[Quiz], tok: Any) -> float:
    """Give the recall@5 of the questions kept back, each among the passages of its batch."""
    hits: list[float] = []
    for quiz in held:
        asked = embedded(encoder, rows_of(tok, [QUESTION + a.text for a in quiz.asked]))
        found = embedded(encoder, rows_of(tok, [PASSAGE + p for p in quiz.passages]))
        for question, row in zip(quiz.asked, asked @ found.T, strict=True):
            best = set(row.topk(min(5, len(quiz.passages))).indices.tolist())
            hits.append(len(best & set(question.right)) / len(set(question.right)))
    return round(100 * sum(hits) / max(1, len(hits)), 1)


def learn(
    chosen: argparse.Namespace, encoder: Encoder, kept: Kept, steps: int, rate: float
) -> None:
    """Teach an encoder the questions, held to given vectors of other texts meanwhile."""
    rng = random.Random(chosen.seed + 1)
    opt = torch.optim.AdamW(encoder.parameters(), lr=rate, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, rate, steps + 10, pct_start=0.1)
    encoder.train()
    for step in range(steps):
        batch = rng.sample(range(len(kept.rows)), chosen.batch)
        asked = kept.quizzing.loss(encoder, rng, 48)
        near = (
            1 - (vectors(encoder, [kept.rows[i] for i in batch]) * kept.goal[batch]).sum(1)
        ).mean()
        lost = chosen.share * asked + 10 * near
        opt.zero_grad(set_to_none=True)
        lost.backward()
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)):
            opt.step()
        plan.step()
        if step % 100 == 99:
            print(
                f"  step {step} {asked.item():.3f} {near.item():.4f} {measured(encoder, kept, chosen)}",
                flush=True,
            )


@dataclass
class Kept:
    """What both stages share: tokenizer, questions, and texts with the vectors they had."""

    tok: Any
    quizzing: Quizzing
    held: Sequence[Quiz]
    rows: list[list[int]]
    goal: Tensor


def measured(encoder: Encoder, kept: Kept, chosen: argparse.Namespace) -> str:
    """Give the recalls of an encoder in words."""
    return f"questions {quiz_recall(encoder, kept.held, kept.tok)} LoCoMo {locomo(encoder, kept.tok, chosen)}"


def distil(chosen: argparse.Namespace) -> Encoder:
    """Teach the shallow encoder to give the vectors of the deep one."""
    rng = random.Random(chosen.seed)
    torch.manual_seed(chosen.seed)
    tok = tasks.tokenizer(chosen.carry / "tokenizer.json")
    base = planes.read(chosen.carry / "base.planes")
    teacher = Encoder(base, range(12), dropout=0.0).to(chosen.device)
    rows = rows_of(tok, told(chosen.carry, rng)[: chosen.most])
    train, held = quizzes(chosen.carry / "data")
    goal = embedded(teacher, rows).to(chosen.device)
    kept = Kept(tok, Quizzing(train, tok, teacher), held, rows, goal)
    print("base:", measured(teacher, kept, chosen), flush=True)
    if chosen.deep:
        learn(chosen, teacher, kept, chosen.deep, 3e-5)
        kept.goal = goal = embedded(teacher, rows).to(chosen.device)
    student = Encoder(base, LAYERS, dropout=0.0).to(chosen.device)
    opt = torch.optim.AdamW(student.parameters(), lr=chosen.rate, weight_decay=0.01)
    steps = chosen.epochs * (len(rows) // chosen.batch)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, chosen.rate, steps + 10, pct_start=0.05)
    started = time.perf_counter()
    student.train()
    for epoch in range(chosen.epochs):
        lost = torch.zeros(())
        for batch in batches(rows, chosen.batch, rng):
            found = vectors(student, [rows[i] for i in batch])
            wanted = goal[batch]
            near = (1 - (found * wanted).sum(1)).mean()
            lost = near + 20 * ((found @ found.T - wanted @ wanted.T) ** 2).mean()
            opt.zero_grad(set_to_none=True)
            lost.backward()
            if torch.isfinite(torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)):
                opt.step()
            plan.step()
        spent = time.perf_counter() - started
        seen = measured(student, kept, chosen)
        print(f"epoch {epoch} {spent:.0f} s loss {lost.item():.4f} {seen}", flush=True)
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
    parser.add_argument("--deep", type=int, default=250, help="steps of the base on questions")
    parser.add_argument("--share", type=float, default=0.12, help="weight of the questions")
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    student = distil(chosen)
    planes.write(chosen.out / "embedder.planes", weights_of(student), in_parts=True)


if __name__ == "__main__":
    main()
