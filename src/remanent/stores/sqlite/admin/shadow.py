"""The shadow in SQLite: a second file beside the memory, or a passing one for a memory in memory."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from remanent.core.model import event as types
from remanent.core.model.event import Event
from remanent.core.model.mind_types import Extraction
from remanent.core.records.admin import Comparison, Pending
from remanent.errors import BusyMemory, NotAMemory, StoreError
from remanent.stores.sqlite.admin.adopt_rebuild import compared, replace_graph
from remanent.stores.sqlite.admin.erasure import ERASURES
from remanent.stores.sqlite.connection import MEMORY, LockedConnection
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.ledger import EVENTS
from remanent.stores.sqlite.migrations import NEWEST, migrate
from remanent.stores.sqlite.plain_rows import body_of, from_micros, to_micros

SUFFIX: Final = ".rebuild"
_LOCK: Final = ".rebuild-lock"
_BEYOND: Final = 1_000_000_000  # entries that a memory may get while its shadow is made

_WAITING = f"{EVENTS.select()} WHERE seq > ? ORDER BY seq LIMIT ?"
_TAKE = f"{EVENTS.insert()} ON CONFLICT DO NOTHING"
_RAW = "SELECT key, user_id, content, is_json, recorded_at FROM raws WHERE key = ?"
_TAKE_RAW = "INSERT INTO raws VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_USER = "SELECT user_id, name, timezone, created_at FROM users WHERE user_id = ?"
_TAKE_USER = """
INSERT INTO users (user_id, name, timezone, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_COUNT = "SELECT count(*) FROM events WHERE seq <= ?"
_LAST = "SELECT coalesce(max(seq), 0) FROM events"
_UNTOLD_TABLE = """
CREATE TABLE untold (
    at INTEGER NOT NULL, extracts INTEGER NOT NULL, user_id TEXT NOT NULL, source_key TEXT NOT NULL,
    PRIMARY KEY (at, extracts, source_key, user_id)
) WITHOUT ROWID
"""
# Steps that were taken before there were events that tell of them.
_UNTOLD_STEPS = """
WITH told (event_type, user_id, key) AS MATERIALIZED (
    SELECT event_type, user_id, payload ->> 'source_key' FROM events
    WHERE event_type IN (:processed, :extracted)
)
SELECT n.body ->> 'processing_completed_at', 0, n.user_id, n.key FROM nodes AS n
WHERE n.kind = 'source' AND n.body ->> 'processing_status' <> 'raw'
  AND (:processed, n.user_id, n.key) NOT IN (SELECT * FROM told)
UNION ALL
SELECT coalesce(n.body ->> 'extraction_completed_at', n.body ->> 'processing_completed_at'),
       1, e.user_id, n.key
FROM extractions AS e CROSS JOIN nodes AS n ON n.id = e.source_id
WHERE e.body ->> 'is_done' AND (:extracted, e.user_id, n.key) NOT IN (SELECT * FROM told)
"""
_ADD_UNTOLD = "INSERT INTO untold (at, extracts, user_id, source_key) VALUES (?, ?, ?, ?)"
_UNTOLD = """
SELECT at, extracts, user_id, source_key FROM untold
WHERE ?1 IS NULL OR at < ?1 ORDER BY at, extracts, source_key, user_id LIMIT ?2
"""
_NOW_TOLD = "DELETE FROM untold WHERE at = ? AND extracts = ? AND source_key = ? AND user_id = ?"
# Up to where each user's events were enriched before there were events that tell of it.
_ENRICHED = """
SELECT p.user_id, min(p.seq, coalesce(
    (SELECT min(payload ->> 'from') - 1 FROM events AS e
     WHERE e.user_id = p.user_id AND e.event_type = ?), p.seq))
FROM positions AS p WHERE p.consumer = 'enrichment'
"""
_BEGUN = "SELECT user_id, body FROM extractions WHERE NOT body ->> 'is_done' ORDER BY id"
_HALF = """
SELECT n.user_id, min(n.body ->> 'seq'), max(n.body ->> 'seq')
FROM users AS u CROSS JOIN nodes AS n ON n.user_id = u.user_id AND n.kind = 'event'
LEFT JOIN positions AS p ON p.user_id = u.user_id AND p.consumer = 'enrichment'
WHERE n.body ->> 'is_enriched' AND n.body ->> 'seq' > coalesce(p.seq, 0) GROUP BY n.user_id
"""
_COUNT_ON = "INSERT INTO sqlite_sequence (name, seq) VALUES ('entries', ?)"
_COUNTED = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'entries'"


class SqliteShadow:
    """The file is found again by whoever rebuilds next, with the same hands, and gone on with."""

    def __init__(self, live: Database, database: Database, lock: int | None) -> None:
        self.place = database.path
        self._live = live
        self._lock = lock
        self._database = database
        self._known: set[str] = set()
        self._erasures = live.meta(ERASURES)
        self._seq = int(self._database.meta("rebuild.seq") or 0)
        self._enriched: dict[str, int] = json.loads(self._database.meta("rebuild.enriched") or "{}")

    def waiting(self, limit: int) -> list[Event]:
        return [EVENTS.of(row) for row in self._live.execute(_WAITING, (self._seq, max(0, limit)))]

    def count(self) -> tuple[int, int]:
        ((last,),) = self._live.execute(_LAST)
        ((done,),) = self._live.execute(_COUNT, (self._seq,))
        ((total,),) = self._live.execute(_COUNT, (last,))
        return int(done), int(total)

    def take(self, event: Event) -> None:
        with self._database.transaction():
            if event.user_id not in self._known:
                self._copy(_USER, event.user_id, _TAKE_USER)
                self._known.add(event.user_id)
            self._database.execute(_TAKE, EVENTS.row(event))
            if event.event_type == types.SOURCE_ADDED:
                self._copy(_RAW, str(event.payload["source_key"]), _TAKE_RAW)

    def _copy(self, sql: str, key: str, into: str) -> None:
        row = self._live.fetch_one(sql, (key,))
        if row is not None:
            self._database.execute(into, row)

    def mark_replayed(self, event: Event) -> None:
        with self._database.transaction():
            self._database.set_meta("rebuild.seq", str(event.seq))
        self._seq = event.seq

    def pending_steps(self, until: datetime | None, limit: int) -> list[Pending]:
        moment = None if until is None else to_micros(until)
        return [
            Pending(user_id=user_id, source_key=key, extracts=bool(extracts), at=from_micros(at))
            for at, extracts, user_id, key in self._database.execute(_UNTOLD, (moment, limit))
        ]

    def mark_step_done(self, step: Pending) -> None:
        values = (to_micros(step.at), step.extracts, step.source_key, step.user_id)
        with self._database.transaction():
            self._database.execute(_NOW_TOLD, values)

    def was_enriched(self, event: Event) -> bool:
        return event.seq <= self._enriched.get(event.user_id, 0)

    def unfinished_extractions(self) -> list[tuple[str, Extraction]]:
        rows = self._live.execute(_BEGUN)
        return [(user_id, body_of(Extraction, body, "extractions")) for user_id, body in rows]

    def half_enriched(self) -> list[tuple[str, int, int]]:
        return [(user_id, first, last) for user_id, first, last in self._live.execute(_HALF)]

    def compare(self, samples: int) -> Comparison:
        with self._live.beside(self.place) as seat:
            return compared(seat, samples)

    def switch(self, catch_up: Callable[[], None]) -> None:
        with self._live.beside(self.place, writes=True) as seat, seat.commit_apart():
            self._insist_nothing_erased(seat)
            catch_up()
            replace_graph(seat)
        self.discard()

    def _insist_nothing_erased(self, seat: LockedConnection) -> None:
        """What was erased meanwhile may be in the shadow still."""
        rows = seat.run("SELECT value FROM main.meta WHERE name = ?", (ERASURES,))
        if (str(rows[0][0]) if rows else None) != self._erasures:
            raise StoreError(self._live.path, "has lost something by erasure; rebuild it again")

    def discard(self) -> None:
        self._database.close()
        remove(self.place)
        self.close()

    def close(self) -> None:
        """Let go of the file; it can be gone on with later. One of a memory in memory is gone."""
        self._database.close()
        if self._live.path == MEMORY:
            shutil.rmtree(Path(self.place).parent, ignore_errors=True)
        if self._lock is not None:
            unlock(self._live.path, self._lock)
            self._lock = None


def place_for(live: Database, *, hands: str, now: datetime) -> tuple[str, int | None]:
    """The file of a shadow that these hands (mind and embedder) derive, and the lock on it: the one
    that is there, if it is theirs, or a new one. `BusyMemory` while somebody else is at it."""
    if live.path == MEMORY:
        place, lock = str(Path(tempfile.mkdtemp(prefix="remanent-")) / "shadow.db"), None
    else:
        place = f"{Path(live.path).absolute()}{SUFFIX}"
        lock = locked(live.path)
    try:
        if _hands_of(place) != hands:
            remove(place)
            _begin(live, place, hands, now)
    except BaseException:
        if lock is not None:
            unlock(live.path, lock)
        raise
    return place, lock


def unlock(path: str, lock: int) -> None:
    """Let others rebuild this memory."""
    Path(_lock_of(path)).unlink(missing_ok=True)
    os.close(lock)


def discard_shadow(live: Database) -> bool:
    """Take away what an earlier rebuild left; False if there is nothing."""
    place = f"{Path(live.path).absolute()}{SUFFIX}"
    if live.path == MEMORY or not Path(place).exists():
        return False
    lock = locked(live.path)
    try:
        remove(place)
    finally:
        unlock(live.path, lock)
    return True


def remove(place: str) -> None:
    """Take a database's files away."""
    for end in ("", "-wal", "-shm", "-journal"):
        Path(f"{place}{end}").unlink(missing_ok=True)


def _lock_of(path: str) -> str:
    return f"{Path(path).absolute()}{_LOCK}"


def locked(path: str) -> int:
    """A lock that ends with the process, however that ends."""
    while True:
        number = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(number)
            raise BusyMemory(path, "is being rebuilt already") from None
        try:  # whoever had it before may have taken the file away meanwhile
            if os.fstat(number).st_ino == Path(_lock_of(path)).stat().st_ino:
                return number
        except FileNotFoundError:
            pass
        os.close(number)


def _hands_of(place: str) -> str | None:
    """Whose work the file is; None where it is nobody's, or was not even begun."""
    if not Path(place).exists():
        return None
    try:
        database = Database(place)
    except NotAMemory:
        return None
    try:
        ((version,),) = database.execute("PRAGMA user_version")
        return database.meta("rebuild") if version == NEWEST else None
    finally:
        database.close()


def _begin(live: Database, place: str, hands: str, now: datetime) -> None:
    database = Database(place)
    try:
        migrate(database, now)
        with database.transaction(durable=True):
            database.execute(_UNTOLD_TABLE)
            steps = {"processed": types.SOURCE_PROCESSED, "extracted": types.SOURCE_EXTRACTED}
            taken = [
                (to_micros(datetime.fromisoformat(at)), *rest)
                for at, *rest in live.execute(_UNTOLD_STEPS, steps)
            ]
            database.execute_many(_ADD_UNTOLD, taken)
            ((counted,),) = live.execute(_COUNTED)
            database.execute(_COUNT_ON, (counted + _BEYOND,))
            enriched = json.dumps(dict(live.execute(_ENRICHED, (types.EVENTS_ENRICHED,))))
            database.set_meta("rebuild.enriched", enriched)
            database.set_meta("rebuild", hands)
    finally:
        database.close()
