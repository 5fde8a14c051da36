"""Dense recall over LoCoMo turns: a measurement of the embedder alone, which trains nothing.

Usage: ``python -m training.dense_recall --carry FOLDER --weights FOLDER`` for exported weights.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training import tasks
from training.exported import Exported

Embed = Callable[[Sequence[str]], npt.NDArray[Any]]
QUESTION, PASSAGE = "query: ", "passage: "
MOST = 128
"""Tokens of a text at most."""


def recall(path: Path, embed: Embed) -> tuple[float, float]:
    """Give recall@10 in per cent: over all questions, and over categories 1 to 4."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        talks = json.load(file)
    hits = [hit for talk in talks for hit in _recalls(talk, embed)]
    plain = [share for share, category in hits if category != 5]
    every = [share for share, _ in hits]
    return round(100 * float(np.mean(every)), 1), round(100 * float(np.mean(plain)), 1)


def _recalls(talk: dict[str, Any], embed: Embed) -> list[tuple[float, int]]:
    """Give the recall of every question of one conversation, with its category."""
    turns = [
        turn
        for name, session in talk["conversation"].items()
        if name.startswith("session_") and isinstance(session, list)
        for turn in session
    ]
    known = {turn["dia_id"] for turn in turns}
    asked = [q for q in talk["qa"] if set(q.get("evidence", ())) & known]
    questions = embed([QUESTION + q["question"] for q in asked])
    scores = questions @ embed([_passage(turn) for turn in turns]).T
    out = []
    for question, row in zip(asked, scores, strict=True):
        wanted = set(question["evidence"]) & known
        found = {turns[i]["dia_id"] for i in np.argsort(-row)[:10]}
        out.append((len(wanted & found) / len(wanted), int(question["category"])))
    return out


def _passage(turn: dict[str, Any]) -> str:
    """Give a turn as a passage, with the caption of a picture that it shares."""
    seen = turn.get("blip_caption")
    shared = f" [shares a picture: {seen}]" if seen else ""
    return f"{PASSAGE}{turn['speaker']}: {turn['text']}{shared}"


def main() -> None:
    """Measure exported weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carry", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    chosen = parser.parse_args()
    tok = tasks.tokenizer(chosen.weights / "tokenizer.json")
    model = Exported(chosen.weights, "embedder")

    def embed(texts: Sequence[str]) -> npt.NDArray[Any]:
        found = tok.encode_batch(list(texts), add_special_tokens=False)
        rows = [[tasks.CLS, *one.ids[:MOST], tasks.SEP] for one in found]
        states = model.states([(row, [0] * len(row)) for row in rows])
        vectors = np.stack([state.mean(0) for state in states])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    print("LoCoMo turns, dense recall@10:", recall(chosen.carry / "locomo.json.gz", embed))


if __name__ == "__main__":
    main()
