"""The shadow in SQL: a second set of tables, in which the graph is derived anew beside the one in use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.mind_types import Extraction
from remanent.core.records.admin import Comparison
from remanent.core.records.export import ERASURES
from remanent.errors import StoreError
from remanent.stores.sql.admin.adopt_rebuild import compared, replace_graph
from remanent.stores.sql.database import Beside, Database
from remanent.stores.sql.ledger import EVENTS, KEEP, RAW
from remanent.stores.sql.plain_rows import body_of

BEYOND: Final = 1_000_000_000  # entries that a memory may get while its shadow is made

_WAITING = f"{EVENTS.select()} WHERE seq > ? ORDER BY seq LIMIT ?"
_TAKE = f"{EVENTS.insert()} ON CONFLICT DO NOTHING"
_USER = "SELECT user_id, name, timezone, created_at FROM users WHERE user_id = ?"
_TAKE_USER = """
INSERT INTO users (user_id, name, timezone, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_COUNT = "SELECT count(*) FROM events WHERE seq <= ?"
_LAST = "SELECT coalesce(max(seq), 0) FROM events"
BEGUN = "SELECT user_id, body FROM extractions WHERE body -> 'is_done' <> 'true' ORDER BY id"
_HALF = """
SELECT n.user_id, min(CAST(n.body ->> 'seq' AS BIGINT)), max(CAST(n.body ->> 'seq' AS BIGINT))
FROM users AS u CROSS JOIN nodes AS n ON n.user_id = u.user_id AND n.kind = 'event'
LEFT JOIN positions AS p ON p.user_id = u.user_id AND p.consumer = 'enrichment'
WHERE n.body -> 'is_enriched' = 'true' AND CAST(n.body ->> 'seq' AS BIGINT) > coalesce(p.seq, 0)
GROUP BY n.user_id
"""


class SqlShadow(ABC):
    """It is found again by whoever rebuilds next, with the same hands, and gone on with."""

    def __init__(self, live: Database, database: Database) -> None:
        self._live = live
        self._database = database
        self._known: set[str] = set()
        self._erasures = live.meta(ERASURES)
        self._seq = int(self._database.meta("rebuild.seq") or 0)

    def waiting(self, limit: int) -> list[Event]:
        return [EVENTS.of(row) for row in self._live.execute(_WAITING, (self._seq, max(0, limit)))]

    def count(self) -> tuple[int, int]:
        return self._count_to(self._seq), self._count_to(None)

    def _count_to(self, seq: int | None) -> int:
        """How many events there are up to that place, or in all."""
        ((last,),) = self._live.execute(_LAST)
        ((count,),) = self._live.execute(_COUNT, (last if seq is None else seq,))
        return int(count)

    def take(self, event: Event) -> None:
        with self._database.transaction():
            if event.user_id not in self._known:
                self._copy(_USER, event.user_id, _TAKE_USER)
                self._known.add(event.user_id)
            self._database.execute(_TAKE, EVENTS.row(event))
            if event.event_type == types.SOURCE_ADDED:
                self._take_raw(event, str(event.payload["source_key"]))

    def _take_raw(self, event: Event, key: str) -> None:
        del event
        self._copy(RAW, key, KEEP)

    def _copy(self, sql: str, key: str, into: str) -> None:
        row = self._live.fetch_one(sql, (key,))
        if row is not None:
            self._database.execute(into, row)

    def mark_replayed(self, event: Event) -> None:
        with self._database.transaction():
            self._database.set_meta("rebuild.seq", str(event.seq))
        self._seq = event.seq

    def under_way(self) -> tuple[list[tuple[str, Extraction]], list[tuple[str, int, int]]]:
        begun = self._live.execute(BEGUN)
        extractions = [(user, body_of(Extraction, body, "extractions")) for user, body in begun]
        return extractions, [(user, first, last) for user, first, last in self._live.execute(_HALF)]

    def compare(self, samples: int) -> Comparison:
        with self._beside() as seat:
            return compared(seat, samples)

    def switch(self, catch_up: Callable[[], None]) -> None:
        with self._beside(writes=True) as seat:
            self._insist_nothing_erased(seat)
            catch_up()
            replace_graph(seat)
        self.close(discard=True)

    def _insist_nothing_erased(self, seat: Beside) -> None:
        """What was erased meanwhile may be in the shadow still."""
        rows = seat.run("SELECT value FROM main.meta WHERE name = ?", (ERASURES,))
        if (str(rows[0][0]) if rows else None) != self._erasures:
            raise StoreError(self._live.path, "has lost something by erasure; rebuild it again")

    @abstractmethod
    def _beside(self, *, writes: bool = False) -> AbstractContextManager[Beside]:
        """Both graphs on one connection; with `writes` in a transaction, alone, which is on the disk
        when the block ends well."""

    @abstractmethod
    def close(self, *, discard: bool = False) -> None:
        """Let go of it; it can be gone on with later, unless it is taken away."""


def begin_shadow(live: Database, database: Database, hands: str) -> None:
    """Make ready for a rebuild by these hands, in a memory that is empty yet."""
    with database.transaction(durable=True):
        database.count_from("entries", live.last_number("entries") + BEYOND)
        database.set_meta("rebuild", hands)
