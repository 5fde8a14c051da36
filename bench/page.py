"""`python -m bench.page`: put the figures of `bench/results` into `docs/benchmarks.md`, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bench.frame import RESULTS, ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures:begin", "<!-- figures:end -->"
SHOWN = ("start_up", "scale", "ingest", "need")


def main() -> None:
    page = PAGE.read_text("utf-8")
    head, rest = page.split(BEGIN, 1)
    marker, rest = rest.split("\n", 1)
    _, tail = rest.split(END, 1)
    files = [RESULTS / f"{name}.json" for name in SHOWN]
    tables = [_table(json.loads(file.read_text("utf-8"))) for file in files if file.exists()]
    figures = "\n\n".join(tables)
    PAGE.write_text(f"{head}{BEGIN}{marker}\n\n{figures}\n\n{END}{tail}", "utf-8")


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
