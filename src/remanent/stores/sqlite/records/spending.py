"""Spending in SQLite.

Remembered answers in SQLite.

Replays in SQLite.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.spending import Answer, Spent
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.plain_rows import from_micros, to_micros

_SPEND = """
INSERT INTO spending (user_id, day, job, task, model, calls, tokens_in, tokens_out, usd, unpriced,
                      repairs, failures, fallbacks)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, day, job, task, model) DO UPDATE SET
    calls = calls + excluded.calls,
    tokens_in = tokens_in + excluded.tokens_in,
    tokens_out = tokens_out + excluded.tokens_out,
    usd = usd + excluded.usd,
    unpriced = unpriced + excluded.unpriced,
    repairs = repairs + excluded.repairs,
    failures = failures + excluded.failures,
    fallbacks = fallbacks + excluded.fallbacks
"""
_SPENT = """
SELECT user_id, day, job, task, model, calls, tokens_in, tokens_out, usd, unpriced, repairs,
       failures, fallbacks
FROM spending WHERE user_id = ? AND day >= ? ORDER BY day, job, task, model
"""
_BY_ALL = """
SELECT '', min(day), '', task, model, sum(calls), sum(tokens_in), sum(tokens_out), sum(usd),
       sum(unpriced), sum(repairs), sum(failures), sum(fallbacks)
FROM spending GROUP BY task, model ORDER BY task, model
"""
_EVER: Final = "0001-01-01"


class SqliteSpending:
    """What minds cost, summed up by day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def spend(self, spent: Spent) -> None:
        values = (
            spent.user_id,
            spent.day.isoformat(),
            spent.job,
            spent.task,
            spent.model,
            spent.calls,
            spent.tokens_in,
            spent.tokens_out,
            spent.usd,
            spent.unpriced,
            spent.repairs,
            spent.failures,
            spent.fallbacks,
        )
        with self._database.transaction():
            self._database.execute(_SPEND, values)

    def spent(self, scope: Scope, since: date | None = None) -> Sequence[Spent]:
        first = _EVER if since is None else since.isoformat()
        return [_row(row) for row in self._database.execute(_SPENT, (scope.user_id, first))]

    def spent_by_all(self) -> Sequence[Spent]:
        return [_row(row) for row in self._database.execute(_BY_ALL)]


def _row(row: Row) -> Spent:
    return Spent(
        user_id=row[0],
        day=date.fromisoformat(row[1]),
        job=row[2],
        task=row[3],
        model=row[4],
        calls=row[5],
        tokens_in=row[6],
        tokens_out=row[7],
        usd=row[8],
        unpriced=row[9],
        repairs=row[10],
        failures=row[11],
        fallbacks=row[12],
    )


_ANSWER = """
SELECT digest, user_id, mind, task, text, answered_at, tokens_in, tokens_out, source_key
FROM answers WHERE user_id = ? AND digest = ?
"""
_KEEP = """
INSERT INTO answers (digest, user_id, mind, task, text, answered_at, tokens_in, tokens_out,
                     source_key)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, digest) DO NOTHING
"""
_SPENT_of_answers = """
SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM answers WHERE user_id = ?
"""
_UNLEARN = "DELETE FROM answers WHERE user_id = ? RETURNING 1"
_UNLEARN_SOURCE = "DELETE FROM answers WHERE user_id = ? AND source_key = ? RETURNING 1"
_UNLEARN_SINCE = """
DELETE FROM answers WHERE user_id = ? AND source_key IS NULL AND answered_at >= ? RETURNING 1
"""


