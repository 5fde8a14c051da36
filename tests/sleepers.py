"""Jobs of the night for tests: they write down that they were there, in steps that can be cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from remanent.core.model.job import JobKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.jobs.night_job import NightJob, Share
from remanent.jobs.rules.timetable import TimetableRules
from remanent.memory import Memory
from remanent.testing import a_concept
from remanent.testing.digest import CIRCUMSTANCES, digest
from remanent.wiring import House


@dataclass
class Diarist:
    """Writes `steps` concepts for its time, each in a transaction of its own; what is there stays."""

    job: SleepJob
    house: House
    steps: int = 2
    error: str = ""
    between: Callable[[int], object] = lambda number: None
    runs: list[tuple[str, datetime]] = field(default_factory=list)

    def __call__(self, scope: Scope, at: datetime, *, share: Share | None = None) -> Rest:
        self.runs.append((self.job.value, at))
        if self.error:
            raise RuntimeError(self.error)
        written = []
        for number in range(self.steps):
            self.between(number)
            name = f"{self.job.value} {number} of {at.isoformat()}"
            node = a_concept(name, user=scope.user_id, created_at=at, updated_at=at)
            with self.house.sleep.atomic(durable=True):
                if self.house.graph.get(scope, node.key) is None:
                    self.house.graph.put(scope, node)
                    written.append(node)
            if share is not None:
                share((number + 1) / self.steps)
        changes = tuple(
            Change(what="promoted", key=one.key, name=one.name, why="it was time")
            for one in written
        )
        counts = {"promoted": len(written)} if written else {}
        return Rest(job=self.job, at=at, counts=counts, changes=changes)


def asleep(
    memory: Memory,
    jobs: Mapping[SleepJob, NightJob],
    rules: TimetableRules | None = None,
) -> Memory:
    """The same memory with these jobs of the night instead of its own."""
    house = memory._house
    rounds = replace(house.sleep.rounds, jobs=tuple(jobs), rules=rules or house.sleep.rounds.rules)
    sleep = replace(house.sleep, jobs=jobs, rounds=rounds)
    work = replace(house.work, handlers={**house.work.handlers, JobKind.SLEEP: sleep.handle})
    return Memory(replace(house, sleep=sleep, work=work))


def diarists(
    memory: Memory, jobs: Iterable[SleepJob] = SleepJob, *, steps: int = 2
) -> dict[SleepJob, Diarist]:
    """One for each job; they all write their runs into one list."""
    runs: list[tuple[str, datetime]] = []
    return {job: Diarist(job=job, house=memory._house, steps=steps, runs=runs) for job in jobs}


def state_of(memory: Memory, user: str = "ada") -> str:
    """One line for the whole graph of a user."""
    house = memory._house
    exported = house.graph.export(house.registry.scope_of(user))
    return digest(exported, without=CIRCUMSTANCES)
