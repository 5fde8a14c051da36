"""Promised work in SQLite: one table, leases instead of locks."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from remanent.core.model.job import Job, JobKind, JobState
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import RowCodec, bound, to_micros

_CLEAR_DONE = "DELETE FROM jobs WHERE key = ? AND state = 'done' RETURNING id"
_ROWS = RowCodec(Job, "jobs")
_ENQUEUE = f"{_ROWS.insert()} ON CONFLICT (key) DO NOTHING RETURNING id"
# The states stand here word for word as in the partial index, or the index is not used.
_DUE = """
state IN ('ready', 'running') AND run_at <= :now AND (state = 'ready' OR lease_until <= :now)
  AND (:any_kind = 1 OR kind IN (SELECT value FROM json_each(:kinds)))
"""
_NEXT_USER = f"SELECT user_id FROM jobs WHERE user_id > :after AND {_DUE} ORDER BY user_id LIMIT 1"  # noqa: S608 - ours
_NEXT = f"""
SELECT id FROM jobs WHERE user_id = :user AND {_DUE} ORDER BY created_at DESC, id DESC LIMIT 1
/*pg FOR UPDATE SKIP LOCKED */
"""  # noqa: S608 - ours
_THIS_ONE = """
SELECT id FROM jobs
WHERE key = :key AND run_at <= :now
  AND (state = 'ready' OR state = 'running' AND lease_until <= :now)
/*pg FOR UPDATE SKIP LOCKED */
"""
_LEASE = f"""
UPDATE jobs SET state = 'running', worker = ?, lease_until = ?, attempts = attempts + 1
WHERE id = ? RETURNING {_ROWS.columns}
"""  # noqa: S608 - ours
_RENEW = """
UPDATE jobs SET lease_until = :until
WHERE key = :key AND worker = :worker AND state = 'running' RETURNING id
"""
_SETTLE = """
UPDATE jobs SET state = :state, worker = NULL, lease_until = NULL, error = :error, parked_until = :until,
                run_at = coalesce(:again, run_at), ended_at = :ended
WHERE key = :key AND worker = :worker AND state = 'running' RETURNING id
"""
_AS_IT_WAS = """
UPDATE jobs SET state = 'ready', worker = NULL, lease_until = NULL, attempts = max(attempts - 1, 0)
WHERE key = :key AND worker = :worker AND state = 'running' RETURNING id
"""
_IS_HELD = "SELECT 1 FROM jobs WHERE key = ? AND worker = ? AND state = 'running'"
_TO_WAKE = """
state = 'parked' AND (key = :key OR :key IS NULL AND parked_until <= :now)
"""
_ANY_TO_WAKE = f"SELECT 1 FROM jobs WHERE {_TO_WAKE} LIMIT 1"  # noqa: S608 - ours
_WAKE = f"""
UPDATE jobs SET state = 'ready', attempts = 0, error = NULL, ended_at = NULL, parked_until = NULL,
                run_at = CASE WHEN key = :key THEN :now ELSE parked_until END
WHERE {_TO_WAKE} RETURNING id
"""  # noqa: S608 - ours
_DROP = """
DELETE FROM jobs
WHERE key = :key AND (state IN ('ready', 'parked') OR :running = 1 AND state = 'running') RETURNING id
"""
_JOBS = f"""{_ROWS.select()}
WHERE (:user IS NULL OR user_id = :user)
  AND (:any_state = 1 OR state IN (SELECT value FROM json_each(:states)))
ORDER BY created_at, id LIMIT :limit
"""  # noqa: S608 - ours
_STRIKE = """
DELETE FROM jobs WHERE EXISTS (
    SELECT 1 FROM json_each(?) AS word
    WHERE instr(jobs.key, word.value) > 0 OR instr(jobs.payload, word.value) > 0
       OR instr(coalesce(jobs.error, ''), word.value) > 0
) RETURNING 1
"""
_COUNTS = """
SELECT state, count(*) FROM jobs WHERE :user IS NULL OR user_id = :user GROUP BY state
"""


class SqlQueue(OnDatabase):
    """A job is in the table once under its key; a new promise takes the place of a kept one."""

    def enqueue(self, job: Job) -> bool:
        values, execute = _ROWS.row(job), self._database.execute
        with self._database.transaction():  # most are promised for the first time
            is_new = execute(_ENQUEUE, values)
            return bool(is_new or (execute(_CLEAR_DONE, (job.key,)) and execute(_ENQUEUE, values)))

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
        if key is not None:
            return self._lease(_THIS_ONE, bound(key=key, now=now), worker, now + lease)
        wanted = bound(now=now, any_kind=not kinds, kinds=kinds)
        turn = user_id or self._next_user(wanted, after_user)
        if turn is None:
            return None
        return self._lease(_NEXT, {**wanted, "user": turn}, worker, now + lease)

    def _next_user(self, wanted: Mapping[str, Any], after: str) -> str | None:
        for start in dict.fromkeys((after, "")):
            if (
                row := self._database.fetch_one(_NEXT_USER, {**wanted, "after": start})
            ) is not None:
                return str(row[0])
        return None

    def _lease(
        self, which: str, wanted: Mapping[str, Any], worker: str, until: datetime
    ) -> Job | None:
        if self._database.fetch_one(which, wanted) is None:
            return None  # a worker with nothing to do must not keep the writers waiting
        with self._database.transaction(alone=False):
            job_row = self._database.fetch_one(which, wanted)
            if job_row is None:
                return None
            (row,) = self._database.execute(_LEASE, (worker, to_micros(until), job_row[0]))
        return _ROWS.of(row)

    def renew(self, key: str, worker: str, *, until: datetime | None = None) -> bool:
        if until is None:
            return self._database.fetch_one(_IS_HELD, (key, worker)) is not None
        return self._change(_RENEW, key=key, worker=worker, until=until)

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
        if at is None:
            return self._change(_AS_IT_WAS, key=key, worker=worker)
        again = state is JobState.READY
        times = {"again": at if again else None, "ended": None if again else at, "until": until}
        return self._change(_SETTLE, key=key, worker=worker, state=state, error=error, **times)

    def wake(self, *, now: datetime, key: str | None = None) -> int:
        values = bound(now=now, key=key)
        if self._database.fetch_one(_ANY_TO_WAKE, values) is None:
            return 0  # who only looks must not keep the writers waiting
        with self._database.transaction(alone=False):
            return len(self._database.execute(_WAKE, values))

    def drop(self, key: str, *, running: bool = False) -> bool:
        return self._change(_DROP, key=key, running=running)

    def strike(self, words: Collection[str]) -> int:
        with self._database.transaction():
            return len(self._database.execute(_STRIKE, (json.dumps(sorted(words)),)))

    def _change(self, sql: str, **values: Any) -> bool:
        with self._database.transaction(alone=False):
            return bool(self._database.execute(sql, bound(**values)))

    def jobs(
        self, *, user_id: str | None = None, states: Sequence[JobState] = (), limit: int = 100
    ) -> list[Job]:
        wanted = bound(user=user_id, any_state=not states, states=states, limit=limit)
        return [_ROWS.of(row) for row in self._database.execute(_JOBS, wanted)]

    def counts(self, *, user_id: str | None = None) -> Mapping[JobState, int]:
        counts: dict[str, int] = dict(self._database.execute(_COUNTS, {"user": user_id}))
        return {state: counts.get(state.value, 0) for state in JobState}
