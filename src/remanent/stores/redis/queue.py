"""Promised work in Redis: documents with leases, and a stream for each kind of work.

A job that waits is an entry of the stream of its kind; while a worker holds it, the entry is pending with
that consumer of the group `workers`; a lease that ran out is claimed by the next.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import redis

from remanent.core.model.job import Job, JobKind, JobState
from remanent.stores.redis.database import RedisDatabase
from remanent.stores.redis.indexes import HOT_SECONDS, Hash
from remanent.stores.sql.plain_rows import (
    UNDECODABLE,
    RowCodec,
    from_json,
    micros_or_none,
    to_json,
    to_micros,
    unreadable,
)

JOBS: Final = Hash("jobs")
_ROWS: Final = RowCodec(Job, "jobs")
_AT_ONCE: Final = 16
Row = dict[str, Any]


def row_of(text: str) -> Row:
    """The columns of a job's document."""
    row: Row = from_json(text, "jobs")
    return row


def job_of(row: Row) -> Job:
    """The job of these columns, or `DamagedMemory`."""
    try:
        return _ROWS.of(tuple(row[name] for name in _ROWS.names))
    except UNDECODABLE as error:
        raise unreadable("jobs", error) from error


class RedisQueue:
    """Each change is made of what was read, and made only if that still is so."""

    def __init__(self, database: RedisDatabase) -> None:
        self._database = database

    def _row(self, key: str) -> Row | None:
        text = self._database.get(JOBS, key)
        return None if text is None else row_of(text)

    def _put(self, row: Row, *, promise: bool = False) -> None:
        text = to_json(row, "payload")
        self._database.put(JOBS, row["key"], text, promise=promise, insist=False)

    # -- promising ----------------------------------------------------------------------------

    def enqueue(self, job: Job) -> bool:
        row = _ROWS.named(job)

        def step() -> bool:
            known, number = self._database.numbered(JOBS, job.key, "job")
            if known is not None:
                if row_of(known)["state"] != "done":
                    return False
                number = self._database.next_number("job")
            self._put({**row, "id": number, "ended_at": None}, promise=True)
            return True

        return self._database.at_once(step)

    # -- working ------------------------------------------------------------------------------

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
        at, until = to_micros(now), to_micros(now + lease)
        only = (str(at), user_id or "", after_user, json.dumps([one.value for one in kinds]))

        def due() -> Row | None:
            row = self._row(key if key is not None else self._database.next_job(*only))
            return row if row is not None and _is_free(row, at) else None

        def step() -> Job | None:
            if (row := due()) is None:
                return None
            held = {"state": "running", "worker": worker, "lease_until": until}
            row = row | held | {"attempts": row["attempts"] + 1}
            self._put(row)
            return job_of(row)

        # A worker with nothing to do must not keep the writers waiting.
        return None if due() is None else self._database.at_once(step)

    def renew(self, key: str, worker: str, *, until: datetime | None = None) -> bool:
        if until is None:
            return _is_held(self._row(key), worker)
        return self._change(key, worker, {"lease_until": to_micros(until)})

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
        free: Row = {"state": state.value, "worker": None, "lease_until": None}
        if at is None:
            return self._change(key, worker, free | {"state": "ready"}, attempts=-1)
        told = {"error": error, "parked_until": micros_or_none(until)}
        if state is JobState.READY:
            return self._change(
                key, worker, free | told | {"run_at": to_micros(at), "ended_at": None}
            )
        settled = self._change(key, worker, free | told | {"ended_at": to_micros(at)})
        if settled and state is JobState.DONE:
            self._let_go(to_micros(at) - HOT_SECONDS * 1_000_000)
        return settled

    def _let_go(self, before: int) -> None:
        """Forget what is done of some jobs from before then: memory is dear."""
        done = self._database.key(JobState.DONE.value)
        some = ("ZRANGE", done, "-inf", before, "BYSCORE", "LIMIT", 0, _AT_ONCE)
        names = [one.split(" ", 2)[2] for one in self._database.ask(*some)]

        def step() -> None:
            for name in names:
                if (row := self._row(name)) is not None and row["state"] == JobState.DONE.value:
                    self._database.put(JOBS, name, None, insist=False)

        if names:
            self._database.at_once(step)

    def _change(self, key: str, worker: str, values: Row, *, attempts: int = 0) -> bool:
        """Give the job these values, if the worker holds it."""

        def step() -> bool:
            row = self._row(key)
            if row is None or not _is_held(row, worker):
                return False
            self._put(row | values | {"attempts": max(row["attempts"] + attempts, 0)})
            return True

        return self._database.at_once(step)

    # -- by hand ------------------------------------------------------------------------------

    def wake(self, *, now: datetime, key: str | None = None) -> int:
        at = to_micros(now)
        clean: Row = {
            "state": "ready",
            "attempts": 0,
            "error": None,
            "ended_at": None,
            "parked_until": None,
        }

        def due() -> list[Row]:
            rows = self._asleep(at) if key is None else [self._row(key)]
            return [row for row in rows if row is not None and row["state"] == "parked"]

        def step() -> int:
            rows = due()
            for row in rows:
                self._put(row | clean | {"run_at": at if key is not None else row["parked_until"]})
            return len(rows)

        return self._database.at_once(step) if due() else 0

    def _asleep(self, at: int) -> Iterator[Row]:
        """What was parked until then."""
        names = self._database.ask("ZRANGE", self._database.key("asleep"), "-inf", at, "BYSCORE")
        for name in {**dict.fromkeys(names), **self._database.changed(JOBS)}:
            row = self._row(name)
            if row is not None and row["parked_until"] is not None and row["parked_until"] <= at:
                yield row

    def drop(self, key: str, *, running: bool = False) -> bool:
        states = {"ready", "parked", *(["running"] if running else [])}

        def step() -> bool:
            row = self._row(key)
            if row is None or row["state"] not in states:
                return False
            self._database.put(JOBS, key, None, insist=running)
            return True

        return self._database.at_once(step)

    def strike(self, words: Collection[str]) -> int:
        def step() -> int:
            named = [
                row["key"]
                for row in map(row_of, self._database.all(JOBS).values())
                if any(one in text for one in words for text in _texts(row))
            ]
            for key in named:
                self._database.put(JOBS, key, None)
            return len(named)

        return self._database.at_once(step)

    # -- looking ------------------------------------------------------------------------------

    def jobs(
        self, *, user_id: str | None = None, states: Sequence[JobState] = (), limit: int = 100
    ) -> list[Job]:
        most, changed = max(0, limit), self._database.changed(JOBS)
        last = most + len(changed) - 1
        keys = [self._set(one, user_id) for one in states or JobState]
        pages = self._database.ask_all([("ZRANGE", key, 0, last) for key in keys]) if most else []
        names = [one.split(" ", 2)[2] for page in pages for one in page]
        rows = [row_of(text) for _, text in self._database.stored(JOBS, names)]
        rows += [row_of(text) for text in changed.values() if text is not None]
        wanted = {one.value for one in states or JobState}
        fitting = (
            row
            for row in rows
            if row["state"] in wanted and (user_id is None or row["user_id"] == user_id)
        )
        return list(map(job_of, sorted(fitting, key=_age)[:most]))

    def counts(self, *, user_id: str | None = None) -> Mapping[JobState, int]:
        known = self._database.ask_all([("ZCARD", self._set(one, user_id)) for one in JobState])
        counts = dict(zip(JobState, known, strict=True))
        changes = ((self._database.changed(JOBS), 1), (self._database.before(JOBS), -1))
        for texts, sign in changes:
            for row in (row_of(text) for text in texts.values() if text is not None):
                if user_id is None or row["user_id"] == user_id:
                    counts[JobState(row["state"])] += sign
        return counts

    def _set(self, state: JobState, user_id: str | None) -> str:
        return self._database.key(state.value, *(() if user_id is None else (user_id,)))

    def wait_for_work(self, timeout_s: float) -> bool:
        """Whether a job was promised within that time, by anybody."""
        streams = {self._database.key("work", kind.value): "$" for kind in JobKind}
        wait_ms = max(1, int(timeout_s * 1000))

        def listen(client: redis.Redis) -> Any:
            return client.xread(streams, count=1, block=wait_ms)  # type: ignore[arg-type]

        return bool(self._database.server.ask(listen))


def _is_free(row: Row, at: int) -> bool:
    due = row["state"] == "ready" or (row["state"] == "running" and row["lease_until"] <= at)
    return bool(row["run_at"] <= at and due)


def _is_held(row: Row | None, worker: str) -> bool:
    return row is not None and row["state"] == "running" and bool(row["worker"] == worker)


def _texts(row: Row) -> tuple[str, ...]:
    return row["key"], row["payload"], row["error"] or ""


def _age(row: Row) -> tuple[int, int]:
    return row["created_at"], row["id"]
