"""All that a memory in SQLite holds, out as records and in again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import groupby, islice
from typing import Any, Final, Protocol

from remanent.backup.rules import shifted
from remanent.core.dataclasses import replace
from remanent.core.model.codec import to_record
from remanent.core.model.event import Event
from remanent.core.model.job import JobKind, JobState
from remanent.core.model.node import Node
from remanent.core.model.scope import Scope
from remanent.core.ports.admin import Numbered
from remanent.core.records.access import User
from remanent.core.records.export import (
    HOUSEHOLD,
    MOVE,
    EntryRecord,
    ExportRecord,
    JobRecord,
    Move,
    RecordKind,
    Restored,
)
from remanent.errors import InvalidInput
from remanent.stores.sql.admin import entry_rows, graph_rows
from remanent.stores.sql.admin.entry_rows import EntryRows
from remanent.stores.sql.database import REFUSAL, Database, OnDatabase, Row
from remanent.stores.sql.ledger import UNDIGESTED
from remanent.stores.sql.plain_rows import PLAIN
from remanent.stores.sql.scope import scope_values, scoped

_MONEY: Final = frozenset({RecordKind.ANSWER, RecordKind.SPENT})
_IN_TEAMS: Final = frozenset({RecordKind.MEMBERSHIP, RecordKind.STAY, RecordKind.INVITATION})
_OF_USERS: Final = frozenset({RecordKind.MEMBERSHIP, RecordKind.STAY})
_PAGE: Final = 500
# Of what may be long there are few in memory at once.
_PAGES: Final = dict.fromkeys(
    (RecordKind.EVENT, RecordKind.RAW, RecordKind.EXTRACTION, RecordKind.ANSWER, RecordKind.ITEM),
    16,
)

_SEEN: Final = "(@.user_id = :user OR VISIBLE(@))"
_THERE: Final = "is there already, or what it hangs on is not there or not its user's"
_EVENTS = "SELECT EXISTS (SELECT 1 FROM events)"
_TEAMS = "SELECT team_id FROM teams"
_USERS = "SELECT user_id FROM users"


class Rows(Protocol):
    """Records of some sorts that lie elsewhere than in the tables of an export's database."""

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        """Those of a user, or of everybody, in the order in which they were written; with `household` also
        what goes into no file."""

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        """Take these in, inside a transaction; which of them were not there."""


class SqlExport(OnDatabase):
    """Reads page by page in one read transaction; writes in batches inside the caller's.

    The graph and the index may lie in a database of their own, and some sorts in no database of SQL.
    """

    def __init__(
        self,
        database: Database,
        *,
        graph: Database | None = None,
        others: Mapping[RecordKind, Rows] | None = None,
    ) -> None:
        super().__init__(database)
        self._graph = graph or database
        self._others = others or {}

    def dump(
        self, scope: Scope | None, *, answers: bool = True, household: bool = False
    ) -> Iterator[ExportRecord]:
        values = {"user": None} if scope is None else scope_values(scope)
        return self._dumped(values, answers=answers, household=household)

    # -- out ----------------------------------------------------------------------------------

    def _dumped(
        self, values: Mapping[str, Any], *, answers: bool, household: bool = False
    ) -> Iterator[ExportRecord]:
        everyone = values["user"] is None
        without = (frozenset() if answers else _MONEY) | (frozenset() if household else HOUSEHOLD)
        with self._still():
            for sort in (one for one in RecordKind if one not in without):
                for one in self._records(sort, values, household=household):
                    elsewhere = one.elsewhere and not everyone
                    yield replace(one, elsewhere=elsewhere, value=_at_rest(one.value))

    def _still(self) -> AbstractContextManager[None]:
        """A block in which all stays as it is."""
        return self._database.read()

    def _records(
        self, sort: RecordKind, values: Mapping[str, Any], *, household: bool
    ) -> Iterator[ExportRecord]:
        everyone = values["user"] is None
        if sort in self._others:
            yield from self._others[sort].read(sort, values["user"], household=household)
            return
        database = self._database if sort in PLAIN else self._graph
        sql, first, record = _reading(sort, everyone=everyone, household=household)
        asked = {**values, "after": first, "page": _PAGES.get(sort, _PAGE)}
        while rows := database.execute(sql, asked):
            yield from map(record, rows)
            asked["after"] = rows[-1][-1]

    # -- in -----------------------------------------------------------------------------------

    def restore(
        self,
        records: Iterable[Numbered],
        *,
        embedder: str | None,
        dimensions: int = 0,
        move: Callable[[], Move] | None = None,
    ) -> Restored:
        with self._transaction(moving=move is not None):
            entries = EntryRows(self._graph, embedder=embedder, dimensions=dimensions)
            taking = _Taking(self._database, self._graph, self._others, entries)
            taking.begin(self._last_seq(), goes_on=move is not None)
            for sort, same in groupby(records, key=lambda one: one[1].sort):
                while batch := list(islice(same, _PAGES.get(sort, _PAGE))):
                    taking.take(sort, batch)
            self._taken(taking.took(RecordKind.EVENT, RecordKind.POSITION))
            if move is not None:
                self.note_move(move())
        return taking.restored()

    def _transaction(self, *, moving: bool) -> AbstractContextManager[None]:
        return self._database.transaction(durable=True, moving=moving)

    def _last_seq(self) -> int:
        """The highest number that an event was ever given; 0 while there is none."""
        ((any_events,),) = self._database.execute(_EVENTS)
        return self._database.last_number("events") if any_events else 0

    def _taken(self, of_ledger: bool) -> None:  # noqa: FBT001
        """All records are in."""
        if of_ledger:
            self._database.execute(UNDIGESTED)
        for one in {self._database, self._graph}:
            one.renumber()

    # -- on the way to another house ----------------------------------------------------------

    def note_move(self, move: Move | None) -> None:
        refusal = None if move is None else move.refusal or None
        with self._transaction(moving=True):
            noted = None if move is None else json.dumps(to_record(move))
            self._database.set_meta(MOVE, noted)
            self._database.set_meta(REFUSAL, refusal)


