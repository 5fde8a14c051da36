"""The ledger in SQLite: every append waits for the disk."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final

from remanent.core.dataclasses import replace
from remanent.core.model.codec import to_record
from remanent.core.model.event import CONSENTS, Event, PendingEvents
from remanent.core.model.scope import Scope
from remanent.core.model.source import RawSource
from remanent.errors import Forbidden
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import RowCodec, moment_or_none, to_json
from remanent.stores.sql.scope import scope_values


def type_in(types: Sequence[str]) -> str:
    """That an event is of one of these types: word for word as a partial index says it, or the index is
    not used."""
    names = ["'" + one.replace("'", "''") + "'" for one in types]
    return f"event_type = {names[0]}" if len(names) == 1 else f"event_type IN ({', '.join(names)})"


EVENTS = RowCodec(Event, "events")
# All columns of an event but its `seq`, in the order in which their digest is taken.
DIGESTED: Final = """event_id, user_id, team_id, agent_id, session_id, event_type, payload,
    parent_event_id, occurred_at, recorded_at, importance_hint"""
UNDIGESTED: Final = f"UPDATE events SET digest = event_digest({DIGESTED}) WHERE digest IS NULL"  # noqa: S608 - ours
_VALUES: Final = re.sub(r"(\w+)", r":\1", DIGESTED)
_APPEND = f"""
INSERT INTO events ({DIGESTED}, digest) VALUES ({_VALUES}, event_digest({_VALUES}))
ON CONFLICT (user_id, event_id) DO NOTHING RETURNING seq
"""  # noqa: S608 - ours
_EVENT = f"{EVENTS.select()} WHERE user_id = ? AND event_id = ?"
# `session_id <> ''` stands here and below for the partial index, which has no other rows.
_CONDITIONS: Final = {
    "after": "seq > :after",
    "before": "seq < :before",
    "session": "session_id = :session AND session_id <> ''",
    "parent": "parent_event_id = :parent",
}
_WAITING = """
SELECT count(*), min(recorded_at) FROM events
WHERE user_id = :user AND seq > :after AND event_type NOT IN (SELECT value FROM json_each(:but))
"""
_BESIDE = f"""{EVENTS.select()}
WHERE user_id = :user AND session_id = :session AND session_id <> '' AND agent_id = :agent
  AND PLACE AND seq < :seq AND event_type NOT IN (SELECT value FROM json_each(:but))
