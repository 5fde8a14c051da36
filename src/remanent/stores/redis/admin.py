"""How a memory's keys in Redis are doing, and how something is taken out of them for good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from remanent.clock import stopwatch
from remanent.core.model.event import EVENTS_RECONSOLIDATED, SOURCE_ADDED, Event
from remanent.core.model.scope import Scope
from remanent.core.records.admin import Census, Damage, Examination, FileTraces, Health
from remanent.errors import DamagedMemory
from remanent.stores.redis.database import NOTES, RedisDatabase
from remanent.stores.redis.indexes import Hash, named
from remanent.stores.redis.ledger import (
    OWNERS,
    event_digest,
    event_of,
    events_of,
    positions_of,
    raw_of,
    raws_of,
)
from remanent.stores.redis.queue import JOBS, job_of, row_of
from remanent.stores.redis.rows import RedisRows
from remanent.stores.sql.admin.erasure import OURS
from remanent.stores.sql.plain_rows import from_json, from_micros

SCHEMA: Final = 1
_PAGE: Final = 500
_LOOK_SECONDS: Final = 0.05
_REWRITES: Final = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")


class RedisErasure:
    """Documents go with all that follows from them; the server's append-only file is then written anew."""

    def __init__(self, database: RedisDatabase, *, busy_timeout_s: float) -> None:
        self._database = database
        self._busy_timeout_s = busy_timeout_s

    def strike_user(self, scope: Scope, name: str) -> Mapping[str, int]:
        del name  # nobody else's documents name them
        user, key = scope.user_id, self._database.key
        gone: dict[str, int] = {}
        with self._database.block.atomic(scope, durable=True):
            raws = list(self._database.all(raws_of(user)))
            self._database.read(OWNERS, raws)
            for raw in raws:
                self._database.put(OWNERS, raw, None)
            for where in (events_of(user), raws_of(user), positions_of(user), JOBS):
                texts = self._database.all(where)
                mine = texts if where.user else _jobs_of(user, texts)
                for field in mine:
                    self._database.put(where, field, None)
                gone[where.family] = len(mine)
            self._database.also(user, "SREM", key("users"), user)
            self._database.also(user, "ZREM", key("waiting"), user)
            for family in (Hash("characters"), NOTES):
                self._database.also(user, "HDEL", family.key(self._database.prefix), user)
        return {table: count for table, count in sorted(gone.items()) if count}

    # -- looking for what is left -----------------------------------------------------------------

    def traces(self, words: Sequence[str], *, truth: bool = False) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for family, texts in self._texts(truth=truth) if words else ():
            if any(word in text for word in words for text in texts):
                counts[family] = counts.get(family, 0) + 1
        return counts

    def _texts(self, *, truth: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
        """All that can be read, as this block will leave it: the texts of each document, and of each thing
        beside them, by its kind."""
        documents, gone = self._database.outcome()
        for key in self._keys():
            if (family := self._family(key)) in _TOLD:
                stored = self._scan("HSCAN", key)
                left = [text for name, text in stored if (key, name) not in documents]
                yield from ((family, _TOLD[family](one, truth)) for one in left)
            elif not truth:
                found = (
                    one for one in self._beside(key) if not {(key, one[0]), ("jobs", one[0])} & gone
                )
                yield from ((family, (key, *one)) for one in found)
        for (key, _), text in documents.items():
            if text is not None and (family := self._family(key)) in _TOLD:
                yield family, _TOLD[family](text, truth)

    def _family(self, key: str) -> str:
        return key[len(self._database.prefix) :].partition(":")[0]

    def _keys(self) -> Iterator[str]:
        cursor = "0"
        while True:
            cursor, keys = self._database.ask(
                "SCAN", cursor, "MATCH", f"{self._database.prefix}*", "COUNT", 1000
            )
            yield from keys
            if str(cursor) == "0":
                return

    def _scan(self, how: str, key: str) -> Iterator[tuple[str, str]]:
        """The pairs of a hash or of a sorted set."""
        cursor = "0"
        while True:
            cursor, found = self._database.ask(how, key, cursor, "COUNT", _PAGE)
            pairs = found.items() if isinstance(found, dict) else _pairs(found)
            yield from ((str(one), str(other)) for one, other in pairs)
            if str(cursor) == "0":
                return

    def _beside(self, key: str) -> Iterator[tuple[str, ...]]:
        sort = self._database.ask("TYPE", key)
        if sort in ("hash", "zset"):
            yield from self._scan("HSCAN" if sort == "hash" else "ZSCAN", key)
        elif sort == "set":
            yield from ((one,) for one in self._database.ask("SMEMBERS", key))
        elif sort == "stream":
            yield from (
                tuple(one[1].values()) for one in self._database.ask("XRANGE", key, "-", "+")
            )

    def drop(self) -> None:
        """Take away all keys of the memory."""
        for key in list(self._keys()):
            self._database.ask("UNLINK", key)

    # -- the file ---------------------------------------------------------------------------------

    def compact(self) -> bool:
        began, rest = stopwatch(), threading.Event()

        def is_quiet() -> bool:
            while self._is_rewriting():
                if stopwatch() - began > self._busy_timeout_s:
                    return False
                rest.wait(_LOOK_SECONDS)
            return True

        if not is_quiet():
            return False
        self._database.ask("BGREWRITEAOF")
        return is_quiet() and self._persistence()["aof_last_bgrewrite_status"] == "ok"

    def _is_rewriting(self) -> bool:
        about = self._persistence()
        return any(int(about.get(one, 0)) for one in _REWRITES)

    def files(self, words: Sequence[str] = ()) -> FileTraces:
        """How many bytes the server's file has: it is not ours to read."""
        del words
        return FileTraces(int(self._persistence().get("aof_current_size", 0)))

    def _persistence(self) -> dict[str, Any]:
        found: dict[str, Any] = self._database.server.ask(lambda client: client.info("persistence"))
        return found


class RedisHealth:
    """Counts and decodes what is here; writes nothing."""

    def __init__(self, database: RedisDatabase, rows: RedisRows) -> None:
        self._database = database
        self._rows = rows

    def health(self) -> Health:
        about = self._database.server.ask(lambda client: client.info("persistence"))
        problems = [
            f"{self._database.path}: {name} is {about[name]!r}"
            for name in ("aof_last_write_status", "aof_last_bgrewrite_status")
            if about.get(name, "ok") != "ok"
        ]
        return Health(
            problems=tuple(problems),
            schema=SCHEMA,
            newest_schema=SCHEMA,
            file_bytes=int(about.get("aof_current_size", 0)),
        )

    def schema(self) -> tuple[int, int]:
        return SCHEMA, SCHEMA

    def census(self, moments: Sequence[datetime] = ()) -> Census:
        users, key = self._rows.users(), self._database.key
        newest = self._database.ask_all(
            [("ZRANGE", key("time", one), 0, 0, "REV", "WITHSCORES") for one in users]
        )
        times = [int(float(_flat(one)[-1])) for one in newest if one]
        return Census(
            born_by=(0,) * len(moments),
            reflections=sum(map(self._reflections, users)),
            newest_event=from_micros(max(times)) if times else None,
        )

    def _reflections(self, user: str) -> int:
        set_ = named(self._database.prefix, "type", user, EVENTS_RECONSOLIDATED)
        names = [one[17:] for one in self._database.ask("ZRANGE", set_, 0, -1)]
        found = (event_of(text) for _, text in self._database.stored(events_of(user), names))
        return sum(one.payload.get("what") == "reflection" for one in found)

    def examine(self, fits: Callable[[Mapping[str, Any], str], str]) -> Examination:
        rows, digests, damages = 0, 0, list[Damage]()
        for user in self._rows.users():
            raws = self._database.all(raws_of(user))
            rows += len(raws) + len(self._database.all(positions_of(user)))
            for name, text in self._database.all(events_of(user)).items():
                rows += 1
                problem = _problem(_whole_event, text)
                if problem is None and _has_raw(event := event_of(text)):
                    problem, key = _raw_problem(event, raws, fits)
                    digests += 1
                    damages += [Damage(table="raws", key=key, problem=problem)] if problem else []
                elif problem is not None:
                    damages.append(Damage(table="events", key=name, problem=problem))
        for name, text in self._database.all(JOBS).items():
            rows += 1
            if problem := _problem(_whole_job, text):
                damages.append(Damage(table="jobs", key=name, problem=problem))
        return Examination(damages=tuple(damages), rows=rows, digests=digests)


def _has_raw(event: Event) -> bool:
    return event.event_type == SOURCE_ADDED and event.payload.get("source_key") is not None


def _raw_problem(
    event: Event, raws: Mapping[str, str], fits: Callable[[Mapping[str, Any], str], str]
) -> tuple[str | None, str]:
    """What is wrong with what came in by that event, and its key."""
    key = str(event.payload.get("source_key"))
    if key not in raws:
        return "the raw text is missing", key
    try:
        return fits(event.payload, raw_of(raws[key]).content) or None, key
    except DamagedMemory as damaged:
        return damaged.problem, key


def _problem(decode: Callable[[str], object], text: str) -> str | None:
    try:
        decode(text)
    except DamagedMemory as damaged:
        return damaged.problem
    return None


def _whole_event(text: str) -> None:
    """Raise `DamagedMemory` unless this is an event as it was written."""
    event_of(text)
    doc = from_json(text, "events")
    if doc.get("digest") != event_digest(doc):
        raise DamagedMemory("memory", "it does not fit its digest: it is not what was written")


def _whole_job(text: str) -> None:
    job_of(row_of(text))


def _event_texts(text: str, truth: bool) -> tuple[str, ...]:  # noqa: FBT001 - a table calls it
    doc = from_json(text, "events")
    if truth:
        return () if doc["event_type"] in OURS else (doc["payload"],)
    return tuple(one for one in doc.values() if isinstance(one, str))


def _raw_texts(text: str, truth: bool) -> tuple[str, ...]:  # noqa: FBT001 - a table calls it
    doc = from_json(text, "raws")
    return (doc["content"],) if truth else (doc["content"], doc["key"], doc["user_id"])


def _job_texts(text: str, truth: bool) -> tuple[str, ...]:  # noqa: FBT001 - a table calls it
    return () if truth else tuple(one for one in row_of(text).values() if isinstance(one, str))


_TOLD: Final = {"events": _event_texts, "raws": _raw_texts, "jobs": _job_texts}


def _jobs_of(user: str, texts: Mapping[str, str]) -> list[str]:
    return [key for key, text in texts.items() if row_of(text)["user_id"] == user]


def _pairs(found: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    if found and isinstance(found[0], list | tuple):
        return iter(found)
    return zip(found[::2], found[1::2], strict=True)


def _flat(found: Sequence[Any]) -> Sequence[Any]:
    return found[-1] if isinstance(found[-1], list | tuple) else found
