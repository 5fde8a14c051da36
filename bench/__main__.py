"""`python -m bench [NAME ...]`: run benchmarks, print their tables, write their JSON."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from rich.console import Console

from bench.frame import RESULTS, Setting, default_data, show, write

NAMES = (
    "start_up",
    "mind",
    "extraction",
    "ingest",
    "odd",
    "scale",
    "need",
    "traverse",
    "sleep",
    "beliefs",
    "retrieval",
    "cost",
    "http",
    "life",
    "backends",
    "peers",
    "golden",
)
UNASKED = tuple(name for name in NAMES if name not in ("peers", "golden"))  # if none is named


def _price(text: str) -> tuple[str, tuple[float, float]]:
    name, _, pair = text.partition("=")
    into, _, out = pair.partition("/")
    return name, (float(into), float(out))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(NAMES)}")
    parser.add_argument("--data", type=Path, default=default_data(), help="folder of datasets")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the JSON")
    parser.add_argument("--json", type=Path, help="file for the JSON of a single benchmark")
    parser.add_argument(
        "--only",
        default="",
        help="datasets of retrieval, parts of cost or golden, or systems of peers, with commas between",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        help="file that keeps vectors, or the memory of life, for the next run",
    )
    parser.add_argument("--quick", action="store_true", help="a small part of the data only")
    parser.add_argument(
        "--sources", type=int, help="of life, backends and cost's stories: how many sources"
    )
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        type=_price,
        metavar="MODEL=IN/OUT",
        help="of cost: US dollars for a million tokens in and out, as small=0.40/1.60; may be repeated",
    )
    parser.add_argument("--days", type=int, help="of life: over how many days")
    parser.add_argument("--seed", type=int, help="of life: which of all lives")
    parser.add_argument("--sizes", default="", help="of peers: how many memories, as 1000,10000")
    parser.add_argument("--cap", type=float, help="of peers: seconds for growing to one size")
    parser.add_argument(
        "--write", action="store_true", help="of golden and peers: keep what is found"
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(
            f"no benchmark is called {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}"
        )
    if options.json is not None and len(options.names) != 1:
        parser.error("--json takes the figures of one benchmark: name it")
    setting = Setting(
        data=options.data,
        quick=options.quick,
        only=tuple(name for name in options.only.split(",") if name),
        cache=options.cache,
        sources=options.sources,
        days=options.days,
        seed=options.seed,
        sizes=tuple(int(size) for size in options.sizes.split(",") if size),
        cap=options.cap,
        prices=dict(options.price),
        write=options.write,
    )
    console, failed = Console(), False
    for name in options.names or UNASKED:
        report = importlib.import_module(f"bench.{name}").run(setting)
        show(report, console)
        written = write(report, options.json or options.out)
        console.print(f"written to {written}", style="dim", soft_wrap=True)
        failed = failed or (name == "golden" and any(row.met is False for row in report.rows))
    raise SystemExit(failed and not options.write)


if __name__ == "__main__":
    main()
