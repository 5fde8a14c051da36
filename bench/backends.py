"""The same life on every backend that is there, side by side: ingestion, search, a night, memory.

A file of SQLite is always there; PostgreSQL, alone and with Redis and Neo4j beside it, where `make servers`
has started them, or where REMANENT_TEST_POSTGRES and its like name some. Each measure is taken in processes of their own, so that CPU and memory
are those of that backend alone; what the server itself takes is counted beside it where its process can
be seen. The sources are those of `ingest`, of several users. Adding, searching and sleeping are measured
of the stores alone, with a mind and an embedder that cost nothing; workers read with the offline mind.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.frame import ROOT, Report, Row, Setting
from bench.ingest import CAST, PROJECTS, START, TOWNS, WideEmbedder, scripted, sources
from remanent import Memory, SteppedClock
from remanent.errors import EmbedderMismatch, without_password

USERS = 4
SET_UPS = ("postgresql", "postgresql+redis", "postgresql+neo4j+redis")
SIDE_BY_SIDE = (1, 2, 4)  # clients or workers
NOW = START + timedelta(days=60, hours=20)
AWAY_S = 0.005  # what a journey to a server on another machine may take, there and back
MOST_TIMES = 2.0  # what a search on a server may take, of what it takes in a file
QUESTIONS = tuple(
    f"What did {name} say about {project} in {town}?"
    for name in CAST
    for project, town in zip(PROJECTS, TOWNS, strict=False)
)
Figures = Mapping[str, float]


def run(setting: Setting) -> Report:
    many = setting.sources or (120 if setting.quick else 800)
    few = max(8, many // 10)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        places = _places(Path(folder))
        memories = {name: stack.enter_context(place()) for name, place in places.items()}
        found = {
            name: _measured(memories[name], place, few=few, many=many)
            for name, place in places.items()
        }
        in_turn = "\n".join(memories.values())
        (searched,) = _told(_together(in_turn, "search_in_turn", [(0, 0)]))
        for name, figures in found.items():
            figures |= {what: searched[f"{what}, {memories[name]}"] for what in _IN_TURN}
    rows = [
        Row(what=f"{what}, {name}", value=figures[what], unit=unit)
        for what, unit in _UNITS.items()
        for name, figures in found.items()
        if what in figures
    ]
    base = found["sqlite"]
    for name, figures in found.items():
        if name != "sqlite":
            aim = f"<= {MOST_TIMES:g}"
            for what in _IN_TURN:
                x = figures[what] / base[what]
                label = f"{what}, {name} over sqlite"
                rows.append(Row(what=label, value=x, unit="x", aim=aim, met=x <= MOST_TIMES))
            most = max(SIDE_BY_SIDE)
            growth = figures[_far(most)] / figures[_far(1)]
            what = f"{_far(most)}, over 1, {name}"
            aim = f">= {most / 2:g}"
            rows.append(Row(what=what, value=growth, unit="x", aim=aim, met=growth >= most / 2))
    notes = [
        f"{USERS} users; {many} sources added, searched and slept on; {few} read by workers",
        f"{1000 * AWAY_S:g} ms away: each journey to the server waits so long, {few} sources a client",
        f"{len(QUESTIONS)} questions, each asked once to warm up and three times to be measured",
        *(f"{name}: not there" for name in SET_UPS if name not in found),
    ]
    return Report(name="backends", rows=rows, notes=notes, details=[dict(found)])


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _own(clients: int) -> str:
    return f"add, {clients} client{_s(clients)}, a user each"


def _far(clients: int) -> str:
    return f"{_own(clients)}, {1000 * AWAY_S:g} ms away"


_ADD, _SEARCH = "add, one client", "search, p50"
_IN_TURN = ("search in turn, p50", "search in turn, CPU of the client")  # both beside the same load
_UNITS = {
    _ADD: "sources/s",
    "add, CPU of the client": "ms/source",
    "add, CPU of the server": "ms/source",
    **{what(n): "sources/s" for what in (_own, _far) for n in SIDE_BY_SIDE},
    **{f"read with {n} worker{_s(n)}": "sources/s" for n in SIDE_BY_SIDE},
    _SEARCH: "ms",
    "search, p95": "ms",
    "search, CPU of the client": "ms",
    "search, CPU of the server": "ms",
    "first search": "ms",
    **dict.fromkeys(_IN_TURN, "ms"),
    "a night, all users": "s",
    "a night, CPU of the client": "s",
    "resident memory after searching": "MB",
}


def _places(folder: Path) -> dict[str, Callable[[], Any]]:
    """By name, what makes a new place of its own for a memory, and takes it away."""
    kept = ROOT / ".servers" / "env"
    lines = kept.read_text("utf-8").split() if kept.is_file() else []
    known = dict(line.split("=", 1) for line in lines) | os.environ

    @contextmanager
    def file() -> Iterator[str]:
        yield str(folder / f"{uuid4().hex}.db")

    places: dict[str, Callable[[], Any]] = {"sqlite": file}
    for name in SET_UPS:
        urls = [known.get(f"REMANENT_TEST_{server.upper()}") for server in _servers_of(name)]
        if all(urls):
            places[name] = partial(_on_servers, [str(url) for url in urls])
    return places


def _servers_of(name: str) -> list[str]:
    return name.replace("postgresql", "postgres").split("+")


@contextmanager
def _on_servers(urls: Sequence[str]) -> Iterator[str]:
    """The addresses of a memory on these servers, PostgreSQL first, for as long as the block runs."""
    import psycopg

    first, *others = urls
    name = f"bench_{uuid4().hex[:12]}"
    memory = " ".join([f"{first}{'&' if '?' in first else '?'}schema={name}", *others])
    try:
        yield memory
    finally:
        if others:
            _drop_parts(memory)
        with psycopg.connect(first, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


def _drop_parts(memory: str, embedder: str = "") -> None:
    from remanent.stores.combined import CombinedStores, open_stores

    name = embedder or WideEmbedder().name
    try:
        stores = open_stores(
            memory, now=NOW, embedder_name=name, dimensions=lambda: WideEmbedder().dimensions
        )
    except EmbedderMismatch as other:  # workers read with the real one
        _drop_parts(memory, other.theirs)
        return
    for part in stores.parts.values() if isinstance(stores, CombinedStores) else ():
        part.drop()
    stores.close()


def _measured(memory: str, place: Callable[[], Any], *, few: int, many: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    before = _server_cpu()
    (added,) = _told(_together(memory, "add", [(0, many)]))
    figures[_ADD] = many / added["wall"]
    figures["add, CPU of the client"] = 1000 * added["cpu"] / many
    figures |= _on_server("add, CPU of the server", before, 1000 / many)
    _told(_together(memory, "settle", [(0, 0)]))
    before = _server_cpu()
    (searched,) = _told(_together(memory, "search", [(0, 0)]))
    asked = 4 * len(QUESTIONS)
    figures |= {name: searched[name] for name in (_SEARCH, "search, p95", "first search")}
    figures["search, CPU of the client"] = 1000 * searched["cpu"] / asked
    figures["resident memory after searching"] = searched["rss"]
    figures |= _on_server("search, CPU of the server", before, 1000 / asked)
    (slept,) = _told(_together(memory, "sleep", [(0, many)]))
    figures["a night, all users"] = slept["wall"]
    figures["a night, CPU of the client"] = slept["cpu"]
    for clients in SIDE_BY_SIDE:
        with place() as memory:
            figures[_own(clients)] = _added_together(memory, "add_own", clients, many // clients)
        with place() as memory:
            if "://" in memory:
                figures[_far(clients)] = _added_together(memory, "add_far", clients, few)
    for workers in SIDE_BY_SIDE:
        with place() as memory:
            _told(_together(memory, "add_for_workers", [(0, few)]))
            read = _told(_together(memory, "work", [(0, 0)] * workers))
            what = f"read with {workers} worker{_s(workers)}"
            figures[what] = few / max(one["wall"] for one in read)
    return figures


def _added_together(memory: str, step: str, clients: int, share: int) -> float:
    """Sources a second of so many clients who add so many each, for a user of their own."""
    added = _told(_together(memory, step, [(user, share) for user in range(clients)]))
    return clients * share / max(one["wall"] for one in added)


def _on_server(what: str, before: float | None, times: float) -> Figures:
    after = _server_cpu()
    return {} if before is None or after is None else {what: (after - before) * times}


def _server_cpu() -> float | None:
    """Seconds of CPU of all servers that `make servers` started and of their children, dead or alive; those
    that a memory has no part on do nothing meanwhile."""
    records = list((ROOT / ".servers").glob("*.json"))
    if not records:
        return None
    heads = {int(json.loads(one.read_text("utf-8"))["pid"]) for one in records}
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, fields = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if pid in heads:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) in heads:
            ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


# --- processes that do it ------------------------------------------------------------------------


def _together(
    memory: str, step: str, parts: Sequence[tuple[int, int]]
) -> list[subprocess.Popen[str]]:
    """Processes that begin at once when all of them are ready."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "bench.backends", step, memory, str(first), str(last)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first, last in parts
    ]
    for one in started:
        if one.stdout is None or one.stdout.readline() != "ready\n":
            raise SystemExit(f"bench: {step} could not begin at {without_password(memory)}")
    for one in started:
        if one.stdin is not None:
            one.stdin.write("go\n")
            one.stdin.flush()
    return started


