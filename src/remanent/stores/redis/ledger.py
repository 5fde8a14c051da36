"""The ledger in Redis: JSON documents, found by sorted sets of their places and times."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, Final

from remanent.core.dataclasses import dataclass, replace
from remanent.core.model.codec import to_record
from remanent.core.model.event import CONSENTS, Event, PendingEvents
from remanent.core.model.scope import Scope
from remanent.core.model.source import RawSource
from remanent.errors import Forbidden
from remanent.stores.redis.database import RedisDatabase
from remanent.stores.redis.indexes import Hash, named, named_by
from remanent.stores.sql.ledger import EVENTS
from remanent.stores.sql.plain_rows import (
    UNDECODABLE,
    RowCodec,
    digest_of,
    from_json,
    from_micros,
    to_json,
    to_micros,
    unreadable,
)

RAWS: Final = RowCodec(RawSource, "raws")
OWNERS: Final = Hash("raw_owners")
_BESIDE_PAGE: Final = 32


def events_of(user_id: str) -> Hash:
    """Where a user's events are, by their ids."""
    return Hash("events", user_id)


def raws_of(user_id: str) -> Hash:
    """Where what came in from a user is, by its key."""
    return Hash("raws", user_id)


def positions_of(user_id: str) -> Hash:
    """Where it stands how far consumers of a user's events are."""
    return Hash("positions", user_id)


def event_text(event: Event) -> str:
    """The document of an event, with the digest by which it is told whether it still is what was written."""
    row = EVENTS.named(event)
    return to_json({**row, "digest": event_digest(row)}, "payload")


def event_digest(row: Mapping[str, Any]) -> str:
    """The digest of an event's columns."""
    return digest_of([row[name] for name in EVENTS.names], "payload").hex()


def event_of(text: str) -> Event:
    """The event of a document, or `DamagedMemory`."""
    return EVENTS.of(_columns(text, EVENTS, "events"))


def raw_text(raw: RawSource, number: int) -> str:
    """The document of what came in, with its number among all that did."""
    return to_json({**RAWS.named(raw), "number": number}, "raw")


def raw_of(text: str) -> RawSource:
    """What came in, of its document, or `DamagedMemory`."""
    return RAWS.of(_columns(text, RAWS, "raws"))


