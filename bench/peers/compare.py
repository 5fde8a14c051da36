"""Run the systems one after the other, keep what was found, show it as one table."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from bench.frame import ROOT, Report, Setting, commit
from bench.kept_vectors import KeptVectors
from bench.peers.environments import CACHE, NAMES, PINS, NotThere, python_of
from bench.peers.measure import Plan, measured
from bench.peers.table import table
from bench.retrieval_sets import World, worlds
from remanent.clock import SystemClock
from remanent.core.ports.embedder import Embedder
from remanent.embedders.builtin import BuiltinEmbedder

KEPT = ROOT / "bench" / "peers.json"
SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (200, 400)
CAP_S = 300.0
Document = dict[str, Any]


def compare(setting: Setting) -> Report:
    names = _chosen(setting.only)
    plan = Plan(
        sizes=setting.sizes or (QUICK_SIZES if setting.quick else SIZES),
        cap_s=setting.cap or CAP_S,
        **({"singles": 40, "questions": 20} if setting.quick else {}),
    )
    builtin = BuiltinEmbedder()
    known = list(worlds(setting.data, ["locomo"], quick=setting.quick))
    embedder = KeptVectors(builtin, setting.cache or CACHE / "vectors.db")
    document: Document = {"peers": {}}
    if known:  # without them, what is kept of it stays
        document["question"] = question_cost(builtin, known)
    for name in names:
        document["peers"][name] = _one(name, plan, setting, known, embedder)
    if setting.write:
        KEPT.write_text(json.dumps(merged(kept(), document), indent=1) + "\n", "utf-8")
    return Report(name="peers", rows=(), details=[document], text=table(document))


def _chosen(only: Sequence[str]) -> Sequence[str]:
    unknown = set(only) - set(NAMES)
    if unknown:
        raise SystemExit(f"bench: no system is called {', '.join(sorted(unknown))}: {NAMES}")
    return [name for name in NAMES if not only or name in only]


def _one(
    name: str, plan: Plan, setting: Setting, known: Sequence[World], embedder: Embedder
) -> Document:
    began = time.perf_counter()

    def say(what: str) -> None:
        setting.console.print(f"{time.perf_counter() - began:7.0f} s  {name}: {what}", style="dim")

    found: Document = {
        "date": SystemClock().now().astimezone(UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "load_before": round(os.getloadavg()[0], 1),
        "packages": list(PINS.get(name, ())),
    }
    try:
        say("environment")
        python_of(name)
        found |= measured(name, plan, say, known, embedder)
    except NotThere as error:
        found["failed"] = str(error)
    return found | {"load_after": round(os.getloadavg()[0], 1)}


def kept() -> Document:
    document: Document = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    return document


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> Document:
    """What is new in place of the old; of a system, what was not measured this time stays."""
    systems: Document = dict(old.get("peers", {}))
    for name, found in new["peers"].items():
        before = {key: one for key, one in systems.get(name, {}).items() if key != "failed"}
        sizes = {**before.get("sizes", {}), **found.get("sizes", {})}
        ordered = {size: sizes[size] for size in sorted(sizes, key=int)}
        systems[name] = {**before, **found, **({"sizes": ordered} if ordered else {})}
    in_order = {name: systems[name] for name in NAMES if name in systems}
    return {**old, **new, "peers": in_order}


def question_cost(embedder: Embedder, known: Sequence[World]) -> Document:
    """What the vector of one question costs with our embedder, in this process."""
    texts = [one.text for world in known for one in world.asked][:65]
    embedder.embed(texts[:5], kind="question")
    wall, cpu = [], []
    for text in texts[5:]:  # none twice: an embedder may remember
        start, used = time.perf_counter(), time.process_time()
        embedder.embed([text], kind="question")
        cpu.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - start))
    return {"cpu_ms": statistics.median(cpu), "p50_ms": statistics.median(wall)}


def machine() -> Document:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "processor": _processor(),
        "python": sys.version.split()[0],
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
