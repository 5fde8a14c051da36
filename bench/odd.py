"""What odd text costs to take in, beside prose of the same length: CPU time per kB, as a ratio.

Newlines, dots, one word of megabytes, a letter of ten thousand parts: nobody writes so, but anybody may
send it. The mind says nothing here and the embedder costs next to nothing, so that the figures are those
of reading, cutting, indexing and storing; `--only mind` takes the memory's own mind and embedder instead.

`--only waiting` is about others: while a worker reads one user's note of 10 MB, how long until another's
fresh notes are found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.frame import Report, Row, Setting
from remanent import Memory, SteppedClock, UserMemory
from remanent.core.model.job import JobKind
from remanent.core.model.source import ProcessingStatus, Source
from remanent.core.ports.embedder import TextKind
from remanent.testing import HashEmbedder, ScriptedMind

MOST = 3.0
LONGEST = 5.0  # seconds
FRESH = 3
_READING = (JobKind.PROCESS, JobKind.EXTRACT)

SENTENCES = (
    "Sarah Chen called about the harbour and wants the plan by Friday. ",
    "We had lunch in the old town, and it rained all afternoon. ",
    "The report is late because half of the team was ill last week.\n\n",
    "Tom says that the boat is painted, and that the sails came from Bergen. ",
)
HEAD = "From: Ada <ada@example.org>\nTo: Bob <bob@example.org>\nSubject: parts\nMIME-Version: 1.0\n"


class Flat(HashEmbedder):
    """The same vector for everything: what it costs does not depend on the words."""

    def embed(self, texts: Sequence[str], *, kind: TextKind = "passage") -> NDArray[np.float32]:  # noqa: ARG002
        return np.full((len(texts), self.dimensions), self.dimensions**-0.5, dtype=np.float32)


def run(setting: Setting) -> Report:
    if "waiting" in setting.only:
        return _waiting(200_000 if setting.quick else 10_000_000)
    size = 20_000 if setting.quick else 50_000
    real = "mind" in setting.only
    texts = odd_texts(size)
    prose = min(_seconds_per_kb(texts["prose"], real=real) for _ in range(3))
    rows = [Row(what="prose", value=1000 * prose, unit="ms/kB")]
    for name, content in texts.items():
        ratio = min(_seconds_per_kb(content, real=real) for _ in range(2)) / prose
        rows.append(Row(what=name, value=ratio, unit="x", aim=f"<= {MOST:.0f}", met=ratio <= MOST))
    notes = [
        f"CPU time of add, process and extract for {size // 1000} kB each, per kB of raw text."
    ]
    return Report(name="odd", rows=rows, notes=notes)


def odd_texts(size: int) -> dict[str, Any]:
    """Each by its name: a text, or a type and a text."""
    prose = "".join(SENTENCES)
    words = {
        "prose": prose,
        "spaces": " ",
        "newlines": "x\n",
        "blank lines": "x\n\n",
        "dots": ".",
        "dashes": "-",
        "dashed lines": "- x\n",
        "quotes": '"',
        "quoted lines": "> > x\n",
        "parentheses": "(",
        "brackets": "[[a",
        "URLs": "https://example.org/a?b=c ",
        "mentions": "@a ",
        "tags": "#a ",
        "stars": "**a",
        "angles": "<a",
        "ampersands": "&amp;",
        "words": "word ",
        "colons": "a: b\n",
    }
    texts: dict[str, Any] = {
        name: ("text-note", "note " + one * (size // len(one) + 1)) for name, one in words.items()
    }
    texts["one word"] = ("text-note", "y" * size)
    texts["one word of 3 MB"] = ("text-note", "y" * (60 * size))
    texts["a chat of one-word turns"] = ("conversation", "Ada: yes\nBob: no\n" * (size // 17))
    line = json.dumps({"speaker": "Ada", "text": "y" * (60 * size)})
    texts["a JSON line of one word of 3 MB"] = ("conversation", line)
    texts["a letter of 10,000 flat parts"] = ("email", flat(size // 5))
    texts["a letter of 500 nested parts"] = ("email", nested(500))
    texts["a letter of newlines"] = ("email", f"{HEAD}\n" + "x\n" * (size // 2))
    texts["a letter of quotes"] = ("email", f"{HEAD}\n" + "> x\n" * (size // 4))
    return texts


def flat(parts: int) -> str:
    """A letter of so many short parts beside one another."""
    body = "".join(f"--b\nContent-Type: text/plain\n\nword{n}\n" for n in range(parts))
    return f'{HEAD}Content-Type: multipart/mixed; boundary="b"\n\n{body}--b--\n'


def nested(parts: int) -> str:
    """A letter of so many parts, each within the one before."""
    opened = "".join(
        f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(parts)
    )
    closed = "".join(f"--b{n}--\n" for n in reversed(range(parts)))
    return f"{HEAD}{opened}Content-Type: text/plain\n\nThe kettle is red.\n{closed}"


def _seconds_per_kb(content: tuple[str, str], *, real: bool) -> float:
    kind, text = content
    doubles: Mapping[str, Any] = {}
    if not real:
        doubles = {"mind": ScriptedMind(), "embedder": Flat()}
    clock = SteppedClock(datetime(2026, 5, 4, 9, tzinfo=UTC))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with Memory.open(path, clock=clock, **doubles) as memory:
            ada = memory.user("ada", name="Ada", timezone="Europe/Oslo")
            ada.add("We met in the old town.")
            memory.work()
            began = time.process_time()
            ada.add(text, type=kind)
            memory.work()
            return (time.process_time() - began) / (len(text) / 1000)


def _waiting(size: int) -> Report:
    """One worker in a process of its own, with the built-in mind: as a server has it."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "memory.db")
        with Memory.open(path) as memory:
            ada, bob = memory.user("ada", name="Ada Lind"), memory.user("bob", name="Bob Moe")
            prose = "".join(SENTENCES)
            ada.add((prose * (size // len(prose) + 1))[: size - 1000])
            command = [sys.executable, "-c", "from remanent.surfaces.cli import main; main()"]
            arguments = ["--memory", path, "work", "--follow"]  # for everyone
            for_all = {name: one for name, one in os.environ.items() if name != "REMANENT_USER"}
            worker = subprocess.Popen(
                [*command, *arguments], env=for_all, stdout=subprocess.DEVNULL
            )
            try:
                waits = [_fresh(ada, bob, kind, n) for kind in _READING for n in range(FRESH)]
            finally:
                worker.terminate()
                worker.wait()
    found, read = zip(*waits, strict=True)
    rows = [
        Row(
            what="found by its words, longest",
            value=max(found),
            unit="s",
            aim=f"<= {LONGEST:.0f}",
            met=max(found) <= LONGEST,
        ),
        Row(what="read, longest", value=max(read), unit="s"),
    ]
    note = (
        f"Beside {size // 1000} kB of another user's and one worker, from `add` on; {FRESH} notes while "
        f"that is processed, {FRESH} while it is extracted."
    )
    return Report(name="odd", rows=rows, notes=[note])


def _fresh(ada: UserMemory, bob: UserMemory, kind: JobKind, number: int) -> tuple[float, float]:
    """Seconds from before bob adds a note until its words find it, and until it was read, while ada's
    is processed or extracted."""
    while not any(one.kind is kind for one in ada.status().reading):
        time.sleep(0.1)
    began, word = time.monotonic(), f"{kind.value}{number}"
    key = bob.add(f"Kim Moe of Bergen owns a boat called {word}.")
    while not bob.search(word, touch=False):
        time.sleep(0.05)
    found = time.monotonic() - began
    while not _is_read(bob, key):
        time.sleep(0.05)
    return found, time.monotonic() - began


def _is_read(user: UserMemory, key: str) -> bool:
    source = user.read(key).node
    return isinstance(source, Source) and source.processing_status is ProcessingStatus.EXTRACTED