def _columns(text: str, codec: RowCodec[Any], table: str) -> tuple[Any, ...]:
    doc = from_json(text, table)
    try:
        return tuple(doc[name] for name in codec.names)
    except UNDECODABLE as error:
        raise unreadable(table, error) from error


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which events are asked for."""

    after: int = 0
    before: int | None = None
    types: tuple[str, ...] = ()
    session: str | None = None
    parent: str | None = None

    def fits(self, event: Event) -> bool:
        """Whether an event is one of these."""
        return (
            self.is_between(event.seq)
            and (not self.types or event.event_type in self.types)
            and (self.session is None or "" != event.session_id == self.session)
            and (self.parent is None or event.parent_event_id == self.parent)
        )

    def is_between(self, seq: int) -> bool:
        """Whether it stands in that part of the ledger."""
        return seq > self.after and (self.before is None or seq < self.before)

    def places(self, prefix: str, user: str) -> list[str]:
        """The sorted sets, by place, in which they are; of a session, the one by time."""
        if self.session is not None:
            return [named(prefix, "session", user, self.session)]
        if self.parent is not None:
            return [named(prefix, "parent", user, self.parent)]
        if self.types:
            return [named(prefix, "type", user, one) for one in dict.fromkeys(self.types)]
        return [f"{prefix}order:{user}"]

    @property
    def needs_look(self) -> bool:
        """Whether not all that is found there fits."""
        return bool(self.types or self.parent) and bool(
            self.session or (self.parent and self.types)
        )


class RedisLedger:
    """Ids of events are unique per user. `seq` grows with every append of anyone: gaps in one
    user's are no loss."""

    def __init__(self, database: RedisDatabase) -> None:
        self._database = database

    # -- writing ------------------------------------------------------------------------------

    def append(self, event: Event, raw: RawSource | None = None) -> tuple[Event, bool]:
        here = events_of(event.user_id)
        with self._database.block.atomic(durable=True):
            known, seq = self._database.numbered(here, event.event_id, "event")
            if known is not None:
                return event_of(known), False
            placed = replace(event, seq=seq)
            text = event_text(placed)
            if raw is not None:
                self._keep(replace(raw, user_id=event.user_id))
            self._database.put(here, event.event_id, text, promise=True)
            self._database.note_appended(event.user_id, seq)
        return placed, True

    def _keep(self, raw: RawSource) -> None:
        if self.keep(raw) not in (None, raw.user_id):
            raise Forbidden("raws: what has this key is another user's")

    def keep(self, raw: RawSource) -> str | None:
        """Keep it unless its key is there; whose that is then."""
        owner, number = self._database.numbered(OWNERS, raw.key, "raw")
        if owner is None:
            self._database.put(OWNERS, raw.key, raw.user_id, promise=True)
            self._database.add(raws_of(raw.user_id), raw.key, raw_text(raw, number))
        return owner

    def position(self, scope: Scope, consumer: str, *, to: int | None = None) -> int:
        here = positions_of(scope.user_id)
        if to is None:
            return int(self._database.get(here, consumer) or 0)
        with self._database.block.atomic():
            seq = max(int(self._database.get(here, consumer) or 0), to)
            self._database.put(here, consumer, str(seq), promise=True)
        return seq

    def erase(self, scope: Scope, event_ids: Collection[str], *, raws: Collection[str] = ()) -> int:
        count = 0
        with self._database.block.atomic(durable=True):
            for here, names in (
                (events_of(scope.user_id), event_ids),
                (raws_of(scope.user_id), raws),
            ):
                self._database.read(here, list(names))
                for name in dict.fromkeys(names):
                    if self._database.get(here, name) is None:
                        continue
                    self._database.put(here, name, None)
                    count += 1
                    if here.family == "raws":
                        self._database.put(OWNERS, name, None)
        return count

    def amend(self, scope: Scope, event: Event) -> bool:
        payload = to_json(to_record(event.payload), "payload")
        with self._database.block.atomic(durable=True):
            return self._amend(scope.user_id, event.event_id, payload)

    def _amend(self, user: str, event_id: str, payload: str) -> bool:
        text = self._database.get(events_of(user), event_id)
        if text is None:
            return False
        row = {**json.loads(text), "payload": payload}
        fresh = to_json({**row, "digest": event_digest(row)}, "payload")
        self._database.put(events_of(user), event_id, fresh)
        return True

    def change_consents(self, about: Collection[str], to: str | None = None) -> int:
        payload, count = to_json({"source_key": to}, "payload"), 0
        with self._database.block.atomic(durable=True):
            for event in list(self._consents()):
                source = event.payload.get("source_key")
                if source not in about and (
                    to is not None or event.payload.get("user_id") not in about
                ):
                    continue
                count += 1
                if to is None:
                    self._database.put(events_of(event.user_id), event.event_id, None)
                else:
                    self._amend(event.user_id, event.event_id, payload)
        return count

    def _consents(self) -> Iterator[Event]:
        """What anybody has said of sources and users."""
        members: list[str] = self._database.ask("ZRANGE", self._database.key("consents"), 0, -1)
        users = dict.fromkeys(named_by(one) for one in members)
        for user in users:
            yield from self.replay(Scope(user_id=user), types=CONSENTS)

    # -- reading ------------------------------------------------------------------------------

    def raw(self, scope: Scope, key: str) -> RawSource | None:
        text = self._database.get(raws_of(scope.user_id), key)
        return None if text is None else raw_of(text)

    def event(self, scope: Scope, event_id: str) -> Event | None:
        text = self._database.get(events_of(scope.user_id), event_id)
        return None if text is None else event_of(text)

    def expect(self, scope: Scope, *, types: Sequence[str]) -> None:
        """Nothing comes along from here."""

    def replay(
        self,
        scope: Scope,
        *,
        after: int = 0,
        before: int | None = None,
        types: Sequence[str] = (),
        session: str | None = None,
        parent: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Event]:
        user, most = scope.user_id, None if limit is None else max(0, limit)
        wanted = _Wanted(after, before, tuple(types), session, parent)
        new = [one for one in self._changed(user).values() if one is not None and wanted.fits(one)]
        some = None if most is None or wanted.needs_look else most + len(self._changed(user))
        names = [named_by(one) for one in self._members(user, wanted, some)]
        texts = [text for _, text in self._database.stored(events_of(user), names)]
        found: Iterable[Event] = map(event_of, texts)
        if new:
            found = merge(found, sorted(new, key=_seq), key=_seq)
        return islice(filter(wanted.fits, found), most)

    def _members(self, user: str, wanted: _Wanted, some: int | None) -> list[str]:
        """What is found of these in the sorted sets, in the order of the ledger."""
        lowest = f"({wanted.after}"
        highest = "+inf" if wanted.before is None else f"({wanted.before}"
        limit = () if some is None else ("LIMIT", 0, some)
        keys = wanted.places(self._database.prefix, user)
        if wanted.session is not None:
            members: list[str] = self._database.ask("ZRANGE", keys[0], 0, -1)
            return sorted(one for one in members if wanted.is_between(int(one[:16])))[:some]
        asked = [("ZRANGE", key, lowest, highest, "BYSCORE", *limit) for key in keys]
        return sorted(one for found in self._database.ask_all(asked) for one in found)[:some]

    def _changed(self, user: str) -> dict[str, Event | None]:
        """The events of that user that this block has changed."""
        changed = self._database.changed(events_of(user))
        return {name: None if text is None else event_of(text) for name, text in changed.items()}

    def last_seq(self, scope: Scope) -> int:
        changed = self._changed(scope.user_id)
        key = self._database.key("order", scope.user_id)
        members: list[str] = self._database.ask("ZRANGE", key, 0, len(changed), "REV")
        there = [int(one[:16]) for one in members if named_by(one) not in changed]
        return max([0, *there, *(one.seq for one in changed.values() if one is not None)])

    def size(self, scope: Scope) -> int:
        known = self._database.ask("HGET", self._database.key("characters"), scope.user_id)
        here, count = events_of(scope.user_id), int(known or 0)
        for texts, sign in ((self._database.changed(here), 1), (self._database.before(here), -1)):
            for text in texts.values():
                count += 0 if text is None else sign * len(json.loads(text)["payload"])
        return count

    def waiting(self, scope: Scope, *, after: int, but: Collection[str] = ()) -> PendingEvents:
        user, prefix = scope.user_id, self._database.prefix
        keys = [f"{prefix}order:{user}", *(named(prefix, "type", user, one) for one in but)]
        all_, *others = self._database.ask_all(
            [("ZRANGE", key, f"({after}", "+inf", "BYSCORE") for key in keys]
        )
        changed = self._changed(user)
        left = set(all_).difference(*others)
        there = [one for one in left if named_by(one) not in changed]
        new = [
            one
            for one in changed.values()
            if one is not None and one.seq > after and one.event_type not in but
        ]
        oldest = [one.recorded_at for one in new]
        if there:
            oldest.append(self._oldest(user, there))
        return PendingEvents(events=len(there) + len(new), oldest=min(oldest, default=None))

    def _oldest(self, user: str, members: Sequence[str]) -> datetime:
        """When the first of these was recorded."""
        key = self._database.key("time", user)
        pages = range(0, len(members), 5000)
        asked = [("ZMSCORE", key, *members[first : first + 5000]) for first in pages]
        scores = [one for page in self._database.ask_all(asked) for one in page if one is not None]
        return from_micros(min(int(float(one)) for one in scores))

    def beside(
        self, scope: Scope, event: Event, *, but: Collection[str] = ()
    ) -> tuple[Event | None, Event | None]:
        if not event.session_id:
            return None, None

        def fits(one: Event) -> bool:
            return (
                one.session_id == event.session_id
                and one.agent_id == event.agent_id
                and one.seq < event.seq
                and one.event_type not in but
            )

        new = [
            one for one in self._changed(scope.user_id).values() if one is not None and fits(one)
        ]
        before = [one for one in new if one.occurred_at <= event.occurred_at]
        after = [one for one in new if one.occurred_at > event.occurred_at]
        before += islice(filter(fits, self._around(scope, event, earlier=True)), 1)
        after += islice(filter(fits, self._around(scope, event, earlier=False)), 1)
        return max(before, key=_moment, default=None), min(after, key=_moment, default=None)

    def _around(self, scope: Scope, event: Event, *, earlier: bool) -> Iterator[Event]:
        """What happened in the session up to then, the last first, or after it, the first first."""
        user, at = scope.user_id, to_micros(event.occurred_at)
        key = named(self._database.prefix, "session", user, event.session_id)
        bounds = (at, "-inf", "BYSCORE", "REV") if earlier else (f"({at}", "+inf", "BYSCORE")
        start = 0
        while members := self._database.ask("ZRANGE", key, *bounds, "LIMIT", start, _BESIDE_PAGE):
            names = [named_by(one) for one in members]
            for _, text in self._database.stored(events_of(user), names):
                yield event_of(text)
            start += len(members)


def _seq(event: Event) -> int:
    return event.seq


def _moment(event: Event) -> tuple[datetime, int]:
    return event.occurred_at, event.seq
