"""Open data that may train what we ship: gathered into one small file.

Usage: ``python -m training.open_data --data FOLDER --out FILE``, where the folder holds the sets
by the names below. Only licences that let the weights be Apache-2.0 are used: chitchat (MIT),
self-dialogue (BSD-3), Synthetic-Persona-Chat, Disfl-QA and Broad Twitter (CC BY 4.0), WNUT-17
(CC BY 4.0), CLINC (CC BY 3.0), Recognizers (MIT). SICK (non-commercial, share-alike), SNLI and
STS-B (share-alike) train nothing here, and neither do LoCoMo, LongMemEval, BEAM, RealMem, QMSum.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SEED = 7
SENTENCES = 170_000
_WNUT = {
    "person": "person", "location": "location", "corporation": "organization",
    "group": "group", "product": "product", "creative-work": "",
}  # fmt: skip
_BTC = {"PER": "person", "LOC": "location", "ORG": "organization"}
_CLEAR = frozenset(
    [
        "definition",
        "calculator",
        "weather",
        "time",
        "translate",
        "flip_coin",
        "roll_dice",
        "spelling",
        "exchange_rate",
        "measurement_conversion",
        "tell_joke",
        "fun_fact",
        "timezone",
        "distance",
        "date",
        "whisper_mode",
        "timer",
        "recipe",
        "nutrition_info",
        "calories",
        "synonym",
        "international_visa",
        "traffic",
    ]
)
"""Commands of CLINC that nobody's memory is needed for."""


def talk_lines(folder: Path) -> Iterator[str]:
    """Give the turns of the open conversations."""
    for name in ("chitchat.jsonl.gz", "self_dialogue.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as file:
            for line in file:
                yield from (turn[1] for turn in json.loads(line))
    for path in sorted((folder / "synthetic-persona-chat/data").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    yield from (re.sub(r"^User [12]: ", "", line) for line in cell.splitlines())


def questions(folder: Path) -> Iterator[str]:
    """Give the questions of Disfl-QA, which are about the world."""
    for row in json.loads((folder / "disfl-qa/train.json").read_text("utf-8")).values():
        yield row["original"]


def sentences(folder: Path) -> list[str]:
    """Give distinct lines for the distillation of the embedder, a seeded draw of them."""
    seen = {
        line.strip()
        for source in (talk_lines(folder), questions(folder))
        for line in source
        if 12 <= len(line.strip()) <= 400
    }
    drawn = sorted(seen)
    random.Random(SEED).shuffle(drawn)
    return drawn[:SENTENCES]


def tagged(path: Path, types: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Give the sentences of a CoNLL file with spans by character; unmapped types are dropped."""
    words: list[str] = []
    tags: list[str] = []
    for line in [*path.read_text("utf-8-sig", errors="replace").splitlines(), ""]:
        parts = line.rstrip("\n").split("\t")
        if len(parts) >= 2 and parts[0].strip():
            words.append(parts[0].strip())
            tags.append(parts[-1].strip())
        elif words:
            yield _spans(words, tags, types)
            words, tags = [], []


def _spans(words: list[str], tags: list[str], types: dict[str, str]) -> dict[str, Any]:
    """Join words to a text and their tags to spans."""
    spans: list[list[Any]] = []
    at = 0
    for word, tag in zip(words, tags, strict=True):
        if tag.startswith("B-"):
            spans.append([at, at + len(word), types.get(tag[2:], "")])
        elif tag.startswith("I-") and spans:
            spans[-1][1] = at + len(word)
        at += len(word) + 1
    return {
        "text": " ".join(words),
        "spans": spans,
        "covers": sorted(set(filter(None, types.values()))),
    }


def dates(folder: Path) -> Iterator[dict[str, Any]]:
    """Give the sentences of Recognizers with their time expressions."""
    text = (folder / "recognizers/DateTimeModel.json").read_text("utf-8-sig")
    for row in json.loads(text):
        spans = [[r["Start"], r["End"] + 1, "date"] for r in row.get("Results", []) if "Start" in r]
        yield {"text": row["Input"], "spans": spans, "covers": ["date"]}


def needs_none(folder: Path) -> Iterator[str]:
    """Give messages that no memory is needed for: plain commands and questions on the world."""
    held = json.loads((folder / "clinc/data_full.json").read_text("utf-8"))
    yield from (text for text, intent in held["train"] if intent in _CLEAR)
    yield from questions(folder)


def main() -> None:
    """Gather everything into one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    spare = sorted(set(needs_none(chosen.data)))
    random.Random(SEED).shuffle(spare)
    gathered: dict[str, list[Any]] = {
        "sentences": sentences(chosen.data),
        "names": [
            *tagged(chosen.data / "wnut17/wnut17train.conll", _WNUT),
            *tagged(chosen.data / "btc/btc.train", _BTC),
            *tagged(chosen.data / "btc/btc.dev", _BTC),
        ],
        "dates": list(dates(chosen.data)),
        "needs_none": spare[:1500],
    }
    with gzip.open(chosen.out, "wt", encoding="utf-8") as file:
        json.dump(gathered, file, ensure_ascii=False)
    print({k: len(v) for k, v in gathered.items()}, f"{chosen.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
