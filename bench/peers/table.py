"""What was measured as one Markdown table: a column a system, a row a question that somebody would ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

TITLES = {
    "ours": "Remanent",
    "mem0": "mem0",
    "langgraph": "LangGraph SqliteStore",
    "chroma": "Chroma",
    "memori": "Memori",
    "graphiti": "Graphiti",
    "fts5": "SQLite FTS5",
    "numpy_floor": "numpy",
}
NO_VECTORS = ("fts5",)
Found = Mapping[str, Any]
Cell = Callable[[str, Found], str]

NOTES = (
    "Milliseconds are medians, of one process that does nothing else; CPU is that of all its threads. Vectors (384 wide) are given with the texts to everybody: neither adding nor searching pays for them, except where the row says so. One BLAS thread for all.",
    "Sizes are memories of ten users together, a tenth each; a search is one user's. The text is made up (`bench scale`), so the figures of time say nothing about what is found: that is LoCoMo, with real text and the vectors of our embedder.",
    "**Not the same work.** Remanent answers `add` when the source is in its ledger, and makes its passages and their vectors afterwards: *until it can be found* has that in it. It is read later still, which is not in this table. The others store text and vector and are done. What our mind costs beside that is in `bench ingest`, and nothing here has an equal to it: the others would ask a language model for it, which was left out (`infer=False`). In batches Remanent is given talks of twenty turns, the others turns.",
    "mem0: the keyword half of its search needs weights from a model hub and spaCy's model, which no package index has: without network it ranks by meaning alone. Its embedded store is Qdrant's local mode, meant for small collections; with a Qdrant server it would be another system.",
    "LangGraph: Python's own sqlite3 must be able to load extensions; here `pysqlite3` takes its place. A namespace is emptied key by key.",
    "Chroma: a collection for each user; its nearest neighbours are approximate (HNSW), everybody else's exact.",
    "Memori: facts come from its service; without network they were written through its own storage driver, and its recall was given the vector and told to weigh all facts (it would take the newest 1,000).",
    "Graphiti: an episode needs a language model; here every memory is a fact (an edge) between two nodes, on Kuzu, the one embedded database it has, whose full-text index had to be made by hand. With Neo4j or FalkorDB it would be another system.",
    "`kill -9` shows what a process holds back, not what a power cut would take: for that see how often an add has the disk confirm a write. Eight threads share one object; whoever wants one object a thread may fare better.",
)


def table(document: Mapping[str, Any]) -> str:
    """Of what was measured, or of what is kept."""
    systems: Mapping[str, Found] = document["peers"]
    head = ["", *(TITLES[name] for name in systems)]
    rows = [head, ["---", *("--:" for _ in systems)]]
    for title, cell in _rows(document):
        cells = [_safely(cell, name, found) for name, found in systems.items()]
        if any(one not in ("", "–") for one in cells):
            rows.append([title, *cells])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", *(f"{note}\n" for note in _notes(systems))])


def _safely(cell: Cell, name: str, found: Found) -> str:
    try:
        return cell(name, found)
    except KeyError:
        return "–"


def _rows(document: Mapping[str, Any]) -> Iterator[tuple[str, Cell]]:
    question = document.get("question")
    yield "version", lambda _, found: ", ".join(found["packages"][:1]).partition("==")[2]
    yield "add one, CPU ms", lambda _, found: _short(found["add"]["cpu_ms"])
    yield "add one, p50 ms", lambda _, found: _short(found["add"]["p50_ms"])
    yield "until it can be found, CPU ms", lambda _, found: _short(found["add"]["findable_cpu_ms"])
    yield "writes confirmed by the disk, each add", lambda _, found: _short(found["fsyncs"]["each"])
    sizes = sorted(
        {size for found in document["peers"].values() for size in found.get("sizes", {})}, key=int
    )
    for size in sizes:
        yield f"**{int(size):,} memories**: add in batches, CPU ms each", _at(size, "fill_cpu_ms")
        yield "search, CPU ms", _at(size, "cpu_ms")
        yield "search, p50 / p95 ms", _times(size)
        if question is not None:
            yield "search with the question's vector, CPU ms", _asked(size, question["cpu_ms"])
        yield "first answer of a new process, s", _at(size, "first_ms", 1000)
        yield "memory of the process, MB", _at(size, "resident_mb")
        yield "on the disk, MB", _at(size, "disk_mb")
    yield "delete all of one user", _deleted
    yield "there after `kill -9`", lambda _, found: _killed(found["kill"])
    yield "eight threads write 200", lambda _, found: _written(found["threads"])
    yield "two processes write 200", lambda _, found: _written(found["processes"])
    yield "LoCoMo turns, recall@10, %", lambda _, found: _recall(found["recall"])
    yield "", lambda _, found: found["failed"]


def _at(size: str, key: str, per: float = 1.0) -> Cell:
    def cell(_: str, found: Found) -> str:
        figures = found["sizes"][size]
        if key not in figures and "capped" in figures:
            return f"stopped at {figures['capped']:,}"
        if "expected_s" in figures:
            return (
                f"left out: {figures['expected_s'] / 60:.0f} min to fill" if "fill" in key else "–"
            )
        return _short(figures[key] / per)

    return cell


def _times(size: str) -> Cell:
    def cell(_: str, found: Found) -> str:
        figures = found["sizes"][size]
        return f"{_short(figures['p50_ms'])} / {_short(figures['p95_ms'])}"

    return cell


def _asked(size: str, more: float) -> Cell:
    def cell(name: str, found: Found) -> str:
        cpu = found["sizes"][size]["cpu_ms"]
        return _short(cpu if name in NO_VECTORS else cpu + more)

    return cell


def _deleted(_: str, found: Found) -> str:
    figures = found["delete"]
    left = f", {figures['left']} left" if figures["left"] else ""
    lost = f", others lost {figures['others_lost']}" if figures["others_lost"] else ""
    return f"{figures['count']:,} in {_short(figures['ms'] / 1000)} s{left}{lost}"


def _killed(figures: Found) -> str:
    if "failed" in figures:
        return str(figures["failed"])
    return f"{figures['there']} of {figures['answered']}"


def _written(figures: Found) -> str:
    if "failed" in figures:
        return str(figures["failed"])
    lost = figures["answered"] - figures["there"]
    said = f", {lost} lost" if lost > 0 else ""
    errors = f", {figures['errors']} errors" if figures["errors"] else ""
    return f"{figures['there']}{said}{errors}"


def _recall(figures: Found) -> str:
    return str(figures["failed"]) if "failed" in figures else f"{figures['recall_at_10']:.1f}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.1f}"


def _notes(systems: Mapping[str, Found]) -> Iterator[str]:
    yield from _grouped(systems)
    for name, found in systems.items():
        for part in ("threads", "processes"):
            if said := found.get(part, {}).get("error"):
                said = re.sub(r"\S*/memory\b", "FOLDER", said.splitlines()[0])
                yield f"{TITLES[name]}, {_PARTS[part]}: `{said}`"
    named = [TITLES[name].split()[0] for name in systems]
    for note in NOTES:
        subject = note.partition(":")[0]
        if subject not in {title.split()[0] for title in TITLES.values()} or subject in named:
            yield note


_PARTS = {"threads": "eight threads", "processes": "two processes"}


def _grouped(systems: Mapping[str, Found]) -> Sequence[str]:
    """When, where and of which commit, once for those that were measured together."""
    runs: dict[str, list[str]] = {}
    for name, found in systems.items():
        at = found["machine"]
        where = f"{at['system']}, {at['cores']} cores ({at['processor']}), Python {at['python']}"
        runs.setdefault(f"{found['date']}, {where}, commit {found['commit']}", []).append(
            f"{TITLES[name]} (load {found['load_before']} to {found['load_after']})"
        )
    return [f"{run}: {', '.join(names)}." for run, names in runs.items()]
