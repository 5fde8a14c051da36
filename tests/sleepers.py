"""Jobs of the night for tests: they write down that they were there, in steps that can be cut short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from remanent.backup.rules import CIRCUMSTANCES
from remanent.core.env import Env, Night, NightJob
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.jobs.rules import TimetableRules
from remanent.memory import Memory
from remanent_conformance.builders import a_concept, digest


@dataclass
class Diarist:
    """Writes `steps` concepts for its time, each in a transaction of its own; what is there stays."""

    job: SleepJob
    env: Env
    steps: int = 2
    error: str = ""
    between: Callable[[int], object] = lambda number: None
    runs: list[tuple[str, datetime]] = field(default_factory=list)

    def __call__(self, night: Night) -> JobOutcome:
        scope, at = night.scope, night.at
        self.runs.append((self.job.value, at))
        if self.error:
            raise RuntimeError(self.error)
        for number in range(self.steps):
            self.between(number)
            name = f"{self.job.value} {number} of {at.isoformat()}"
            node = a_concept(name, user=scope.user_id, created_at=at, updated_at=at)
            with self.env.atomic(durable=True):
                if self.env.graph.get(scope, node.key) is None:
                    self.env.graph.put(scope, node)
                    night.note("promoted", node.key, node.name, "it was time")
            night.tell((number + 1) / self.steps)
        return night.outcome


def asleep(
    memory: Memory,
    jobs: Mapping[SleepJob, NightJob],
    rules: TimetableRules | None = None,
) -> Memory:
    """The same memory with these jobs of the night instead of its own."""
    env = memory.env
    config = replace(env.config, timetable=rules or env.config.timetable)
    return Memory(replace(env, config=config, nights=dict(jobs)))


def diarists(
    memory: Memory, jobs: Iterable[SleepJob] = SleepJob, *, steps: int = 2
) -> dict[SleepJob, Diarist]:
    """One for each job; they all write their runs into one list."""
    runs: list[tuple[str, datetime]] = []
    return {job: Diarist(job=job, env=memory.env, steps=steps, runs=runs) for job in jobs}


def state_of(memory: Memory, user: str = "ada") -> str:
    """One line for the whole graph of a user."""
    env = memory.env
    exported = env.graph.export(env.registry.scope_of(user))
    return digest(exported, without=CIRCUMSTANCES)
