"""Values as columns hold them: times as whole microseconds, structures as JSON text.

Tables whose columns are the fields of one dataclass, carried as they are.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeVar, cast

from remanent.core.model.codec import from_record, to_record
from remanent.core.records.export import TYPES, ExportRecord, RecordKind
from remanent.errors import DamagedMemory, InvalidInput
from remanent.stores.sql.database import Row

Thing = TypeVar("Thing")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_encoded: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode  # made once
# What decoding a stored row raises when its bytes are not those that were written.
UNDECODABLE: Final = (ValueError, TypeError, KeyError, IndexError, AttributeError, InvalidInput)


def to_micros(moment: datetime) -> int:
    """Microseconds from 1970 to `moment`, which has to say its zone."""
    if moment.tzinfo is None:
        raise InvalidInput("time", f"{moment.isoformat()} has no time zone")
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def micros_or_none(moment: datetime | None) -> int | None:
    return None if moment is None else to_micros(moment)


def moment_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)


def bound(**values: Any) -> dict[str, Any]:
    """Values as a statement takes them by name: a time as microseconds, several things as the JSON list of
    each once; a limit is never below nothing."""
    if "limit" in values:
        values["limit"] = max(values["limit"], 0)
    return {name: _bound(value) for name, value in values.items()}


def _bound(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return json.dumps(list(dict.fromkeys(value)))
    return value


def to_json(record: Any, field: str) -> str:
    """The JSON text of plain values, or `InvalidInput` that names `field` when JSON has no such value."""
    try:
        return _encoded(record)
    except (TypeError, ValueError) as error:
        raise InvalidInput(field, f"cannot be kept as JSON: {error}") from error


def from_json(text: str, table: str) -> Any:
    """The plain values of a JSON text in `table`, or `DamagedMemory` that names the table."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise unreadable(table, error) from error


def unreadable(table: str, error: Exception) -> DamagedMemory:
    """What `error`, met while a stored row of `table` was decoded, is called among our own."""
    about = f"{type(error).__name__}: {error}"
    return DamagedMemory("memory", f"is damaged: a row of table {table} cannot be read ({about})")


def body_of(type_: type[Thing], text: str, table: str) -> Thing:
    """The thing that a body of `table` tells of, or `DamagedMemory` that names the table."""
    record = from_json(text, table)
    try:
        return from_record(type_, record)
    except UNDECODABLE as error:
        raise unreadable(table, error) from error


def digest_of(values: Any, field: str) -> bytes:
    """A short fingerprint of plain values: equal ones have the same, others another."""
    text = to_json(values, field).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


_Convert = Callable[[Any], Any]


class RowCodec(Generic[Thing]):
    """Rows of a table whose columns are the fields of one dataclass, as things and back.

    Columns stand in the order of the fields. `odd` tells how a field is read and kept whose type does
    not tell it.
    """

    def __init__(
        self,
        type_: type[Thing],
        table: str,
        odd: Mapping[str, tuple[_Convert, _Convert]] = types.MappingProxyType({}),
    ) -> None:
        self.names = tuple(one.name for one in dataclasses.fields(cast("Any", type_)))
        self.columns = ", ".join(self.names)
        self._type = type_
        self._table = table
        self._odd = odd

    @cached_property
    def _conversions(self) -> Sequence[tuple[str, _Convert, _Convert]]:
        hints = typing.get_type_hints(self._type)
        odd = self._odd
        return [(name, *(odd.get(name) or _conversion(name, hints[name]))) for name in self.names]

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[_Convert, _Convert]]:
        return {name: (read, keep) for name, read, keep in self._conversions}

    def read(self, name: str, value: Any) -> Any:
        """What a column holds, as the thing has it."""
        return None if value is None else self._by_name[name][0](value)

    def stored(self, name: str, value: Any) -> Any:
        """What the thing has in a field, as its column holds it; whose it is need be no field."""
        if value is None or (name == "user_id" and name not in self._by_name):
            return value
        return self._by_name[name][1](value)

    def of(self, row: Row) -> Thing:
        """The thing in a row that begins with the columns, or `DamagedMemory` that names the table."""
        pairs = zip(self._conversions, row, strict=False)
        try:
            values = {n: None if value is None else read(value) for (n, read, _), value in pairs}
            return self._type(**values)
        except UNDECODABLE as error:
            raise unreadable(self._table, error) from error

    def row(self, thing: Thing) -> tuple[Any, ...]:
        """The values of the columns."""
        return tuple(self.named(thing).values())

    def named(self, thing: Thing) -> dict[str, Any]:
        """The values of the columns, each by its name."""
        return {
            name: None if (value := getattr(thing, name)) is None else keep(value)
            for name, _, keep in self._conversions
        }

    def insert(self, *more: str) -> str:
        """The statement that adds a row of the columns, and of `more`; what follows a conflict is not
        part of it."""
        names = (*self.names, *more)
        marks = ", ".join("?" * len(names))
        return f"INSERT INTO {self._table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608

    def select(self, *more: str) -> str:
        """The statement that reads the columns, and `more`, of every row; what follows says of which."""
        return f"SELECT {', '.join((*self.names, *more))} FROM {self._table}"  # noqa: S608


