"""Tally: what a job of the night has done so far, for its report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from remanent.core.model.sleep import Change, Rest, SleepJob
from remanent.core.model.story import Story

MOST_LISTED = 1000


@dataclass(slots=True, kw_only=True)
class Tally:
    job: SleepJob
    at: datetime
    left: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)

    def note(self, what: str, story: Story, why: str) -> None:
        """One more story to which that was done."""
        self.counts[what] += 1
        if len(self.changes) < MOST_LISTED:
            self.changes.append(Change(what=what, key=story.key, name=story.name, why=why))

    @property
    def rest(self) -> Rest:
        """The report."""
        return Rest(
            job=self.job,
            at=self.at,
            counts=dict(self.counts),
            changes=tuple(self.changes),
            left=self.left,
        )
