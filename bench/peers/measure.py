"""What is measured of one system, whatever it is."""

from __future__ import annotations

import itertools
import random
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.peers.process import Failed, Process
from bench.retrieval_sets import World
from bench.scale import TURNS, WordVectors, conversations, questions
from remanent.core.ports.embedder import Embedder

USERS = 10
SINGLES, QUESTIONS = 200, 200
CHUNK = 500
DELETED = 1_000
THREADS, ROUNDS = 8, 5
SEARCH_S = 60.0  # after that, what was asked so far is enough
Record = list[str]  # id, speaker, words, talk
Figures = dict[str, Any]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    sizes: Sequence[int]
    cap_s: float  # for growing to one size
    singles: int = SINGLES
    questions: int = QUESTIONS
    starts: int = 3  # of a new process; the middle one counts


class MadeUp:
    """Made-up talks of ten users, the same every time, with vectors that cost nothing to compute."""

    def __init__(self) -> None:
        self.embedder = WordVectors()
        self._talks = enumerate(conversations(random.Random(0)))

    def records(self, count: int) -> dict[str, list[Record]]:
        """So many more, by user."""
        found: dict[str, list[Record]] = {}
        for number, (turns, at) in itertools.islice(self._talks, count // TURNS):
            for turn in turns:
                record = [turn["id"], turn["speaker"], turn["text"], f"{number}@{at.isoformat()}"]
                found.setdefault(f"u{number % USERS}", []).append(record)
        return found

    def notes(self, count: int, mark: str) -> list[Record]:
        """So many that nobody else has."""
        turns, at = next(conversations(random.Random(mark)))
        return [
            [f"{mark}-{n}", "Ada", f"{turns[n % TURNS]['text']} {mark} {n}", f"0@{at.isoformat()}"]
            for n in range(count)
        ]

    def with_vectors(self, records: Sequence[Record]) -> Figures:
        texts = [text_of(record) for record in records]
        return {"records": list(records), "texts": texts, "vectors": self.embedder.embed(texts)}

    def asked(self, count: int) -> Figures:
        texts = questions(count)
        pairs = [[f"u{place % USERS}", text] for place, text in enumerate(texts)]
        return {"questions": pairs, "texts": texts, "vectors": self.embedder.embed(texts)}


def text_of(record: Record) -> str:
    return f"{record[1]}: {record[2]}"


def measured(
    name: str, plan: Plan, say: Say, worlds: Sequence[World], embedder: Embedder
) -> Figures:
    """All of it. What a system cannot do is said in place of a figure."""
    found: Figures = {}
    parts: Mapping[str, Callable[[Path], Figures]] = {
        "grown": lambda folder: grown(name, folder, plan, say),
        "kill": lambda folder: killed(name, folder),
        "threads": lambda folder: in_threads(name, folder),
        "processes": lambda folder: in_two_processes(name, folder),
        "fsyncs": lambda folder: synced(name, folder),
        "recall": lambda folder: recalled(name, folder, worlds, embedder),
    }
    for part, measure in parts.items():
        if part == "recall" and not worlds:
            continue
        say(part)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                figures = measure(Path(folder) / "memory")
            except Failed as error:
                figures = {"failed": str(error)}
        found |= figures if part == "grown" else {part: figures}
    return found


# --- adding and searching, at every size -------------------------------------------------------


def grown(name: str, folder: Path, plan: Plan, say: Say) -> Figures:
    """Single adds to an empty memory, then every size: batches, searches, memory, disk, a new process."""
    data = MadeUp()
    process = Process(name, folder)
    found: Figures = {"sizes": {}}
    try:
        found |= single_adds(process, data, plan.singles)
        stored, each_ms = 0, 0.0
        for size in plan.sizes:
            say(f"{size:,}")
            expected_s = each_ms * (size - stored) / 1000
            if expected_s > plan.cap_s:
                found["sizes"][str(size)] = {"expected_s": expected_s}
                break
            figures = fill(process, data, size - stored, plan.cap_s)
            each_ms = figures["fill_ms"]
            stored += figures["stored"]
            found["sizes"][str(size)] = figures
            if stored < size:
                figures["capped"] = stored
                break
            figures |= searched(process, data, plan.questions)
            process.close()
            figures["disk_mb"] = _disk_mb(folder)
            figures |= first_answer(name, folder, data, plan.starts)
            process = Process(name, folder)
        say("delete")
        found["delete"] = deleted(process, data, min(DELETED, plan.sizes[0]))
    except Failed as error:
        found["failed"] = str(error)
    finally:
        process.close()
    return found


def single_adds(process: Process, data: MadeUp, count: int) -> Figures:
    warm = data.with_vectors(data.notes(20, "warm"))
    process.ask("add", user="single", **warm)
    process.ask("settle")
    taken = process.ask(
        "add", user="single", seconds=60, **data.with_vectors(data.notes(count, "one"))
    )
    if not taken["cpu"]:
        raise Failed(taken["errors"][0])
    settled = process.ask("settle")
    cpu = statistics.fmean(taken["cpu"])
    return {
        "add": {
            "cpu_ms": cpu,
            "p50_ms": statistics.median(taken["wall"]),
            "findable_cpu_ms": cpu + settled["cpu"] / len(taken["cpu"]),
            "count": len(taken["cpu"]),
        }
    }


def fill(process: Process, data: MadeUp, count: int, cap_s: float) -> Figures:
    stored, cpu, wall = 0, 0.0, 0.0
    for user, records in data.records(count).items():
        for start in range(0, len(records), CHUNK):
            if wall > 1000 * cap_s:
                break
            part = records[start : start + CHUNK]
            taken = process.ask("fill", user=user, **data.with_vectors(part))
            stored += len(part)
            cpu += taken["cpu"]
            wall += taken["wall"]
    return {"stored": stored, "fill_cpu_ms": cpu / stored, "fill_ms": wall / stored}


def searched(process: Process, data: MadeUp, count: int) -> Figures:
    asked = data.asked(count)
    few = {**asked, "questions": asked["questions"][: 2 * USERS]}
    process.ask("search", seconds=SEARCH_S, **few)
    taken = process.ask("search", seconds=SEARCH_S, **asked)
    if not taken["wall"]:
        raise Failed(taken["errors"][0])
    walls = sorted(taken["wall"])
    return {
        "p50_ms": statistics.median(walls),
        "p95_ms": walls[int(0.95 * len(walls))],
        "cpu_ms": statistics.median(taken["cpu"]),
        "asked": len(walls),
        "resident_mb": process.resident_mb(),
        **({"search_errors": taken["errors"][:3]} if taken["errors"] else {}),
    }


def first_answer(name: str, folder: Path, data: MadeUp, times: int) -> Figures:
    """A new process, from its start to what it found."""
    asked = data.asked(1)
    walls, cpus = [], []
    for _ in range(times):
        process = Process(name, folder)
        process.ask("search", **asked)
        cpus.append(process.cpu_ms())
        walls.append(1000 * (process.answered - process.began))
        process.close()
    return {"first_ms": statistics.median(walls), "first_cpu_ms": statistics.median(cpus)}


def deleted(process: Process, data: MadeUp, many: int) -> Figures:
    """All of one user who came last; the others keep theirs."""
    user, other = "gone", "u0"
    for records in data.records(many).values():
        process.ask("fill", user=user, **data.with_vectors(records))
    count, before = (process.ask("count", user=one)["count"] for one in (user, other))
    taken = process.ask("delete", user=user)
    left = process.ask("count", user=user)["count"]
    lost = before - process.ask("count", user=other)["count"]
    return {
        "count": count,
        "ms": taken["wall"],
        "cpu_ms": taken["cpu"],
        "left": left,
        "others_lost": lost,
    }


def _disk_mb(folder: Path) -> float:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) / 1e6


