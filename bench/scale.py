"""How `search` grows with one user's memory: from 1,000 to 100,000 passages.

The text is made up, the same every time: words with the frequencies of real ones (Zipf), of which the
commonest are English, in turns of 4 to 40 words, twenty to a conversation. Everything goes in through
`add` and `work`, with a mind that finds nobody and an embedder that adds up fixed vectors of words:
the vector of a question costs nothing, so that what is timed is search without embedding.

At each size another process opens the memory, searches, and says how much memory that took.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from bench.frame import ROOT, Report, Row, Setting
from remanent import Memory, SteppedClock, UserMemory
from remanent.core.ports.embedder import TextKind
from remanent.testing import ScriptedMind

START = datetime(2024, 1, 1, 8, tzinfo=UTC)
DIMENSIONS = 384
VOCABULARY = 30_000
EXPONENT = 1.05  # of Zipf's law in English
TURNS = 20
QUESTIONS = 200
BELIEFS = 3_000
MEASURED = 100_000  # passages at which aims are held
MOST_MS = {10_000: 30.0, MEASURED: 150.0}
MOST_MB = 200
FILTERS = {
    "since": "of one week",
    "speaker": "by one speaker",
    "types": "of one type",
    "as_of": "as of a day",
    "states": "of few states",
}
_COMMON = (
    "the i to a and you it of that in is for was on my we have do but with so me be this at not are "
    "just what like your all up can out he she they about get go one know think there had if or from "
    "when will would some time how been as more good really her his our them then now too"
)
_SYLLABLES = "ba ke li mo nu ra se ti vo da fe gi lo pu sha tre bri klo sun mer tal vin dor"
COMMON, SYLLABLES = _COMMON.split(), _SYLLABLES.split()


def run(setting: Setting) -> Report:
    sizes = (500, 2_000, 8_000) if setting.quick else (1_000, 10_000, 100_000)
    figures: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        turns = conversations(random.Random(0))
        stored = 0
        for size in sizes:
            stored = _fill(setting, path, turns, stored, size)
            figures[size] = _measured(path)
            if size == sizes[1]:
                shutil.copy(path, Path(folder) / "believing.db")
        spent = _context_ms(Path(folder) / "believing.db", questions(QUESTIONS // 4))
    rows = [row for size in sizes for row in _rows(size, figures[size])]
    held = f"{sizes[1]:,} passages and {BELIEFS:,} beliefs"
    rows.append(Row(what=f"context, CPU, p50 at {held}", value=spent, unit="ms"))
    for small, large in itertools.pairwise(sizes):
        growth = figures[large]["p50"] / figures[small]["p50"]
        rows.append(
            Row(what=f"search, p50 at {large:,} over {small:,} passages", value=growth, unit="x")
        )
    rows += _memory_rows(sizes, figures)
    return Report(
        name="scale",
        rows=rows,
        notes=[
            f"{QUESTIONS} questions at each size; the vector of a question costs nothing here",
            "memory per 100,000: resident after the searches less before the first one, onnxruntime loaded",
            "what Python, numpy, onnxruntime and Remanent take at any size is in that of the whole process",
        ],
    )


def _memory_rows(sizes: Sequence[int], figures: dict[int, dict[str, float]]) -> Iterator[Row]:
    grown = {size: figures[size]["grown_mb"] for size in sizes}
    middle, last = sizes[-2:]
    per = grown[last] * 100_000 / last
    yield Row(
        what="memory per 100,000 passages",
        value=per,
        unit="MB",
        aim=f"<= {MOST_MB} MB" if last == MEASURED else "",
        met=per <= MOST_MB if last == MEASURED else None,
    )
    more = (grown[last] - grown[middle]) * 100_000 / (last - middle)
    yield Row(what="memory for each 100,000 passages more", value=more, unit="MB")
    loaded = figures[last]["runtime_mb"]
    yield Row(what="memory of onnxruntime, at any size", value=loaded, unit="MB")
    for size in sizes:
        whole = figures[size]["resident_mb"]
        yield Row(what=f"memory of the whole process at {size:,}", value=whole, unit="MB")


def _rows(size: int, figures: dict[str, float]) -> Iterator[Row]:
    most = MOST_MS.get(size)
    yield Row(
        what=f"search, p50 at {size:,} passages",
        value=figures["p50"],
        unit="ms",
        aim="" if most is None else f"<= {most:.0f} ms",
        met=None if most is None else figures["p50"] <= most,
    )
    yield Row(what=f"search, p95 at {size:,} passages", value=figures["p95"], unit="ms")
    yield Row(what=f"search, CPU, p50 at {size:,} passages", value=figures["cpu"], unit="ms")
    for name, what in FILTERS.items():
        ratio = figures[name] / figures["cpu"]
        yield Row(what=f"search {what}, CPU over none at {size:,}", value=ratio, unit="x")
    yield Row(what=f"first search at {size:,}, loading vectors", value=figures["first"], unit="ms")
    spent = figures["first_cpu"]  # writing the blocks that a next process takes up is part of it
    yield Row(what=f"first search at {size:,}, CPU", value=spent, unit="ms")


# --- the memory --------------------------------------------------------------------------------


def _open(path: Path) -> Memory:
    clock = SteppedClock(START + timedelta(days=3650))
    return Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=WordVectors())


def _fill(
    setting: Setting,
    path: Path,
    turns: Iterator[tuple[list[dict[str, str]], datetime]],
    stored: int,
    size: int,
) -> int:
    with _open(path) as memory:
        user = memory.user("ada", name="Ada Holm", timezone="UTC")
        steps = range(stored, size, TURNS)
        for _ in track(steps, description=f"up to {size:,}", console=setting.console):
            turn, at = next(turns)
            user.add(turn, started_at=at)
            user.work(limit=2)  # found and read; extraction, which finds nobody, is left out
            user.drop_job(user.jobs(["ready"], limit=1)[0].key)
    return max(stored, size)


def _context_ms(path: Path, texts: Sequence[str]) -> float:
    """What `context` costs where much is believed as well, in the middle."""
    rng, vocabulary = random.Random(9), words()[len(COMMON) : 8000]
    with _open(path) as memory:
        user = memory.user("ada")
        for _ in range(BELIEFS):
            user.remember(" ".join(rng.choices(vocabulary, k=7)).capitalize())
        spent = []
        for text in texts:
            start = time.process_time()
            user.context(text)
            spent.append(1000 * (time.process_time() - start))
    return statistics.median(spent)


def words() -> list[str]:
    """The vocabulary, commonest first."""
    rng = random.Random(7)
    made: dict[str, None] = dict.fromkeys(COMMON)
    while len(made) < VOCABULARY:
        made["".join(rng.choices(SYLLABLES, k=rng.choice((2, 3, 3, 4))))] = None
    return list(made)


def conversations(rng: random.Random) -> Iterator[tuple[list[dict[str, str]], datetime]]:
    """Conversations without end, six hours apart; each has a few rare words that come back in it."""
    vocabulary = words()
    weights = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1) ** EXPONENT).tolist()
    number = 0
    while True:
        topic = rng.choices(vocabulary[len(COMMON) :], k=6)
        other = f"Person{rng.randrange(40)}"
        turns = []
        for place in range(TURNS):
            length = min(40, max(4, round(rng.lognormvariate(2.7, 0.5))))
            chosen = rng.choices(vocabulary, cum_weights=weights, k=length)
            chosen[rng.randrange(length)] = rng.choice(topic)
            speaker = ("Ada Holm", other)[place % 2]
            turns.append({"speaker": speaker, "text": " ".join(chosen), "id": f"{number}-{place}"})
        yield turns, START + timedelta(hours=6 * number)
        number += 1


def questions(count: int) -> list[str]:
    """Five to nine words each, two or three of them rare: what somebody asks about a conversation."""
    rng = random.Random(1)
    vocabulary = words()
    result = []
    for _ in range(count):
        common = rng.choices(COMMON, k=rng.randint(3, 6))
        rare = rng.choices(vocabulary[len(COMMON) : 8000], k=rng.randint(2, 3))
        result.append(" ".join([*common, *rare]))
    return result


class WordVectors:
    """The sum of fixed vectors, one for each word. Questions are known beforehand and cost nothing."""

    name = "word-vectors"
    dimensions = DIMENSIONS
    scale = ((0.0, 0.0), (1.0, 1.0))
    is_local = True

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        self._vectors = rng.standard_normal((4096, DIMENSIONS)).astype(np.float32)
        self._known: dict[str, NDArray[np.float32]] = {}

    def know(self, texts: Sequence[str]) -> None:
        self._known = dict(zip(texts, self.embed(texts), strict=True))

    def embed(
        self,
        texts: Sequence[str],
        *,
        kind: TextKind = "passage",  # noqa: ARG002 - words are words
    ) -> NDArray[np.float32]:
        return np.stack([self._unit_vector(text) for text in texts])

    def _unit_vector(self, text: str) -> NDArray[np.float32]:
        if text in self._known:
            return self._known[text]
        places = [sum(map(ord, word)) * 31 + len(word) for word in text.split()] or [0]
        total = self._vectors[np.array(places) % len(self._vectors)].sum(axis=0)
        unit: NDArray[np.float32] = total / np.float32(np.linalg.norm(total) or 1.0)
        return unit


# --- measuring, in a process of its own --------------------------------------------------------


def _measured(path: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.scale", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def measure(path: Path) -> dict[str, float]:
    embedder = WordVectors()
    texts = questions(QUESTIONS)
    embedder.know(texts)
    clock = SteppedClock(START + timedelta(days=3650))
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=embedder) as memory:
        user = memory.user("ada")
        bare = _resident_mb()
        importlib.import_module("onnxruntime")  # by a search the built-in embedder has loaded it
        before = _resident_mb()
        began = time.process_time()
        first = _timed(user, texts[0])
        first_cpu = 1000 * (time.process_time() - began)
        taken = sorted(_timed(user, one) for one in texts)
        spent = [_timed(user, one, clock=time.process_time) for one in texts]
        resident = _resident_mb()
        few = texts[: QUESTIONS // 4]
        newest = max(hit.at for hit in user.search(texts[0], 100) if hit.at is not None)
        filters: dict[str, dict[str, Any]] = {
            "since": {"since": newest - timedelta(days=7)},
            "speaker": {"speaker": "Person7"},
            "types": {"types": ["conversation"]},
            "as_of": {"as_of": newest - timedelta(days=7)},
            "states": {"states": ["active"]},  # what was found before: the others are candidates
        }
        narrowed = {
            name: statistics.median(
                _timed(user, one, clock=time.process_time, **given) for one in few
            )
            for name, given in filters.items()
        }
    return {
        "first": first,
        "first_cpu": first_cpu,
        "p50": statistics.median(taken),
        "p95": taken[int(0.95 * len(taken))],
        "cpu": statistics.median(spent),
        "grown_mb": resident - before,
        "resident_mb": resident,
        "runtime_mb": before - bare,
        **narrowed,
    }


def _timed(
    user: UserMemory,
    question: str,
    *,
    clock: Callable[[], float] = time.perf_counter,
    **filters: Any,
) -> float:
    start = clock()
    user.search(question, **filters)
    return 1000 * (clock() - start)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1])), sys.stdout)
