"""Remembered answers in SQLite."""

from __future__ import annotations

from datetime import datetime

from remanent.core.model.scope import Scope
from remanent.core.records.answer import Answer
from remanent.stores.sqlite.columns import from_micros, to_micros
from remanent.stores.sqlite.database import Database

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
_SPENT = """
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
        """What was answered to this caller under this digest."""
        row = self._database.one(_ANSWER, (scope.user_id, digest))
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
        """Remember the answer; the first one under a user and digest stands."""
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
        """All tokens in and out of this caller's answers."""
        ((tokens_in, tokens_out),) = self._database.execute(_SPENT, (scope.user_id,))
        return int(tokens_in), int(tokens_out)

    def unlearn(self, scope: Scope, source_key: str | None = None) -> int:
        """Take this caller's answers away, or those about one source; how many there were."""
        with self._database.transaction():
            if source_key is None:
                return len(self._database.execute(_UNLEARN, (scope.user_id,)))
            return len(self._database.execute(_UNLEARN_SOURCE, (scope.user_id, source_key)))

    def unlearn_since(self, scope: Scope, moment: datetime) -> int:
        """Take away answers since then that are about no one source; how many there were."""
        with self._database.transaction():
            values = (scope.user_id, to_micros(moment))
            return len(self._database.execute(_UNLEARN_SINCE, values))
