"""The queue: promised work, leased to one worker at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from remanent.core.model.job import Job, JobKind, JobState


class Queue(Protocol):
    """Times come from the caller's clock. A lease that ran out is anyone's to take over."""

    def enqueue(self, job: Job) -> bool:
        """Promise the job. False, and no change, while an unfinished one has its key."""

    def claim(
        self,
        worker: str,
        *,
        now: datetime,
        lease: timedelta,
        key: str | None = None,
        user_id: str | None = None,
        kinds: Sequence[JobKind] = (),
        after_user: str = "",
    ) -> Job | None:
        """Lease a due job to `worker` and count the attempt; two workers never hold one.

        It is the newest of the first user, in order of id, who comes after `after_user` and has any;
        after the last user comes the first again. A worker that names whom it served last is fair.
        With `key` it is this very job, if it is due and free.
        """

    def renew(self, key: str, worker: str, *, until: datetime | None = None) -> bool:
        """Prolong the lease; False when it is no longer this worker's. Without `until` it only looks, so
        that it can be asked often."""

    def settle(
        self,
        key: str,
        worker: str,
        state: JobState,
        *,
        at: datetime | None,
        error: str | None = None,
        until: datetime | None = None,
    ) -> bool:
        """Let go of the job: done at that time, to be tried again from then on, or parked with its
        error, until someone wakes it by hand or, with `until`, the first `wake` from then on does.
        False when it is no longer this worker's.

        Ready at None gives it back as it was before it was claimed: no attempt counted, due as before."""

    def wake(self, *, now: datetime, key: str | None = None) -> int:
        """Make ready again, with a clean slate, what was parked until now or earlier, or the parked job
        of that key, now; how many."""

    def jobs(
        self, *, user_id: str | None = None, states: Sequence[JobState] = (), limit: int = 100
    ) -> list[Job]:
        """Jobs, oldest first."""

    def counts(self, *, user_id: str | None = None) -> Mapping[JobState, int]:
        """How many jobs are in each state."""

    def drop(self, key: str, *, running: bool = False) -> bool:
        """Take a ready or parked job away for good, with `running` also one that a worker holds, who
        then finds it gone; False when it is done or not there."""

    def strike(self, words: Collection[str]) -> int:
        """Take away every job that names one of these, whoever is at it, with what it said of its
        failures; how many."""
