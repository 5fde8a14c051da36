"""Salvage: every row of a damaged file that can still be read, copied into a new one.

What is true (`KEPT`) is copied to be kept. Of what is derived only what carries lives and dates comes
along, for the rebuild that follows to take them over; the rest is derived anew by it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from remanent.core.dataclasses import dataclass
from remanent.core.model.event import USER_REGISTERED
from remanent.core.records.admin import Damage
from remanent.errors import DamagedMemory, StoreError
from remanent.stores.sql.admin.adopt_rebuild import KEPT
from remanent.stores.sql.database import Row
from remanent.stores.sql.ledger import UNDIGESTED
from remanent.stores.sqlite.admin.examine import Fits, digest_damages, problem_of
from remanent.stores.sqlite.admin.shadow import SUFFIX, locked, remove, unlock
from remanent.stores.sqlite.database import SqliteDatabase
from remanent.stores.sqlite.migrations import migrate, version

UNFINISHED: Final = ".salvage"
_OF_LIVES: Final = frozenset(
    {"nodes", "relationships", "links", "assertions", "extractions", "items"}
)
_PAGE: Final = 500
_MOST_GUESSED: Final = 10_000  # numbers of rows that are tried where nothing tells of them
_TABLE: Final = "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid"
_PLAIN_INDEXES: Final = """
SELECT i.name FROM pragma_index_list(?) AS i WHERE NOT i.partial
  AND NOT EXISTS (SELECT 1 FROM pragma_index_info(i.name) WHERE name IS NULL)
