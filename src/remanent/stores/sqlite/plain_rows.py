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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cached_property, partial
from typing import Any, Final, TypeVar

from remanent.core.model.codec import from_record, to_record
from remanent.core.records.export import TYPES, ExportRecord, RecordKind
from remanent.errors import DamagedMemory, InvalidInput
from remanent.stores.sqlite.connection import Row

Thing = TypeVar("Thing")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
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


def to_json(record: Any, field: str) -> str:
    """The JSON text of plain values, or `InvalidInput` that names `field` when JSON has no such value."""
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
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


@dataclass(frozen=True, kw_only=True)
class PlainTable:
    """One table, its sort of record, and the order of its rows.

    `after` is the expression that numbers the rows in that order, larger than `first`; `mine` tells the
    rows of one user, `some` which rows are carried at all.
    """

    sort: RecordKind
    table: str
    after: str = "rowid"
    first: Any = -1
    mine: str = "user_id = :user"
    some: str = "TRUE"
    is_owned: bool = True
    blobs: frozenset[str] = frozenset()  # columns of bytes, which are base64 in a record
    terse: frozenset[str] = frozenset()  # columns that are looked up by their JSON, without blanks

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The columns that are fields."""
        return tuple(one.name for one in dataclasses.fields(TYPES[self.sort]))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """All columns that are carried; whose it is comes last where it is no field."""
        named = "user_id" in self.fields or not self.is_owned
        return self.fields if named else (*self.fields, "user_id")

    @cached_property
    def _revivers(self) -> Mapping[str, _Convert]:
        hints = typing.get_type_hints(TYPES[self.sort])
        return {
            name: _text_of if name in self.blobs else _conversion(hints[name])[0]
            for name in self.fields
        }

    @cached_property
    def _encoders(self) -> Mapping[str, _Convert]:
        hints = typing.get_type_hints(TYPES[self.sort])
        odd: dict[str, _Convert] = {name: partial(_bytes_of, name) for name in self.blobs}
        odd |= dict.fromkeys(self.terse, _compact_json)
        return {name: odd.get(name) or _conversion(hints[name])[1] for name in self.fields}

    def select(self, *, everyone: bool) -> str:
        """A page of rows beyond `:after`, the place of each last."""
        mine = "TRUE" if everyone else self.mine
        return (
            f"SELECT {', '.join(self.columns)}, {self.after} FROM {self.table} "  # noqa: S608
            f"WHERE {self.after} > :after AND {mine} AND {self.some} "
            f"ORDER BY {self.after} LIMIT :page"
        )

    def insert(self) -> str:
        """One row, which must not be there yet."""
        marks = ", ".join("?" for _ in self.columns)
        return (
            f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES ({marks}) "  # noqa: S608
            "ON CONFLICT DO NOTHING RETURNING 1"
        )

    def record(self, row: Row) -> ExportRecord:
        """The record in a row of `select`."""
        given = zip(self.fields, row, strict=False)
        revive = self._revivers
        try:
            values = {n: None if value is None else revive[n](value) for n, value in given}
        except UNDECODABLE as error:
            raise unreadable(self.table, error) from error
        whose = values.get("user_id") if "user_id" in values else row[len(self.fields)]
        return ExportRecord(
            sort=self.sort,
            user_id=whose if self.is_owned else None,
            value=TYPES[self.sort](**values),
        )

    def row(self, one: ExportRecord) -> tuple[Any, ...]:
        """The row of a record."""
        keep = self._encoders
        values = [(name, getattr(one.value, name)) for name in self.fields]
        row = tuple(None if value is None else keep[name](value) for name, value in values)
        return row if len(row) == len(self.columns) else (*row, one.user_id)


def _inner(hint: Any) -> Any:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return next(one for one in typing.get_args(hint) if one is not types.NoneType)
    return hint


def _conversion(hint: Any) -> tuple[_Convert, _Convert]:
    """From a column and into one."""
    hint = _inner(hint)
    if hint is datetime:
        return from_micros, to_micros
    if hint is date:
        return date.fromisoformat, date.isoformat
    if hint is bool:
        return bool, int
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint, lambda one: one.value
    origin = typing.get_origin(hint)
    if origin is None:
        return _as_it_is, _as_it_is
    return (lambda text: tuple(json.loads(text))) if origin is tuple else json.loads, _json


def _json(value: Any) -> str:
    return to_json(to_record(value), "payload")


def _compact_json(value: Any) -> str:
    return json.dumps(to_record(value), ensure_ascii=False, separators=(",", ":"))


def _text_of(blob: bytes) -> str:
    return base64.b64encode(blob).decode("ascii")


def _bytes_of(field: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise InvalidInput(field, "is not base64") from None


def _as_it_is(value: Any) -> Any:
    return value


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
        PlainTable(sort=RecordKind.USER, table="users", after="user_id", first=""),
        PlainTable(
            sort=RecordKind.TEAM,
            table="teams",
            after="team_id",
            first="",
            mine=_MY_TEAMS,
            is_owned=False,
        ),
        PlainTable(
            sort=RecordKind.MEMBERSHIP,
            table="memberships",
            after="json_array(user_id, team_id)",
            first="",
        ),
        PlainTable(
            sort=RecordKind.STAY,
            table="stays",
            after="json_array(user_id, team_id, joined_at, left_at)",
            first="",
        ),
        PlainTable(
            sort=RecordKind.INVITATION, table="invitations", after="invitation_id", first=""
        ),
        PlainTable(sort=RecordKind.EVENT, table="events", after="seq"),
        PlainTable(sort=RecordKind.RAW, table="raws"),
        PlainTable(
            sort=RecordKind.POSITION,
            table="positions",
            after="json_array(user_id, consumer)",
            first="",
        ),
        PlainTable(sort=RecordKind.BYGONE, table="bygones", after="key", first=""),
        PlainTable(sort=RecordKind.JOB, table="jobs", after="id", some=_NOT_DONE),
        PlainTable(
            sort=RecordKind.ROUND, table="rounds", after="json_array(user_id, job)", first=""
        ),
        PlainTable(sort=RecordKind.ANSWER, table="answers", mine=_MY_ANSWERS),
        PlainTable(
            sort=RecordKind.SPENT,
            table="spending",
            after="json_array(user_id, day, job, task, model)",
            first="",
        ),
        PlainTable(sort=RecordKind.ITEM, table="items", after="id", terse=frozenset({"namespace"})),
        PlainTable(
            sort=RecordKind.ITEM_VECTOR,
            table="item_vectors",
            after="json_array(user_id, event_id, lens, path)",
            first="",
            blobs=frozenset({"vector"}),
        ),
    )
}
