"""Lives a small year, one night of it in a process of its own that can be killed in the middle.

`one_year.py PATH KILL_DAY SECONDS` lives that day, and dies so many seconds after it fell asleep;
`one_year.py PATH KILL_DAY` goes on from that night to the end of the year.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

import apsw
from effort import times

from bench.life.living import Life, Year, make_year
from bench.life.world import DAY, START
from remanent import Memory, SteppedClock
from remanent.testing import HashEmbedder

SEED, DAYS, SOURCES = 4, times(64, 140), times(56, 110)


def small_year() -> Year:
    return make_year(SEED, DAYS, SOURCES)


def copy(path: Path, to: Path) -> None:
    """A copy of an open memory, by the driver that has it open.

    Another SQLite in the same process would let go of its locks as it closes (how POSIX locks are).
    """
    with (
        closing(apsw.Connection(str(path))) as now,
        closing(apsw.Connection(str(to))) as file,
        file.backup("main", now, "main") as pages,
    ):
        pages.step()


def live(path: Path, year: Year, *, kept: Path, night: int) -> None:
    """The whole year; what was there before that night's day began is kept as a file of its own."""
    clock = SteppedClock(START)
    with Memory.open(path, clock=clock, embedder=HashEmbedder()) as memory:

        def told(day: int) -> None:
            if day == night - 1:
                copy(path, kept)

        Life(memory, clock, year).live(progress=told)


def die(path: Path, year: Year, day: int, seconds: float) -> None:
    """Lives that day, and dies so many seconds after it fell asleep."""
    clock = SteppedClock(START)
    with Memory.open(path, clock=clock, embedder=HashEmbedder()) as memory:
        life = Life(memory, clock, year)
        life.day(day)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        life.night(day)
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
            die(where, small_year(), int(day), float(seconds))
