"""Questions over our notes and talks, each with the places that answer it.

A file ``data/questions/<batch>.jsonl`` asks about the notes or talks of the batch of that name:
``{"q", "at", "kind"}``, where ``at`` lists ``[row, turn]`` counted from 0 (a note has turn 0).
``python -m training.questions`` checks all files. Every tenth file is kept back to choose by.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("fact", "time", "multi", "open", "preference")
Place = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """Question with the passages that answer it, as numbers in its file's list of passages."""

    text: str
    kind: str
    right: tuple[int, ...]


@dataclass(frozen=True)
class Quiz:
    """Questions of one batch over all its passages."""

    batch: str
    passages: tuple[str, ...]
    talks: tuple[int, ...]
    """Row of the batch that each passage stands in."""
    asked: tuple[Asked, ...]


def passages_of(row: dict[str, Any]) -> list[str]:
    """Give the passages of a note or a talk, a turn with its speaker in front."""
    if "turns" in row:
        return [f"{speaker}: {words}" for speaker, words in row["turns"]]
    return [str(row["text"])]


def _lines(path: Path) -> list[dict[str, Any]]:
    """Give the objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def quiz(data: Path, path: Path) -> Quiz:
    """Read one file of questions with what it asks about; a bad line is an error with its place."""
    rows = next(
        _lines(source)
        for kind in ("talks", "notes")
        if (source := data / kind / path.name).exists()
    )
    numbers: dict[Place, int] = {}
    passages: list[str] = []
    for row, held in enumerate(rows):
        for turn, words in enumerate(passages_of(held)):
            numbers[row, turn] = len(passages)
            passages.append(words)
    asked = []
    for line, entry in enumerate(_lines(path), 1):
        places = [tuple(place) for place in entry["at"]]
        if set(entry) != {"q", "at", "kind"} or entry["kind"] not in KINDS or not places:
            raise ValueError(f"{path.name}:{line}: needs q, at and a known kind")
        if missing := [place for place in places if place not in numbers]:
            raise ValueError(f"{path.name}:{line}: there is no {missing[0]}")
        asked.append(Asked(entry["q"], entry["kind"], tuple(numbers[p] for p in places)))
    return Quiz(path.stem, tuple(passages), tuple(row for row, _ in numbers), tuple(asked))


def quizzes(data: Path) -> tuple[list[Quiz], list[Quiz]]:
    """Give all files of questions: those to train on, and every tenth, kept back."""
    every = [quiz(data, path) for path in sorted((data / "questions").glob("*.jsonl"))]
    return [q for i, q in enumerate(every) if i % 10], every[::10]


def main() -> None:
    """Check all files and print the counts."""
    train, kept = quizzes(Path(__file__).resolve().parent / "data")
    for name, held in (("train", train), ("kept back", kept)):
        kinds = Counter(asked.kind for one in held for asked in one.asked)
        sys.stdout.write(f"{name}: {len(held)} files, {kinds.total()} questions, {dict(kinds)}\n")


if __name__ == "__main__":
    main()