def _reading(
    sort: RecordKind, *, everyone: bool, household: bool
) -> tuple[str, Any, Callable[[Row], ExportRecord]]:
    """The statement that reads a page of a sort, where it begins, and how a row is read."""
    if sort is RecordKind.ENTRY:
        return entry_rows.SELECT, 0, entry_rows.record_of
    if sort in PLAIN:
        table = PLAIN[sort]
        sql = table.select(everyone=everyone, household=household)
        return scoped(sql), table.first, table.record
    mine, seen = ("TRUE", "TRUE") if everyone else ("@.user_id = :user", _SEEN)
    sql, first = graph_rows.select(sort, mine=mine, seen=seen)
    return (sql, first, lambda row: graph_rows.record_of(sort, row))


def _at_rest(value: Any) -> Any:
    """A job that somebody is at is one that waits: whoever it is, is not where the file goes."""
    if isinstance(value, JobRecord):
        running = value.state is JobState.RUNNING
        state = JobState.READY if running else value.state
        return replace(value, state=state, worker=None, lease_until=None)
    return value


class _Taking:
    """One restore under way."""

    def __init__(
        self,
        database: Database,
        graph: Database,
        others: Mapping[RecordKind, Rows],
        entries: EntryRows,
    ) -> None:
        self._database, self._graph, self._others = database, graph, others
        self._entries = entries
        self._counts: dict[str, int] = {}
        self._left_out: dict[str, int] = {}

    def begin(self, last_seq: int, *, goes_on: bool) -> None:
        """Look who is there; `last_seq` is that of the ledger, and with `goes_on` all there is came before."""
        self._goes_on = goes_on
        teams = frozenset(row[0] for row in self._database.execute(_TEAMS))
        users = [row[0] for row in self._database.execute(_USERS)]
        self._users: list[str] = users if goes_on else []
        self._teams: set[str] = set(teams) if goes_on else set()
        self._strangers = frozenset() if goes_on else teams
        self._shift = 0 if goes_on else last_seq

    def restored(self) -> Restored:
        """What was taken in."""
        return Restored(counts=self._counts, left_out=self._left_out, shifted=self._shift)

    def took(self, *sorts: RecordKind) -> bool:
        """Whether one of these came in."""
        return any(one.value in self._counts for one in sorts)

    def take(self, sort: RecordKind, batch: Sequence[Numbered]) -> None:
        """Take in some records of one sort."""
        ready = [(number, self._checked(number, one)) for number, one in batch]
        taken = self._put(sort, ready)
        self._look_ups(one for (_, one), came in zip(ready, taken, strict=True) if came)
        self._counts[sort.value] = self._counts.get(sort.value, 0) + sum(taken)
        if not all(taken):
            self._left_out[sort.value] = self._left_out.get(sort.value, 0) + taken.count(False)

    def _put(self, sort: RecordKind, ready: Sequence[Numbered]) -> list[bool]:
        if sort is RecordKind.ENTRY:
            return [self._one_entry(number, one) for number, one in ready]
        if sort in self._others:
            # What goes on after it was broken off may find more than it had noted: this came first.
            taken = self._others[sort].take(sort, [one for _, one in ready])
            for (number, _), came_in in zip(ready, taken, strict=True):
                if not came_in and not self._goes_on:
                    raise _refused(number, "key", _THERE)
            return taken
        if sort in PLAIN:
            rows = [(number, PLAIN[sort].row(one), False) for number, one in ready]
            return self._rows(self._database, PLAIN[sort].insert(), rows)
        users = json.dumps(self._users)
        given = [
            (number, {**graph_rows.values_of(one), "users": users}, one.elsewhere)
            for number, one in ready
        ]
        return self._rows(self._graph, graph_rows.INSERTS[sort], given)

    def _checked(self, number: int, one: ExportRecord) -> ExportRecord:
        """The record as it fits in here; a stranger's team is refused, whatever it is named in."""
        for team in _teams_in(one.value):
            if team in self._strangers:
                raise _refused(number, "team", f"{team!r} is a team of this memory already")
        if one.sort in _IN_TEAMS and one.value.team_id not in self._teams:
            raise _refused(number, "team_id", f"{one.value.team_id!r} is no team of the file")
        if one.sort in _OF_USERS and one.user_id not in self._users:
            raise _refused(number, "user_id", f"{one.user_id!r} is no user of the file")
        if one.sort is RecordKind.TEAM:
            self._teams.add(one.value.team_id)
        if isinstance(one.value, User):
            self._users.append(one.value.user_id)
        if isinstance(one.value, JobRecord) and not self._goes_on:
            _insist_waiting(number, one.value)
        return shifted(one, self._shift) if self._shift else one

    def _one_entry(self, number: int, one: ExportRecord) -> bool:
        try:
            added = self._entries.take(one, frozenset(self._teams))
        except InvalidInput as problem:
            raise _refused(number, problem.field, problem.problem) from None
        if not added:
            raise _refused(number, "key", f"{one.value.key!r} is there already")
        return True

    def _rows(
        self, database: Database, sql: str, rows: Sequence[tuple[int, Any, bool]]
    ) -> list[bool]:
        """Which of these came in; all at once if all do, else one by one to tell which does not."""
        if not any(elsewhere for _, _, elsewhere in rows):
            with suppress(_Short), database.transaction():
                added = database.execute_many(sql, [values for _, values, _ in rows])
                if len(added) < len(rows):
                    raise _Short
                return [True] * len(rows)
        return [_row(database, sql, *one) for one in rows]

    def _look_ups(self, records: Iterable[ExportRecord]) -> None:
        look_ups: dict[str, list[tuple[Any, ...]]] = {}
        for record in records:
            if record.sort in (RecordKind.NODE, RecordKind.EXTRACTION):
                for sql, row in graph_rows.looked_up_by(record):
                    look_ups.setdefault(sql, []).append(row)
        for sql, rows in look_ups.items():
            self._graph.execute_many(sql, rows)


