"""Golden: digests and retrieval figures that no change of the code inside may change.

Digests of all that a memory holds after one LoCoMo conversation and a night, and after a made-up
year of 300 sources with sleep every night; and what `search` finds in a part of each dataset
(LoCoMo turns and sessions, LongMemEval sessions, BEAM turns, RealMem sessions), without rounding. They
are compared with `bench/golden.json`, which `--write` writes anew. Offline mind, built-in embedder.
`--only` takes `retrieval`, `conversation` and `year`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bench.canonical import digests
from bench.frame import ROOT, Report, Row, Setting
from bench.life.living import Life, make_year
from bench.life.world import START
from bench.retrieval import LONG_AFTER, OURS, SESSION_SETS, TURN_SETS, AskingClock, Teller, measure
from bench.retrieval_sets import World, worlds
from remanent import Memory, SteppedClock

KEPT = ROOT / "bench" / "golden.json"
SEED, DAYS, SOURCES = 1, 365, 300  # of the year
FIRST, BESIDE = 100, 40  # sessions of a dataset
Figures = dict[str, Any]


def run(setting: Setting) -> Report:
    """Compute them, say which differ from what is kept; `--write` keeps them instead."""
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    rows: list[Row] = []
    notes: list[str] = []
    computed: dict[str, Figures] = {}
    for name, compute in _parts(setting):
        began = time.monotonic()
        figures = compute()
        if figures is None:
            notes.append(f"{name}: left out, its data is not in {setting.data}")
            continue
        computed[name] = figures
        changed = list(_changed(kept.get(name, {}), figures))
        notes += [f"{name}: {line}" for line in changed]
        notes.append(f"{name}: {time.monotonic() - began:.0f} s")
        rows.append(
            Row(what=f"{name}: figures that differ", value=len(changed), aim="0", met=not changed)
        )
    if setting.write:
        KEPT.write_text(json.dumps(kept | computed, indent=1, sort_keys=True) + "\n", "utf-8")
        notes.append(f"written to {KEPT.relative_to(ROOT)}")
    return Report(name="golden", rows=rows, notes=notes, details=[computed])


def _parts(setting: Setting) -> Iterator[tuple[str, Callable[[], Figures | None]]]:
    only = setting.only
    for dataset in ("locomo", "longmemeval", "beam", "realmem"):
        name = f"retrieval {dataset}"
        if not only or name in only or "retrieval" in only:
            yield name, lambda dataset=dataset: _retrieval(setting, dataset)  # type: ignore[misc]
    if not only or "conversation" in only:
        yield "conversation", lambda: _conversation(setting)
    if not only or "year" in only:
        yield "year", _year


def _retrieval(setting: Setting, dataset: str) -> Figures | None:
    """Every measure of `search` over the questions of a part of the dataset."""
    parts = [_part(world) for world in worlds(setting.data, (dataset,), quick=True)]
    if not parts:
        return None
    _, tallies = measure(parts, setting, {}, alone=True)
    return {
        f"{unit}, {category}: {measure}": value
        for (_, unit, method, category), tally in sorted(tallies.items())
        if method == OURS and dataset in {"turns": TURN_SETS, "sessions": SESSION_SETS}[unit]
        for measure, value in (("questions", tally.count), *tally.mean().items())
    }


def _part(world: World) -> World:
    """The first sessions, and the questions that they answer. Where few do, as in LongMemEval's pool:
    every fourth question with the sessions that answer it, beside the first ones."""
    if world.set == "longmemeval":
        questions = world.asked[::4]
        answering = frozenset[str]().union(*(one.sessions for one in questions))
        beside = {one.id for one in world.sessions[:BESIDE]}
        sessions = [one for one in world.sessions if one.id in answering | beside]
        return replace(world, sessions=sessions, asked=questions)
    sessions = list(world.sessions[:FIRST])
    known = {one.id for one in sessions}
    questions = [one for one in world.asked if one.sessions <= known and (one.told or 0) <= FIRST]
    return replace(world, sessions=sessions, asked=questions)


def _conversation(setting: Setting) -> Figures | None:
    """The digests of a memory that was told the first conversation of LoCoMo and then slept."""
    world = next(worlds(setting.data, ("locomo",), quick=True), None)
    if world is None:
        return None
    clock = AskingClock()
    with Memory.open(":memory:", clock=clock) as memory:
        user = memory.user("reader", name="Reader of the talks", timezone="UTC")
        Teller(user, world.sessions, clock).add_first(len(world.sessions))
        clock.moment = LONG_AFTER + timedelta(days=1)
        user.sleep()
        user.work()
        return dict(digests(memory))


def _year() -> Figures:
    """The digests of a memory that lived through a year, with a night after each day."""
    clock = SteppedClock(START)
    with Memory.open(":memory:", clock=clock) as memory:
        Life(memory, clock, make_year(SEED, DAYS, SOURCES)).live()
        return dict(digests(memory))


def _changed(kept: Mapping[str, Any], figures: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(kept.keys() | figures.keys()):
        if kept.get(name) != figures.get(name):
            yield f"{name} was {kept.get(name)} and is {figures.get(name)}"