def inserted(table: str, columns: Sequence[str]) -> str:
    """The statement that adds a row of these columns, whose values are given by name."""
    values = ", ".join(f":{name}" for name in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608


def replaced(columns: Sequence[str], *, but: Collection[str]) -> str:
    """The part of an upsert that takes over the new values of these columns."""
    return ", ".join(f"{name} = excluded.{name}" for name in columns if name not in but)


@dataclass(frozen=True, kw_only=True)
class PlainTable:
    """One table, its sort of record, and the order of its rows.

    `after` is the expression that numbers the rows in that order, by text unless they have a number;
    `mine` tells the rows of one user, `some` which rows are carried at all.
    """

    sort: RecordKind
    table: str
    after: str = "rowid"
    mine: str = "user_id = :user"
    some: str = "TRUE"
    some_of_house: str = "TRUE"  # the same where a whole house is carried
    is_owned: bool = True
    blobs: frozenset[str] = frozenset()  # columns of bytes, which are base64 in a record
    terse: frozenset[str] = frozenset()  # columns that are looked up by their JSON, without blanks

    @cached_property
    def _codec(self) -> RowCodec[Any]:
        odd: dict[str, tuple[_Convert, _Convert]]
        odd = {
            name: (lambda blob: base64.b64encode(blob).decode(), partial(_bytes_of, name))
            for name in self.blobs
        }
        odd |= dict.fromkeys(self.terse, TERSE)
        return RowCodec(TYPES[self.sort], self.table, odd)

    @cached_property
    def _owner(self) -> tuple[str, ...]:
        """The column that tells whose it is, where that is no field."""
        return ("user_id",) if self.is_owned and "user_id" not in self._codec.names else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are carried; whose it is comes last where it is no field."""
        return (*self._codec.names, *self._owner)

    @property
    def first(self) -> Any:
        """What all numbers of rows are larger than."""
        return -1 if self.after in {"rowid", "seq", "id"} else ""

    def select(self, *, everyone: bool, household: bool = False) -> str:
        """A page of rows beyond `:after`, the place of each last."""
        mine = "TRUE" if everyone else self.mine
        some = self.some_of_house if household else self.some
        return (
            f"{self._codec.select(*self._owner, self.after)} "
            f"WHERE {self.after} > :after AND {mine} AND {some} "
            f"ORDER BY {self.after} LIMIT :page"
        )

    def insert(self) -> str:
        """One row, which must not be there yet."""
        return f"{self._codec.insert(*self._owner)} ON CONFLICT DO NOTHING RETURNING 1"

    def record(self, row: Row) -> ExportRecord:
        """The record in a row of `select`."""
        value = self._codec.of(row)
        named = getattr(value, "user_id", None)
        whose = row[len(self._codec.names)] if self._owner else named
        return ExportRecord(sort=self.sort, user_id=whose if self.is_owned else None, value=value)

    def row(self, one: ExportRecord) -> tuple[Any, ...]:
        """The row of a record."""
        row = self._codec.row(one.value)
        return (*row, one.user_id) if self._owner else row


def _inner(hint: Any) -> Any:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return next(one for one in typing.get_args(hint) if one is not types.NoneType)
    return hint


def _conversion(name: str, hint: Any) -> tuple[_Convert, _Convert]:
    """From a column and into one."""
    hint = _inner(hint)
    if hint is datetime:
        return from_micros, to_micros
    if hint is date:
        return date.fromisoformat, date.isoformat
    if hint is bool:
        return bool, int
    if isinstance(hint, type):
        if not issubclass(hint, Enum):
            return _as_it_is, _as_it_is
        members = {one.value: one for one in hint}  # asking the enum itself is much slower
        return members.__getitem__, lambda one: one.value
    readers: dict[Any, _Convert] = {tuple: _json_tuple, frozenset: partial(_json_set, hint)}
    return readers.get(typing.get_origin(hint), json.loads), lambda one: to_json(
        to_record(one), name
    )


def _json_tuple(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text))


def _json_set(hint: Any, text: str) -> frozenset[Any]:
    return frozenset(map(typing.get_args(hint)[0], json.loads(text)))


def terse_json(value: Any) -> str:
    """The JSON text of plain values without blanks, by which it can be looked up."""
    return json.dumps(to_record(value), ensure_ascii=False, separators=(",", ":"))


TERSE: Final = (_json_tuple, terse_json)  # how a tuple is read and kept that is looked up


def _bytes_of(field: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise InvalidInput(field, "is not base64") from None


def _as_it_is(value: Any) -> Any:
    return value


def _by_text(sort: RecordKind, table: str, columns: str, **more: Any) -> PlainTable:
    """A table whose rows are told apart by several columns."""
    return PlainTable(sort=sort, table=table, after=f"json_array({columns})", **more)


_NOT_DONE: Final = "state <> 'done' AND kind <> 'reembed'"
_MY_TEAMS: Final = """team_id IN (
    SELECT team_id FROM memberships WHERE user_id = :user
    UNION SELECT team_id FROM invitations WHERE user_id = :user
)"""
_MY_ANSWERS: Final = """(user_id = :user AND (source_key IS NULL OR NOT EXISTS (
    SELECT 1 FROM nodes AS n WHERE n.key = source_key AND n.user_id <> :user AND NOT VISIBLE(n)
)))"""

# Each by its sort; two of them need a word: what was running is promised anew, and an embedder's work
# for the whole memory is no user's.
PLAIN: Final[Mapping[RecordKind, PlainTable]] = {
    one.sort: one
    for one in (
        PlainTable(sort=RecordKind.USER, table="users", after="user_id"),
        PlainTable(
            sort=RecordKind.TEAM, table="teams", after="team_id", mine=_MY_TEAMS, is_owned=False
        ),
        _by_text(RecordKind.MEMBERSHIP, "memberships", "user_id, team_id"),
        _by_text(
            RecordKind.STAY,
            "stays",
            "user_id, team_id, CAST(joined_at AS TEXT), CAST(left_at AS TEXT)",
        ),
        PlainTable(sort=RecordKind.INVITATION, table="invitations", after="invitation_id"),
        PlainTable(sort=RecordKind.EVENT, table="events", after="seq"),
        PlainTable(sort=RecordKind.RAW, table="raws"),
        _by_text(RecordKind.POSITION, "positions", "user_id, consumer"),
        PlainTable(sort=RecordKind.BYGONE, table="bygones", after="key"),
        PlainTable(sort=RecordKind.JOB, table="jobs", after="id", some=_NOT_DONE),
        _by_text(RecordKind.ROUND, "rounds", "user_id, job"),
        PlainTable(sort=RecordKind.ANSWER, table="answers", mine=_MY_ANSWERS),
        _by_text(RecordKind.SPENT, "spending", "user_id, day, job, task, model"),
        PlainTable(sort=RecordKind.ITEM, table="items", after="id", terse=frozenset({"namespace"})),
        _by_text(
            RecordKind.ITEM_VECTOR,
            "item_vectors",
            "user_id, event_id, lens, path",
            blobs=frozenset({"vector"}),
        ),
        PlainTable(sort=RecordKind.KEY, table="api_keys", after="key_id", is_owned=False),
        PlainTable(sort=RecordKind.DEED, table="deeds", after="seq", is_owned=False),
        _by_text(RecordKind.REPLY, "replays", "user_id, asker, name", blobs=frozenset({"body"})),
        PlainTable(
            sort=RecordKind.MARK,
            table="meta",
            after="name",
            is_owned=False,
            some_of_house="name IN ('erasure.secret', 'erasure.owed', 'erasure.count', 'reembedding')",
        ),
    )
}
