"""Life: a made-up year of one user, lived day by day with sleep every night, against the truth."""

from __future__ import annotations

import pickle
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from bench.frame import Report, Row, Setting
from bench.life.frontier import measure_frontier
from bench.life.living import Life, Year, make_year, opened, owner_of
from bench.life.people import measure_people
from bench.life.reading import Reader
from bench.life.stories import measure_stories
from bench.life.times import measure_supersession, measure_times
from bench.life.world import START
from remanent import Memory, SteppedClock
from remanent.embedders.builtin import BuiltinEmbedder

SOURCES, DAYS, SEED = 2500, 365, 1
QUICK_SOURCES, QUICK_DAYS = 400, 200


def run(setting: Setting) -> Report:
    """Live the year, then ask."""
    sources = setting.sources or (QUICK_SOURCES if setting.quick else SOURCES)
    days = setting.days or (QUICK_DAYS if setting.quick else DAYS)
    seed = SEED if setting.seed is None else setting.seed
    embedder = BuiltinEmbedder()

    def shown(words: str) -> None:
        setting.console.print(words, style="dim")

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "life.db"
        year = _year(setting.cache, path, make_year(seed, days, sources), embedder, setting)
        rows = list(_sizes(year))
        with opened(path, year.end, embedder=embedder) as memory:
            reader = Reader(owner_of(memory), year)
            for measure in (measure_times, measure_supersession, measure_people, measure_stories):
                shown(measure.__name__.replace("_", " "))
                rows += measure(reader)
        rows = [*measure_frontier(path, year, shown, embedder), *rows]
    world = year.world
    made = (
        f"seed {seed}: {len(year.pieces)} sources in {days} days, {len(world.people)} people,"
        f" {len(world.projects)} projects, {len(world.slots)} questions with"
        f" {len(world.tellings)} tellings; offline mind, built-in embedder"
    )
    taken = (
        "taken in: a belief of any status or a relationship rests on what told the value by then"
    )
    return Report(
        name="life",
        rows=rows,
        notes=[made, taken],
        details=[asdict(one) for one in year.months],
    )


def _year(
    kept: Path | None, path: Path, year: Year, embedder: BuiltinEmbedder, setting: Setting
) -> Year:
    """The year, lived at `path`; with a place to keep it, lived there once and copied from then on."""
    if kept is None:
        return _live_year(path, year, embedder, setting)
    outcome = kept.with_suffix(".year")
    if not outcome.exists():
        outcome.write_bytes(pickle.dumps(_live_year(kept, year, embedder, setting)))
    shutil.copyfile(kept, path)
    lived: Year = pickle.loads(outcome.read_bytes())
    return lived


def _live_year(path: Path, year: Year, embedder: BuiltinEmbedder, setting: Setting) -> Year:
    clock = SteppedClock(START)
    began = time.monotonic()

    def print_progress(day: int) -> None:
        if day % 10 == 9:
            setting.console.print(
                f"day {day + 1} of {year.world.days}, {len(year.keys)} sources,"
                f" {time.monotonic() - began:.0f} s",
                style="dim",
            )

    with Memory.open(str(path), clock=clock, embedder=embedder) as memory:
        Life(memory, clock, year).live(progress=print_progress)
    return year


def _sizes(year: Year) -> Iterator[Row]:
    """How large the memory was month by month, and what the nights cost."""
    for one in year.months:
        yield Row(
            what=f"day {one.day}: nodes not archived, of {one.sources} sources {one.unarchived},"
            f" {one.relationships} relationships, {one.beliefs} beliefs, {one.megabytes:.0f} MB",
            value=one.nodes,
        )
    nights = sorted(year.night_cpu)
    yield Row(what="a night, CPU, median", value=statistics.median(nights), unit="s")
    yield Row(what="a night, CPU, the longest", value=nights[-1], unit="s")
    yield Row(what="the days of the year, CPU", value=year.day_cpu, unit="s")
    yield Row(what="all nights, CPU", value=sum(nights), unit="s")
    yield Row(what="sources given up on", value=year.parked, aim="none", met=not year.parked)
