"""Sleep's part of `UserMemory`: the jobs of the night, done or promised, and their timetable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from remanent.core.checks import choice, point
from remanent.core.later import later
from remanent.core.model.sleep import NightProgress, NightReport, Scheduled, ScheduledJob, SleepJob
from remanent.core.user_handle import UserHandle

if TYPE_CHECKING:
    from remanent.jobs import schedule
    from remanent.sleep import night
else:
    schedule = later("remanent.jobs.schedule")
    night = later("remanent.sleep.night")

Jobs = Sequence[str | SleepJob]
SleepProgress = Callable[[NightProgress], None]
Stop = Callable[[], bool]


class SleepApi(UserHandle):
    """The jobs of the night, by hand."""

    def sleep(
        self,
        until: datetime | None = None,
        *,
        only: Jobs = (),
        dry_run: bool = False,
        progress: SleepProgress | None = None,
        stop: Stop | None = None,
    ) -> NightReport:
        """Do promised work, then every job of the night that is due; what each did, and why.

        A job that missed several nights is done once, for the last of them; with `until`, once for
        each night up to then. `only` does the jobs named, due or not. `stop` is asked between jobs.
        """
        request = checked_request(until, only, dry_run=dry_run)
        return night.sleep_nights(self.env, self._full_scope, request, progress=progress, stop=stop)

    def timetable(self) -> list[ScheduledJob]:
        """Every job of the night: when, up to when it was done, and when it is due."""
        return schedule.timetable(self.env, self.scope, self.env.clock.now())

    def schedule(self) -> Scheduled:
        """Promise what is due, for `work` to do; call it again after `wait`, or when work is done."""
        return night.schedule(self.env, [self.user_id])


def checked_request(until: object, only: Jobs, *, dry_run: bool) -> night.SleepRequest:
    """The request to sleep, checked."""
    named = [only] if isinstance(only, str) else only
    jobs = {choice("only", SleepJob, one) for one in named}
    return night.SleepRequest(until=point("until", until), only=frozenset(jobs), dry_run=dry_run)
