"""Night: the scheduled jobs of a user, done in order by one worker at a time (SPEC 7).

`work` does what was promised before, so that the night sees it.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

from remanent.core.checks import point
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env, Share
from remanent.core.interruption import Interrupted
from remanent.core.model.job import Job, JobKind, JobState, new_job
from remanent.core.model.page import Worked
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import (
    JobOutcome,
    NightProgress,
    NightReport,
    Scheduled,
    Skipped,
    SkipReason,
    SleepJob,
)
from remanent.core.records.export import NightPosition
from remanent.errors import BudgetSpent, InvalidInput
from remanent.jobs import schedule as timetable
from remanent.jobs import work
from remanent.jobs.schedule import DueJob
from remanent.jobs.work import format_error, work_jobs

Progress = Callable[[NightProgress], None]
Stop = Callable[[], bool]
_ALL: Final = 1_000_000

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepRequest:
    """Request to sleep: the nights up to a time, these jobs only, or only to say what would be."""

    until: datetime | None = None
    only: Collection[SleepJob] = ()
    dry_run: bool = False

    @property
    def is_now(self) -> bool:
        """Whether jobs were named to be done now, due or not."""
        return bool(self.only) and self.until is None


def sleep_nights(
    env: Env,
    scope: Scope,
    request: SleepRequest,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> NightReport:
    """Do what waits, then each job that is due.

    What was missed is done once, for the last time missed. With `until` every time up to then is
    made up for, one by one; with `only` the jobs named are done now, due or not.
    """
    _check(env, request)
    worked, waiting = Worked(), 0
    if request.dry_run:
        waiting = _waiting(env, scope.user_id)
    else:
        if progress is not None:
            progress(NightProgress(user_id=scope.user_id, job=None, at=env.clock.now(), share=0.0))
        worked = work_jobs(_by_day(env), user_id=scope.user_id, stop=stop)
    night = _DueJobs(env=env, scope=scope, request=request, due_jobs=_due_jobs(env, scope, request))
    outcomes, skipped = night.dry_run(progress) if request.dry_run else night.run(progress, stop)
    now = env.clock.now()
    return NightReport(
        user_id=scope.user_id,
        at=now,
        outcomes=tuple(outcomes),
        skipped=(*skipped, *_off(env, request)),
        worked=worked,
        waiting=waiting,
        next=timetable.first(env, scope, now),
        dry_run=request.dry_run,
    )


def _by_day(env: Env) -> Env:
    """The same memory, whose workers leave the jobs of the night alone: those are done below, in order."""
    day = dict(env.handlers)
    day.pop(JobKind.SLEEP, None)
    return replace(env, handlers=day)


def _check(env: Env, request: SleepRequest) -> None:
    until, now = point("until", request.until), env.clock.now()
    if until is not None and until > now:
        raise InvalidInput(
            "until", f"{until.isoformat()} has not come yet (now is {now.isoformat()})"
        )
    for job in request.only:
        if job not in env.nights:
            raise InvalidInput("only", f"{job.value!r} is not done here")


def _due_jobs(env: Env, scope: Scope, request: SleepRequest) -> list[DueJob]:
    now = env.clock.now()
    if request.until is not None:
        due_jobs = timetable.missed(env, scope, request.until)
        return [one for one in due_jobs if not request.only or one.job in request.only]
    if request.is_now:
        return [DueJob(job, now) for job in SleepJob if job in request.only]
    return timetable.due(env, scope, now)


def _off(env: Env, request: SleepRequest) -> list[Skipped]:
    off = () if request.is_now else timetable.off(env)
    asked = [job for job in off if not request.only or job in request.only]
    return [Skipped(job=job, at=None, because=SkipReason.OFF) for job in asked]


# -- by a worker ------------------------------------------------------------------------------


def schedule(env: Env, user_ids: Collection[str] = ()) -> Scheduled:
    """Promise the first job due to each of these users (default: all) whose other work is done.

    When that job is done it promises the next (`handle`), so that a night keeps its order however
    many workers there are.
    """
    now, promised, waits = env.clock.now(), 0, list[timedelta]()
    for user_id in user_ids or [one.user_id for one in env.registry.users()]:
        scope = env.registry.scope_of(user_id)
        table = timetable.timetable(env, scope, now)
        waits += [one.next - now for one in table if one.next is not None]
        if any(one.due for one in table) and not _waiting(env, user_id):
            promised += _promise_first(env, scope, now)
    return Scheduled(promised=promised, wait=min(waits, default=None))


def handle(env: Env, scope: Scope, payload: Mapping[str, str]) -> JobOutcome | None:
    """Do a promised job, unless somebody did it meanwhile, and promise the one that comes next."""
    due_job = DueJob(SleepJob(payload["job"]), datetime.fromisoformat(payload["tick"]))
    outcome = None
    if not is_done(env, scope, due_job):
        outcome = env.do_night_job(due_job.job, scope, due_job.tick)
        env.records.put(scope, NightPosition(job=due_job.job, done_until=due_job.tick))
    _promise_first(env, scope, env.clock.now())
    return outcome


def is_done(env: Env, scope: Scope, due_job: DueJob) -> bool:
    """Whether the job was done for this time, or a later one."""
    done = env.done_until(scope, due_job.job)
    return done is not None and done >= due_job.tick


def job_for(scope: Scope, due_job: DueJob, now: datetime) -> Job:
    """As the queue holds it: one job of a user is there once, whatever its time."""
    job, tick = due_job.job.value, due_job.tick.isoformat()
    return new_job(JobKind.SLEEP, scope.user_id, now, job, scope.user_id, job=job, tick=tick)


def _waiting(env: Env, user_id: str) -> int:
    counts = env.queue.counts(user_id=user_id)
    return counts[JobState.READY] + counts[JobState.RUNNING]


def _promise_first(env: Env, scope: Scope, now: datetime) -> bool:
    """What failed for good holds nothing up; it is tried again when its next time has come."""
    parked = env.queue.jobs(user_id=scope.user_id, states=[JobState.PARKED], limit=_ALL)
    given_up = {one.key: one.payload["tick"] for one in parked if one.kind is JobKind.SLEEP}
    for due_job in timetable.due(env, scope, now):
        job = job_for(scope, due_job, now)
        tick = given_up.get(job.key)
        if tick is not None and datetime.fromisoformat(tick) >= due_job.tick:
            continue
        if tick is not None:
            env.queue.drop(job.key)
        return env.queue.enqueue(job)
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class _DueJobs:
    """The jobs that are due, to be done in order."""

    env: Env
    scope: Scope
    request: SleepRequest
    due_jobs: list[DueJob]

    def dry_run(self, progress: Progress | None) -> tuple[list[JobOutcome], list[Skipped]]:
        """All of it, taken back at the end."""
        outcomes, skipped = list[JobOutcome](), list[Skipped]()
        with self.env.transaction(dry_run=True):
            for number, due_job in enumerate(self.due_jobs):
                try:
                    share = self._share(number, progress)
                    with self.env.atomic():
                        outcomes.append(self._do(due_job, share))
                except Exception as problem:  # noqa: BLE001 - a dry run tells of every failure
                    skipped.append(_skipped(due_job, SkipReason.FAILED, problem))
        return outcomes, skipped

    def run(
        self, progress: Progress | None, stop: Stop | None
    ) -> tuple[list[JobOutcome], list[Skipped]]:
        """Each job under its lease. What fails is parked and holds nothing else up; what another
        worker has in hand ends our night: the rest comes after it, and is that worker's."""
        outcomes, skipped, failed = list[JobOutcome](), list[Skipped](), set[SleepJob]()
        worker, over = f"sleep-{uuid.uuid4()}", None
        for number, due_job in enumerate(self.due_jobs):
            if over is None and stop is not None and stop():
                over = SkipReason.STOPPED
            if over is not None or due_job.job in failed:
                skipped.append(_skipped(due_job, over or SkipReason.FAILED))
                continue
            done = self._done(due_job, worker, self._share(number, progress), stop)
            if isinstance(done, JobOutcome):
                outcomes.append(done)
                continue
            skipped.append(done)
            if done.because is SkipReason.FAILED:
                failed.add(due_job.job)
            elif done.because is SkipReason.HELD:
                over = SkipReason.WAITS
        return outcomes, skipped

    def _done(
        self, due_job: DueJob, worker: str, share: Share | None, stop: Stop | None
    ) -> JobOutcome | Skipped:
        env, queue, now = self.env, self.env.queue, self.env.clock.now()
        job = job_for(self.scope, due_job, now)
        queue.drop(job.key)  # what waits or was given up begins anew
        queue.enqueue(job)
        if work.claim_job(env, worker, key=job.key) is None:
            return _skipped(due_job, SkipReason.HELD)
        try:
            outcome: JobOutcome | None = None
            with work.keep_lease(env, job, worker, stop):
                if self.request.is_now or not is_done(env, self.scope, due_job):
                    outcome = self._do(due_job, share)
                    done = NightPosition(job=due_job.job, done_until=due_job.tick)
                    env.records.put(self.scope, done)
        except Exception as problem:
            log.warning("job failed", extra={"job": job.key}, exc_info=True)
            until = problem.again_at if isinstance(problem, BudgetSpent) else None
            queue.settle(
                job.key,
                worker,
                JobState.PARKED,
                at=env.clock.now(),
                error=format_error(problem),
                until=until,
            )
            return _skipped(due_job, SkipReason.FAILED, problem)
        except Interrupted:
            return _skipped(due_job, SkipReason.STOPPED)
        queue.settle(job.key, worker, JobState.DONE, at=env.clock.now())
        return outcome or _skipped(due_job, SkipReason.DONE)

    def _do(self, due_job: DueJob, share: Share | None) -> JobOutcome:
        return self.env.do_night_job(due_job.job, self.scope, due_job.tick, share=share)

    def _share(self, number: int, progress: Progress | None) -> Share | None:
        if progress is None:
            return None
        job, at = self.due_jobs[number]
        phase = NightProgress(user_id=self.scope.user_id, job=job, at=at, share=0.0)

        def tell(share: float) -> None:
            progress(replace(phase, share=(number + share) / len(self.due_jobs)))

        tell(0.0)
        return tell


def _skipped(due_job: DueJob, because: SkipReason, problem: Exception | None = None) -> Skipped:
    error = "" if problem is None else format_error(problem)
    return Skipped(job=due_job.job, at=due_job.tick, because=because, error=error)