# --- what is there afterwards ------------------------------------------------------------------


def killed(name: str, folder: Path) -> Figures:
    """`kill -9` as soon as adds were answered, several times; what is there when it is opened again."""
    data, answered = MadeUp(), 0
    for place in range(ROUNDS):
        process = Process(name, folder)
        taken = process.ask("add", user="u0", **data.with_vectors(data.notes(5, f"k{place}")))
        process.kill()
        answered += len(taken["wall"])
    return {"answered": answered, "there": _counted(name, folder)}


def in_threads(name: str, folder: Path) -> Figures:
    data = MadeUp()
    process = Process(name, folder)
    process.ask("add", user="u0", **data.with_vectors(data.notes(1, "first")))
    given = data.with_vectors(data.notes(25 * THREADS, "threads"))
    try:
        taken = process.ask("threads", user="u0", threads=THREADS, **given)
    finally:
        process.close()
    there = _counted(name, folder) - 1
    return _written(len(given["records"]), taken["answered"], there, taken["errors"])


def in_two_processes(name: str, folder: Path) -> Figures:
    data = MadeUp()
    first = Process(name, folder)
    first.ask("add", user="u0", **data.with_vectors(data.notes(1, "first")))
    two = [first, Process(name, folder)]
    errors: list[str] = []
    answered = 0
    for place, process in enumerate(two):
        process.send("add", user="u0", **data.with_vectors(data.notes(100, f"p{place}")))
    for process in two:
        try:
            taken = process.answer()
            answered += len(taken["wall"])
            errors += taken["errors"]
        except Failed as error:
            errors.append(str(error))
    for process in two:
        process.close()
    return _written(200, answered, _counted(name, folder) - 1, errors)


