"""`python -m bench.page`: put the figures of `bench/results`, and those of the others that `bench/peers.json`
keeps, into `docs/benchmarks.md`, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bench.frame import RESULTS, ROOT
from bench.peers.compare import kept
from bench.peers.table import table

PAGE = ROOT / "docs" / "benchmarks.md"
SHOWN = ("start_up", "scale", "ingest", "need")


def main() -> None:
    files = [RESULTS / f"{name}.json" for name in SHOWN]
    tables = [_table(json.loads(file.read_text("utf-8"))) for file in files if file.exists()]
    page = PAGE.read_text("utf-8")
    if tables:
        page = _put(page, "figures", "\n\n".join(tables))
    PAGE.write_text(_put(page, "peers", table(kept())), "utf-8")


def _put(page: str, name: str, text: str) -> str:
    """Between the marks of that name."""
    begin, end = f"<!-- {name}:begin", f"<!-- {name}:end -->"
    head, rest = page.split(begin, 1)
    marker, rest = rest.split("\n", 1)
    _, tail = rest.split(end, 1)
    return f"{head}{begin}{marker}\n\n{text.strip()}\n\n{end}{tail}"


def _table(report: Mapping[str, Any]) -> str:
    machine = report["machine"]
    rows = [
        f"| {row['what']} | {row['value']:,.4g} | {row['unit']} | {_aim(row)} |"
        for row in report["rows"]
    ]
    where = f"{machine['system']}, {machine['cores']} shared cores, Python {machine['python']}"
    lines = [
        f"### {report['name']}",
        "",
        f"`{report['command']}`, {where}.",
        "",
        "| what | value | unit | aim |",
        "|---|--:|---|---|",
        *rows,
    ]
    return "\n".join([*lines, *(f"\n{note}" for note in report["notes"])])


def _aim(row: Mapping[str, Any]) -> str:
    met = {None: "", True: ", met", False: ", NOT met"}[row["met"]]
    return f"{row['aim']}{met}"


if __name__ == "__main__":
    main()
