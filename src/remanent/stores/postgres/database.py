"""One schema of a PostgreSQL database: a few connections for all threads, one writer to a user."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, TypeVar

from remanent.clock import stopwatch
from remanent.core.interruption import checkpoint
from remanent.core.model.scope import Scope
from remanent.errors import BusyMemory, MovedMemory, StoreError, UnreachableMemory
from remanent.stores.postgres.connection import Address, PooledConnection
from remanent.stores.postgres.wall import EVERYBODY, NOBODY, Eyes, eyes_of
from remanent.stores.sql.database import REFUSAL, Database, Row, Values

T = TypeVar("T")
Expected = tuple[str, Values, Eyes]  # a statement, and who looks
_MOST_SEATS: Final = 16  # connections of one process to one memory
_BEGIN: Final = "BEGIN; SET LOCAL lock_timeout = {wait}; SET LOCAL synchronous_commit = {disk}"
# Whoever writes has the memory to itself, or that of one user and of their teams: the stores read,
# decide and write as if alone. All are locked in one order, so that no two wait for each other.
_ALONE: Final = "; SELECT pg_advisory_xact_lock(hashtextextended('remanent:' || :schema, 0))"
_APART: Final = """
; SELECT pg_advisory_xact_lock_shared(hashtextextended('remanent:' || :schema, 0))
; SELECT pg_advisory_xact_lock(hashtextextended('remanent:' || :schema || ' ' || token, 0))
  FROM unnest(CAST(:tokens AS text[])) AS token
"""
_REFUSED: Final = "; SELECT value FROM meta WHERE name = :refusal"
_TEXTS: Final = """
SELECT t.table_name, coalesce(json_group_array(c.column_name::text), '[]')::jsonb
FROM information_schema.tables AS t LEFT JOIN information_schema.columns AS c
    ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.data_type = 'text'
WHERE t.table_schema = ? AND t.table_type = 'BASE TABLE' GROUP BY t.table_name ORDER BY 1
"""
NUMBERED: Final = {"events": "seq", "deeds": "seq", "passages": "rowid", "links": "src_id"}
_COUNTED: Final = """
SELECT greatest((SELECT coalesce(last_value, 0) FROM pg_sequences
                 WHERE schemaname = ? AND sequencename = 'TABLE_COLUMN_seq'),
                (SELECT max(COLUMN) FROM TABLE), 0)
"""
_COUNT_ON: Final = "SELECT setval(pg_get_serial_sequence('main.TABLE', 'COLUMN'), ?)"
RENUMBER: Final = """
DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT table_name AS t, column_name AS n FROM information_schema.columns
             WHERE table_schema = current_schema AND is_identity = 'YES'
    LOOP
        EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), greatest(max(%I), 0) + 1, false)
                        FROM %I HAVING max(%I) IS NOT NULL', c.t, c.n, c.n, c.t, c.n);
    END LOOP;
    PERFORM setval(s, greatest(v, (SELECT coalesce(max(seq), 0) FROM positions), 1), true) FROM (
        SELECT pg_get_serial_sequence('events', 'seq') AS s, last_value AS v FROM events_seq_seq
    ) AS told WHERE EXISTS (SELECT 1 FROM events);
