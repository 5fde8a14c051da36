"""Spending, remembered answers, and requests with a name of their own, in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.spending import Answer, Spent
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import RowCodec, to_micros

_SPENDING = RowCodec(Spent, "spending")
_OF_WHAT: Final = ("user_id", "day", "job", "task", "model")
_SUMS: Final = [name for name in _SPENDING.names if name not in _OF_WHAT]
_SPEND = f"""{_SPENDING.insert()} ON CONFLICT ({", ".join(_OF_WHAT)}) DO UPDATE SET
{", ".join(f"{name} = spending.{name} + excluded.{name}" for name in _SUMS)}
"""
_SPENT = f"{_SPENDING.select()} WHERE user_id = ? AND day >= ? ORDER BY day, job, task, model"
_BY_ALL = f"""
SELECT '', min(day), '', task, model, {", ".join(f"sum({name})" for name in _SUMS)}
FROM spending GROUP BY task, model ORDER BY task, model
"""  # noqa: S608
_EVER: Final = "0001-01-01"


class SqlSpending(OnDatabase):
    """What minds cost, summed up by day."""

    def spend(self, spent: Spent) -> None:
        with self._database.transaction():
            self._database.execute(_SPEND, _SPENDING.row(spent))

    def spent(self, scope: Scope, since: date | None = None) -> Sequence[Spent]:
        first = _EVER if since is None else since.isoformat()
        return [_SPENDING.of(row) for row in self._database.execute(_SPENT, (scope.user_id, first))]

    def spent_by_all(self) -> Sequence[Spent]:
        return [_SPENDING.of(row) for row in self._database.execute(_BY_ALL)]


_ANSWERS = RowCodec(Answer, "answers")
_ANSWER = f"{_ANSWERS.select()} WHERE user_id = ? AND digest = ?"
_KEEP = f"{_ANSWERS.insert()} ON CONFLICT (user_id, digest) DO NOTHING"
_SPENT_of_answers = """
SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM answers WHERE user_id = ?
"""
_UNLEARN = "DELETE FROM answers WHERE user_id = ? RETURNING 1"
_UNLEARN_SOURCE = "DELETE FROM answers WHERE user_id = ? AND source_key = ? RETURNING 1"
_UNLEARN_SINCE = """
DELETE FROM answers WHERE user_id = ? AND source_key IS NULL AND answered_at >= ? RETURNING 1
"""


class SqlAnswers(OnDatabase):
    """What minds said, kept for whom they said it to."""

    def answer(self, scope: Scope, digest: str) -> Answer | None:
        row = self._database.fetch_one(_ANSWER, (scope.user_id, digest))
        return None if row is None else _ANSWERS.of(row)

    def keep(self, answer: Answer) -> None:
        with self._database.transaction():
            self._database.execute(_KEEP, _ANSWERS.row(answer))

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


_REPLAYS = RowCodec(IdempotentRequest, "replays")
_FIND = f"{_REPLAYS.select()} WHERE user_id = ? AND asker = ? AND name = ?"
_MAKE_ROOM = """
DELETE FROM replays WHERE user_id = ? AND asker = ? AND name = ?
AND (expires_at <= ? OR (status IS NULL AND begun_at < ?))
"""
_PUT = f"{_REPLAYS.insert()} ON CONFLICT (user_id, asker, name) DO NOTHING"
_FINISH = """
UPDATE replays SET status = ?, media = ?, body = ?
WHERE user_id = ? AND asker = ? AND name = ? AND claim = ? RETURNING 1
"""
_DROP = "DELETE FROM replays WHERE user_id = ? AND asker = ? AND name = ? AND claim = ?"
_PURGE = "DELETE FROM replays WHERE expires_at <= ? RETURNING 1"
_UNLEARN_of_idempotency = "DELETE FROM replays WHERE user_id = ? RETURNING 1"


class SqlIdempotency(OnDatabase):
    """Requests with a name, and their answers."""

    def begin(
        self, scope: Scope, replay: IdempotentRequest, *, stale: datetime
    ) -> IdempotentRequest:
        """Put it there, on the disk, unless one of its name is; what is there then."""
        place = (scope.user_id, replay.asker, replay.name)
        room = (*place, to_micros(replay.begun_at), to_micros(stale))
        with self._database.transaction(durable=True):
            self._database.execute(_MAKE_ROOM, room)
            self._database.execute(_PUT, _REPLAYS.row(replace(replay, user_id=scope.user_id)))
            (row,) = self._database.execute(_FIND, place)
        return _REPLAYS.of(row)

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
