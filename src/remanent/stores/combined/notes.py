"""Where PostgreSQL keeps the ledger and another server the graph: what of the ledger the graph was not told."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Final

from remanent.core.model.event import Event
from remanent.core.model.scope import Scope
from remanent.core.model.source import RawSource
from remanent.core.ports.ledger import Ledger, Positions
from remanent.stores.combined.part import Member
from remanent.stores.postgres.database import PostgresDatabase
from remanent.stores.postgres.wall import wall
from remanent.stores.sql.ledger import SqlPositions

APPLIED: Final = "applied"
"""Under this name a position says up to which event what the ledger tells is applied."""
APPENDED: Final = "appended"
"""Under this name it says up to which event there is one."""
_UNAPPLIED = """
SELECT p.user_id, p.seq FROM positions AS p LEFT JOIN positions AS a
    ON a.user_id = p.user_id AND a.consumer = 'applied'
WHERE p.consumer = 'appended' AND p.seq > coalesce(a.seq, 0) AND (:user IS NULL OR p.user_id = :user)
"""


class LedgerNotes(Member):
    """Notes in PostgreSQL's own transaction what it appends, and after all that it is applied."""

    def __init__(self, database: PostgresDatabase, ledger: Ledger) -> None:
        self._database = database
        self._positions: Positions = wall(database.seen_by, "graph", SqlPositions(database))
        self._local = threading.local()
        append = ledger.append

        def append_noted(event: Event, raw: RawSource | None = None) -> tuple[Event, bool]:
            stored, is_new = append(event, raw)
            if is_new:
                self.note(stored.user_id, stored.seq)
            return stored, is_new

        setattr(ledger, "append", append_noted)  # noqa: B010 - as the wall does it

    @property
    def _appended(self) -> dict[str, int] | None:
        found: dict[str, int] | None = getattr(self._local, "appended", None)
        return found

    def note(self, user_id: str, seq: int) -> None:
        """This thread's block has that event in the ledger."""
        if self._appended is not None:
            self._appended[user_id] = max(seq, self._appended.get(user_id, 0))

    def begin(self) -> None:
        self._local.appended = {}

    def mark(self) -> Mapping[str, int]:
        return dict(self._appended or {})

    def take_back(self, mark: Mapping[str, int]) -> None:
        self._local.appended = dict(mark)

    def appended(self) -> Mapping[str, int]:
        return dict(self._appended or {})

    def promise(self) -> None:
        for user_id, seq in self.appended().items():
            self._positions.position(Scope(user_id=user_id), APPENDED, to=seq)

    def mended(self, user_id: str, seq: int) -> None:
        self.note(user_id, seq)

    def settle(self) -> None:
        for user_id, seq in self.appended().items():
            self._positions.position(Scope(user_id=user_id), APPLIED, to=seq)

    def end(self) -> None:
        self._local.appended = None

    def unapplied(self, user_id: str | None = None) -> Mapping[str, int]:
        with self._database.for_everybody():
            rows = self._database.execute(_UNAPPLIED, {"user": user_id})
        return {user: int(seq) for user, seq in rows}
