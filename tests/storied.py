"""A life for tests of stories: days with notes about things, and nights."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from remanent.backup.rules import CIRCUMSTANCES
from remanent.clock import SteppedClock
from remanent.core.model.anchor import Anchor
from remanent.core.model.mind_types import Candidate, Reading
from remanent.core.model.node import Kind
from remanent.core.model.sleep import JobOutcome, SleepJob
from remanent.core.model.source import Source
from remanent.core.model.story import Macro, Storyline
from remanent.core.records.access import Role, Team
from remanent.memory import Memory, UserMemory
from remanent.stories.sources import sources_of
from remanent.testing import ScriptedMind
from remanent_conformance.builders import digest

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DAY = timedelta(days=1)
NIGHT = timedelta(hours=18)  # from nine in the morning to three at night
SAID = ("one thing", "another thing", "a third thing")
JOBS = (SleepJob.PROMOTE_MACROS, SleepJob.REFRESH_MACROS, SleepJob.PROMOTE, SleepJob.REFRESH)


def named(reading: Reading) -> list[Candidate]:
    """Every `@Name` is a project."""
    text = "\n".join(passage.text for passage in reading.passages)
    return [
        Candidate(kind=Kind.ENTITY, name=name, confidence=9.0, subpoints=SAID, type="project")
        for name in dict.fromkeys(re.findall(r"@(\w+)", text))
    ]


def a_mind(**fields: Any) -> ScriptedMind:
    return ScriptedMind(candidates=named, **fields)


@dataclass
class Life:
    """One user, day by day from `START` on."""

    me: UserMemory
    clock: SteppedClock
    notes: int = 0

    def day(self, number: float, *texts: str, at: float | None = None, **fields: Any) -> list[str]:
        """On that day these notes are taken in, dated on that day or on day `at`."""
        self.clock.move_to(max(self.clock.now(), START + number * DAY))
        dated = START + (number if at is None else at) * DAY
        keys = []
        for text in texts:
            self.notes += 1
            said = f"{text} No. {self.notes}."
            keys.append(self.me.add(said, started_at=dated, **fields))
        self.me.work()
        return keys

    def burst(self, days: Iterable[float], name: str, **fields: Any) -> list[str]:
        return [key for day in days for key in self.day(day, f"@{name} on day {day}.", **fields)]

    def night(self, number: float, *jobs: SleepJob) -> dict[SleepJob, JobOutcome]:
        """The night after that day."""
        at = START + number * DAY + NIGHT
        self.clock.move_to(max(self.clock.now(), at))
        env, scope = self.me.env, self.me.scope
        return {job: env.do_night_job(job, scope, at) for job in jobs or JOBS}

    def storylines(self, name: str | None = None) -> list[Storyline]:
        found = self.me.stories(kind="storyline", anchor=name, limit=1000)
        stories = [one for one in found if isinstance(one, Storyline)]
        return sorted(stories, key=lambda one: (one.started_at, one.key))

    def macros(self) -> list[Macro]:
        return [one for one in self.me.stories(kind="macro") if isinstance(one, Macro)]

    def anchor(self, name: str) -> Anchor:
        return next(one for one in self.me.anchors(include_archived=True) if one.name == name)

    def sources(self, story: Storyline) -> list[str]:
        found = sources_of(self.me.env, self.me.scope, story.key)
        return [one.key for one in found]

    def source(self, key: str) -> Source:
        found = self.me.env.graph.get(self.me.scope, key)
        assert isinstance(found, Source)
        return found

    @property
    def digest(self) -> str:
        exported = self.me.env.graph.export(self.me.scope)
        return digest(exported, without=CIRCUMSTANCES)


def a_team(memory: Memory, *members: str) -> None:
    registry = memory.env.registry
    registry.put_team(Team(team_id="crew", name="Crew", created_at=START))
    for one in members:
        memory.user(one)
        registry.join("crew", one, Role.MEMBER, START)
