"""A worker process for the kill tests: drains a memory's queue and says each job it finished.

`reader.py MEMORY NOW [SLICE [PLACE:N]]`: reads in slices of so many characters; says `here` and stands still
the Nth time it comes to a place: where the mind cleans, extracts or judges, where something is embedded, or
between two jobs; after four jobs in any case, for it may not come to that place any more.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import NDArray
from plain_mind import PlainMind

from remanent import Memory, SteppedClock
from remanent.config import Config
from remanent.core.model.page import Step
from remanent.core.ports.embedder import TextKind
from remanent.ingest.rules.passages import PassageRules
from remanent.testing import HashEmbedder

SLICED = "300"
MOST_JOBS = 4


class Places:
    """Counts how often each place was come to, and stands still at the one that is named."""

    def __init__(self, named: str) -> None:
        self._place, _, times = named.partition(":")
        self._times, self._come = int(times or 0), Counter[str]()

    def at(self, place: str) -> None:
        self._come[place] += 1
        is_late = place == "between" and self._come[place] == MOST_JOBS
        if self._times and (is_late or (place, self._come[place]) == (self._place, self._times)):
            os.write(1, b"here\n")
            threading.Event().wait()


class Mind(PlainMind):
    places: Places

    def clean(self, *given: Any) -> list[str]:
        self.places.at("clean")
        return super().clean(*given)

    def extract(self, *given: Any) -> list[Any]:
        self.places.at("extract")
        return super().extract(*given)

    def judge(self, *given: Any) -> list[Any]:
        self.places.at("judge")
        return super().judge(*given)


class Embedder(HashEmbedder):
    places: Places

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:
        self.places.at("embed")
        return super().embed(texts, kind=kind)


def opened(path: str | Path, now: str, characters: str = "50000", stop: str = "") -> Memory:
    clock, places = SteppedClock(datetime.fromisoformat(now)), Places(stop)
    mind, embedder = Mind(), Embedder()
    mind.places = embedder.places = places
    rules = PassageRules(slice_characters=int(characters))
    config = Config(memory=str(path), passages=rules)
    return Memory.open(config, clock=clock, mind=mind, embedder=embedder)


def main(path: str, now: str, characters: str = "50000", stop: str = "") -> None:
    places = Places(stop)

    def tell(step: Step) -> None:
        os.write(1, f"{step.key}\n".encode())
        places.at("between")

    with opened(path, now, characters, stop) as memory:
        memory.work(progress=tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
