"""What Redis keeps, as records of an export and in again; and the ledger of everybody, for a rebuild."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from remanent.core.dataclasses import replace
from remanent.core.model.event import Event
from remanent.core.model.source import RawSource
from remanent.core.records.export import ExportRecord, JobRecord, Position, RecordKind
from remanent.stores.redis.database import RedisDatabase
from remanent.stores.redis.indexes import Hash, named_by
from remanent.stores.redis.ledger import (
    OWNERS,
    RedisLedger,
    event_of,
    event_text,
    events_of,
    positions_of,
    raw_of,
    raws_of,
)
from remanent.stores.redis.queue import JOBS, row_of
from remanent.stores.sql.plain_rows import RowCodec, to_json

_JOBS: Final = RowCodec(JobRecord, "jobs")


class RedisRows:
    """Records of the sorts that Redis keeps, in the order in which they were first written."""

    sorts: Final = frozenset(
        {RecordKind.EVENT, RecordKind.RAW, RecordKind.JOB, RecordKind.POSITION}
    )

    def __init__(self, database: RedisDatabase, ledger: RedisLedger) -> None:
        self._database = database
        self._ledger = ledger

    # -- out ----------------------------------------------------------------------------------

    def read(
        self, sort: RecordKind, user_id: str | None, *, household: bool = False
    ) -> Iterator[ExportRecord]:
        """The records of that sort of a user, or of all; with `household` also work that is done."""
        if sort is RecordKind.EVENT:
            return (_record(sort, one.user_id, one) for one in self._events(user_id))
        if sort is RecordKind.RAW:
            return (_record(sort, one.user_id, one) for one in self._raws(user_id))
        if sort is RecordKind.POSITION:
            return (_record(sort, user, one) for user, one in self._positions(user_id))
        return (_record(sort, one.user_id, one) for one in self._jobs(user_id, household=household))

    def _events(self, user_id: str | None) -> Iterator[Event]:
        if user_id is None:
            yield from self._beyond(0)
            return
        for page in self._database.pages(f"order:{user_id}"):
            names = [named_by(one) for one in page]
            for _, text in self._database.stored(events_of(user_id), names):
                yield event_of(text)

    def events(self, after: int, limit: int) -> list[Event]:
        """The next events of anybody with a `seq` beyond `after`, in order."""
        return list(islice(self._beyond(after), max(0, limit)))

    def _beyond(self, after: int) -> Iterator[Event]:
        key, last = self._database.key("places"), after
        while members := self._database.ask(
            "ZRANGE", key, f"({last}", "+inf", "BYSCORE", "LIMIT", 0, _PAGE
        ):
            places = [json.loads(named_by(one)) for one in members]
            asked = [
                ("HGET", events_of(user).key(self._database.prefix), event_id)
                for user, event_id in places
            ]
            yield from (event_of(one) for one in self._database.ask_all(asked) if one is not None)
            last = int(members[-1][:16])

    def _raws(self, user_id: str | None) -> Iterator[RawSource]:
        for page in self._database.pages(_whose("raw_order", user_id)):
            keys = [named_by(one) for one in page]
            owners = self._database.ask("HMGET", OWNERS.key(self._database.prefix), *keys)
            asked = [
                ("HGET", raws_of(owner).key(self._database.prefix), key)
                for key, owner in zip(keys, owners, strict=True)
                if owner is not None
            ]
            yield from (raw_of(one) for one in self._database.ask_all(asked) if one is not None)

    def _positions(self, user_id: str | None) -> Iterator[tuple[str, Position]]:
        users = self.users() if user_id is None else [user_id]
        found = [
            (user, Position(consumer=consumer, seq=int(seq)))
            for user in users
            for consumer, seq in self._database.all(positions_of(user)).items()
        ]
        yield from sorted(found, key=lambda one: _listed(one[0], one[1].consumer))

    def _jobs(self, user_id: str | None, *, household: bool) -> Iterator[JobRecord]:
        rows = [row_of(text) for text in self._database.all(JOBS).values()]
        for row in sorted(rows, key=lambda one: int(one["id"])):
            is_open = row["state"] != "done" and row["kind"] != "reembed"
            if user_id in (None, row["user_id"]) and (household or is_open):
                yield _JOBS.of(tuple(row[name] for name in _JOBS.names))

    def users(self) -> list[str]:
        """Everyone of whom anything is here, in order of id."""
        return sorted(self._database.ask("SMEMBERS", self._database.key("users")))

    # -- in -----------------------------------------------------------------------------------

    def take(self, sort: RecordKind, records: Sequence[ExportRecord]) -> list[bool]:
        """Take these in with the block around it; which of them were not there yet."""
        if sort is RecordKind.EVENT:
            self._count_beyond(max((one.value.seq for one in records), default=0))
        with self._database.block.atomic():
            self._read_ahead(sort, records)
            return [self._take(one) for one in records]

    def _read_ahead(self, sort: RecordKind, records: Sequence[ExportRecord]) -> None:
        """In one journey for each user, not one for each event."""
        if sort is RecordKind.EVENT:
            for user in {one.value.user_id for one in records}:
                mine = [one.value.event_id for one in records if one.value.user_id == user]
                self._database.read(events_of(user), mine)

    def _count_beyond(self, seq: int) -> None:
        more = seq - self._database.last_number("event")
        if more > 0:
            self._database.ask("INCRBY", self._database.key("last", "event"), more)

    def _take(self, one: ExportRecord) -> bool:
        user, value = one.user_id or "", one.value
        if one.sort is RecordKind.EVENT:
            return self._add(events_of(value.user_id), value.event_id, event_text(value))
        if one.sort is RecordKind.RAW:
            return self._ledger.keep(value) is None
        if one.sort is RecordKind.POSITION:
            return self._add(positions_of(user), value.consumer, str(value.seq))
        _, number = self._database.numbered(JOBS, value.key, "job")
        row = {**_JOBS.named(replace(value, user_id=user)), "id": number}
        return self._add(JOBS, value.key, to_json(row, "payload"))

    def _add(self, where: Hash, name: str, text: str) -> bool:
        if self._database.get(where, name) is not None:
            return False
        self._database.put(where, name, text, promise=True)
        return True

    # -- numbers ------------------------------------------------------------------------------

    def last_number(self) -> int:
        """The highest `seq` that was ever given; 0 where there is no event."""
        return self._database.last_number("event") if self.count() else 0

    def count(self, to: int | None = None) -> int:
        """How many events there are of anyone, or are up to that place."""
        last = "+inf" if to is None else to
        return int(self._database.ask("ZCOUNT", self._database.key("places"), "-inf", last))


_PAGE: Final = 200


def _record(sort: RecordKind, user_id: str, value: Any) -> ExportRecord:
    return ExportRecord(sort=sort, user_id=user_id, value=value)


def _whose(name: str, user_id: str | None) -> str:
    return name if user_id is None else f"{name}:{user_id}"


def _listed(*names: str) -> str:
    return json.dumps(names, ensure_ascii=False, separators=(",", ":"))
