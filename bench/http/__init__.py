"""HTTP under load: 16 clients ask a server on this machine as fast as it answers, reads and writes mixed,
and 16 threads ask the same of the memory in one process.

Servers, clients, worker and memory share the machine's cores, as on a laptop. The clients are a process of
their own that does little but wait (`load.py`).
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

from bench.frame import ROOT, Report, Row, Setting
from bench.http.mix import SHARES
from remanent import Memory

CLIENTS: Final = 16
PER_SECOND: Final = 150
"""Requests that two servers shall answer on two cores, with nobody working beside them."""
P95_MS: Final = 300
_ALONE: Final = ("--no-worker",)


def run(setting: Setting) -> Report:
    seconds = 10 if setting.quick else 60
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory.db"
        setting.console.print("taking in one LoCoMo conversation")
        source, key = _filled(memory, setting)
        setting.console.print(f"{CLIENTS} threads in one process, {seconds} s")
        inside = _inside(memory, source, seconds)
        found: dict[str, Mapping[str, Any]] = {}
        for where, servers in _SERVERS.items():
            setting.console.print(f"{CLIENTS} clients, {where}, {seconds} s")
            with _serving(memory, servers) as (port, pids):
                found[where] = _outside(port, pids, source, key, seconds)
    rows = [*_rows("in process", inside)]
    for where, figures in found.items():
        rows += _rows(where, figures)
    return Report(name="http", rows=[*rows, *_aims(inside, found)], notes=_NOTES)


_SERVERS: Final[Mapping[str, Sequence[Sequence[str]]]] = {
    "HTTP": ((),),  # as `remanent serve` is
    "two servers": (_ALONE, _ALONE),
    "two servers and a worker": ((), _ALONE),  # which finds what the run before has left
}
_NOTES: Final = [
    "mix of requests: " + ", ".join(f"{verb} {share} %" for verb, share in SHARES.items()),
    "in process and HTTP: a worker reads what is added meanwhile, in the same process",
    "two servers share a port (`--share-port`); CPU of a request: of all servers, with their worker",
]


def _aims(inside: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """What is held against one another."""
    rate = {where: figures["all"]["per second"] for where, figures in found.items()}
    busy = rate["two servers and a worker"] / rate["two servers"]
    return [
        Row(
            what="throughput, HTTP to in process",
            value=rate["HTTP"] / inside["all"]["per second"],
            unit="x",
        ),
        Row(
            what="throughput, two servers with a worker to without",
            value=busy,
            unit="x",
            aim=">= 0.5",
            met=busy >= 0.5,
        ),
    ]


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
    return _figures(json.loads(process.stdout))


def _figures(told: Mapping[str, Any]) -> dict[str, Any]:
    """Of what the clients told: of each verb and of all, how long it took and how often it was done."""
    taken: dict[str, list[float]] = dict(told["taken"])
    taken["all"] = [one for all_ in told["taken"].values() for one in all_]
    figures: dict[str, Any] = {
        verb: {
            "p50": quantiles(all_, n=20)[9],
            "p95": quantiles(all_, n=20)[18],
            "per second": len(all_) / told["seconds"],
        }
        for verb, all_ in taken.items()
        if len(all_) > 1
    }
    return figures | {"errors": len(told["errors"]), "count": len(taken["all"])}


@contextmanager
def _serving(memory: Path, servers: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[int]]]:
    """Servers with these options on one port, and the ids of their processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    unlimited = {"REMANENT_SERVER__REQUESTS_PER_MINUTE": "0"}
    command = [sys.executable, "-c", "from remanent.surfaces.cli import main; main()", "serve"]
    command += ["--memory", str(memory), "--port", str(port), "--share-port"]
    started = [
        subprocess.Popen(
            [*command, *options], env=os.environ | unlimited, stdout=subprocess.DEVNULL
        )
        for options in servers
    ]
    try:
        for one in started:
            _wait_for(f"http://127.0.0.1:{port}", one)
        yield port, [one.pid for one in started]
    finally:
        for one in started:
            one.terminate()
        for one in started:
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


def _outside(
    port: int, pids: Sequence[int], source: str, key: str, seconds: int
) -> Mapping[str, Any]:
    _load(port, source, key, 5)  # weights are loaded when first needed
    before = _cpu(pids)
    told = _load(port, source, key, seconds)
    figures = _figures(told)
    spent = {"servers": _cpu(pids) - before, "clients": told["cpu"]}
    return figures | {
        "cpu": {who: 1000 * cpu / max(1, figures["count"]) for who, cpu in spent.items()}
    }


def _load(port: int, source: str, key: str, seconds: int) -> Mapping[str, Any]:
    asked = (str(port), source, key, str(CLIENTS), str(seconds))
    process = subprocess.run(
        [sys.executable, "-m", "bench.http.load", *asked],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    told: Mapping[str, Any] = json.loads(process.stdout)
    return told


def _cpu(pids: Sequence[int]) -> float:
    """Seconds of CPU that these processes have had, as Linux counts them."""
    ticks = 0
    for pid in pids:
        after_name = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        ticks += int(after_name[11]) + int(after_name[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _rows(where: str, figures: Mapping[str, Any]) -> list[Row]:
    held = where == "two servers"  # to what the aim is
    rate, slow, errors = figures["all"]["per second"], figures["all"]["p95"], figures["errors"]
    rows = [
        Row(what=f"{where}: errors", value=errors, aim="0", met=errors == 0),
        Row(
            what=f"{where}: requests",
            value=rate,
            unit="per second",
            aim=f">= {PER_SECOND}" if held else "",
            met=rate >= PER_SECOND if held else None,
        ),
        *(
            Row(what=f"{where}: CPU of a request, {who}", value=cpu, unit="ms")
            for who, cpu in figures.get("cpu", {}).items()
        ),
        Row(what=f"{where}: all, p50", value=figures["all"]["p50"], unit="ms"),
        Row(
            what=f"{where}: all, p95",
            value=slow,
            unit="ms",
            aim=f"< {P95_MS} ms" if held else "",
            met=slow < P95_MS if held else None,
        ),
    ]
    times = [
        Row(what=f"{where}: {verb}, {part}", value=figures[verb][part], unit="ms")
        for verb in SHARES
        for part in ("p50", "p95")
        if verb in figures
    ]
    return [*rows, *times]
