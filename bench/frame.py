"""The frame every benchmark stands in: find the data, measure, print a table, write JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "bench" / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure. `aim` is what we hold ourselves to, in words; `met` is None where there is none."""

    what: str
    value: float
    unit: str = ""
    aim: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    name: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    details: Sequence[Mapping[str, object]] = ()  # for the JSON alone
    text: str = ""  # Markdown, in place of a table of the rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a benchmark is given: the folder of datasets, and whether to take a small part only."""

    data: Path
    quick: bool = False
    only: Sequence[str] = ()  # of a benchmark's datasets
    cache: Path | None = None  # where vectors are kept from one run to the next
    sources: int | None = None  # of a made-up life: how many, over how many days, and which one
    days: int | None = None
    seed: int | None = None
    sizes: Sequence[int] = ()  # of peers: how many memories
    cap: float | None = None  # of peers: the most seconds for growing to one size
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of cost, by model
    write: bool = False  # golden and peers: keep what is found
    console: Console = field(default_factory=lambda: Console(stderr=True))

    def need(self, *parts: str) -> Path:
        """The dataset at this place under the data folder, or a way out for the reader."""
        path = self.data.joinpath(*parts)
        if not path.exists():
            raise SystemExit(f"bench: {path} is not there; name the datasets' folder with --data")
        return path


Benchmark = Callable[[Setting], Report]


def default_data() -> Path:
    """REMANENT_DATA, or the folder our datasets are kept in beside the checkout."""
    named = os.environ.get("REMANENT_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


def timed(action: Callable[[], object], *, times: int) -> float:
    """Median milliseconds of `action`: the middle of several is what a noisy machine tells best."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def show(report: Report, console: Console) -> None:
    if report.text:
        console.print(report.text, markup=False, highlight=False, soft_wrap=True)
        return
    table = Table(title=report.name, title_justify="left", caption_justify="left")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("aim")
    table.add_column("met")
    for row in report.rows:
        met = {None: "", True: "yes", False: "NO"}[row.met]
        table.add_row(row.what, f"{row.value:,.4g}", row.unit, row.aim, met)
    console.print(table)
    for note in report.notes:
        console.print(note, style="dim")


def write(report: Report, place: Path) -> Path:
    """The report as JSON, with what is needed to repeat it: in this folder, or under this name."""
    path = place if place.suffix == ".json" else place / f"{report.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "name": report.name,
        "command": f"python -m bench {report.name}",
        "commit": commit(),
        "machine": _machine(),
        "rows": [asdict(row) for row in report.rows],
        "notes": list(report.notes),
        **({"details": list(report.details)} if report.details else {}),
    }
    path.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    return path


def commit() -> str:
    run = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip()


def _machine() -> Mapping[str, object]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
    }
