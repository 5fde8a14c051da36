"""Replays in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.core.model.scope import Scope
from remanent.core.records.idempotency import IdempotentRequest
from remanent.stores.sqlite.columns import from_micros, to_micros
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database

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
_UNLEARN = "DELETE FROM replays WHERE user_id = ? RETURNING 1"


class SqliteReplays:
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
        """Keep the answer, on the disk; False if another has it in hand by now."""
        values = (replay.status, replay.media, replay.body, *_claim(replay))
        with self._database.transaction(durable=True):
            return bool(self._database.execute(_FINISH, values))

    def drop(self, replay: IdempotentRequest) -> None:
        """Take back a claim that came to nothing."""
        with self._database.transaction():
            self._database.execute(_DROP, _claim(replay))

    def purge(self, now: datetime) -> int:
        """Take away all that have expired by now; how many there were."""
        with self._database.transaction():
            return len(self._database.execute(_PURGE, (to_micros(now),)))

    def unlearn(self, scope: Scope) -> int:
        """Take away all of this caller's; how many there were."""
        with self._database.transaction():
            return len(self._database.execute(_UNLEARN, (scope.user_id,)))


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