def _row(database: Database, sql: str, number: int, values: Any, elsewhere: bool) -> bool:  # noqa: FBT001
    if database.execute(sql, values):
        return True
    if elsewhere:
        return False
    raise _refused(number, "key", _THERE)


class _Short(Exception):
    """Not every row of a batch came in."""


def _refused(number: int, field: str, problem: str) -> InvalidInput:
    return InvalidInput(f"line {number}: {field}", problem)


def _insist_waiting(number: int, job: JobRecord) -> None:
    if job.state not in (JobState.READY, JobState.PARKED):
        raise _refused(number, "state", f"{job.state.value!r} is not ready or parked")
    if job.kind is JobKind.REEMBED:
        raise _refused(number, "kind", "'reembed' is work for a whole memory, and no user's")


def _teams_in(value: Any) -> Iterator[str]:
    """Every team that a record names."""
    if isinstance(value, Node):
        named: Iterable[str | None] = (value.team, *_of_readers(value.readers))
    elif isinstance(value, EntryRecord):
        named = (value.team, *_of_readers(value.readers))
    elif isinstance(value, User):
        named = (value.primary_team, value.active_team)
    elif isinstance(value, Event):
        named = (value.team_id,)
    else:
        named = (getattr(value, "team_id", None),)
    return (one for one in named if one is not None)


def _of_readers(readers: Iterable[str]) -> Iterator[str]:
    return (one.removeprefix("team:") for one in readers if one.startswith("team:"))
