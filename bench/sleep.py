"""What a night costs: every job of sleep over one user of 100,000 nodes and 400,000 edges.

The memory is written straight through the store, the same every time: sources of half a year with what
they mention, people, things and topics with relationships and notes, beliefs with the sources behind
them. Then one night is slept job by job, each in a process of its own that says what CPU it took and how
far its memory grew; and the same for a tenth of the user, to show that memory does not follow size.

`--cache FILE` keeps the large memory for the next run.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.progress import track

from bench.frame import ROOT, Report, Row, Setting
from remanent import Memory, SteppedClock
from remanent.anchors.owner import register_user
from remanent.bootstrap import build
from remanent.config import Config
from remanent.core.env import Env
from remanent.core.model.belief import Support
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Node
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.model.source import ProcessingStatus
from remanent.testing import HashEmbedder, ScriptedMind
from remanent_conformance.builders import (
    a_belief,
    a_concept,
    a_link,
    a_note,
    a_person,
    a_relationship,
    a_source,
    an_assertion,
    an_entity,
)

START = datetime(2026, 1, 1, 8, tzinfo=UTC)
NIGHT = START + timedelta(days=200, hours=19)
SIZES = ((10_000, 40_000), (100_000, 400_000))
MOST_CPU_S = 60.0
MOST_GROWTH = 1.25
USER = "ada"


def run(setting: Setting) -> Report:
    sizes = ((1_000, 4_000), (4_000, 16_000)) if setting.quick else SIZES
    figures: dict[int, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for nodes, edges in sizes:
            path = Path(folder) / f"{nodes}.db"
            _made(setting, path, nodes, edges)
            figures[nodes] = _measured(path)
    (small, _), (large, _) = sizes
    rows = [
        row
        for job in figures[large]
        for row in _rows(job, figures[small][job], figures[large][job])
    ]
    rows += [_whole(nodes, edges, figures[nodes]) for nodes, edges in sizes]
    return Report(
        name="sleep",
        rows=rows,
        notes=[
            f"{sizes[1][0]:,} nodes and {sizes[1][1]:,} edges where nothing else is said",
            "a mind and an embedder that answer at once: what is told is the work of rules and store",
            "memory: the highest resident size of the process that did the job, Python itself included",
        ],
        details=[
            {"nodes": nodes, "job": job, **one}
            for nodes, night in figures.items()
            for job, one in night.items()
        ],
    )


def _rows(job: str, small: dict[str, float], large: dict[str, float]) -> Iterator[Row]:
    grown = large["peak_mb"] / small["peak_mb"]
    yield Row(what=f"{job}, changes", value=large["changed"])
    yield Row(what=f"{job}, changes when run again at once", value=large["changed_again"])
    yield Row(what=f"{job}, CPU", value=large["cpu_s"], unit="s")
    yield Row(what=f"{job}, CPU when run again at once", value=large["again_s"], unit="s")
    yield Row(what=f"{job}, peak memory", value=large["peak_mb"], unit="MB")
    yield Row(
        what=f"{job}, peak memory over that of a tenth of the user",
        value=grown,
        unit="x",
        aim=f"<= {MOST_GROWTH}",
        met=grown <= MOST_GROWTH,
    )


def _whole(nodes: int, edges: int, night: dict[str, dict[str, float]]) -> Row:
    total = sum(one["cpu_s"] for one in night.values())
    return Row(
        what=f"the whole night, CPU, {nodes:,} nodes and {edges:,} edges",
        value=total,
        unit="s",
        aim=f"< {MOST_CPU_S:.0f} s",
        met=total < MOST_CPU_S,
    )


# --- the memory --------------------------------------------------------------------------------


def _open(path: Path) -> Memory:
    return Memory.open(
        Config(memory=str(path)),
        clock=SteppedClock(NIGHT),
        mind=ScriptedMind(),
        embedder=HashEmbedder(),
    )


def _env(path: Path) -> Env:
    clock = SteppedClock(START)
    return build(Config(memory=str(path)), clock, mind=ScriptedMind(), embedder=HashEmbedder())


def _made(setting: Setting, path: Path, nodes: int, edges: int) -> None:
    kept = setting.cache is not None and (nodes, edges) == SIZES[-1]
    if kept and setting.cache is not None and setting.cache.exists():
        shutil.copy(setting.cache, path)
        return
    fill(path, nodes, edges, setting)
    if kept and setting.cache is not None:
        shutil.copy(path, setting.cache)


def fill(path: Path, nodes: int, edges: int, setting: Setting) -> None:
    """Half of the nodes are sources, a tenth beliefs, the rest anchors; half of the edges are links.

    As on any one night, a fiftieth of the anchors has new notes, and as many notes have expired.
    """
    env = _env(path)
    try:
        register_user(env, USER, name="Ada Holm", timezone="UTC")
        scope = env.registry.scope_of(USER)
        rng = random.Random(5)
        anchors = list(_anchors(rng, nodes * 4 // 10))
        sources = [_source(rng, number) for number in range(nodes // 2)]
        for chunk in track(
            range(0, len(anchors) + len(sources), 1000), "nodes", console=setting.console
        ):
            with env.atomic():
                for node in (*anchors, *sources)[chunk : chunk + 1000]:
                    env.graph.put(scope, node)
        keys = [one.key for one in anchors]
        _beliefs(env, scope, rng, [one.key for one in sources], nodes // 10)
        left = edges // 2 - nodes // 10
        for chunk in track(range(0, left, 1000), "links", console=setting.console):
            with env.atomic():
                for number in range(chunk, min(chunk + 1000, left)):
                    src = sources[number % len(sources)].key
                    env.graph.link(
                        scope, a_link(src, _popular(rng, keys), user=USER, detail=str(number))
                    )
        people = [one.key for one in anchors if one.kind == "person"]
        for chunk in track(range(0, edges // 2, 1000), "relationships", console=setting.console):
            with env.atomic():
                for number in range(chunk, min(chunk + 1000, edges // 2)):
                    _relate(env, scope, rng, people, sources[number % len(sources)].key, number)
    finally:
        env.stores.close()


def _day(rng: random.Random) -> datetime:
    return START + timedelta(days=rng.uniform(0, 200))


def _life(rng: random.Random) -> Lifecycle:
    times = rng.choice((0, 0, 0, 0, 1, 2, 5, 12))
    return Lifecycle(
        salience=rng.uniform(0.05, 1.0),
        state=State.CANDIDATE if not times else State.CORE if times > 9 else State.ACTIVE,
        access_count=times,
        recall_frequency=times,
        decay_gradient=rng.uniform(0.8, 1.8),
    )


def _anchors(rng: random.Random, count: int) -> Iterator[Node]:
    makers = (a_person, a_concept, an_entity)
    for number in range(count):
        at = _day(rng)
        yield makers[number % 3](
            f"Name{number} Of{number % 977}",
            user=USER,
            created_at=at,
            updated_at=at,
            confidence=rng.uniform(0.7, 1.0) if number % 2 else rng.uniform(0.4, 0.8),
            description=f"Somebody or something that came up {number % 40} times. " * 3,
            is_dirty=number % 50 == 0,
            source_count=number % 40,
            first_mentioned_at=at,
            last_mentioned_at=at + (NIGHT - at) * rng.random(),
            distinct_days=tuple(at.date() + timedelta(days=day) for day in range(number % 12)),
            life=_life(rng),
        )


def _source(rng: random.Random, number: int) -> Node:
    at = _day(rng)
    return a_source(
        f"What was said at {number}",
        user=USER,
        started_at=at,
        created_at=at,
        updated_at=at,
        participants=(USER,),
        summary=f"They spoke of matter {number} at some length, and of what follows from it. " * 2,
        keywords=tuple(f"word{(number * 7 + place) % 5000}" for place in range(8)),
        processing_status=ProcessingStatus.EXTRACTED,
        life=_life(rng),
    )


def _beliefs(env: Env, scope: Scope, rng: random.Random, sources: list[str], count: int) -> None:
    for chunk in range(0, count, 1000):
        with env.atomic():
            for number in range(chunk, min(chunk + 1000, count)):
                source = rng.choice(sources)
                support = Support(event_id=f"e{number}", statement="So it is.", at=START, source_key=source)  # fmt: skip
                at = NIGHT - timedelta(days=100 * rng.random() ** 2)
                belief = a_belief(
                    f"Matter {number} stands so", user=USER, supports=(support,), life=_life(rng),
                    created_at=at, updated_at=at, since=at,
                )  # fmt: skip
                env.graph.put(scope, belief)
                env.graph.link(scope, a_link(source, belief.key, kind=LinkKind.SUPPORTS, user=USER))


def _popular(rng: random.Random, keys: list[str]) -> str:
    """Few are spoken of often, most rarely."""
    return keys[int(len(keys) * rng.random() ** 3)]


def _relate(
    env: Env, scope: Scope, rng: random.Random, people: list[str], source: str, number: int
) -> None:
    src, dst = _popular(rng, people), rng.choice(people)
    if src == dst:
        dst = people[(people.index(dst) + 1) % len(people)]
    at = _day(rng)
    one = a_relationship(
        src, dst, type=f"kind{number}", user=USER, valid_from=at, created_at=at, updated_at=at,
        description="They know each other from work.", confidence=rng.uniform(0.4, 1.0), life=_life(rng),
    )  # fmt: skip
    env.graph.relate(scope, one)
    if number % 4 == 0:
        env.graph.put_assertion(
            scope, an_assertion(src, dst, source, type=f"kind{number}", user=USER, at=at)
        )
        env.graph.add_note(
            scope,
            a_note(
                src,
                f"Note {number}.",
                user=USER,
                source_key=source,
                date_added=at,
                expires_at=NIGHT + timedelta(days=rng.uniform(-0.6, 29.4)),
            ),
        )


# --- measuring, in processes of their own ------------------------------------------------------


def _measured(path: Path) -> dict[str, dict[str, float]]:
    """One night, job by job in its order, each in a process whose memory is its own."""
    with _open(path) as memory:
        jobs = [round_.job for round_ in memory.user(USER).timetable()]
    night: dict[str, dict[str, float]] = {}
    for job in (one for one in SleepJob if one in jobs):
        done = subprocess.run(
            [sys.executable, "-m", "bench.sleep", str(path), job.value],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        night[job.value] = json.loads(done.stdout)
    return night


def measure(path: Path, job: str) -> dict[str, float]:
    """CPU seconds of a job, of the same job once more, and the process's peak after the first."""
    with _open(path) as memory:
        user = memory.user(USER)
        start = time.process_time()
        (rest,) = user.sleep(only=[job]).outcomes
        spent = time.process_time() - start
        peak = _peak_mb()
        start = time.process_time()
        (second,) = user.sleep(only=[job]).outcomes
        again = time.process_time() - start
    return {
        "cpu_s": spent,
        "again_s": again,
        "peak_mb": peak,
        "changed": sum(rest.counts.values()),
        "left": rest.left,
        "changed_again": sum(second.counts.values()),
    }


def _peak_mb() -> float:
    """Of this program alone: what `getrusage` tells includes the process that started it."""
    status = Path("/proc/self/status").read_text("ascii")
    return float(status.partition("VmHWM:")[2].split()[0]) / 1000


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1]), sys.argv[2]), sys.stdout)
