"""`python -m bench.page`: put the figures of `bench/results`, and those of the others that `bench/peers.json`
keeps, into `docs/benchmarks.md`, never by hand. A table whose benchmark has no results here stays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bench.frame import RESULTS, ROOT
from bench.peers.compare import kept
from bench.peers.table import table

PAGE = ROOT / "docs" / "benchmarks.md"
SHOWN = ("start_up", "scale", "ingest", "need")


def main() -> None:
    page = PAGE.read_text("utf-8")
    shown = _tables(_between(page, "figures"))
    for name in SHOWN:
        file = RESULTS / f"{name}.json"
        if file.exists():
            shown[name] = _table(json.loads(file.read_text("utf-8")))
    page = _put(page, "figures", "\n\n".join(shown[name] for name in SHOWN if name in shown))
    PAGE.write_text(_put(page, "peers", table(kept())), "utf-8")


def _tables(text: str) -> dict[str, str]:
    """The tables that stand there, by name: what was not run again stays as it is."""
    parts = re.split(r"^### (\w+)$", text, flags=re.MULTILINE)
    return {
        name: f"### {name}{body.rstrip()}"
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def _between(page: str, name: str) -> str:
    head = page.index("\n", page.index(f"<!-- {name}:begin"))
    return page[head : page.index(f"<!-- {name}:end -->")]


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
