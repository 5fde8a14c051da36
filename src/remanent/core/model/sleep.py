"""Sleep: the jobs done while nobody waits, what each says it did, and sources that may become notes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from remanent.core.dataclasses import dataclass, field
from remanent.core.model.page import Worked


class SleepJob(StrEnum):
    """In the order of one night (SPEC 6, 7); `rules.timetable` says when each is due."""

    RECONSOLIDATE = "reconsolidate"  # links, summaries and forgetting of agents' events
    FADE = "fade"  # decay, and archiving of what has faded
    PROMOTE_MACROS = "promote_macros"
    REFRESH_MACROS = "refresh_macros"
    DESCRIBE = "describe"  # descriptions of anchors and relationships that have new notes
    PROMOTE = "promote"  # new storylines, and the closing of old ones
    REFRESH = "refresh"  # storylines that have new sources
    EXPIRE = "expire"  # notes past their time
    DISTIL = "distil"  # episodic to semantic: old sources become notes and are archived
    UPKEEP = "upkeep"  # beliefs: merge, contradictions, synthesis, pruning


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that a night did: what (a past participle, as "promoted"), to whom, and why."""

    what: str
    key: str
    name: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOutcome:
    """What one job did for one user at one time.

    `counts` has a number for every sort of change, also of those too many to be listed in `changes`;
    a job that found nothing to do has none. `left` is what its limit puts off to the next night.
    """

    job: SleepJob
    at: datetime
    counts: Mapping[str, int] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    left: int = 0

    @property
    def is_idle(self) -> bool:
        """Whether there was nothing to do."""
        return not any(self.counts.values())


class SkipReason(StrEnum):
    """Why a job was passed over."""

    OFF = "off"  # the timetable says never
    HELD = "held"  # another worker has it in hand
    DONE = "done"  # another worker has done it meanwhile
    WAITS = "waits"  # it comes after one that another worker has in hand
    STOPPED = "stopped"  # somebody asked to stop
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A job that was not done, and why; `at` is None where no time is set for it."""

    job: SleepJob
    at: datetime | None
    because: SkipReason
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledJob:
    """One line of a user's timetable: what the settings say, and where the job stands.

    `due` is the time that it is late for, `next` the one to come; a job that is off has neither.
    """

    job: SleepJob
    expression: str
    done_until: datetime | None = None
    due: datetime | None = None
    next: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NightReport:
    """What a user's sleep did: each job in its turn, and what was passed over.

    Before it, promised work was done (`worked`), or, in a dry run, only counted (`waiting`). `next` is
    the job that is due first after this.
    """

    user_id: str
    at: datetime
    outcomes: tuple[JobOutcome, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    worked: Worked = field(default_factory=Worked)
    waiting: int = 0
    next: ScheduledJob | None = None
    dry_run: bool = False

    @property
    def is_idle(self) -> bool:
        """Whether no job found anything to do."""
        return all(one.is_idle for one in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether something went wrong."""
        return any(one.because is SkipReason.FAILED for one in self.skipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class NightProgress:
    """Progress: the job in hand (none while promised work is done), and the share that lies behind."""

    user_id: str
    job: SleepJob | None
    at: datetime
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """How many jobs were promised now, and how long it is until another falls due."""

    promised: int
    wait: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WornSourceQuery:
    """Which sources are asked for: begun and recorded by `before`, not called on since `untouched`,
    and either worn (less salience than `salience_below`; or less than `accessed_below` though called
    on `accessed_from` times) or come to be old enough after `since`."""

    before: datetime
    since: datetime
    untouched: datetime
    salience_below: float
    accessed_from: int
    accessed_below: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WornSource:
    """One such source and the anchors it mentions; `is_worn` is false for one that is only old."""

    key: str
    at: datetime
    salience: float
    access_count: int
    is_worn: bool
    anchors: frozenset[str]
