"""The notes on anchors and relationships, in SQLite."""

from __future__ import annotations

from remanent.core.model.anchor import Note
from remanent.core.model.scope import Scope
from remanent.errors import InvalidInput
from remanent.stores.sqlite.columns import (
    digest_of,
    from_micros,
    micros_or_none,
    moment_or_none,
    to_micros,
)
from remanent.stores.sqlite.connection import Row
from remanent.stores.sqlite.database import Database
from remanent.stores.sqlite.graph_store.node_ids import source_end
from remanent.stores.sqlite.scope import asking, scoped

_PLACE = """
SELECT id, NULL FROM nodes
WHERE key = :key AND user_id = :user AND kind IN ('person', 'concept', 'entity')
UNION ALL
SELECT NULL, id FROM relationships WHERE key = :key AND user_id = :user
LIMIT 1
"""
_ADD = """
INSERT INTO notes (user_id, digest, node_id, relationship_id, source_id, content, added_by,
                   date_added, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (user_id, digest) DO NOTHING
RETURNING 1
"""
# What is dirty already is not written again.
_SOIL_NODE = """
UPDATE nodes SET body = json_set(body, '$.is_dirty', json('true'))
WHERE id = ? AND NOT body ->> 'is_dirty'
"""
_SOIL_RELATIONSHIP = _SOIL_NODE.replace("nodes", "relationships")
_DROP = "DELETE FROM notes WHERE user_id = ? AND digest = ? RETURNING 1"
_ON_NODE = scoped("""
SELECT n.key, t.content, t.added_by, t.date_added, s.key, t.expires_at
FROM nodes AS n CROSS JOIN notes AS t ON t.node_id = n.id
LEFT JOIN nodes AS s ON s.id = t.source_id
WHERE n.key = :key AND VISIBLE(n)
ORDER BY t.date_added DESC, coalesce(s.key, '') DESC, t.content DESC LIMIT :limit
""")
_ON_RELATIONSHIP = """
SELECT :key, t.content, t.added_by, t.date_added, s.key, t.expires_at
FROM notes AS t LEFT JOIN nodes AS s ON s.id = t.source_id
WHERE t.relationship_id = (SELECT id FROM relationships WHERE key = :key AND user_id = :user)
ORDER BY t.date_added DESC, coalesce(s.key, '') DESC, t.content DESC LIMIT :limit
"""
_OF_SOURCE = """
SELECT coalesce(n.key, r.key), t.content, t.added_by, t.date_added, s.key, t.expires_at
FROM nodes AS s CROSS JOIN notes AS t ON t.source_id = s.id
LEFT JOIN nodes AS n ON n.id = t.node_id
LEFT JOIN relationships AS r ON r.id = t.relationship_id
WHERE s.key = ? AND t.user_id = ?
ORDER BY 1, 2
"""


class SqliteNotes:
    """The part of the graph that is about notes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_note(self, scope: Scope, note: Note) -> bool:
        """Put the note on the caller's own anchor or relationship, which is dirty then; False, and no
        change, when the same source said the same there already."""
        with self._database.transaction():
            node_id, relationship_id = self._place(scope, note.on)
            source_id = None
            if note.source_key is not None:
                source_id = source_end(self._database, scope, note.source_key)
            values = (
                scope.user_id,
                _digest(note),
                node_id,
                relationship_id,
                source_id,
                note.content,
                note.added_by,
                to_micros(note.date_added),
                micros_or_none(note.expires_at),
            )
            added = bool(self._database.execute(_ADD, values))
            if added:
                self._database.execute(_SOIL_NODE, (node_id,))
                self._database.execute(_SOIL_RELATIONSHIP, (relationship_id,))
            return added

    def _place(self, scope: Scope, key: str) -> Row:
        row = self._database.one(_PLACE, {"key": key, "user": scope.user_id})
        if row is None:
            problem = f"the caller has no anchor or relationship under the key {key!r}"
            raise InvalidInput("on", problem)
        return row

    def notes(self, scope: Scope, key: str, *, limit: int = 50) -> list[Note]:
        """The newest notes on a visible anchor or relationship, oldest of them first (by date, then
        source, then content). Notes on relationships are their user's alone."""
        newest = max(limit, 0)
        rows = self._database.execute(_ON_NODE, asking(scope, key=key, limit=newest))
        if not rows:
            values = {"key": key, "user": scope.user_id, "limit": newest}
            rows = self._database.execute(_ON_RELATIONSHIP, values)
        return [note_of(row) for row in reversed(rows)]

    def notes_of(self, scope: Scope, source_key: str) -> list[Note]:
        """All the caller's own notes that this source gave, in order of where they stand and content."""
        rows = self._database.execute(_OF_SOURCE, (source_key, scope.user_id))
        return [note_of(row) for row in rows]

    def drop_note(self, scope: Scope, note: Note) -> bool:
        """Take that note of the caller's own away; False if it was not there."""
        with self._database.transaction():
            return bool(self._database.execute(_DROP, (scope.user_id, _digest(note))))


def _digest(note: Note) -> bytes:
    return digest_of([note.on, note.source_key, note.content], "note")


def note_of(row: Row) -> Note:
    """The note in a row of where it stands, content, author, date, source and expiry."""
    on, content, added_by, date_added, source_key, expires_at = row
    return Note(
        on=on,
        content=content,
        added_by=added_by,
        date_added=from_micros(date_added),
        source_key=source_key,
        expires_at=moment_or_none(expires_at),
    )
