"""Quota: what the limit of a job still lets it do in one night (SPEC 6, 7).

Kept beside the ledger, one number for each limit: a second run of a night and one after a crash
go on where the first stopped, and the next night begins anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from remanent.core.env import Env
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import SleepJob
from remanent.core.ports.ledger import Ledger
from remanent.jobs.rules.timetable import night_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE: Final = timedelta(minutes=1)
_NIGHT: Final = 1 << 32  # a place is the minute in which a night began, and what was done in it


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """Quota of one job in one night. What was done counts for the last night begun: going back in time gives
    nobody more than that."""

    ledger: Ledger
    scope: Scope
    mark: str
    begun: int
    most: int

    @property
    def left(self) -> int:
        """How much more may be done."""
        return max(0, self.most - self._done[1])

    def take(self, count: int) -> None:
        """So much was done: called in the transaction that does it."""
        begun, done = self._done
        self.ledger.advance(self.scope, self.mark, begun * _NIGHT + min(done + count, _NIGHT - 1))

    @property
    def _done(self) -> tuple[int, int]:
        begun, done = divmod(self.ledger.position(self.scope, self.mark), _NIGHT)
        return (begun, done) if begun >= self.begun else (self.begun, 0)


def quota_of(
    env: Env, scope: Scope, job: SleepJob, at: datetime, most: int, *, of: str = ""
) -> Quota:
    """Up to `most` of something in the night of `job` that `at` lies in."""
    user = env.registry.user(scope.user_id)
    zone = ZoneInfo("UTC" if user is None else user.timezone)
    begun = (night_of(env.config.timetable.cron(job), zone, at) - _EPOCH) // _MINUTE
    mark = f"sleep.{job.value}.{of}" if of else f"sleep.{job.value}"
    return Quota(ledger=env.ledger, scope=scope, mark=mark, begun=max(0, begun), most=max(0, most))
