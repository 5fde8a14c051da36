"""Records in SQL: one row each, of the household's or of a user's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, TypeVar

from remanent.core.model.event import ForgottenEvent
from remanent.core.model.scope import Scope
from remanent.core.ports.records import Select
from remanent.core.records.access import (
    ApiKey,
    AuditEntry,
    Invitation,
    Membership,
    Stay,
    Team,
    User,
)
from remanent.core.records.export import KeyRecord, Mark, NightPosition, TeamRecord
from remanent.core.records.idempotency import IdempotentRequest
from remanent.core.records.item import Item, ItemVector
from remanent.core.records.spending import Answer, Spent
from remanent.errors import Forbidden
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import TERSE, RowCodec, replaced
from remanent.stores.sql.scope import insist_own

R = TypeVar("R")
S = TypeVar("S")


@dataclass(frozen=True)
class _Table:
    """One table as records of one type; `whole` is the type that has all of its columns."""

    kind: type[Any]
    name: str
    key: tuple[str, ...]
    whole: type[Any] | None = None
    owned: bool = False  # by the user it names: nobody else reads it
    unique: str = ""  # the column that tells all rows apart, where not the whole key does
    durable: bool = False
    fixed: frozenset[str] = frozenset()  # what another put leaves as it was
    rising: str = ""  # what another put never makes smaller
    numbered: str = ""  # the column that numbers the rows
    row: str = ""  # the column that tells when they were written

    @cached_property
    def codec(self) -> RowCodec[Any]:
        return RowCodec(self.kind, self.name, self._odd)

    @cached_property
    def columns(self) -> RowCodec[Any]:
        """All columns, for conditions."""
        return RowCodec(self.whole or self.kind, self.name, self._odd)

    @property
    def _odd(self) -> Mapping[str, Any]:
        return {"namespace": TERSE} if self.kind is Item else {}

    def insert(self, *, conflict: str) -> str:
        """The statement that adds a record by its named values, and what a conflict of keys means."""
        names = [name for name in self.codec.names if name != self.numbered]
        if self.owned and "user_id" not in names:  # what tells whose it is may be no field
            names.append("user_id")
        on_conflict = "" if self.numbered else f"ON CONFLICT {conflict}"
        values = ", ".join(f":{name}" for name in names)
        return f"INSERT INTO {self.name} ({', '.join(names)}) VALUES ({values}) {on_conflict}"  # noqa: S608 - ours

    @cached_property
    def put(self) -> str:
        new = replaced(self.codec.names, but={*self.key, *self.fixed, self.rising})
        if self.rising:
            new = f"{self.rising} = max({self.name}.{self.rising}, excluded.{self.rising})"
        if self.unique:
            new = f"{new} WHERE {self.name}.user_id = excluded.user_id"
        return self.insert(conflict=f"({self.unique or ', '.join(self.key)}) DO UPDATE SET {new}")

    @cached_property
    def claim(self) -> str:
        return self.insert(conflict="DO NOTHING")

    @cached_property
    def by_key(self) -> str:
        mine = " AND ".join(f"{name} = :{name}" for name in self.key)
        return f"{self.codec.select()} WHERE {mine}"

    @cached_property
    def add(self) -> str:
        names = [name for name in self.codec.names if name not in self.key]
        sums = ", ".join(f"{name} = {self.name}.{name} + excluded.{name}" for name in names)
        return self.insert(conflict=f"({', '.join(self.key)}) DO UPDATE SET {sums}")


_of_house = partial(_Table, durable=True)
_of_user = partial(_Table, owned=True)
_MADE: Final = frozenset({"created_at", "created_by"})
_TABLES: Final[Mapping[type[Any], _Table]] = {
    one.kind: one
    for one in (
        _of_house(User, "users", ("user_id",), fixed=_MADE),
        _of_house(Team, "teams", ("team_id",), whole=TeamRecord, fixed=_MADE),
        _of_house(TeamRecord, "teams", ("team_id",), fixed=_MADE),
        _of_house(Membership, "memberships", ("user_id", "team_id")),
        _of_house(Stay, "stays", ("user_id", "team_id", "joined_at", "left_at")),
        _of_house(
            Invitation,
            "invitations",
            ("invitation_id",),
            fixed=frozenset(RowCodec(Invitation, "").names) - {"state"},
        ),
        _of_house(ApiKey, "api_keys", ("key_id",), whole=KeyRecord),
        _of_house(KeyRecord, "api_keys", ("key_id",)),
        _of_house(AuditEntry, "deeds", ("seq",), numbered="seq"),
        _of_house(Mark, "meta", ("name",)),
        _of_user(NightPosition, "rounds", ("user_id", "job"), rising="done_until"),
        _of_user(ForgottenEvent, "bygones", ("user_id", "key"), unique="key"),
        _of_user(Answer, "answers", ("user_id", "digest")),
        _of_user(Spent, "spending", ("user_id", "day", "job", "task", "model")),
        _of_user(IdempotentRequest, "replays", ("user_id", "asker", "name"), durable=True),
        _of_user(Item, "items", ("user_id", "room", "namespace", "key"), row="id"),
        _of_user(ItemVector, "item_vectors", ("user_id", "event_id", "lens", "path")),
    )
}


class SqlRecords(OnDatabase):
    """One row for each record."""

    def put(self, scope: Scope | None, record: object) -> None:
        self._write(scope, record, "put")

    def add(self, scope: Scope | None, record: object) -> None:
        self._write(scope, record, "add")

    def claim(self, scope: Scope | None, record: R) -> R:
        with self._database.transaction(durable=_TABLES[type(record)].durable):
            table, values = self._write(scope, record, "claim")
            key = {name: values[name] for name in table.key}
            (row,) = self._database.execute(table.by_key, key)
        return table.codec.of(row)  # type: ignore[no-any-return]

    def _write(
        self, scope: Scope | None, record: object, how: str
    ) -> tuple[_Table, Mapping[str, Any]]:
        table = _TABLES[type(record)]
        _insist(scope, table)
        values = table.codec.named(record)
        if scope is not None:
            insist_own(scope, values.setdefault("user_id", scope.user_id), table.name)
        with self._database.transaction(durable=table.durable):
            values.pop(table.numbered, None)
            self._database.execute(getattr(table, how), values)
        return table, values

    def get(self, scope: Scope | None, type_: type[R], *key: Any) -> R | None:
        table = _TABLES[type_]
        _insist(scope, table)
        whole = key if scope is None else (scope.user_id, *key)
        named = zip(table.key, whole, strict=True)
        values = {name: table.codec.stored(name, value) for name, value in named}
        row = self._database.fetch_one(table.by_key, values)
        return None if row is None else table.codec.of(row)

    def find(self, scope: Scope | None, select: Select[R]) -> list[R]:
        rows = self._database.execute(*_find_statement(scope, select))
        return [_TABLES[select.type].codec.of(row) for row in rows]

    def find_each(
        self, scope: Scope | None, first: Select[R], second: Select[S]
    ) -> tuple[list[R], list[S]]:
        one, other = self._together(_find_statement(scope, first), _find_statement(scope, second))
        codecs = _TABLES[first.type].codec, _TABLES[second.type].codec
        return [codecs[0].of(row) for row in one], [codecs[1].of(row) for row in other]

    def values(self, scope: Scope | None, select: Select[R], name: str) -> list[Any]:
        table, where, values = _conditions_of(scope, select)
        sql = f"SELECT DISTINCT {name} FROM {table.name} WHERE {where}"  # noqa: S608 - ours
        return sorted(
            table.columns.read(name, one) for (one,) in self._database.execute(sql, values)
        )

    def change(self, scope: Scope | None, select: Select[R], **values: Any) -> int:
        table, where, given = _conditions_of(scope, select)
        news = ", ".join(f"{name} = :new_{name}" for name in values)
        given |= {f"new_{name}": table.columns.stored(name, one) for name, one in values.items()}
        sql = f"UPDATE {table.name} SET {news} WHERE {where} RETURNING 1"  # noqa: S608 - ours
        with self._database.transaction(durable=table.durable):
            return len(self._database.execute(sql, given))

    def delete(self, scope: Scope | None, select: Select[R]) -> int:
        table, where, values = _conditions_of(scope, select, taking=True)
        sql = f"DELETE FROM {table.name} WHERE {where} RETURNING 1"  # noqa: S608 - ours
        with self._database.transaction(durable=table.durable):
            return len(self._database.execute(sql, values))


def _find_statement(scope: Scope | None, select: Select[Any]) -> tuple[str, dict[str, Any]]:
    """The statement that finds these, and its values."""
    table, where, values = _conditions_of(scope, select)
    order = ", ".join(_order(table, name) for name in select.order or table.key)
    sql = f"{table.codec.select()} WHERE {where} ORDER BY {order}"
    if select.limit is not None or select.offset:
        sql += " LIMIT :limit OFFSET :offset"
        limit = 2**62 if select.limit is None else max(select.limit, 0)
        values |= {"limit": limit, "offset": select.offset}
    return sql, values


def _insist(scope: Scope | None, table: _Table) -> None:
    """Nobody reads or writes a user's own without their scope, nor the household's with one."""
    if table.owned is (scope is None):
        raise Forbidden(f"{table.name}: {'no scope is given' if table.owned else 'is no one user'}")


def _conditions_of(
    scope: Scope | None, select: Select[Any], *, taking: bool = False
) -> tuple[_Table, str, dict[str, Any]]:
    """The table that is asked, the condition, and its values."""
    table = _TABLES[select.type]
    if scope is not None or not taking:
        _insist(scope, table)
    mine = {} if scope is None else {"user_id": scope.user_id}
    return table, *_conditions(table, {**select.where, **mine})


def _conditions(table: _Table, where: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    terms, values = ["TRUE"], dict[str, Any]()
    for number, (name, value) in enumerate(where.items()):
        term, of_term = _term(table.columns, name, value, f"v{number}")
        terms.append(term)
        values |= of_term
    return " AND ".join(terms), values


def _term(
    columns: RowCodec[Any], name: str, value: Any, mark: str
) -> tuple[str, Mapping[str, Any]]:
    """One condition, whose values have names that begin with `mark`."""
    column, _, sign = name.partition(" ")
    if value is None:
        return f"{column} IS NULL", {}
    if isinstance(value, list):
        kept = json.dumps([columns.stored(column, one) for one in value if one is not None])
        or_none = f" OR {column} IS NULL" if None in value else ""
        return f"({column} IN (SELECT value FROM json_each(:{mark})){or_none})", {mark: kept}  # noqa: S608 - ours
    kept = columns.stored(column, value)
    if sign == ">?":
        return f"({column} IS NULL OR {column} > :{mark})", {mark: kept}
    if sign == "below":
        # A path as JSON, `["a"]`, or what begins with `["a",` (`-` comes after the comma).
        ends = {mark: kept, f"{mark}_from": f"{kept[:-1]},", f"{mark}_to": f"{kept[:-1]}-"}
        within = f"{column} >= :{mark}_from AND {column} < :{mark}_to"
        return (f"({column} = :{mark} OR ({within}))", ends) if value else ("TRUE", {})
    return f"{column} {sign or '='} :{mark}", {mark: kept}


def _order(table: _Table, name: str) -> str:
    column, falls = name.removeprefix("-"), " DESC" if name.startswith("-") else ""
    return f"{table.row if column == 'row' else column}{falls}"
