"""A year lived through the public API: what the day brings, what one asks, and sleep every night."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bench.life.talk import Piece, Talk, question
from bench.life.world import DAY, OWNER, OWNER_NAME, START, Slot, World, make_world
from remanent import Config, Memory, SteppedClock, UserMemory

USER = "ada"
QUESTIONS_A_DAY = 3
MONTH = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """How large the memory was on a day."""

    day: int
    sources: int
    unarchived: int
    nodes: int
    relationships: int
    beliefs: int
    megabytes: float


@dataclass(slots=True)
class Year:
    """A year to be lived, and what became of it. `keys` are the memory's keys of the pieces' ids."""

    world: World
    pieces: list[Piece]
    keys: dict[str, str] = field(default_factory=dict)
    months: list[Month] = field(default_factory=list)
    night_cpu: list[float] = field(default_factory=list)
    day_cpu: float = 0.0
    parked: int = 0

    @property
    def end(self) -> datetime:
        return START + (self.world.days + 1) * DAY


def make_year(seed: int, days: int, sources: int) -> Year:
    """The world and its sources; the same for the same arguments."""
    world = make_world(seed, days, sources)
    return Year(world, Talk(world, sources).pieces())


def opened(path: Path, at: datetime, config: Config | None = None, **parts: Any) -> Memory:
    where = str(path) if config is None else config
    return Memory.open(where, clock=SteppedClock(at), **parts)


def owner_of(memory: Memory) -> UserMemory:
    return memory.user(USER, name=OWNER_NAME, timezone="Europe/Oslo")


class Life:
    """Lives a year in one memory. Every step may be repeated after a crash: what was done is known."""

    def __init__(self, memory: Memory, clock: SteppedClock, year: Year) -> None:
        self.user = owner_of(memory)
        self.clock = clock
        self.year = year
        self._due: dict[int, list[Piece]] = {}
        for piece in sorted(year.pieces, key=lambda one: (one.added_at, one.id)):
            self._due.setdefault((piece.added_at - START).days, []).append(piece)

    def live(self, first: int = 0, *, progress: Callable[[int], None] | None = None) -> None:
        """All days from `first` on, each with its night."""
        for day in range(first, self.year.world.days):
            self.day(day)
            self.night(day)
            if day % MONTH == MONTH - 1 or day == self.year.world.days - 1:
                self.year.months.append(size(self.user, day))
            if progress is not None:
                progress(day)

    def day(self, day: int) -> None:
        """What comes in, what is told to the memory in person, and what is asked of it."""
        began = time.process_time()
        for piece in self._due.get(day, ()):
            self._move_to(piece.added_at)
            self.year.keys[piece.id] = self.user.add(
                piece.content, type=piece.type, started_at=piece.at, origin_id=piece.id
            )
        self._move_to(START + day * DAY + timedelta(hours=22))
        worked = self.user.work()
        self.year.parked += worked.parked
        for piece in self._due.get(day, ()):
            self._remember(piece)
        self._ask(day)
        self.year.day_cpu += time.process_time() - began

    def night(self, day: int) -> None:
        """Sleep until the next morning."""
        self._move_to(START + (day + 1) * DAY + timedelta(hours=5))
        began = time.process_time()
        self.user.sleep()
        self.user.work()  # whatever the night has left to be done
        self.year.night_cpu.append(time.process_time() - began)

    def _move_to(self, moment: datetime) -> None:
        self.clock.move_to(max(moment, self.clock.now()))

    def _remember(self, piece: Piece) -> None:
        """Now and then the owner says it to the memory as well."""
        for number, telling in enumerate(piece.tellings):
            event = f"told-{piece.id}-{number}"
            mine = telling.slot.subject == OWNER and telling.how != "late"
            if mine and random.Random(f"{self.year.world.seed} {event}").random() < 0.2:
                self.user.remember(telling.sentence, at=piece.at, event_id=event)

    def _ask(self, day: int) -> None:
        """A few questions on what has been told, on what matters more often; they leave their trace."""
        dice = random.Random(f"{self.year.world.seed} asks {day}")
        known = [one for one in self.year.world.slots if _was_told(self.year.world, one, day)]
        if not known:
            return
        for slot in dice.choices(known, [one.weight**2 for one in known], k=QUESTIONS_A_DAY):
            words = question(self.year.world, slot)
            way = dice.random()
            if way < 0.5:
                self.user.search(words)
            elif way < 0.8:
                self.user.recall(words)
            else:
                self.user.explore(words)


def _was_told(world: World, slot: Slot, day: int) -> bool:
    moment = START + (day + 1) * DAY
    return any(one.recorded_at < moment for one in world.tellings if one.slot is slot)


def size(user: UserMemory, day: int) -> Month:
    """How much there is, and how much of it is still looked through by default."""
    status = user.status()
    counts = status.counts
    place = Path(status.place)
    return Month(
        day=day + 1,
        sources=counts.get("source", 0),
        unarchived=number(user, "MATCH (s:Source) RETURN count(s)"),
        nodes=number(user, "MATCH (n) RETURN count(n)"),
        relationships=number(
            user,
            "MATCH ()-[r:HAS_RELATIONSHIP_WITH|ENGAGES_WITH|ASSOCIATED_WITH|RELATES_TO|INVOLVES"
            "|CONNECTED_TO]->() RETURN count(r)",
        ),
        beliefs=len(user.beliefs()),
        megabytes=sum(one.stat().st_size for one in _files(place)) / 1e6,
    )


def _files(place: Path) -> Sequence[Path]:
    return [one for one in place.parent.glob(f"{place.name}*") if one.is_file()]


def number(user: UserMemory, query: str) -> int:
    return int(user.cypher(query).rows[0][0])