END $$
"""


class PostgresDatabase(Database):
    """The memory in one schema. Any number of processes may use it at once; whoever finds it locked
    waits up to `busy_timeout_s`, and only then gets `BusyMemory`."""

    read_only = False

    def __init__(self, url: str, *, busy_timeout_s: float = 60, schema: str = "") -> None:
        self.address = Address(url)
        self.schema = schema or self.address.schema
        self.path = self.address.shown
        self._url = url
        self._busy_timeout_s = busy_timeout_s
        self._closed = False
        self._spares_disk = False
        self._settle()

    def _settle(self) -> None:
        self._pid = os.getpid()
        self._idle: list[PooledConnection] = []
        self._guard = threading.Lock()
        self._free = threading.BoundedSemaphore(_MOST_SEATS)
        self._local = threading.local()

    # -- asking -------------------------------------------------------------------------------

    def execute(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of one statement. Writing needs a `transaction` around it."""
        came, expected = self._came_along(), self._expected(sql, values)
        if came is not None and came[0] == (sql, values, self._who):
            return came[1]
        if expected is not None:
            return self._with_company([(sql, values)], expected)[0]
        return self._with_retry(lambda seat: seat.run(sql, values))

    def together(self, asked: Sequence[tuple[str, Values]]) -> list[list[Row]]:
        if not asked:
            return []
        self._came_along()
        expected = self._expected()
        if expected is not None:
            return self._with_company(asked, expected)
        return self._with_retry(lambda seat: seat.run_together(asked))

    def expect(self, sql: str, values: Values = ()) -> None:
        self._local.expected = None if self._is_begun else (sql, values, self._who)

    def _expected(self, *next_one: Any) -> Expected | None:
        """What goes along with the next journey, unless it is what is asked next, or all are by themselves."""
        expected: Expected | None = getattr(self._local, "expected", None)
        self._local.expected = None
        alone = expected is None or expected[:2] == next_one or self._is_begun
        return None if alone else expected

    def _came_along(self) -> tuple[Expected, list[Row]] | None:
        """What came along with the journey before: it is of no use to any but the statement after that."""
        came: tuple[Expected, list[Row]] | None = getattr(self._local, "came", None)
        self._local.came = None
        return None if self._is_begun else came

    def _with_company(
        self, asked: Sequence[tuple[str, Values]], expected: Expected
    ) -> list[list[Row]]:
        *rows, last = self._with_retry(lambda seat: seat.run_together(asked, expected))
        self._local.came = expected, last
        return rows

    @property
    def _is_begun(self) -> bool:
        """Whether this thread is in a block, whose statements see what others do not."""
        seat: PooledConnection | None = getattr(self._local, "seat", None)
        return seat is not None and (seat.writing or seat.reading)

    def _with_retry(self, ask: Callable[[PooledConnection], T]) -> T:
        with self._seated() as seat:
            try:
                return ask(seat)
            except StoreError:
                if not seat.lost or seat.writing or seat.reading:
                    raise
        with self._seated() as seat:  # nothing was under way: the server may be back
            return ask(seat)

    def execute_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`; all rows that came back, in order."""
        with self._seated() as seat:
            return seat.run_many(sql, rows)

    @contextmanager
    def read(self) -> Iterator[None]:
        """A block whose reads all see one moment. No transaction can begin inside it."""
        with self._seated() as seat:
            if seat.writing or seat.reading:
                yield
                return
            seat, _ = self._begun(seat, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            seat.reading = True
            try:
                yield
            finally:
                seat.reading = False
                seat.take_back()

    # -- writing ------------------------------------------------------------------------------

    @contextmanager
    def transaction(
        self,
        whose: Scope | None = None,
        *,
        durable: bool = False,
        patient: bool = True,
        alone: bool = True,
        moving: bool = False,
    ) -> Iterator[None]:
        """A block whose writes all happen or none; see `Database`."""
        with self._seated() as seat:
            who = self._who if whose is None else eyes_of(whose)
            if seat.writing:
                self._insist_locked(seat, who)
                with seat.savepoint():
                    yield
                return
            if seat.reading:
                raise StoreError(self.path, "is being read in one piece: no writing inside `read`")
            checkpoint()
            self._came_along()  # from before it
            wait_ms = max(1, int(self._busy_timeout_s * 1000)) if patient else 1
            disk = "on" if durable and not self._spares_disk else "off"
            lock = "" if not alone else _ALONE if who.user is None else _APART
            begin = _BEGIN.format(wait=wait_ms, disk=disk) + lock
            values = {"schema": self.schema, "refusal": REFUSAL, "tokens": list(who.locks)}
            seat, rows = self._begun(seat, begin + ("" if moving else _REFUSED), values)
            if rows and not moving:
                seat.take_back()
                raise MovedMemory(self.path, rows[0][0])
            seat.writing, seat.owner = True, who if alone and who.user else None
            try:
                yield
                seat.run("COMMIT")
            except BaseException:
                seat.take_back()
                raise
            finally:
                seat.writing = False
                seat.touched.clear()

    @contextmanager
    def locked(self, whose: Scope | None = None, *, patient: bool = True) -> Iterator[None]:
        """A block in which this thread holds the locks of a transaction for `whose`, from before one begins
        until after it has ended."""
        who = self._who if whose is None else eyes_of(whose)
        wait_ms = max(1, int(self._busy_timeout_s * 1000)) if patient else 1
        values = {"schema": self.schema, "tokens": list(who.locks)}
        with self._seated() as seat:
            lock = (_ALONE if who.user is None else _APART).replace("xact_", "")
            how = f"SET lock_timeout = {wait_ms}{lock}; SET lock_timeout = 0"
            try:
                seat, _ = self._begun(seat, how, values)
                yield
            finally:
                if not seat.lost:
                    seat.run("SELECT pg_advisory_unlock_all()")

    def user_locked(self, whose: Scope | None) -> str | None:
        """Whose memory alone a transaction for `whose` locks, begun here; None: everybody's."""
        return (self._who if whose is None else eyes_of(whose)).user

    def _insist_locked(self, seat: PooledConnection, who: Eyes) -> None:
        """Nobody writes in the memory of somebody for whom the transaction has no lock."""
        if seat.owner is not None and who.user is not None and seat.owner.user != who.user:
            raise StoreError(self.path, "was to be written for one user, and is for another")

    def _begun(
        self, seat: PooledConnection, how: str, values: Values = ()
    ) -> tuple[PooledConnection, list[Row]]:
        """The seat with a transaction begun; another one where the server had gone away."""
        try:
            return seat, seat.run(how, values)
        except StoreError:
            seat.take_back()
            if not seat.lost:
                raise
            seat = self._local.seat = self._new_seat()
            return seat, seat.run(how, values)

    def touch(self, topic: str) -> None:
        self._local.seat.touched.setdefault(topic, {})

    def touched(self, topic: str) -> dict[str, Any] | None:
        seat: PooledConnection = self._local.seat
        return seat.touched.get(topic)

    @property
    def writing(self) -> bool:
        """Whether this thread is in a transaction, and may see what others cannot see yet."""
        seat: PooledConnection | None = getattr(self._local, "seat", None)
        return seat is not None and seat.writing

    def spare_disk(self) -> None:
        """Let no transaction wait for the disk from now on: what is here can be made again."""
        self._spares_disk = True

    # -- the schema ---------------------------------------------------------------------------

    def run_script(self, script: str) -> None:
        """Many statements as they are, of a migration."""
        with self._seated() as seat:
            seat.run_plain(script)

    def text_columns(self) -> Mapping[str, Sequence[str]]:
        rows = self.execute(_TEXTS, (self.schema,))
        return {table: [one for one in names if one] for table, names in rows}

    def last_number(self, table: str) -> int:
        column = NUMBERED.get(table, "id")
        sql = _COUNTED.replace("COLUMN", column).replace("TABLE", table)
        ((number,),) = self.execute(sql, (self.schema,))
        return int(number)

    def count_from(self, table: str, number: int) -> None:
        column = NUMBERED.get(table, "id")
        sql = _COUNT_ON.replace("COLUMN", column).replace("main.TABLE", f"{self.schema}.{table}")
        self.execute(sql, (number,))

    def renumber(self) -> None:
        self.execute(RENUMBER)

    # -- seats --------------------------------------------------------------------------------

    @contextmanager
    def _seated(self) -> Iterator[PooledConnection]:
        """This thread's seat for as long as the block runs; blocks within have the same one."""
        if (
            self._pid != os.getpid()
        ):  # connections are those of the process that we were forked from
            self._settle()
        seat: PooledConnection | None = getattr(self._local, "seat", None)
        if seat is not None:
            if seat.lost:
                raise UnreachableMemory(self.path, "has lost its connection, with all begun on it")
            seat.who = self._who
            yield seat
            return
        if self._closed:
            raise StoreError(self.path, "was closed")
        if not self._free.acquire(timeout=self._busy_timeout_s):
            raise BusyMemory(self.path, "stayed in use by all other threads")
        try:
            seat = self._local.seat = self._idle_seat()
            yield seat
        finally:
            seat, self._local.seat = getattr(self._local, "seat", None), None
            self._free.release()
            if seat is not None:
                self._put_back(seat)

    @property
    def _who(self) -> Eyes:
        eyes: Eyes = getattr(self._local, "who", NOBODY)
        return eyes

    @contextmanager
    def seen_by(self, who: Eyes) -> Iterator[None]:
        """A block whose statements, in this thread, see what these eyes may see (see `wall`)."""
        before, self._local.who = self._who, who
        try:
            yield
        finally:
            self._local.who = before

    def for_everybody(self) -> AbstractContextManager[None]:
        return self.seen_by(EVERYBODY)

    def _idle_seat(self) -> PooledConnection:
        with self._guard:
            while self._idle:
                seat = self._idle.pop()
                if not seat.lost:
                    seat.who = self._who
                    return seat
        return self._new_seat()

    def _new_seat(self) -> PooledConnection:
        seat = PooledConnection(self.address, self.schema)
        seat.who = self._who
        return seat

    def _put_back(self, seat: PooledConnection) -> None:
        with self._guard:
            if not (seat.lost or self._closed):
                self._idle.append(seat)
                return
        seat.close()

    def beside(self, schema: str) -> PooledConnection:
        """A connection of its own, on which another schema lies beside this one; it sees all of both."""
        seat = PooledConnection(self.address, self.schema, schema)
        seat.who = EVERYBODY
        return seat

    @contextmanager
    def showing(self, schema: str) -> Iterator[PooledConnection]:
        """A block in which this thread's transaction sees another schema beside its own."""
        with self._seated() as seat:
            seat.beside = schema
            try:
                yield seat
            finally:
                seat.beside = ""

    def open_schema(self, schema: str) -> PostgresDatabase:
        """Another memory in the same database."""
        return PostgresDatabase(self._url, busy_timeout_s=self._busy_timeout_s, schema=schema)

    def wait_for_work(self, timeout_s: float) -> bool:
        """Whether a job was promised within that time, by anybody."""
        with self._seated() as seat:
            began = stopwatch()
            seat.listen("remanent_jobs")
            try:
                return seat.notified(max(0.0, timeout_s - (stopwatch() - began)))
            finally:
                if not seat.lost:
                    seat.run("UNLISTEN *")

    def close(self) -> None:
        """End all connections that nobody is on; the others end with what is done on them."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for seat in idle:
            seat.close()
