"""The ledger in SQLite: every append waits for the disk."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from remanent.core.model.codec import to_record
from remanent.core.model.event import Event, PendingEvents
from remanent.core.model.scope import Scope
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import RowCodec, moment_or_none, to_json, to_micros

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
_REPLAY = f"{EVENTS.select()} WHERE user_id = ? AND seq > ? ORDER BY seq LIMIT ?"
_WAITING = """
SELECT count(*), min(recorded_at) FROM events
WHERE user_id = :user AND seq > :after AND event_type NOT IN (SELECT value FROM json_each(:but))
"""
# As the index of the same name says it, word for word: else it is not used.
CONSENT: Final = """event_type IN (
    'source.accepted', 'source.declined', 'source.hidden', 'source.shown', 'user.blocked',
    'user.unblocked')"""
_CONSENTS = f"""{EVENTS.select()}
WHERE user_id = ?1 AND {CONSENT} AND (?2 IS NULL OR seq < ?2) ORDER BY seq
"""
# `session_id <> ''` stands in each of these for the partial index, which has no other rows.
_SESSION = f"""{EVENTS.select()}
WHERE user_id = ? AND session_id = ? AND session_id <> '' ORDER BY occurred_at, seq
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
_CAUSED = f"{EVENTS.select()} WHERE user_id = ? AND parent_event_id = ? ORDER BY seq"
_ERASE = "DELETE FROM events WHERE user_id = ? AND event_id = ? RETURNING 1"
_AMEND = f"""
UPDATE events SET payload = ?1, digest = event_digest({DIGESTED.replace("payload", "?1")})
WHERE user_id = ?2 AND event_id = ?3 RETURNING 1
"""  # noqa: S608 - ours
# The type stands here word for word as in the partial index, or the index is not used.
_TOMBSTONES = """
SELECT mark.value FROM events, json_each(events.payload, '$.marks') AS mark
WHERE user_id = ? AND event_type = 'source.erased'
"""
_LAST_SEQ = "SELECT coalesce(max(seq), 0) FROM events WHERE user_id = ?"
_SIZE = "SELECT coalesce(sum(length(payload)), 0) FROM events WHERE user_id = ?"


class SqlLedger(OnDatabase):
    """Ids of events are unique per user. `seq` grows with every append of anyone: gaps in one
    user's are no loss."""

    def append(self, event: Event) -> tuple[Event, bool]:
        with self._database.transaction(durable=True):
            added = self._database.execute(_APPEND, EVENTS.named(event))
            if added:
                return replace(event, seq=added[0][0]), True
            (stored,) = self._database.execute(_EVENT, (event.user_id, event.event_id))
        return EVENTS.of(stored), False

    def event(self, scope: Scope, event_id: str) -> Event | None:
        row = self._database.fetch_one(_EVENT, (scope.user_id, event_id))
        return None if row is None else EVENTS.of(row)

    def replay(self, scope: Scope, *, after: int = 0, limit: int = 1000) -> Iterator[Event]:
        return map(
            EVENTS.of, self._database.execute(_REPLAY, (scope.user_id, after, max(limit, 0)))
        )

    def last_seq(self, scope: Scope) -> int:
        ((seq,),) = self._database.execute(_LAST_SEQ, (scope.user_id,))
        return int(seq)

    def size(self, scope: Scope) -> int:
        ((characters,),) = self._database.execute(_SIZE, (scope.user_id,))
        return int(characters)

    def waiting(self, scope: Scope, *, after: int, but: Collection[str] = ()) -> PendingEvents:
        values = {"user": scope.user_id, "after": after, "but": json.dumps(sorted(but))}
        ((count, oldest),) = self._database.execute(_WAITING, values)
        return PendingEvents(events=count, oldest=moment_or_none(oldest))

    def session(self, scope: Scope, session_id: str) -> Iterator[Event]:
        return map(EVENTS.of, self._database.execute(_SESSION, (scope.user_id, session_id)))

    def consents(self, scope: Scope, *, before: int | None = None) -> Iterator[Event]:
        return map(EVENTS.of, self._database.execute(_CONSENTS, (scope.user_id, before)))

    def beside(
        self, scope: Scope, event: Event, *, but: Collection[str] = ()
    ) -> tuple[Event | None, Event | None]:
        values = {
            "user": scope.user_id,
            "session": event.session_id,
            "agent": event.agent_id,
            "at": to_micros(event.occurred_at),
            "seq": event.seq,
            "but": json.dumps(sorted(but)),
        }
        before, after = (self._database.fetch_one(sql, values) for sql in (_BEFORE, _AFTER))
        return (
            None if before is None else EVENTS.of(before),
            None if after is None else EVENTS.of(after),
        )

    def caused(self, scope: Scope, event_id: str) -> Iterator[Event]:
        return map(EVENTS.of, self._database.execute(_CAUSED, (scope.user_id, event_id)))

    def erase(self, scope: Scope, event_ids: Collection[str]) -> int:
        rows = [(scope.user_id, one) for one in event_ids]
        with self._database.transaction(durable=True):
            return len(self._database.execute_many(_ERASE, rows)) if rows else 0

    def amend(self, scope: Scope, event: Event) -> bool:
        payload = to_json(to_record(event.payload), "payload")
        with self._database.transaction(durable=True):
            return bool(self._database.execute(_AMEND, (payload, scope.user_id, event.event_id)))

    def erased(self, scope: Scope) -> frozenset[str]:
        return frozenset(row[0] for row in self._database.execute(_TOMBSTONES, (scope.user_id,)))
