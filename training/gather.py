"""Gathering of all that a training run reads into one folder, which can then be carried about.

Usage: ``python -m training.gather --base FOLDER --open FILE --out FOLDER [--data FOLDER]
[--locomo FILE]``. Beside base weights, open data and our batches it takes the pairs and messages
that the benchmarks of the old mind were tuned on (``bench/pairs``, ``bench/need_messages.py``),
and, for measuring dense retrieval only, a file of LoCoMo conversations.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

from bench import belief_pairs, need_messages

_ACTS = {"change": "update", "negation": "update", "paraphrase": "same", "beside": "beside"}


def old_pairs() -> list[dict[str, str]]:
    """Give the pairs of the old benchmark, each told once."""
    found = {
        (pair.first, pair.second): _ACTS[pair.kind]
        for name in belief_pairs.FILES
        for pair in belief_pairs.pairs(name)[:: belief_pairs.TIMES]
        if pair.kind in _ACTS
    }
    return [{"old": a, "new": b, "label": label} for (a, b), label in found.items()]


def messages(labelled: need_messages.Labelled) -> list[dict[str, Any]]:
    """Give messages with what was said before, and whether memory is needed."""
    return [{"text": m.text, "before": list(m.before), "needs": wanted} for m, wanted in labelled]


def main() -> None:
    """Gather everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--open", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("training/data"))
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--dev", default="", help="training batches to measure on this time")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name in ("base.planes", "tokenizer.json"):
        shutil.copy(chosen.base / name, chosen.out / name)
    shutil.copy(chosen.open, chosen.out / "open.json.gz")
    shutil.rmtree(chosen.out / "data", ignore_errors=True)
    shutil.copytree(chosen.data, chosen.out / "data")
    for name in filter(None, chosen.dev.split(",")):
        brief = chosen.out / "data/briefs" / f"{name}.md"
        brief.write_text(brief.read_text("utf-8").replace("split: train", "split: dev"), "utf-8")
    extra = {
        "pairs": old_pairs(),
        "need": messages(need_messages.TUNED_ON),
        "need held out": messages(need_messages.HELD_OUT),
    }
    (chosen.out / "extra.json").write_text(json.dumps(extra), "utf-8")
    if chosen.locomo:
        with gzip.open(chosen.out / "locomo.json.gz", "wb") as file:
            file.write(chosen.locomo.read_bytes())
    print({name: len(rows) for name, rows in extra.items()})


if __name__ == "__main__":
    main()