ORDER BY occurred_at ORDER, seq ORDER LIMIT 1
"""  # noqa: S608 - ours
# Whatever else was appended before it and happened at the same time comes before it.
_BEFORE = (
    _BESIDE.replace("PLACE", "occurred_at <= :at")
    .replace(" ORDER,", " DESC,")
    .replace(" ORDER LIMIT", " DESC LIMIT")
)
_AFTER = (
    _BESIDE.replace("PLACE", "occurred_at > :at")
    .replace(" ORDER,", ",")
    .replace(" ORDER LIMIT", " LIMIT")
)
_ERASE = "DELETE FROM events WHERE user_id = ? AND event_id = ? RETURNING 1"
_REWRITE = f"""
UPDATE events SET payload = ?1, digest = event_digest({DIGESTED.replace("payload", "?1")}) WHERE WHICH RETURNING 1
"""  # noqa: S608 - ours
_AMEND = _REWRITE.replace("WHICH", "user_id = ?2 AND event_id = ?3")
_CONSENTS = """
DELETE FROM events WHERE CONSENT AND EXISTS (
    SELECT 1 FROM json_each(?) AS about
    WHERE about.value IN (payload ->> 'source_key', payload ->> 'user_id')
) RETURNING 1
""".replace("CONSENT", type_in(CONSENTS))
_ABOUT = f"{type_in(CONSENTS)} AND payload ->> 'source_key' IN (SELECT value FROM json_each(?2))"  # noqa: S608 - ours
_REMARK = _REWRITE.replace("WHICH", _ABOUT)
_RAWS = RowCodec(RawSource, "raws")
raw_row = _RAWS.row
KEEP = f"{_RAWS.insert()} ON CONFLICT DO NOTHING RETURNING 1"
RAW = f"{_RAWS.select()} WHERE key = ?"
_ERASE_RAW = "DELETE FROM raws WHERE user_id = ? AND key = ? RETURNING 1"
_LAST_SEQ = "SELECT coalesce(max(seq), 0) FROM events WHERE user_id = ?"
_SIZE = "SELECT coalesce(sum(length(payload)), 0) FROM events WHERE user_id = ?"
_POSITION = "SELECT seq FROM positions WHERE user_id = ? AND consumer = ?"
_ADVANCE = """
INSERT INTO positions (user_id, consumer, seq) VALUES (?, ?, ?)
ON CONFLICT (user_id, consumer) DO UPDATE SET seq = max(positions.seq, excluded.seq) RETURNING seq
"""


class SqlPositions(OnDatabase):
    """How far consumers are: one table for those of the ledger and those of the graph."""

    def position(self, scope: Scope, consumer: str, *, to: int | None = None) -> int:
        values = (scope.user_id, consumer)
        if to is None:
            row = self._database.fetch_one(_POSITION, values)
            return 0 if row is None else int(row[0])
        with self._database.transaction():
            ((seq,),) = self._database.execute(_ADVANCE, (*values, to))
        return int(seq)


class SqlLedger(SqlPositions):
    """Ids of events are unique per user. `seq` grows with every append of anyone: gaps in one
    user's are no loss."""

    def append(self, event: Event, raw: RawSource | None = None) -> tuple[Event, bool]:
        with self._database.transaction(durable=True):
            added = self._database.execute(_APPEND, EVENTS.named(event))
            if added:
                if raw is not None:
                    self._keep(raw, Scope(user_id=event.user_id))
                return replace(event, seq=added[0][0]), True
            (stored,) = self._database.execute(_EVENT, (event.user_id, event.event_id))
        return EVENTS.of(stored), False

    def _keep(self, raw: RawSource, whose: Scope) -> None:
        row = _RAWS.row(replace(raw, user_id=whose.user_id))
        if not self._database.execute(KEEP, row) and self.raw(whose, raw.key) is None:
            raise Forbidden("raws: what has this key is another user's")

    def raw(self, scope: Scope, key: str) -> RawSource | None:
        row = self._database.fetch_one(f"{RAW} AND user_id = ?", (key, scope.user_id))
        return None if row is None else _RAWS.of(row)

    def event(self, scope: Scope, event_id: str) -> Event | None:
        row = self._database.fetch_one(_EVENT, (scope.user_id, event_id))
        return None if row is None else EVENTS.of(row)

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
        asked = {"after": after or None, "before": before, "session": session, "parent": parent}
        given = {name: value for name, value in asked.items() if value is not None}
        values = scope_values(scope, **given, limit=2**62 if limit is None else limit)
        return map(EVENTS.of, self._database.execute(_replay(tuple(given), tuple(types)), values))

    def expect(self, scope: Scope, *, types: Sequence[str]) -> None:
        self._database.expect(_replay((), tuple(types)), scope_values(scope, limit=2**62))

    def last_seq(self, scope: Scope) -> int:
        ((seq,),) = self._database.execute(_LAST_SEQ, (scope.user_id,))
        return int(seq)

    def size(self, scope: Scope) -> int:
        ((characters,),) = self._database.execute(_SIZE, (scope.user_id,))
        return int(characters)

    def waiting(self, scope: Scope, *, after: int, but: Collection[str] = ()) -> PendingEvents:
        values = scope_values(scope, after=after, but=but)
        ((count, oldest),) = self._database.execute(_WAITING, values)
        return PendingEvents(events=count, oldest=moment_or_none(oldest))

    def beside(
        self, scope: Scope, event: Event, *, but: Collection[str] = ()
    ) -> tuple[Event | None, Event | None]:
        place = {"session": event.session_id, "agent": event.agent_id, "seq": event.seq}
        values = scope_values(scope, **place, at=event.occurred_at, but=but)
        rows = (self._database.fetch_one(sql, values) for sql in (_BEFORE, _AFTER))
        before, after = (None if row is None else EVENTS.of(row) for row in rows)
        return before, after

    def erase(self, scope: Scope, event_ids: Collection[str], *, raws: Collection[str] = ()) -> int:
        user, count = scope.user_id, 0
        with self._database.transaction(durable=True):
            for sql, some in ((_ERASE, event_ids), (_ERASE_RAW, raws)):
                rows = [(user, one) for one in some]
                count += len(self._database.execute_many(sql, rows)) if rows else 0
        return count

    def amend(self, scope: Scope, event: Event) -> bool:
        payload = to_json(to_record(event.payload), "payload")
        with self._database.transaction(durable=True):
            return bool(self._database.execute(_AMEND, (payload, scope.user_id, event.event_id)))

    def change_consents(self, about: Collection[str], to: str | None = None) -> int:
        words = json.dumps(sorted(about))
        payload = to_json({"source_key": to}, "payload")
        with self._database.transaction(durable=True):
            if to is None:
                return len(self._database.execute(_CONSENTS, (words,)))
            return len(self._database.execute(_REMARK, (payload, words)))


@lru_cache(maxsize=128)
def _replay(given: tuple[str, ...], types: tuple[str, ...]) -> str:
    """The statement with just these conditions, so that an index answers them."""
    terms = ["user_id = :user", *(_CONDITIONS[name] for name in given)]
    if types:
        terms.append(type_in(types))
    # Of one session all are put in order, not all of the user's gone through in theirs.
    order = "+seq" if "session" in given else "seq"
    return f"{EVENTS.select()} WHERE {' AND '.join(terms)} ORDER BY {order} LIMIT :limit"
