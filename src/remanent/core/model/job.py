"""Jobs: work that was promised and will be done, whoever is killed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from remanent.core.dataclasses import dataclass, field


class JobKind(StrEnum):
    PROCESS = "process"
    EXTRACT = "extract"
    BELIEVE = "believe"
    SLEEP = "sleep"
    RECONSOLIDATE = "reconsolidate"
    PROJECT = "project"  # agents' events into the graph
    ENRICH = "enrich"  # and what they mean
    REEMBED = "reembed"  # everyone's entries, for another embedder


class JobState(StrEnum):
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    PARKED = "parked"


OPEN = (JobState.READY, JobState.RUNNING, JobState.PARKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongReading:
    """How far a long source has been read, in characters."""

    source_key: str
    kind: JobKind
    read_to: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work for one user. Among unfinished jobs `key` is unique: asking twice is once."""

    key: str
    kind: JobKind
    user_id: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime  # the latest has its turn first: what can wait says an earlier time
    run_at: datetime
    state: JobState = JobState.READY
    attempts: int = 0
    worker: str | None = None
    lease_until: datetime | None = None
    error: str | None = None
    parked_until: datetime | None = None  # None: until somebody retries it by hand

    @property
    def reading(self) -> LongReading | None:
        """How far the reading has come, of a job that is a slice of it."""
        if "of" not in self.payload:
            return None
        key, start, whole = (self.payload[name] for name in ("source_key", "from", "of"))
        return LongReading(source_key=key, kind=self.kind, read_to=start, characters=whole)


def new_job(kind: JobKind, user_id: str, now: datetime, *names: object, **payload: Any) -> Job:
    """Work that is due at once, under a key of its kind and these names."""
    key = ":".join(map(str, (kind.value, *names)))
    return Job(key=key, kind=kind, user_id=user_id, payload=payload, created_at=now, run_at=now)