def _told(started: Sequence[subprocess.Popen[str]]) -> list[dict[str, float]]:
    answers = [one.communicate()[0] for one in started]
    if any(one.returncode for one in started):
        raise SystemExit("bench: a process failed")
    return [json.loads(one) for one in answers]


def _opened(place: str, *, at: datetime, real: bool) -> Memory:
    clock = SteppedClock(at)
    if real:
        return Memory.open(place, clock=clock)
    return Memory.open(place, clock=clock, mind=scripted(), embedder=WideEmbedder())


def _add(memory: Memory, first: int, last: int) -> None:
    users = [memory.user(f"user{n}", name="Ada Holm", timezone="UTC") for n in range(USERS)]
    for number, (content, at) in enumerate(sources(last)):
        if number >= first:
            users[number % USERS].add(content, started_at=at)


def _add_own(memory: Memory, number: int, many: int, *, far: bool) -> None:
    if far:
        _go_away()
    user = memory.user(f"user{number}", name="Ada Holm", timezone="UTC")
    for content, at in sources(many):
        user.add(content, started_at=at)


def _go_away() -> None:
    """From now on every journey to a server takes as long as to another machine. Whoever waits so keeps
    no CPU busy: what a second client cannot add then, it waits for the first to let it."""
    import psycopg

    wait, send = psycopg.Connection.wait, socket.socket.sendall

    def far(*args: Any, **kwargs: Any) -> Any:
        time.sleep(AWAY_S)
        return wait(*args, **kwargs)

    def far_sent(*args: Any, **kwargs: Any) -> Any:
        time.sleep(AWAY_S)
        return send(*args, **kwargs)

    psycopg.Connection.wait = far  # type: ignore[method-assign]
    socket.socket.sendall = far_sent  # type: ignore[method-assign] # Redis and Neo4j