"""
_SEQUENCES: Final = "SELECT name, seq FROM sqlite_sequence"
_COUNT_ON: Final = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?"
_MISSING_USERS: Final = """
INSERT INTO users (user_id, name, timezone, created_at)
SELECT user_id, payload ->> 'name', payload ->> 'timezone', recorded_at FROM events
WHERE event_type = ?1 AND user_id NOT IN (SELECT user_id FROM users) ORDER BY seq
ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, timezone = excluded.timezone
"""
_COUNTS: Final = """
SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM events), (SELECT count(*) FROM raws)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What came over: of the truth, `lost` names what did not; of what is derived it is counted."""

    users: int
    events: int
    raws: int
    lost: Sequence[Damage]
    rederived: Mapping[str, int]


@contextmanager
def unfinished(old: Path, new: Path) -> Iterator[Path]:
    """A block in which a new file is made beside `new`; ended well, the file gets that name.

    However it ends, nothing half is ever called `new`, and what an earlier one left is taken away.
    """
    if not old.is_file():
        raise StoreError(str(old), "is not there")
    if new.exists():
        raise StoreError(str(new), "is there already, and is not written over")
    place = Path(f"{new.absolute()}{UNFINISHED}")
    lock = locked(str(new))
    try:
        _clear(place)
        yield place
        if Path(f"{place}-wal").exists():
            raise StoreError(str(place), "was not written to its end")
        if new.exists():
            raise StoreError(str(new), "has come to be meanwhile, and is not written over")
        _to_disk(place)
        place.rename(new)
        _to_disk(new.absolute().parent)
    finally:
        _clear(place)
        unlock(str(new), lock)


def _clear(place: Path) -> None:
    remove(str(place))
    remove(f"{place}{SUFFIX}")


def _to_disk(place: Path) -> None:
    number = os.open(place, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def copy_readable(old: Path, place: Path, *, now: datetime, fits: Fits) -> Copied:
    """Copy whatever can be read at `old`, of which not a byte changes, into a new file."""
    here = SqliteDatabase(old, read_only=True)
    try:
        version(here)  # a later version's is left to that one
        there = SqliteDatabase(place)
        try:
            migrate(there, now)
            there.spare_disk()
            there.execute("PRAGMA foreign_keys = OFF")  # what hangs in the air is derived anew
            with there.transaction():
                return _copy(here, there, fits)
        finally:
            there.close()
    finally:
        here.close()


def _copy(here: SqliteDatabase, there: SqliteDatabase, fits: Fits) -> Copied:
    lost: list[Damage] = []
    rederived: dict[str, int] = {}
    for table in sorted((KEPT | _OF_LIVES) - {"migrations"}):
        damages = [*_table(here, there, table), *_undecodable(there, table)]
        if table in _OF_LIVES:
            rederived |= {table: len(damages)} if damages else {}
        elif table != "raws":  # the ledger knows better which of these are missing
            lost += damages
    try:
        for name, seq in here.execute(_SEQUENCES):
            there.execute(_COUNT_ON, (seq, name))
    except DamagedMemory as problem:
        lost.append(Damage(table="sqlite_sequence", key="", problem=problem.problem))
    there.execute(_MISSING_USERS, (USER_REGISTERED,))
    there.execute(UNDIGESTED)
    lost += digest_damages(there, fits)
    ((users, events, raws),) = there.execute(_COUNTS)
    return Copied(users=users, events=events, raws=raws, lost=lost, rederived=rederived)


def _undecodable(there: SqliteDatabase, table: str) -> list[Damage]:
    """Take away the rows that came over and are not what they should be."""
    problem = problem_of(there, table, dimensions=0)
    if problem is None or table == "raws":
        return []
    key, told = problem
    rows = there.execute(
        f"DELETE FROM {table} WHERE {told} IS NOT NULL RETURNING CAST({key} AS TEXT), {told}"  # noqa: S608
    )
    return [Damage(table=table, key=str(k), problem=str(p)) for k, p in rows]


# -- one table ------------------------------------------------------------------------------------


def _table(here: SqliteDatabase, there: SqliteDatabase, table: str) -> list[Damage]:
    try:
        return _Table(here, there, table).copy()
    except DamagedMemory as problem:
        return [Damage(table=table, key="", problem=problem.problem)]


class _Table:
    """One table on its way from one file to the other: from both ends towards the damage, then row by
    row by the keys that an index knows, or by number."""

    def __init__(self, here: SqliteDatabase, there: SqliteDatabase, table: str) -> None:
        self._here, self._there, self._table = here, there, table
        theirs: dict[str, int] = dict(here.execute(_TABLE, (table,)))
        self._columns = [name for name, _ in there.execute(_TABLE, (table,)) if name in theirs]
        ((bare,),) = here.execute("SELECT wr FROM pragma_table_list WHERE name = ?", (table,))
        keys = sorted((place, name) for name, place in theirs.items() if place)
        self._keys = [name for _, name in keys] if bare else ["rowid"]
        self._has_numbers = not bare

    def copy(self) -> list[Damage]:
        if not self._columns:  # of an older schema, which had no such table
            return []
        first, is_whole = self._from_end(None, "")
        if is_whole:
            return []
        last, _ = self._from_end(first, " DESC")
        return list(self._between(first, last))

    def _from_end(self, stop: Row | None, order: str) -> tuple[Row | None, bool]:
        """Copy rows in this order until one cannot be read, or `stop` is reached; the last key that
        could, and whether that was all."""
        keys, sign = ", ".join(self._keys), "<" if order else ">"
        ordered = ", ".join(f"{one}{order}" for one in self._keys)
        after: Row | None = None
        page = _PAGE
        while True:
            bounds = [f"({keys}) {sign} ({self._marks(self._keys)})"] if after else []
            bounds += [f"({keys}) > ({self._marks(self._keys)})"] if stop else []
            where = f"WHERE {' AND '.join(bounds)}" if bounds else ""
            try:
                rows = self._read(
                    f"{where} ORDER BY {ordered} LIMIT {page}", (*(after or ()), *(stop or ()))
                )
            except DamagedMemory:
                if page == 1:
                    return after, False
                page = max(1, page // 8)
                continue
            if not rows:
                return after, True
            self._write(rows)
            after = rows[-1][: len(self._keys)]

    def _between(self, first: Row | None, last: Row | None) -> Iterator[Damage]:
        where = " AND ".join(f"{one} = ?" for one in self._keys)
        known = self._known()
        told = known if known is not None else self._guessed(first, last)
        for key in sorted(told):
            if (first is not None and key <= first) or (last is not None and key >= last):
                continue
            try:
                rows = self._read(f"WHERE {where}", key)
            except DamagedMemory as problem:
                yield Damage(
                    table=self._table, key=" ".join(map(str, key)), problem=problem.problem
                )
                continue
            self._write(rows)
            if not rows and known is not None:
                yield Damage(table=self._table, key=" ".join(map(str, key)), problem="is gone")
        if known is None and not self._has_numbers:
            told_of_all = "some rows cannot be read; nothing tells how many"
            yield Damage(table=self._table, key="", problem=told_of_all)

    def _known(self) -> set[Row] | None:
        """The keys of all rows as an index has them; None where none can be read."""
        keys = ", ".join(self._keys)
        for (index,) in self._here.execute(_PLAIN_INDEXES, (self._table,)):
            sql = f'SELECT {keys} FROM {self._table} INDEXED BY "{index}"'  # noqa: S608
            try:
                return set(self._here.execute(sql))
            except StoreError:
                continue
        return None

    def _guessed(self, first: Row | None, last: Row | None) -> Iterator[Row]:
        if self._has_numbers:
            begin = first[0] + 1 if first else 1
            end = last[0] if last else begin + _MOST_GUESSED
            yield from ((number,) for number in range(begin, min(end, begin + _MOST_GUESSED)))

    def _read(self, rest: str, values: Sequence[Any]) -> list[Row]:
        cells = [
            f'CAST("{one}" AS BLOB)' if (self._table, one) == ("raws", "content") else f'"{one}"'
            for one in self._columns
        ]
        keys = ", ".join(self._keys)
        return self._here.execute(
            f"SELECT {keys}, {', '.join(cells)} FROM {self._table} {rest}",  # noqa: S608
            values,
        )

    def _write(self, rows: Sequence[Row]) -> None:
        names = ", ".join(f'"{one}"' for one in self._columns)
        sql = f"INSERT OR IGNORE INTO {self._table} ({names}) VALUES ({self._marks(self._columns)})"  # noqa: S608
        cells = [row[len(self._keys) :] for row in rows]
        if self._table == "raws":
            place = self._columns.index("content")
            cells = [(*one[:place], _text(one[place]), *one[place + 1 :]) for one in cells]
            cells = [one for one in cells if self._is_sound(one)]
        self._there.execute_many(sql, cells)

    def _is_sound(self, raw: Row) -> bool:
        """Whether a raw text that should be JSON still is."""
        values = dict(zip(self._columns, raw, strict=True))
        try:
            return not values["is_json"] or json.loads(values["content"]) is not None
        except ValueError:
            return False

    @staticmethod
    def _marks(names: Sequence[str]) -> str:
        return ", ".join("?" for _ in names)


def _text(blob: bytes | None) -> str:
    """A text of which some bytes may be none: it is kept, and its digest says what it is worth."""
    return (blob or b"").decode("utf-8", "replace")
