"""How long one waits before anything happens: the help text, and opening a memory of some size."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.frame import Report, Row, Setting, timed
from remanent import Memory
from remanent.core.model.keys import key_for
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.ports.index import Entry
from remanent.testing import HashEmbedder
from remanent_conformance.builders import a_person

NODES = 10_000
LIMIT_MS = 300
OPEN = """
import json, sys, time
began = time.perf_counter()
from remanent import Memory
imported = time.perf_counter()
ada = Memory.open(sys.argv[1]).user("ada", create=False)
opened = time.perf_counter()
hits = ada.search("person 77")
print(json.dumps([1000 * (imported - began), 1000 * (opened - imported),
                  1000 * (time.perf_counter() - opened), len(hits)]))
"""


def run(setting: Setting) -> Report:
    """Wall-clock medians of whole processes, beside a Python that does nothing."""
    nodes = NODES // 10 if setting.quick else NODES
    times = 3 if setting.quick else 9
    bare = timed(lambda: _process("-c", "pass"), times=times)
    remanent = str(Path(sys.executable).with_name("remanent"))
    help_ = timed(
        lambda: subprocess.run([remanent, "--help"], check=True, capture_output=True), times=times
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        _fill(path, nodes)
        runs = [json.loads(_process("-c", OPEN, str(path))) for _ in range(times)]
    imported, opened, first, _ = (statistics.median(column) for column in zip(*runs, strict=True))
    return Report(
        name="start_up",
        rows=[
            Row(what="python -c pass", value=bare, unit="ms"),
            _limited("remanent --help", help_),
            Row(what="remanent --help over python -c pass", value=help_ / bare, unit="x"),
            Row(what="import of Memory", value=imported, unit="ms"),
            _limited(f"open a memory of {nodes:,} nodes", opened),
            Row(what="import and open together", value=imported + opened, unit="ms"),
            Row(what="first search, loading weights and vectors", value=first, unit="ms"),
        ],
    )


def _limited(what: str, value: float) -> Row:
    return Row(what=what, value=value, unit="ms", aim=f"< {LIMIT_MS} ms", met=value < LIMIT_MS)


def _process(*arguments: str) -> str:
    run = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True)
    return run.stdout


def _fill(path: Path, nodes: int) -> None:
    """People with vectors of the right length; what they mean does not matter here."""
    from remanent.embedders.builtin import BuiltinEmbedder

    shape = BuiltinEmbedder()
    filler = HashEmbedder()
    with Memory.open(path) as memory:
        memory.user("ada", name="Ada", timezone="UTC")
        env = memory.env
        scope = Scope(user_id="ada")
        index, atomic = env.index, env.atomic
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        with atomic():
            entries = []
            for number in range(nodes):
                name = f"Person {number}"
                key = key_for("ada", Kind.PERSON, name)
                person = a_person(key=key, user_id="ada", name=name, created_at=moment)
                env.graph.put(scope, person)
                vector = filler.embed([name])[0]
                padded = vector.repeat(shape.dimensions // len(vector))
                entries.append(
                    Entry(
                        key=key,
                        kind=Kind.PERSON,
                        owner_key=key,
                        text=name,
                        vector=padded,
                        readers=person.readers,
                    )
                )
            index.put(entries)
