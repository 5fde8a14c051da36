"""All that a memory on several servers holds: each sort of records comes from where it is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Final, TypeVar

from remanent.core.model.event import PROJECTION
from remanent.core.model.scope import Scope
from remanent.core.ports.ledger import Positions
from remanent.core.ports.records import Records
from remanent.core.records.export import EMBEDDER, ExportRecord, Mark, Move, Position, RecordKind
from remanent.stores.combined.block import Block
from remanent.stores.combined.notes import APPENDED, APPLIED
from remanent.stores.combined.part import LedgerOfAll
from remanent.stores.sql.admin.export import Rows, SqlExport
from remanent.stores.sql.database import Database, OnDatabase
from remanent.stores.sql.plain_rows import PLAIN
from remanent.stores.sql.scope import scoped

R = TypeVar("R")
_PAGE: Final = 500
_REEMBEDDING: Final = "reembedding"  # the mark of an index that is on its way to other vectors
_USERS = "SELECT user_id FROM users WHERE :user IS NULL OR user_id = :user ORDER BY user_id"
ANOTHERS: Final = scoped("""
SELECT n.key FROM json_each(:keys) AS wanted CROSS JOIN nodes AS n ON n.key = wanted.value
WHERE n.user_id <> :user AND NOT VISIBLE(n)
""")


class JoinedExport(SqlExport):
    """While it reads nobody writes: no other way has several servers stand still at one moment."""

    def __init__(
        self,
        block: Block,
        database: Database,
        *,
        graph: Database | None,
        ledger: LedgerOfAll | None,
        others: Mapping[RecordKind, Rows],
    ) -> None:
        super().__init__(database, graph=graph, others=others)
        self._block = block
        self._ledger = ledger
        self._is_graph_elsewhere = graph is not None

    def _still(self) -> AbstractContextManager[None]:
        return self._block.still()

    def note_move(self, move: Move | None) -> None:
        if self._block.is_open:
            super().note_move(move)
            return
        with self._block.still():  # from then on nobody may apply what a crash left
            super().note_move(move)

    def _transaction(self, *, moving: bool) -> AbstractContextManager[None]:
        return self._block.atomic(durable=True, moving=moving)

    def _last_seq(self) -> int:
        if self._ledger is None:
            return super()._last_seq()
        return self._ledger.last_number()

    def _records(
        self, sort: RecordKind, values: Mapping[str, Any], *, household: bool
    ) -> Iterator[ExportRecord]:
        found = super()._records(sort, values, household=household)
        if sort is not RecordKind.ANSWER or not self._is_graph_elsewhere or values["user"] is None:
            yield from found
            return
        while page := list(islice(found, _PAGE)):
            keys = sorted({one.value.source_key for one in page} - {None})
            rows = self._graph.execute(ANOTHERS, {**values, "keys": json.dumps(keys)})
            unseen = {key for (key,) in rows}
            yield from (one for one in page if one.value.source_key not in unseen)


class PlainRows(OnDatabase):
    """The records of plain tables, as `Rows`."""

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        table = PLAIN[sort]
        sql = table.select(everyone=user_id is None, household=household)
        values = {"user": user_id, "after": table.first, "page": _PAGE}
        while rows := self._database.execute(sql, values):
            yield from map(table.record, rows)
            values["after"] = rows[-1][-1]

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        return [
            bool(self._database.execute(PLAIN[sort].insert(), PLAIN[sort].row(one)))
            for one in records
        ]


def ask_index_for_its_marks(records: Records, index: Database) -> None:
    """What an index notes of its vectors is a mark of the memory as well, wherever the others lie."""
    get = records.get

    def get_anywhere(scope: Scope | None, type_: type[R], *key: Any) -> R | Mark | None:
        if type_ is not Mark or key[0] not in (EMBEDDER, _REEMBEDDING):
            return get(scope, type_, *key)
        noted = index.meta(key[0])
        return None if noted is None else Mark(name=key[0], value=noted)

    setattr(records, "get", get_anywhere)  # noqa: B010 - as the wall does it


class ReachedEvents:
    """The events of a ledger, whose graph comes with them: nothing of them waits to be applied."""

    def __init__(self, block: Block, ledger: Rows) -> None:
        self._block = block
        self._ledger = ledger

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        return self._ledger.read(sort, user_id, household=household)

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        last: dict[str, int] = {}
        for one in records:
            last[one.value.user_id] = max(one.value.seq, last.get(one.value.user_id, 0))
        for user_id, seq in last.items():
            self._block.reach(user_id, seq)
        return self._ledger.take(sort, records)


class SplitPositions:
    """Where the ledger's positions lie in one store, and the graph's in another."""

    def __init__(self, database: Database, ledger: Rows, graph: Positions) -> None:
        self._database = database
        self._ledger = ledger
        self._graph = graph

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        """Up to where the graph has applied a ledger is that ledger's business, and moves nowhere."""
        for one in self._ledger.read(sort, user_id, household=household):
            if one.value.consumer not in (APPENDED, APPLIED, PROJECTION):
                yield one
        for (name,) in self._database.execute(_USERS, {"user": user_id}):
            if seq := self._graph.position(Scope(user_id=name), PROJECTION):
                position = Position(consumer=PROJECTION, seq=seq)
                yield ExportRecord(sort=sort, user_id=name, value=position)

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        return [self._take(sort, one) for one in records]

    def _take(self, sort: RecordKind, one: ExportRecord) -> bool:
        if one.value.consumer != PROJECTION:
            return self._ledger.take(sort, [one])[0]
        scope = Scope(user_id=str(one.user_id))
        if self._graph.position(scope, PROJECTION):
            return False
        self._graph.position(scope, PROJECTION, to=one.value.seq)
        return True


class SplitMarks:
    """What a memory notes of itself, where the index notes for itself whether its vectors change."""

    def __init__(self, database: Database, index: Database) -> None:
        self._rows = PlainRows(database)
        self._index = index

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        yield from self._rows.read(sort, user_id, household=household)
        if (noted := self._index.meta(_REEMBEDDING)) is not None:
            yield ExportRecord(sort=sort, user_id=None, value=Mark(name=_REEMBEDDING, value=noted))

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        return [self._take(sort, one) for one in records]

    def _take(self, sort: RecordKind, one: ExportRecord) -> bool:
        if one.value.name != _REEMBEDDING:
            return self._rows.take(sort, [one])[0]
        if self._index.meta(_REEMBEDDING) is not None:
            return False
        self._index.set_meta(_REEMBEDDING, one.value.value)
        return True
