"""Jobs beside blocks: one is seen before what was promised with it is derived."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from remanent.clock import stopwatch
from remanent.core.model.job import Job, JobState
from remanent.core.model.scope import Scope
from remanent.core.ports.queue import Queue
from remanent.stores.combined.block import Block


def wait_before_work(queue: Queue, block: Block) -> None:
    """Let `claim` return when what the job is about is derived, or mended, and the job is still the worker's:
    whoever has promised it may still be at it. Who claims a job inside a block is that one.

    What time it is by the caller's clock is not known here: whoever has waited long prolongs the lease."""
    claim = queue.claim

    def claim_in_turn(worker: str, *, now: datetime, lease: timedelta, **which: Any) -> Job | None:
        while True:
            began = stopwatch()
            job = claim(worker, now=now, lease=lease, **which)
            if job is None or block.is_open:
                return job
            _await_block(queue, block, job, worker)
            if timedelta(seconds=stopwatch() - began) < lease / 3 or queue.renew(job.key, worker):
                return job  # and not one that was given to another meanwhile

    setattr(queue, "claim", claim_in_turn)  # noqa: B010 - as the wall does it


def _await_block(queue: Queue, block: Block, job: Job, worker: str) -> None:
    try:
        with block.atomic(Scope(user_id=job.user_id)):
            pass
    except BaseException:
        queue.settle(job.key, worker, JobState.READY, at=None)
        raise
