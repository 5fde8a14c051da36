"""Run of one job of the night for one user: its time, its quota, its progress and its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from remanent.core.env import Env, Share
from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.model.story import Story
from remanent.core.new_event import new_event
from remanent.jobs.quota import Quota, quota_of

MOST_LISTED = 1000
T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class JobRun:
    """One job, done for one user at one time. `left` is what its quota puts off to the next night."""

    env: Env
    scope: Scope
    job: SleepJob
    at: datetime
    quota: Quota
    share: Share | None = None
    left: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    def each(self, chosen: Sequence[T]) -> Iterator[T]:
        """One after another; after each, how far the job is."""
        for done, one in enumerate(chosen, 1):
            yield one
            self.tell(done / len(chosen))

    def tell(self, part: float) -> None:
        """Say that so much of the job, from 0 to 1, lies behind us."""
        if self.share is not None:
            self.share(part)

    def event(self, kind: str, payload: Mapping[str, Any]) -> Event:
        """What the job decided, as the ledger is told of it."""
        user_id, now = self.scope.user_id, self.env.clock.now()
        return new_event(user_id, kind, payload, now=now, occurred_at=self.at)

    def note(self, what: str, story: Story, why: str) -> None:
        """One more story to which that was done."""
        self.counts[what] += 1
        if len(self.changes) < MOST_LISTED:
            self.changes.append(Change(what=what, key=story.key, name=story.name, why=why))

    @property
    def report(self) -> Rest:
        """What the job did."""
        return Rest(
            job=self.job,
            at=self.at,
            counts=dict(self.counts),
            changes=tuple(self.changes),
            left=self.left,
        )


def run_of(
    env: Env, scope: Scope, job: SleepJob, at: datetime, most: int, *, share: Share | None
) -> JobRun:
    """The run of a job at `at`, which may do up to `most` in one night."""
    quota = quota_of(env, scope, job, at, most)
    return JobRun(env=env, scope=scope, job=job, at=at, quota=quota, share=share)
