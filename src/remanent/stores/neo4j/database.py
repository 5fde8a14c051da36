"""One memory's graph in a Neo4j database: writers of one user take turns elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import neo4j

from remanent.core.interruption import checkpoint
from remanent.core.model.scope import Scope
from remanent.errors import StoreError, UnreachableMemory
from remanent.stores.combined.block import Block
from remanent.stores.combined.part import Member
from remanent.stores.neo4j.connection import AWAY, Address, rows_of, translated_errors
from remanent.stores.neo4j.dialect import Cypher, Statement, lists, named, translated
from remanent.stores.sql.database import Database, Row, Values

_BLOCK: Final = 200  # numbers that a process takes at once; those it does not use are lost
_TAKE: Final = Cypher("""
MERGE (c:MEMORY_Count {table: 'all'})
ON CREATE SET c.last = 0
SET c.last = c.last + $count
RETURN c.last
""")
_MOST_KEPT: Final = 500  # answers that a block keeps, of so many rows each at most
_MOST_ROWS: Final = 20
_LAST: Final = Cypher("MATCH (c:MEMORY_Count {table: 'all'}) RETURN c.last")
_COUNT_FROM: Final = Cypher("""
MERGE (c:MEMORY_Count {table: 'all'})
ON CREATE SET c.last = 0
SET c.last = CASE WHEN c.last < $number THEN $number ELSE c.last END
""")


# Never touched again: to close one would end connections that belong to the parent.
_INHERITED: Final[list[neo4j.Driver | None]] = []


class _Begun:
    """What a thread is in the middle of. The transaction begins with its first statement."""

    def __init__(self, session: neo4j.Session, *, writing: bool) -> None:
        self.session = session
        self.writing = writing
        self.transaction: neo4j.Transaction | None = None
        self.touched: dict[str, dict[str, Any]] = {}
        self.written: list[tuple[str, dict[str, Any]]] = []  # to be done again after a taking back
        self._known: dict[tuple[str, str], tuple[frozenset[str], list[Row]]] = {}
        self._is_broken = False  # the server refuses all but an end

    def answer(self, statement: Statement, values: dict[str, Any]) -> list[Row]:
        """Its rows; what was asked before, and nothing of it was written to since, is not asked again."""
        if statement.writes:
            rows = self.run(statement.text, values)
            self.written.append((statement.text, values))
            changed = statement.labels
            self._known = {k: one for k, one in self._known.items() if one[0].isdisjoint(changed)}
            return rows
        question = statement.text, repr(values)
        _, known = self._known.get(question, (None, None))
        if known is not None:
            return [*known]
        rows = self.run(statement.text, values)
        if self.writing and len(rows) <= _MOST_ROWS and len(self._known) < _MOST_KEPT:
            self._known[question] = statement.labels, [*rows]
        return rows

    def run(self, text: str, values: dict[str, Any]) -> list[Row]:
        if self.transaction is not None:
            return self._tried(text, values)
        try:
            return self._tried(text, values)
        except AWAY:  # nothing was under way: the server may be back
            self.end(well=False)
            return self._tried(text, values)

    def _tried(self, text: str, values: dict[str, Any]) -> list[Row]:
        if self.transaction is None:
            self.transaction = self.session.begin_transaction()
        self._is_broken = True
        rows = rows_of(self.transaction.run(text, values))
        self._is_broken = False
        return rows

    def end(self, *, well: bool) -> None:
        transaction, self.transaction = self.transaction, None
        self._is_broken = False
        if transaction is None:
            return
        if well:
            transaction.commit()
        else:
            with suppress(*AWAY):  # with the connection all of it is gone
                transaction.close()

    def take_back(self, mark: int) -> None:
        """As it was when so much was written: Neo4j has no savepoints, so that is done again."""
        self._known.clear()
        if len(self.written) > mark or self._is_broken:
            self.end(well=False)
            del self.written[mark:]
            for text, values in self.written:
                self.run(text, values)


class Neo4jDatabase(Database, Member):
    """The graph whose nodes have the label `memory`. It is written to within blocks that `block` begins, if
    there is one: they see to it that two do not write for one user at once, and it is a member of them."""

    read_only = False

    def __init__(
        self, url: str, memory: str, *, block: Block | None = None, busy_timeout_s: float = 60
    ) -> None:
        self.address = Address(url)
        self.memory = memory
        self.path = f"{self.address.shown}#{memory}"
        self._block = block
        self._busy_timeout_s = busy_timeout_s
        self._closed = False
        self._settle()

    def _settle(self) -> None:
        """Begin with nothing; after a fork, too: connections are those of the process that we came from."""
        self._pid = os.getpid()
        self._driver: neo4j.Driver | None = None
        self._guard = threading.Lock()
        self._counting = threading.Lock()
        self._local = threading.local()
        self._numbers = iter(range(0))

    # -- asking -------------------------------------------------------------------------------

    def execute(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of one statement. Writing needs a `transaction` around it."""
        statement = translated(sql, self.memory)
        row, shared = self._named(statement, values), lists(statement, values)
        return self._run(statement, ({"rows": [row]} if statement.batched else row) | shared)

    def execute_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`; all rows that came back, in order."""
        statement = translated(sql, self.memory)
        if not statement.batched:
            return [row for one in rows for row in self.execute(sql, one)]
        wanted = [self._named(statement, one) for one in rows]
        return self._run(statement, {"rows": wanted} | lists(statement, rows[0])) if rows else []

    def _named(self, statement: Statement, values: Values) -> dict[str, Any]:
        wants = statement.numbered and not (isinstance(values, Mapping) and "id" in values)
        return named(statement, values, self._next_number() if wants else None)

    def _run(self, statement: Statement, values: dict[str, Any]) -> list[Row]:
        begun = self._current
        if begun is None:
            return self._alone(statement, values)
        with translated_errors(self.path):
            return begun.answer(statement, values)

    def _alone(
        self, statement: Statement, values: dict[str, Any], *, harmless: bool = False
    ) -> list[Row]:
        try:
            return self._once(statement.text, values)
        except UnreachableMemory:
            if statement.writes and not harmless:
                raise
        return self._once(statement.text, values)  # nothing was under way: the server may be back

    def _once(self, text: str, values: dict[str, Any]) -> list[Row]:
        with translated_errors(self.path), self._session() as session:
            return rows_of(session.run(text, values))

    @contextmanager
    def read(self) -> Iterator[None]:
        """A block of reads, none of which sees half of a transaction's writes. No transaction can begin
        inside it."""
        if self._current is not None:
            yield
            return
        with translated_errors(self.path):
            self._local.begun = _Begun(self._session(), writing=False)
        try:
            yield
        finally:
            self.end()

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
        if self._block is not None:
            with self._block.atomic(
                whose, durable=durable, patient=patient, alone=alone, moving=moving
            ):
                yield
        elif self.writing:
            mark = self.mark()
            try:
                yield
            except BaseException:
                self.take_back(mark)
                raise
        else:
            checkpoint()
            self.begin()
            try:
                yield
                self.derive()
            finally:
                self.end()

    def begin(self) -> None:
        """This thread's transaction begins."""
        if self._current is not None:
            raise StoreError(self.path, "is being read in one piece: no writing inside `read`")
        with translated_errors(self.path):
            self._local.begun = _Begun(self._session(), writing=True)

    def mark(self) -> int:
        """How much it has written."""
        return 0 if self._current is None else len(self._current.written)

    def take_back(self, mark: int) -> None:
        """Let go of all that was written since."""
        begun = self._current
        if begun is not None:
            for made in begun.touched.values():
                made.clear()
            with translated_errors(self.path):
                begun.take_back(mark)

    def derive(self) -> None:
        """Write down all that it has written."""
        if self._current is not None:
            with translated_errors(self.path):
                self._current.end(well=True)

    def end(self) -> None:
        """It is over; what was not written down is gone."""
        begun, self._local.begun = self._current, None
        if begun is not None:
            with translated_errors(self.path):
                begun.end(well=False)
                begun.session.close()

    def touch(self, topic: str) -> None:
        if self._current is not None:
            self._current.touched.setdefault(topic, {})

    def touched(self, topic: str) -> dict[str, Any] | None:
        return None if self._current is None else self._current.touched.get(topic)

    @property
    def writing(self) -> bool:
        """Whether this thread is in a transaction, and may see what others cannot see yet."""
        return self._current is not None and self._current.writing

    # -- numbers ------------------------------------------------------------------------------

    def _next_number(self) -> int:
        self._insist_here()
        with self._counting:
            number = next(self._numbers, None)
            if number is None:
                take = translated(_TAKE, self.memory)
                taken = self._alone(take, {"count": _BLOCK}, harmless=True)
                last: int = taken[0][0]
                self._numbers = iter(range(last - _BLOCK + 1, last + 1))
                number = next(self._numbers)
            return number

    def last_number(self, table: str) -> int:  # noqa: ARG002 - all tables count together
        rows = self._once(translated(_LAST, self.memory).text, {})
        return int(rows[0][0]) if rows else 0

    def count_from(self, table: str, number: int) -> None:  # noqa: ARG002
        with self._counting:
            self._once(translated(_COUNT_FROM, self.memory).text, {"number": number})
            self._numbers = iter(range(0))

    def renumber(self) -> None:
        """Nothing comes with a number of its own."""

    def text_columns(self) -> Mapping[str, Sequence[str]]:
        return {}

    # -- the server ---------------------------------------------------------------------------

    def run_plain(self, text: str) -> list[Row]:
        """A statement of its own, of a migration or for the server."""
        return self._once(text, {})

    @property
    def _current(self) -> _Begun | None:
        self._insist_here()
        begun: _Begun | None = getattr(self._local, "begun", None)
        return begun

    def _insist_here(self) -> None:
        if self._pid != os.getpid():
            _INHERITED.append(self._driver)
            self._settle()

    def _session(self) -> neo4j.Session:
        self._insist_here()
        with self._guard:
            if self._closed:
                raise StoreError(self.path, "was closed")
            if self._driver is None:
                self._driver = self.address.connect(self._busy_timeout_s)
        return self._driver.session(database=self.address.database)

    def close(self) -> None:
        """End all connections."""
        self._insist_here()
        with self._guard:
            self._closed = True
            driver, self._driver = self._driver, None
        if driver is not None:
            driver.close()
