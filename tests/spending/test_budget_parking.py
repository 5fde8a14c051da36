"""A job that the day's budget does not reach is parked, and done when there is a new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from remanent import Memory, SteppedClock
from remanent.core.model.job import JobState
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.page import Worked
from remanent.errors import BudgetSpent
from remanent.spending.rules import next_day
from remanent.testing import HashEmbedder, ScriptedMind

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Thrifty(ScriptedMind):
    """Has nothing left on the first day."""

    def __init__(self, clock: SteppedClock) -> None:
        super().__init__()
        self.clock = clock
        self.tries = 0

    def summarize(self, reading: Reading) -> str:
        self.tries += 1
        now = self.clock.now()
        if now.date() == START.date():
            raise BudgetSpent("budget.usd_per_day is $0.10", again_at=next_day(now))
        return super().summarize(reading)


def test_it_is_parked_until_the_next_day_and_not_tried_in_vain() -> None:
    clock = SteppedClock(START)
    mind = Thrifty(clock)
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        ada.add("Maria lives in Oslo.")

        assert ada.work() == Worked(done=1, parked=1)
        assert ada.search("Maria")[0].kind is Kind.PASSAGE  # to be found costs nothing
        (job,) = ada.jobs(["parked"])
        assert job.parked_until == datetime(2026, 3, 2, tzinfo=UTC)
        assert job.error is not None
        assert "budget of the day is spent" in job.error
        clock.advance(timedelta(hours=11))
        assert ada.work() == Worked()
        assert mind.tries == 1

        clock.move_to(datetime(2026, 3, 2, tzinfo=UTC))
        assert ada.work() == Worked(done=2)
        assert ada.status().jobs[JobState.PARKED.value] == 0


def test_a_hand_may_try_before() -> None:
    clock = SteppedClock(START)
    mind = Thrifty(clock)
    with Memory.open(":memory:", clock=clock, mind=mind, embedder=HashEmbedder()) as memory:
        ada = memory.user("ada")
        key = ada.add("Maria lives in Oslo.")
        ada.work()
        ada.retry_job(key)

        assert ada.work() == Worked(parked=1)
        assert mind.tries == 2
