"""Items in SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from remanent.core.model.scope import Scope
from remanent.core.ports.index import Vector
from remanent.core.ports.records import Vectors
from remanent.core.records.item import Item, Namespace
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.plain_rows import (
    TERSE,
    RowCodec,
    from_json,
    micros_or_none,
    terse_json,
    to_micros,
)
from remanent.stores.sql.scope import insist_own

_ALL: Final = 2**62
_ITEMS = RowCodec(Item, "items", {"namespace": TERSE})
_PUT = _ITEMS.insert()
_THERE = "user_id = ? AND room = ? AND namespace = ? AND key = ?"
_ITEM = f"{_ITEMS.select()} WHERE {_THERE}"
_REMOVE = f"DELETE FROM items WHERE {_THERE} RETURNING 1"  # noqa: S608
# At a prefix or below it: as JSON, `["a"]`, or what begins with `["a",` (`-` comes after the comma).
_WITHIN = """user_id = :user AND room = :room AND (:all = 1 OR namespace = :whole
    OR (namespace >= :below AND namespace < :beyond))"""
_ALIVE = "(:now IS NULL OR expires_at IS NULL OR expires_at > :now)"
_FIND = f"""{_ITEMS.select()} WHERE {_WITHIN} AND {_ALIVE}
ORDER BY updated_at DESC, id DESC LIMIT :limit OFFSET :offset
"""
_NAMESPACES = f"SELECT DISTINCT namespace FROM items WHERE {_WITHIN} AND {_ALIVE}"  # noqa: S608
_EXPIRED = f"""{_ITEMS.select()} WHERE user_id = ? AND room = ? AND expires_at <= ?
ORDER BY namespace, key
"""
_PROLONG = "UPDATE items SET expires_at = ? WHERE user_id = ? AND event_id = ?"
_IS_THERE = "SELECT 1 FROM items WHERE user_id = ? AND event_id = ?"
_UNSEE = "DELETE FROM item_vectors WHERE user_id = ? AND event_id = ? AND lens = ?"
_SEE = "INSERT INTO item_vectors (user_id, event_id, lens, path, vector) VALUES (?, ?, ?, ?, ?)"
_VECTORS = f"""
SELECT v.event_id, v.path, v.vector
FROM (SELECT user_id AS owner, event_id AS told FROM items WHERE {_WITHIN}) AS i
CROSS JOIN item_vectors AS v
ON v.user_id = i.owner AND v.event_id = i.told AND v.lens = :lens
ORDER BY v.event_id, v.path
"""  # noqa: S608
_ERASE = "DELETE FROM items WHERE user_id = ? RETURNING 1"
_ERASE_VECTORS = "DELETE FROM item_vectors WHERE user_id = ?"


class SqlItems(OnDatabase):
    """One row for each item, one for each of its vectors."""

    def put(self, scope: Scope, item: Item) -> None:
        insist_own(scope, item.user_id, "item")
        with self._database.transaction():
            self.remove(scope, item.room, item.namespace, item.key)
            self._database.execute(_PUT, _ITEMS.row(item))

    def item(self, scope: Scope, room: str, namespace: Namespace, key: str) -> Item | None:
        row = self._database.fetch_one(_ITEM, (scope.user_id, room, terse_json(namespace), key))
        return None if row is None else _ITEMS.of(row)

    def remove(self, scope: Scope, room: str, namespace: Namespace, key: str) -> bool:
        values = (scope.user_id, room, terse_json(namespace), key)
        with self._database.transaction():
            return bool(self._database.execute(_REMOVE, values))

    def within(
        self,
        scope: Scope,
        room: str,
        prefix: Namespace = (),
        *,
        alive_at: datetime | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Item]:
        """The caller's items at or below `prefix`, newest first."""
        values = {
            **_namespace_values(scope, room, prefix),
            "now": micros_or_none(alive_at),
            "limit": _ALL if limit is None else limit,
            "offset": offset,
        }
        return [_ITEMS.of(row) for row in self._database.execute(_FIND, values)]

    def namespaces(
        self, scope: Scope, room: str, *, alive_at: datetime | None = None
    ) -> list[Namespace]:
        values = {**_namespace_values(scope, room, ()), "now": micros_or_none(alive_at)}
        rows = self._database.execute(_NAMESPACES, values)
        return sorted(tuple(from_json(text, "items")) for (text,) in rows)

    def expired(self, scope: Scope, room: str, now: datetime) -> list[Item]:
        values = (scope.user_id, room, to_micros(now))
        return [_ITEMS.of(row) for row in self._database.execute(_EXPIRED, values)]

    def prolong(self, scope: Scope, items: Sequence[Item], now: datetime) -> None:
        """Let these live for all their minutes again from `now` on."""
        ends = [
            (to_micros(now + timedelta(minutes=one.ttl_minutes)), scope.user_id, one.event_id)
            for one in items
            if one.ttl_minutes is not None
        ]
        if ends:
            with self._database.transaction():
                self._database.execute_many(_PROLONG, ends)

    def put_vectors(self, scope: Scope, item: Item, lens: str, vectors: Vectors) -> None:
        """Keep the vectors by which a lens sees this item."""
        insist_own(scope, item.user_id, "item")
        who = (scope.user_id, item.event_id)
        rows = [
            (*who, lens, path, np.asarray(vector, dtype="<f4").tobytes())
            for path, vector in vectors.items()
        ]
        with self._database.transaction():
            if self._database.fetch_one(_IS_THERE, who) is None:
                return
            self._database.execute(_UNSEE, (*who, lens))
            self._database.execute_many(_SEE, rows or [(*who, lens, "", b"")])

    def vectors(
        self, scope: Scope, room: str, lens: str, prefix: Namespace = ()
    ) -> dict[str, Vectors]:
        """By `event_id`, the vectors of a lens for each item at or below `prefix` it has seen."""
        values = {**_namespace_values(scope, room, prefix), "lens": lens}
        by_item: dict[str, dict[str, Vector]] = {}
        for event_id, path, blob in self._database.execute(_VECTORS, values):
            of_item = by_item.setdefault(event_id, {})
            if blob:
                of_item[path] = np.frombuffer(blob, dtype="<f4")
        return dict(by_item)

    def erase(self, scope: Scope) -> int:
        """Take away all items of the caller in every room, with their vectors."""
        with self._database.transaction():
            gone = len(self._database.execute(_ERASE, (scope.user_id,)))
            self._database.execute(_ERASE_VECTORS, (scope.user_id,))
        return gone


def _namespace_values(scope: Scope, room: str, prefix: Namespace) -> dict[str, Any]:
    whole = terse_json(prefix)
    return {
        "user": scope.user_id,
        "room": room,
        "all": not prefix,
        "whole": whole,
        "below": f"{whole[:-1]},",
        "beyond": f"{whole[:-1]}-",
    }