def _search(memory: Memory) -> Figures:
    users = [memory.user(f"user{n}", create=False) for n in range(USERS)]
    taken: list[float] = []
    for _ in range(4):
        for number, question in enumerate(QUESTIONS):
            begun = time.perf_counter()
            users[number % USERS].search(question, touch=False)
            taken.append(1000 * (time.perf_counter() - begun))
    warm = sorted(taken[len(QUESTIONS) :])
    return {
        _SEARCH: statistics.median(warm),
        "search, p95": warm[int(0.95 * len(warm))],
        "first search": taken[0],
    }


def _search_in_turn(memories: Sequence[Memory], places: Sequence[str]) -> Figures:
    """Each question of one after the other, so that whatever else runs disturbs all alike."""
    users = [[memory.user(f"user{n}", create=False) for n in range(USERS)] for memory in memories]
    wall: list[list[float]] = [[] for _ in memories]
    cpu = [0.0] * len(memories)
    for turn in range(4):
        for number, question in enumerate(QUESTIONS):
            for place, own in enumerate(users):
                begun, busy = time.perf_counter(), time.process_time()
                own[number % USERS].search(question, touch=False)
                if turn:
                    wall[place].append(1000 * (time.perf_counter() - begun))
                    cpu[place] += 1000 * (time.process_time() - busy)
    p50, client = _IN_TURN
    medians = {f"{p50}, {one}": statistics.median(wall[n]) for n, one in enumerate(places)}
    return medians | {f"{client}, {one}": cpu[n] / len(wall[n]) for n, one in enumerate(places)}


def _child_in_turn(places: Sequence[str]) -> None:
    with ExitStack() as stack:
        at = NOW + timedelta(days=1)
        memories = [stack.enter_context(_opened(one, at=at, real=False)) for one in places]
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(_search_in_turn(memories, places)), flush=True)


def _child(step: str, place: str, first: int, last: int) -> None:
    real = step in {"work", "add_for_workers"}
    at = NOW + timedelta(days=step == "sleep")  # the night after the one that was slept before
    with _opened(place, at=at, real=real) as memory:
        if real:
            memory.warm_up()
        print("ready", flush=True)
        sys.stdin.readline()
        wall, cpu = time.perf_counter(), time.process_time()
        figures: Figures = {}
        match step:
            case "add" | "add_for_workers":
                _add(memory, first, last)
            case "add_own" | "add_far":
                _add_own(memory, first, last, far=step == "add_far")
            case "work":
                memory.work()
            case "settle":
                memory.work()
                memory.sleep()
            case "search":
                figures = _search(memory)
            case "sleep":
                memory.sleep()
        told = {
            **figures,
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "search_in_turn":
        _child_in_turn(sys.argv[2].split("\n"))
    else:
        _child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
