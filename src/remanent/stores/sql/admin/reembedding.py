"""New vectors for a whole index, in SQLite: a table beside that of the entries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from remanent.core.later import later
from remanent.core.model.node import Kind
from remanent.core.ports.admin import Made
from remanent.core.ports.index import Vector
from remanent.core.records.admin import Due, Embedding
from remanent.errors import EmbedderError, StoreError
from remanent.stores.sql.database import INDEX, OnDatabase

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

_NOW: Final = "embedder"
_AIM: Final = "reembedding"

_CLEAR = "DELETE FROM reembedded"
_COUNT = """
SELECT (SELECT count(*) FROM reembedded AS r CROSS JOIN entries AS e ON e.id = r.entry_id),
       (SELECT count(*) FROM entries)
"""
# Whoever writes an entry again gives its readers a new version: with its words, that is its stamp.
_STAMP = """
(SELECT coalesce(max(v.change), 0) || ' ' || count(*) FROM vector_readers AS v WHERE v.entry_id = e.id)
 || ' ' || e.words
"""
_WAITING = f"""
SELECT e.id, e.key, e.kind, e.owner_key, n.user_id, {_STAMP}
FROM entries AS e LEFT JOIN nodes AS n ON n.key = e.owner_key
WHERE e.id > ? AND NOT EXISTS (SELECT 1 FROM reembedded AS r WHERE r.entry_id = e.id)
ORDER BY e.id LIMIT ?
"""  # noqa: S608 - a constant
_KEEP = f"""
INSERT INTO reembedded (entry_id, vector, parts)
SELECT e.id, ?, ? FROM entries AS e WHERE e.id = ? AND {_STAMP} = ?
ON CONFLICT (entry_id) DO UPDATE SET vector = excluded.vector, parts = excluded.parts
RETURNING entry_id
"""  # noqa: S608 - a constant
_SWITCH = """
UPDATE entries SET vector = r.vector, parts = r.parts
FROM reembedded AS r WHERE r.entry_id = entries.id;
UPDATE token_versions SET version = version + 1, removed_at = version + 1;
UPDATE vector_readers SET change = t.version
FROM token_versions AS t WHERE t.token = vector_readers.token;
DELETE FROM reembedded;
"""


class SqlReembedding(OnDatabase):
    """What was made is in the file: whoever is killed goes on from there."""

    def state(self) -> Embedding | None:
        with self._database.read():
            now, aim = self._mark(_NOW), self._mark(_AIM)
            ((done, total),) = self._database.execute(_COUNT)
        if now is None and aim is None:
            return None
        return Embedding(
            embedder="" if now is None else now["name"],
            towards=None if aim is None else aim["name"],
            done=total if aim is None else done,
            total=total,
        )

    def begin(self, embedder: str | None, dimensions: int = 0) -> bool:
        mark = None if embedder is None else {"name": embedder, "dimensions": dimensions}
        with self._database.transaction(durable=True):
            before = self._mark(_AIM)
            if before != mark:
                self._database.execute(_CLEAR)
                self._database.set_meta(_AIM, None if mark is None else json.dumps(mark))
        return before is not None

    def waiting(self, after: int, limit: int) -> list[Due]:
        return [
            Due(
                number=number,
                key=key,
                kind=Kind(kind),
                owner_key=owner,
                user_id=user_id,
                stamp=stamp,
            )
            for number, key, kind, owner, user_id, stamp in self._database.execute(
                _WAITING, (after, max(0, limit))
            )
        ]

    def keep(self, made: Sequence[Made]) -> int:
        with self._database.transaction():
            aim = self._mark(_AIM)
            if aim is None:
                raise StoreError(self._database.path, "is not on the way to another embedder")
            width = int(aim["dimensions"])
            rows = [
                (
                    None if vector is None else _blob(due, vector, width),
                    b"".join(_blob(due, one, width) for one in parts) or None,
                    due.number,
                    due.stamp,
                )
                for due, vector, parts in made
            ]
            return sum(len(self._database.execute(_KEEP, row)) for row in rows)

    def switch(self) -> bool:
        with self._database.transaction(durable=True):
            aim = self._mark(_AIM)
            if aim is None or self.waiting(0, 1):
                return False
            self._database.touch(INDEX)
            self._database.execute(_SWITCH)
            self._database.set_meta(_NOW, json.dumps(aim))
            self._database.set_meta(_AIM, None)
        return True

    def _mark(self, name: str) -> dict[str, Any] | None:
        noted = self._database.meta(name)
        mark: dict[str, Any] | None = None if noted is None else json.loads(noted)
        return mark


def _blob(due: Due, vector: Vector, width: int) -> bytes:
    if vector.shape != (width,) or not np.isfinite(vector).all():
        raise EmbedderError(
            f"entry {due.key}: its new vector has {'x'.join(map(str, vector.shape))} dimensions, or "
            f"holds what is no number; the others have {width}"
        )
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()