def _written(given: int, answered: int, there: int, errors: Sequence[str]) -> Figures:
    return {
        "given": given,
        "answered": answered,
        "there": there,
        "errors": len(errors),
        **({"error": errors[0]} if errors else {}),
    }


def _counted(name: str, folder: Path) -> int:
    process = Process(name, folder)
    try:
        return int(process.ask("count", user="u0")["count"])
    finally:
        process.close()


def synced(name: str, folder: Path) -> Figures:
    """How often one add has the disk confirm what was written, where `strace` can tell."""
    if shutil.which("strace") is None:
        return {"failed": "no strace here"}
    data, traced = MadeUp(), folder.with_name("trace")
    seen = "trace=fsync,fdatasync,msync,sync_file_range"
    before = ["strace", "-f", "-qq", "-e", seen, "-o", str(traced)]
    process = Process(name, folder, before=before)
    lines = []
    for mark in ("warm", "count"):
        process.ask("add", user="u0", **data.with_vectors(data.notes(20, mark)))
        lines.append(len(traced.read_text("ascii", "replace").splitlines()))
    process.close()
    return {"each": (lines[1] - lines[0]) / 20}


# --- does it find the right thing --------------------------------------------------------------


def recalled(name: str, folder: Path, worlds: Sequence[World], embedder: Embedder) -> Figures:
    """LoCoMo: of the turns that hold the answer, the share among the first ten found."""
    process = Process(name, folder, words=False)
    shares: list[float] = []
    try:
        for place, world in enumerate(worlds):
            user = f"w{place}"
            for records in _told(world):
                texts = [text_of(record) for record in records]
                vectors = embedder.embed(texts)
                process.ask("fill", user=user, records=records, texts=texts, vectors=vectors)
            process.ask("settle")
            shares += _shares(process, user, world, embedder)
    finally:
        process.close()
    return {"recall_at_10": 100 * statistics.fmean(shares), "questions": len(shares)}


def _told(world: World) -> Iterator[list[Record]]:
    for session in world.sessions:
        talk = f"{session.id}@{session.at.isoformat()}"
        yield [[ref, who, text, talk] for who, text, ref in session.turns]


def _shares(process: Process, user: str, world: World, embedder: Embedder) -> Iterator[float]:
    texts = [one.text for one in world.asked]
    vectors: NDArray[np.float32] = embedder.embed(texts, kind="question")
    pairs = [[user, text] for text in texts]
    taken = process.ask("search", questions=pairs, texts=texts, vectors=vectors)
    if taken["errors"]:
        raise Failed(taken["errors"][0])
    for one, found in zip(world.asked, taken["found"], strict=True):
        yield len(one.turns & set(found[:10])) / len(one.turns)
