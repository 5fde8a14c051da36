"""HTTP under load: 16 clients ask a server on this machine as fast as it answers, reads and writes mixed,
and 16 threads ask the same of the memory in one process.

The load generator is Locust. Server, generator, worker and memory share the machine's cores, as on a laptop.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

from bench.frame import ROOT, Report, Row, Setting
from bench.http.mix import SHARES
from remanent import Memory

CLIENTS = 16


def run(setting: Setting) -> Report:
    if importlib.util.find_spec("locust") is None:
        raise SystemExit("bench: the load comes from Locust; run: pip install 'remanent[bench]'")
    seconds = 10 if setting.quick else 60
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory.db"
        setting.console.print("taking in one LoCoMo conversation")
        source, key = _filled(memory, setting)
        setting.console.print(f"{CLIENTS} threads in one process, {seconds} s")
        inside = _inside(memory, source, seconds)
        setting.console.print(f"{CLIENTS} clients over HTTP, {seconds} s")
        with _serving(memory) as url:
            outside = _outside(url, source, key, seconds, Path(folder))
        setting.console.print(f"{CLIENTS} clients, two servers on one port, {seconds} s")
        with _serving(memory, "--no-worker") as url:
            shared = _outside(url, source, key, seconds, Path(folder))
    rows = [*_rows("in process", inside), *_rows("HTTP", outside), *_rows("two servers", shared)]
    ratio = outside["all"]["per second"] / inside["all"]["per second"]
    return Report(
        name="http",
        rows=[*rows, Row(what="throughput, HTTP to in process", value=ratio, unit="x")],
        notes=[
            "mix of requests: " + ", ".join(f"{verb} {share} %" for verb, share in SHARES.items()),
            "a worker reads what is added meanwhile, in the same process as the memory",
            "two servers: the second of them without a worker, `--share-port`",
        ],
    )


def _filled(path: Path, setting: Setting) -> tuple[str, str]:
    talk = json.loads(setting.need("locomo", "locomo_dev3.json").read_text("utf-8"))[0]
    spoken = talk["conversation"]
    sessions = [value for value in spoken.values() if isinstance(value, list)]
    key = ""
    with Memory.open(path) as memory:
        ada = memory.user("ada", name="Ada Lind")
        for turns in sessions[: 4 if setting.quick else None]:
            key = ada.add([{"speaker": one["speaker"], "text": one["text"]} for one in turns])
        memory.work()
        return key, memory.create_key("ada", name="bench", powers=("read", "write")).secret


def _inside(memory: Path, source: str, seconds: int) -> Mapping[str, Any]:
    process = subprocess.run(
        [sys.executable, "-m", "bench.http.inside", memory, source, str(CLIENTS), str(seconds)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    result = json.loads(process.stdout)
    taken: dict[str, list[float]] = result["taken"]
    taken["all"] = [one for verb in list(taken) for one in taken[verb]]
    figures: dict[str, Any] = {
        verb: {
            "p50": quantiles(all_, n=20)[9],
            "p95": quantiles(all_, n=20)[18],
            "per second": len(all_) / result["seconds"],
        }
        for verb, all_ in taken.items()
        if len(all_) > 1
    }
    return figures | {"errors": len(result["errors"])}


@contextmanager
def _serving(memory: Path, *second: str) -> Iterator[str]:
    """A server, and with options for a `second` that one as well, on the same port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    unlimited = {"REMANENT_SERVER__REQUESTS_PER_MINUTE": "0"}
    command = [sys.executable, "-c", "from remanent.surfaces.cli import main; main()", "serve"]
    command += ["--memory", str(memory), "--port", str(port), "--share-port"]
    servers = [
        subprocess.Popen(
            [*command, *options], env=os.environ | unlimited, stdout=subprocess.DEVNULL
        )
        for options in ((), *([second] if second else ()))
    ]
    url = f"http://127.0.0.1:{port}"
    try:
        for one in servers:
            _wait_for(url, one)
        yield url
    finally:
        for one in servers:
            one.terminate()
        for one in servers:
            one.wait(60)


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit("bench: the server did not start")
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("bench: the server was not ready within a minute")


def _outside(url: str, source: str, key: str, seconds: int, folder: Path) -> Mapping[str, Any]:
    _load(url, source, key, 5, folder)  # weights are loaded when first needed
    _load(url, source, key, seconds, folder)
    with (folder / "load_stats.csv").open(newline="") as file:
        lines = {line["Name"]: line for line in csv.DictReader(file)}
    figures: dict[str, Any] = {
        "all" if name == "Aggregated" else name: {
            "p50": float(line["50%"]),
            "p95": float(line["95%"]),
            "per second": float(line["Requests/s"]),
        }
        for name, line in lines.items()
    }
    return figures | {"errors": int(lines["Aggregated"]["Failure Count"])}


def _load(url: str, source: str, key: str, seconds: int, folder: Path) -> None:
    subprocess.run(
        [
            *(sys.executable, "-m", "locust", "-f", "bench/http/load.py", "--headless"),
            *("--host", url, "-u", str(CLIENTS), "-r", str(CLIENTS), "-t", f"{seconds}s"),
            *("--csv", str(folder / "load"), "--only-summary", "--exit-code-on-error", "0"),
        ],
        cwd=ROOT,
        env=os.environ | {"BENCH_SOURCE": source, "BENCH_KEY": key, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


def _rows(where: str, figures: Mapping[str, Any]) -> list[Row]:
    rows = [
        Row(
            what=f"{where}: errors",
            value=figures["errors"],
            aim="0",
            met=figures["errors"] == 0,
        ),
        Row(what=f"{where}: requests", value=figures["all"]["per second"], unit="per second"),
    ]
    times = [
        Row(what=f"{where}: {verb}, {part}", value=figures[verb][part], unit="ms")
        for verb in ("all", *SHARES)
        for part in ("p50", "p95")
        if verb in figures
    ]
    return [*rows, *times]
