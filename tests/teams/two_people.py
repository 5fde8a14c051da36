"""Ada and Bob in one memory, and in no team unless they share one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from remanent import Memory, SteppedClock, UserMemory


@dataclass(frozen=True)
class TwoPeople:
    memory: Memory
    clock: SteppedClock
    ada: UserMemory
    bob: UserMemory

    @classmethod
    @contextmanager
    def living(cls, place: Path, **hands: Any) -> Iterator[Self]:
        """With the mind and the embedder that everybody gets, unless there are others at hand."""
        clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        with Memory.open(place / "memory.db", clock=clock, **hands) as memory:
            ada = memory.user("ada", name="Ada Lind", timezone="Europe/Oslo")
            bob = memory.user("bob", name="Bob Ek", timezone="Europe/Oslo")
            yield cls(memory, clock, ada, bob)

    def work(self) -> None:
        self.clock.advance(timedelta(minutes=1))
        self.memory.work()

    def share_a_team(self) -> None:
        self.bob.create_team("The Crew", "crew")
        self.ada.accept(self.bob.invite("crew", "ada").invitation_id)
