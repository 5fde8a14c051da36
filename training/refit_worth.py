"""Refit of the worth heads on single sentences, over the states of exported weights.

Usage: ``python -m training.refit_worth --carry FOLDER --weights FOLDER``. Our notes are of several
sentences, so that a note of one ("I am allergic to nuts.") was strange to the reader. Every sentence
of a training source that holds a statement to keep or to drop becomes a source of its own, and the
linear heads ``keep`` and ``drop`` are fitted again on these and on the whole sources; the encoder and
all other heads stay as they are. Rewrites ``reader.npz`` and ``sums.json``; the CPU is enough.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from training import labels, tasks
from training.export import write_sums
from training.exported import Exported

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+|$)")
_FIRST = len(labels.MENTION_TAGS)
_KEEP = slice(_FIRST, _FIRST + len(labels.KEEP_TAGS))
_DROP = slice(_KEEP.stop, _KEEP.stop + len(labels.DROP_TAGS))


def alone(row: dict[str, Any], rng: random.Random) -> Iterator[dict[str, Any]]:
    """Give the sentences of a source that hold a label, each as a source of its own."""
    talk = "turns" in row
    turns = row["turns"] if talk else [["me", row["text"]]]
    for turn, (speaker, words) in enumerate(turns):
        facts = [f for f in row.get("facts", []) if f.get("t", 0) == turn]
        drops = [e[-2:] for e in row.get("drop", []) if not talk or e[0] == turn]
        for found in _SENTENCE.finditer(words):
            sentence = found.group().strip()
            kept = [{**f, "t": 0} for f in facts if f["q"] in sentence]
            dropped = [[0, *entry] for entry in drops if entry[0] in sentence]
            if kept or dropped:
                said = rng.choice(("me", "me", "me", "user", speaker))
                yield {"owner": row.get("owner", ""), "turns": [[said, sentence]],
                       "facts": kept, "drop": dropped}  # fmt: skip


def examples(folder: Path, tok: Any, every: int) -> tuple[list[tasks.Source], list[tasks.Source]]:
    """Give the sentences of the training sources by themselves, and some of the whole sources."""
    rng = random.Random(3)
    rows = [(b, r) for kind in ("notes", "talks") for b, r in tasks.rows(folder, kind, "train")]
    single = [tasks.source(one, b, tok) for b, row in rows for one in alone(row, rng)]
    whole = [tasks.source(row, b, tok) for i, (b, row) in enumerate(rows) if i % every == 0]
    return single, whole


def table(model: Exported, sources: list[tasks.Source]) -> tuple[Any, Any, Any]:
    """Give the states of all labelled tokens with both their tags."""
    states = model.states([(s.text.numbers, s.text.cases) for s in sources], size=16)
    keep = np.concatenate([np.array(s.keeps) for s in sources])
    drop = np.concatenate([np.array(s.drops) for s in sources])
    known = keep != tasks.IGNORED
    return (
        torch.from_numpy(np.concatenate(states)[known]),
        torch.from_numpy(keep[known]),
        torch.from_numpy(drop[known]),
    )


def refit(model: Exported, held: list[tuple[Any, Any, Any]], steps: int) -> None:
    """Fit both heads, starting from what they are; each batch is of both tables by halves."""
    x, keep, drop = (torch.cat(parts) for parts in zip(*held, strict=True))
    single = len(held[0][0])
    torch.manual_seed(1)
    weight = torch.tensor(model.heads["tags.weight"][_KEEP.start : _DROP.stop], requires_grad=True)
    bias = torch.tensor(model.heads["tags.bias"][_KEEP.start : _DROP.stop], requires_grad=True)
    opt = torch.optim.Adam([weight, bias], lr=3e-3)
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, steps + 1)
    cut = len(labels.KEEP_TAGS)
    for step in range(steps):
        at = torch.cat([torch.randint(single, (4096,)), torch.randint(single, len(x), (4096,))])
        logits = x[at].float() @ weight.T + bias
        lost = functional.cross_entropy(logits[:, :cut], keep[at])
        lost = lost + functional.cross_entropy(logits[:, cut:], drop[at])
        opt.zero_grad()
        lost.backward()
        opt.step()
        plan.step()
        if step % 100 == 0:
            print(f"step {step} {lost.item():.4f}", flush=True)
    model.heads["tags.weight"][_KEEP.start : _DROP.stop] = weight.detach().numpy()
    model.heads["tags.bias"][_KEEP.start : _DROP.stop] = bias.detach().numpy()


def main() -> None:
    """Refit and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--every", type=int, default=2, help="of the whole sources, every n-th")
    chosen = parser.parse_args()
    tok = tasks.tokenizer(chosen.carry / "tokenizer.json")
    model = Exported(chosen.weights, threads=2)
    both = examples(chosen.carry / "data", tok, chosen.every)
    print(*(f"{len(sources)} sources" for sources in both), flush=True)
    refit(model, [table(model, sources) for sources in both], chosen.steps)
    path = chosen.weights / "reader.npz"
    with np.load(path) as held:
        arrays = {name: held[name] for name in held.files}
    for name in ("tags.weight", "tags.bias"):
        arrays[f"head.{name}"] = model.heads[name].astype(np.float16)
    np.savez(path, **arrays)
    write_sums(chosen.weights)


if __name__ == "__main__":
    main()
