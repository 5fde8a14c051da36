"""Lives a small year in a process of its own, so that it can be killed in the middle of a night.

`one_year.py PATH [KILL_DAY SECONDS]` lives from the beginning, and dies so many seconds after it fell
asleep on that day; `one_year.py PATH KILL_DAY` goes on from that night.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from effort import times

from bench.life.living import Life, Year, make_year
from bench.life.world import DAY, START
from remanent import Memory, SteppedClock
from remanent.testing import HashEmbedder

SEED, DAYS, SOURCES = 4, times(80, 140), times(70, 110)


def small_year() -> Year:
    return make_year(SEED, DAYS, SOURCES)


def live(path: Path, year: Year, *, kill: tuple[int, float] | None = None) -> None:
    clock = SteppedClock(START)
    with Memory.open(path, clock=clock, embedder=HashEmbedder()) as memory:
        life = Life(memory, clock, year)
        if kill is None:
            life.live()
            return
        for day in range(kill[0]):
            life.day(day)
            life.night(day)
        life.day(kill[0])
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, kill[1])
        life.night(kill[0])
        signal.pause()  # the night was over sooner


def go_on(path: Path, year: Year, day: int) -> None:
    """From the night of that day on, an hour later: what the dead worker had leased is free by then."""
    clock = SteppedClock(START + (day + 1) * DAY + timedelta(hours=6))
    with Memory.open(path, clock=clock, embedder=HashEmbedder()) as memory:
        life = Life(memory, clock, year)
        life.night(day)
        life.live(day + 1)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    match sys.argv[2:]:
        case [day]:
            go_on(where, small_year(), int(day))
        case [day, seconds]:
            live(where, small_year(), kill=(int(day), float(seconds)))
        case _:
            live(where, small_year())
