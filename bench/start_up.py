"""How long one waits before anything happens: whole processes, from the shell and from Python.

Modules are compiled beforehand, as an installed package's are; the first run of each is not counted.
"""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from bench.frame import Report, Row, Setting
from bench.scale import START, TURNS, WordVectors, conversations, questions
from remanent import Memory, SteppedClock
from remanent.embedders.builtin import NAME
from remanent.testing import ScriptedMind

PASSAGES = 10_000
OPEN = """
import json, sys, time
began = time.perf_counter()
from remanent import Memory
imported = time.perf_counter()
ada = Memory.open(sys.argv[1]).user("ada", create=False)
opened = time.perf_counter()
hits = ada.search(sys.argv[2])
print(json.dumps([1000 * (imported - began), 1000 * (opened - imported),
                  1000 * (time.perf_counter() - opened), len(hits)]))
"""


class Taken(NamedTuple):
    """Milliseconds of a process: until it ended, and of the processor."""

    wall: float
    cpu: float


def run(setting: Setting) -> Report:
    """Medians of whole processes, beside a Python that does nothing."""
    passages = PASSAGES // 10 if setting.quick else PASSAGES
    times = 3 if setting.quick else 9
    with tempfile.TemporaryDirectory() as name:
        return _measured(Path(name), passages, times)


def _measured(folder: Path, passages: int, times: int) -> Report:
    path, made, question = folder / "memory.db", folder / "made.db", questions(1)[0]
    _fill(path, passages)
    shell = _Shell(folder / "compiled", times)
    bare = shell.taken([sys.executable, "-c", "pass"])
    help_ = shell.taken(["remanent", "--help"])
    init = shell.taken(["remanent", "--memory", str(made), "--user", "ada", "init"], anew=made)
    add = shell.taken(
        ["remanent", "--memory", str(made), "--user", "ada", "add", "--text", "Lisa likes tea."]
    )
    search = shell.taken(["remanent", "--memory", str(path), "--user", "ada", "search", question])
    runs = [
        json.loads(shell.run([sys.executable, "-c", OPEN, str(path), question]))
        for _ in range(times)
    ]
    imported, opened, first, _ = (statistics.median(column) for column in zip(*runs, strict=True))
    return Report(
        name="start_up",
        rows=[
            Row(what="python -c pass", value=bare.wall, unit="ms"),
            *_rows("remanent --help", help_, most=150),
            *_rows("remanent init", init, most=500),
            *_rows("remanent add --text, with the work it makes", add),
            *_rows(f"remanent search in {passages:,} passages", search, most=600),
            Row(what="import of Memory", value=imported, unit="ms"),
            _limited(f"open a memory of {passages:,} passages", opened, 300),
            Row(what="import and open together", value=imported + opened, unit="ms"),
            Row(what="first search, loading weights and vectors", value=first, unit="ms"),
        ],
        notes=[
            "CPU is that of the process in user and system; where others share the cores, time is more"
        ],
    )


def _rows(what: str, taken: Taken, most: float | None = None) -> Iterator[Row]:
    yield (
        Row(what=what, value=taken.wall, unit="ms")
        if most is None
        else _limited(what, taken.wall, most)
    )
    yield Row(what=f"{what}, CPU", value=taken.cpu, unit="ms")


def _limited(what: str, value: float, most: float) -> Row:
    return Row(what=what, value=value, unit="ms", aim=f"< {most:.0f} ms", met=value < most)


class _Shell:
    """Runs processes whose modules are compiled once, wherever this one leaves its own."""

    def __init__(self, compiled: Path, times: int) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in _COMPILING}
        self._environ = kept | {"PYTHONPYCACHEPREFIX": str(compiled)}
        self._times = times

    def run(self, command: Sequence[str]) -> str:
        program, *arguments = command
        if program == "remanent":
            program = str(Path(sys.executable).with_name(program))
        done = subprocess.run(
            [program, *arguments], check=True, capture_output=True, text=True, env=self._environ
        )
        return done.stdout

    def taken(self, command: Sequence[str], *, anew: Path | None = None) -> Taken:
        """The medians; each time without the memory that is to be made `anew`."""
        self._once(command, anew)
        walls, spent = zip(*(self._once(command, anew) for _ in range(self._times)), strict=True)
        return Taken(statistics.median(walls), statistics.median(spent))

    def _once(self, command: Sequence[str], anew: Path | None) -> Taken:
        for end in ("", "-wal", "-shm") if anew is not None else ():
            with suppress(FileNotFoundError):
                Path(f"{anew}{end}").unlink()
        before, began = _spent_ms(), time.perf_counter()
        self.run(command)
        return Taken(1000 * (time.perf_counter() - began), _spent_ms() - before)


_COMPILING = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")


def _spent_ms() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


class _Named(WordVectors):
    """Cheap vectors under the name of ours: what they mean does not matter here, but their number."""

    name = NAME


def _fill(path: Path, passages: int) -> None:
    clock, turns = SteppedClock(START + timedelta(days=365)), conversations(random.Random(0))
    with Memory.open(path, clock=clock, mind=ScriptedMind(), embedder=_Named()) as memory:
        ada = memory.user("ada", name="Ada Holm", timezone="UTC")
        for _ in range(0, passages, TURNS):
            talk, at = next(turns)
            ada.add(talk, started_at=at)
            ada.work(limit=2)  # found and read; extraction, which finds nobody, is left out
            ada.drop_job(ada.jobs(["ready"], limit=1)[0].key)
