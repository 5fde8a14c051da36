"""Where "now" comes from. No other file of the package asks the system for the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol, runtime_checkable


@runtime_checkable
class Clock(Protocol):
    """Tells the time; a year can pass in a test because everyone asks here."""

    def now(self) -> datetime:
        """The present moment, always aware and in UTC."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class SteppedClock:
    """A clock that stands still until it is told to move, and never runs backwards."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock needs an aware datetime")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, step: timedelta) -> datetime:
        """Let `step` pass."""
        return self.move_to(self._now + step)

    def move_to(self, moment: datetime) -> datetime:
        """Jump ahead to `moment`."""
        moment = moment.astimezone(UTC)
        if moment < self._now:
            raise ValueError(f"the clock stands at {self._now}; it cannot go back to {moment}")
        self._now = moment
        return moment


class ReplayClock:
    """Shows the time of whatever is lived through once more, and goes where it is put."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def show(self, moment: datetime) -> None:
        """Be it `moment`, earlier or later: a machine's clock may have been set back in between."""
        self._now = moment.astimezone(UTC)


def stopwatch() -> float:
    """Seconds on a meter that only ever runs forward: for waiting and measuring, never for dating."""
    return time.monotonic()
