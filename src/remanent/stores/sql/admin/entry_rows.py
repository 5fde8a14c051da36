"""The index's records: stems and vectors go as they are."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import date
from typing import TYPE_CHECKING, Final

from remanent.core.later import later
from remanent.core.model.node import Kind
from remanent.core.records.export import EntryRecord, ExportRecord, RecordKind
from remanent.errors import InvalidInput
from remanent.stores.sql.database import INDEX, Database, Row

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

# An entry is its node's user's; one whose node is gone, the user's who could find it.
SELECT: Final = """
SELECT e.key, e.kind, e.owner_key, e.team, e.words, e.marks, e.day, e.vector, e.parts, (
    SELECT json_group_array(token) FROM (
        SELECT token FROM vector_readers WHERE entry_id = e.id ORDER BY token
    ) AS reading
), whose, e.id
FROM (
    SELECT e.*, coalesce(n.user_id, (
        SELECT substr(token, 6) FROM vector_readers
        WHERE entry_id = e.id AND token LIKE 'user:%' ORDER BY token LIMIT 1
    )) AS whose
    FROM entries AS e LEFT JOIN nodes AS n ON n.key = e.owner_key WHERE e.id > :after
) AS e
WHERE whose IS NOT NULL AND (:user IS NULL OR whose = :user)
ORDER BY e.id LIMIT :page
"""
_PUT = """
INSERT INTO entries (key, kind, owner_key, team, vector, words, marks, day, parts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id
"""
_BUMP = """
INSERT INTO token_versions (token, version, removed_at) VALUES (?, 1, 0)
ON CONFLICT (token) DO UPDATE SET version = token_versions.version + 1 RETURNING version
"""
_READABLE = "INSERT INTO vector_readers (token, entry_id, change) VALUES (?, ?, ?)"
_OWNER = "SELECT id, user_id FROM nodes WHERE key = ?"
_READS = "SELECT 1 FROM node_readers WHERE node_id = ? AND token = ?"
_BIND = "INSERT INTO meta (name, value) VALUES ('embedder', ?) ON CONFLICT (name) DO NOTHING"

_FLOAT: Final = 4  # bytes


def record_of(row: Row) -> ExportRecord:
    """The record in a row of `SELECT`."""
    key, kind, owner_key, team, words, marks, day, vector, parts, readers, user_id, _ = row
    entry = EntryRecord(
        key=key,
        kind=Kind(kind),
        owner_key=owner_key,
        readers=tuple(json.loads(readers)),
        team=team,
        words=words,
        marks=marks,
        day=None if day is None else date.fromordinal(day),
        vector=_text_of(vector),
        parts=_text_of(parts),
    )
    return ExportRecord(sort=RecordKind.ENTRY, user_id=user_id, value=entry)


class EntryRows:
    """Takes entries into one memory, in one transaction."""

    def __init__(self, database: Database, *, embedder: str | None, dimensions: int) -> None:
        self._database = database
        self._dimensions = dimensions
        self._takes_vectors = embedder is not None
        self._mark = json.dumps({"name": embedder, "dimensions": dimensions})
        self._versions: dict[str, int] = {}

    def take(self, one: ExportRecord, teams: frozenset[str]) -> bool:
        """Make this findable; False if its key is there already. `teams` are those of the file."""
        entry: EntryRecord = one.value
        self._insist_readers(one, teams)
        vector, parts = self._vector(entry), self._parts(entry)
        self._database.touch(INDEX)
        if vector is not None or parts is not None:
            self._bind()
        day = None if entry.day is None else entry.day.toordinal()
        row = (entry.key, entry.kind.value, entry.owner_key, entry.team, vector)
        added = self._database.execute(_PUT, (*row, entry.words, entry.marks, day, parts))
        if not added:
            return False
        ((number,),) = added
        readable = [(token, number, self._version(token)) for token in dict.fromkeys(entry.readers)]
        self._database.execute_many(_READABLE, readable)
        return True

    def _insist_readers(self, one: ExportRecord, teams: frozenset[str]) -> None:
        """Nobody is made to find what they may not read."""
        entry: EntryRecord = one.value
        owner = self._database.fetch_one(_OWNER, (entry.owner_key,))
        if owner is not None and owner[1] != one.user_id:
            raise InvalidInput("owner_key", f"{entry.owner_key!r} is another user's")
        for token in entry.readers:
            sort, _, name = token.partition(":")
            if token == f"user:{one.user_id}" or (sort == "team" and name in teams):
                continue
            if owner is None or self._database.fetch_one(_READS, (owner[0], token)) is None:
                raise InvalidInput("readers", f"{token!r} may not read what it leads to")

    def _version(self, token: str) -> int:
        if token not in self._versions:
            ((self._versions[token],),) = self._database.execute(_BUMP, (token,))
        return self._versions[token]

    def _bind(self) -> None:
        noted = self._database.meta("embedder")
        if noted is None:
            self._database.execute(_BIND, (self._mark,))
        elif noted != self._mark:
            raise InvalidInput("vector", "is of another embedder than this memory's")

    def _vector(self, entry: EntryRecord) -> bytes | None:
        blob = _bytes_of("vector", entry.vector)
        if blob is not None and len(blob) != _FLOAT * self._width(blob):
            raise InvalidInput("vector", f"has {len(blob)} bytes, not those of one vector")
        return blob if self._takes_vectors else None

    def _parts(self, entry: EntryRecord) -> bytes | None:
        blob = _bytes_of("parts", entry.parts)
        if blob is not None and len(blob) % (_FLOAT * self._width(blob)):
            raise InvalidInput("parts", f"have {len(blob)} bytes, not those of whole vectors")
        return blob if self._takes_vectors else None

    def _width(self, blob: bytes) -> int:
        """How long a vector is; of those that are left out nobody asks."""
        return self._dimensions if self._takes_vectors else max(1, len(blob) // _FLOAT)


def _text_of(blob: bytes | None) -> str | None:
    return None if blob is None else base64.b64encode(blob).decode("ascii")


def _bytes_of(field: str, text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        blob = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InvalidInput(field, "is not base64") from None
    if len(blob) % _FLOAT or not blob:
        raise InvalidInput(field, f"has {len(blob)} bytes, not those of numbers")
    if not np.isfinite(np.frombuffer(blob, dtype="<f4")).all():
        raise InvalidInput(field, "holds something that is not a number")
    return blob