class SqliteAnswers:
    """What minds said, kept for whom they said it to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def answer(self, scope: Scope, digest: str) -> Answer | None:
        row = self._database.fetch_one(_ANSWER, (scope.user_id, digest))
        if row is None:
            return None
        return Answer(
            digest=row[0],
            user_id=row[1],
            mind=row[2],
            task=row[3],
            text=row[4],
            answered_at=from_micros(row[5]),
            tokens_in=row[6],
            tokens_out=row[7],
            source_key=row[8],
        )

    def keep(self, answer: Answer) -> None:
        values = (
            answer.digest,
            answer.user_id,
            answer.mind,
            answer.task,
            answer.text,
            to_micros(answer.answered_at),
            answer.tokens_in,
            answer.tokens_out,
            answer.source_key,
        )
        with self._database.transaction():
            self._database.execute(_KEEP, values)

    def spent(self, scope: Scope) -> tuple[int, int]:
        ((tokens_in, tokens_out),) = self._database.execute(_SPENT_of_answers, (scope.user_id,))
        return int(tokens_in), int(tokens_out)

    def unlearn(self, scope: Scope, source_key: str | None = None) -> int:
        with self._database.transaction():
            if source_key is None:
                return len(self._database.execute(_UNLEARN, (scope.user_id,)))
            return len(self._database.execute(_UNLEARN_SOURCE, (scope.user_id, source_key)))

    def unlearn_since(self, scope: Scope, moment: datetime) -> int:
        """Take away answers since then that are about no one source; how many there were."""
        with self._database.transaction():
            values = (scope.user_id, to_micros(moment))
            return len(self._database.execute(_UNLEARN_SINCE, values))


_FIND = """
SELECT user_id, asker, name, request, claim, begun_at, expires_at, status, media, body
FROM replays WHERE user_id = ? AND asker = ? AND name = ?
"""
_MAKE_ROOM = """
DELETE FROM replays WHERE user_id = ? AND asker = ? AND name = ?
AND (expires_at <= ? OR (status IS NULL AND begun_at < ?))
"""
_PUT = """
INSERT INTO replays (user_id, asker, name, request, claim, begun_at, expires_at, status, media, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, asker, name) DO NOTHING
"""
_FINISH = """
UPDATE replays SET status = ?, media = ?, body = ?
WHERE user_id = ? AND asker = ? AND name = ? AND claim = ? RETURNING 1
"""
_DROP = "DELETE FROM replays WHERE user_id = ? AND asker = ? AND name = ? AND claim = ?"
_PURGE = "DELETE FROM replays WHERE expires_at <= ? RETURNING 1"
_UNLEARN_of_idempotency = "DELETE FROM replays WHERE user_id = ? RETURNING 1"


class SqliteIdempotency:
    """Requests with a name, and their answers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self, scope: Scope, replay: IdempotentRequest, *, stale: datetime
    ) -> IdempotentRequest:
        """Put it there, on the disk, unless one of its name is; what is there then."""
        place = (scope.user_id, replay.asker, replay.name)
        room = (*place, to_micros(replay.begun_at), to_micros(stale))
        values = (
            *place,
            replay.request,
            replay.claim,
            to_micros(replay.begun_at),
            to_micros(replay.expires_at),
            replay.status,
            replay.media,
            replay.body,
        )
        with self._database.transaction(durable=True):
            self._database.execute(_MAKE_ROOM, room)
            self._database.execute(_PUT, values)
            (row,) = self._database.execute(_FIND, place)
        return _replay(row)

    def finish(self, replay: IdempotentRequest) -> bool:
        values = (replay.status, replay.media, replay.body, *_claim(replay))
        with self._database.transaction(durable=True):
            return bool(self._database.execute(_FINISH, values))

    def drop(self, replay: IdempotentRequest) -> None:
        """Take back a claim that came to nothing."""
        with self._database.transaction():
            self._database.execute(_DROP, _claim(replay))

    def purge(self, now: datetime) -> int:
        with self._database.transaction():
            return len(self._database.execute(_PURGE, (to_micros(now),)))

    def unlearn(self, scope: Scope) -> int:
        with self._database.transaction():
            return len(self._database.execute(_UNLEARN_of_idempotency, (scope.user_id,)))


def _claim(replay: IdempotentRequest) -> tuple[str, str, str, str]:
    return replay.user_id, replay.asker, replay.name, replay.claim


def _replay(row: Row) -> IdempotentRequest:
    return IdempotentRequest(
        user_id=row[0],
        asker=row[1],
        name=row[2],
        request=row[3],
        claim=row[4],
        begun_at=from_micros(row[5]),
        expires_at=from_micros(row[6]),
        status=row[7],
        media=row[8],
        body=bytes(row[9]),
    )
