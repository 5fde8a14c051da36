"""The database behind the shared stores: what each dialect offers, and no more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from remanent.core.model.scope import Scope

Row = tuple[Any, ...]
Values = Sequence[Any] | Mapping[str, Any]
INDEX: Final = "index"
"""The topic of whatever changes what a reader finds: entries, or on which shelf they lie."""
REFUSAL: Final = "move.refusal"
"""Where a memory that moves house says why it is not written to."""

_SET_META: Final = """
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""


class Database(ABC):
    """One memory's tables. Statements name their values `?`, `?2` or `:name`; each thread has a
    connection of its own, and one writes at a time."""

    path: str  # where the memory is, as errors name it
    read_only: bool

    @abstractmethod
    def execute(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of one statement. Writing needs a `transaction` around it."""

    @abstractmethod
    def execute_many(self, sql: str, rows: Sequence[Values]) -> list[Row]:
        """One statement for each of `rows`; all rows that came back, in order."""

    def together(self, asked: Sequence[tuple[str, Values]]) -> list[list[Row]]:
        """All rows of each of these statements, which only read: in one journey, where it is one."""
        return [self.execute(*one) for one in asked]

    def expect(self, sql: str, values: Values = ()) -> None:  # noqa: B027 - where nothing travels, no need
        """Just this statement, which only reads, will be executed after the next one, and nothing be written
        in between: where a journey costs more than what is read, it comes along with that."""

    @abstractmethod
    def read(self) -> AbstractContextManager[None]:
        """A block whose reads all see one moment. No transaction can begin inside it."""

    @abstractmethod
    def transaction(
        self,
        whose: Scope | None = None,
        *,
        durable: bool = False,
        patient: bool = True,
        alone: bool = True,
        moving: bool = False,
    ) -> AbstractContextManager[None]:
        """A block whose writes all happen or none (the `Atomic` port).

        Inside another such block of this thread it joins that one: its writes stand when the outer
        block ends well, and whether that waits for the disk is for the outermost to say. When only
        the inner block fails, only its own writes are taken back. What changes single rows and decides
        nothing by what it has read may say that it need not be `alone`. A memory that moves house is
        written to only by whoever is `moving` it.
        """

    @abstractmethod
    def touch(self, topic: str) -> None:
        """Remember until this thread's transaction ends that it wrote to `topic`."""

    @abstractmethod
    def touched(self, topic: str) -> dict[str, Any] | None:
        """A place for what is made of `topic` in the transaction around this call, if that wrote to it:
        others cannot see it yet. It is emptied when any of that is taken back, and ends with the
        transaction. Ask inside `read` or `transaction`.
        """

    @property
    @abstractmethod
    def writing(self) -> bool:
        """Whether this thread is in a transaction, and may see what others cannot see yet.

        Ask inside `read` or `transaction`.
        """

    def for_everybody(self) -> AbstractContextManager[None]:
        """A block whose statements are no single user's, where the database itself tells users apart."""
        return nullcontext()

    @abstractmethod
    def close(self) -> None:
        """End all connections."""

    @abstractmethod
    def text_columns(self) -> Mapping[str, Sequence[str]]:
        """The tables there are, and those columns of each that hold text that can be read."""

    @abstractmethod
    def last_number(self, table: str) -> int:
        """The highest number that a row of this table was ever given."""

    @abstractmethod
    def count_from(self, table: str, number: int) -> None:
        """Number rows of this table beyond that one from now on; needs a `transaction` around it."""

    @abstractmethod
    def renumber(self) -> None:
        """Count on from the rows that came with a number of their own; inside their transaction."""

    def fetch_one(self, sql: str, values: Values = ()) -> Row | None:
        """The first row, if there is any."""
        rows = self.execute(sql, values)
        return rows[0] if rows else None

    def meta(self, name: str) -> str | None:
        """What the memory notes of itself under that name."""
        row = self.fetch_one("SELECT value FROM meta WHERE name = ?", (name,))
        return None if row is None else str(row[0])

    def set_meta(self, name: str, value: str | None) -> None:
        """Note it, or with None nothing any more; needs a `transaction` around it."""
        if value is None:
            self.execute("DELETE FROM meta WHERE name = ?", (name,))
        else:
            self.execute(_SET_META, (name, value))


class Beside(ABC):
    """A connection on which two graphs lie side by side, as `main` and `beside`."""

    @abstractmethod
    def run(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a statement, or of several without values."""

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """The columns of a table that are taken over."""

    @abstractmethod
    def one_moment(self) -> AbstractContextManager[None]:
        """A block in which both are as they are at one moment; what it wrote is gone after it fails."""

    @abstractmethod
    def without_triggers(self) -> AbstractContextManager[None]:
        """A block, inside a transaction, in which no trigger of the graph in use runs."""


class OnDatabase:
    """What keeps a part of the memory in one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _together(self, *asked: tuple[str, Values] | None) -> list[list[Row]]:
        """The rows of each of these statements; none of what is None, which nobody asks for."""
        rows = iter(self._database.together([one for one in asked if one is not None]))
        return [[] if one is None else next(rows) for one in asked]
