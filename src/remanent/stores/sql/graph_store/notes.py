"""Notes on anchors and relationships, what sources asserted, and their passages, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from remanent.core import by_hand
from remanent.core.model.anchor import Note
from remanent.core.model.codec import to_record
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion, RelationshipKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage
from remanent.errors import Forbidden, InvalidInput, UnknownKey
from remanent.stores.sql.database import OnDatabase, Row
from remanent.stores.sql.graph_store.nodes import own_ends, voice_end
from remanent.stores.sql.plain_rows import (
    RowCodec,
    body_of,
    digest_of,
    inserted,
    to_json,
    to_micros,
)
from remanent.stores.sql.scope import insist_own, scope_values, scoped

_PLACE = """
SELECT id, NULL, body ->> 'by_hand', body -> 'is_dirty' = 'true' FROM nodes
WHERE key = :key AND user_id = :user AND kind IN ('person', 'concept', 'entity')
UNION ALL
SELECT NULL, id, body ->> 'by_hand', body -> 'is_dirty' = 'true' FROM relationships
WHERE key = :key AND user_id = :user
LIMIT 1
"""
# fmt: off
NOTE_COLUMNS: Final = ("user_id", "digest", "node_id", "relationship_id", "source_id", "content",
    "added_by", "date_added", "expires_at")
# fmt: on
_ADD = f"{inserted('notes', NOTE_COLUMNS)} ON CONFLICT (user_id, digest) DO NOTHING RETURNING 1"
# What is dirty already is not written again.
_SOIL_NODE = """
UPDATE nodes SET body = json_set(body, '$.is_dirty', json('true'))
WHERE id = ? AND body -> 'is_dirty' <> 'true'
"""
_SOIL_RELATIONSHIP = _SOIL_NODE.replace("nodes", "relationships")
_DROP = "DELETE FROM notes WHERE user_id = ? AND digest = ? RETURNING 1"
# Since when the newest notes on a place were made that are wanted: older ones are not looked at.
_SINCE = """coalesce((
    SELECT o.date_added FROM notes AS o WHERE o.{place} ORDER BY o.date_added DESC
    LIMIT 1 OFFSET CASE WHEN :limit > 0 THEN :limit - 1 ELSE 0 END
), -4611686018427387904)"""
# A key is that of a node or of a relationship.
NEWEST: Final = scoped(f"""
WITH said AS (
    SELECT n.key AS place, t.* FROM json_each(:keys) AS wanted
    CROSS JOIN nodes AS n ON n.key = wanted.value CROSS JOIN notes AS t
    ON t.node_id = n.id AND t.date_added >= {_SINCE.format(place="node_id = n.id")}
    WHERE VISIBLE(n)
    UNION ALL
    SELECT r.key, t.* FROM json_each(:keys) AS wanted
    CROSS JOIN relationships AS r ON r.key = wanted.value AND r.user_id = :user
    CROSS JOIN notes AS t ON t.relationship_id = r.id
    AND t.date_added >= {_SINCE.format(place="relationship_id = r.id")}
), newest AS (
    SELECT t.*, s.key AS source_key, row_number() OVER (
        PARTITION BY t.place ORDER BY t.date_added DESC, coalesce(s.key, '') DESC, t.content DESC
    ) AS rank FROM said AS t LEFT JOIN nodes AS s ON s.id = t.source_id
)
SELECT t.place, t.content, t.added_by, t.date_added, t.source_key, t.expires_at
FROM newest AS t WHERE t.rank <= :limit ORDER BY t.place, t.rank DESC
""")  # noqa: S608 - ours
_OF_SOURCE = """
SELECT coalesce(n.key, r.key), t.content, t.added_by, t.date_added, s.key, t.expires_at
FROM nodes AS s CROSS JOIN notes AS t ON t.source_id = s.id
LEFT JOIN nodes AS n ON n.id = t.node_id
LEFT JOIN relationships AS r ON r.id = t.relationship_id
WHERE s.key = ? AND t.user_id = ?
ORDER BY 1, 2
"""
NOTES: Final = RowCodec(Note, "notes")
ASSERTIONS: Final = RowCodec(Assertion, "assertions")
# fmt: off
ASSERTION_COLUMNS: Final = ("user_id", "digest", "source_id", "src_id", "dst_id", "kind", "relationship_type",
    "at", "recorded_at", "description", "attitude", "proximity", "confidence", "ended", "single")
# fmt: on
_ASSERT = f"""{inserted("assertions", ASSERTION_COLUMNS)}
ON CONFLICT (user_id, digest) DO NOTHING RETURNING 1
"""
_FROM = scoped("""
SELECT ASSERTION(a)
FROM nodes AS s
CROSS JOIN assertions AS a
    ON a.src_id = s.id AND a.kind = :kind AND a.relationship_type = :type
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE s.key = :key AND a.user_id = :user
ORDER BY a.at, o.key, d.key, a.digest
""")
# The pair has an index of its own: what else is asserted of either of them costs nothing.
_BETWEEN = _FROM.replace("WHERE", "WHERE a.dst_id = (SELECT id FROM nodes WHERE key = :dst) AND", 1)
# What one's own sources say is nearly all of it.
_OTHERS: Final = "o.user_id <> :user OR o.kind <> 'source' OR NOT VISIBLE(o)"
_BUT_OWN_SOURCES = scoped(
    _FROM.replace("WHERE", f"WHERE ({_OTHERS}) AND (:dst IS NULL OR d.key = :dst) AND", 1)
)
_AT = scoped("""
WITH found (id) AS (
    SELECT a.id FROM nodes AS n CROSS JOIN assertions AS a ON a.src_id = n.id WHERE n.key = :key
    UNION
    SELECT a.id FROM nodes AS n CROSS JOIN assertions AS a ON a.dst_id = n.id WHERE n.key = :key
)
SELECT ASSERTION(a)
FROM found
CROSS JOIN assertions AS a ON a.id = found.id
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE a.user_id = :user
ORDER BY a.at, o.key, CASE WHEN s.key = :key THEN d.key ELSE s.key END, a.digest
""")
_SOURCE = scoped("""
SELECT n.id, n.user_id, VISIBLE(n) FROM nodes AS n WHERE n.key = :key AND n.kind = 'source'
""")
_CLEAR = "DELETE FROM passages WHERE source_id = ? AND ordinal >= ?"
_TAKEN = """
SELECT p.key FROM json_each(?) AS wanted CROSS JOIN passages AS p ON p.key = wanted.value LIMIT 1
"""
_ADD_of_passages = "INSERT INTO passages (key, source_id, ordinal, body) VALUES (?, ?, ?, ?)"
_OF_SOURCE_of_passages = scoped("""
SELECT p.body FROM nodes AS n CROSS JOIN passages AS p ON p.source_id = n.id
WHERE n.key = :key AND VISIBLE(n)
ORDER BY p.ordinal, p.key
""")
PASSAGES: Final = scoped("""
SELECT p.body
FROM json_each(:keys) AS wanted
CROSS JOIN passages AS p ON p.key = wanted.value
CROSS JOIN nodes AS n ON n.id = p.source_id
WHERE VISIBLE(n)
""")


class SqlNotes(OnDatabase):
    """The part of the graph that is about notes, assertions and passages."""

    def add_note(self, scope: Scope, note: Note) -> bool:
        with self._database.transaction():
            node_id, relationship_id, words, is_dirty = self._place(scope, note.on)
            if words and note.source_key is not None:
                mark = by_hand.note_mark(note.source_key, note.content)
                if any(one["was"] == mark for one in json.loads(words)):
                    return False
            key = note.source_key
            told = None if key is None else voice_end(self._database, scope, key, Kind.SOURCE)
            values = NOTES.named(note) | {
                "user_id": scope.user_id,
                "digest": note_digest(note),
                "node_id": node_id,
                "relationship_id": relationship_id,
                "source_id": told,
            }
            added = bool(self._database.execute(_ADD, values))
            if added and not is_dirty:
                soil = _SOIL_RELATIONSHIP if node_id is None else _SOIL_NODE
                self._database.execute(soil, (relationship_id or node_id,))
            return added

    def _place(self, scope: Scope, key: str) -> Row:
        row = self._database.fetch_one(_PLACE, {"key": key, "user": scope.user_id})
        if row is None:
            problem = f"the caller has no anchor or relationship under the key {key!r}"
            raise InvalidInput("on", problem)
        return row

    def notes(self, scope: Scope, *keys: str, limit: int = 50) -> list[Note]:
        values = scope_values(scope, keys=sorted(keys), limit=limit)
        return [NOTES.of(row) for row in self._database.execute(NEWEST, values)] if keys else []

    def notes_of(self, scope: Scope, source_key: str) -> list[Note]:
        rows = self._database.execute(_OF_SOURCE, (source_key, scope.user_id))
        return [NOTES.of(row) for row in rows]

    def drop_note(self, scope: Scope, note: Note) -> bool:
        with self._database.transaction():
            return bool(self._database.execute(_DROP, (scope.user_id, note_digest(note))))

    def put_assertion(self, scope: Scope, assertion: Assertion) -> bool:
        insist_own(scope, assertion.user_id, f"assertion {assertion.src} - {assertion.dst}")
        key, kinds = assertion.source_key, (Kind.SOURCE, Kind.BELIEF)
        with self._database.transaction():
            told = {
                "digest": assertion_digest(assertion),
                "source_id": voice_end(self._database, scope, key, *kinds),
            }
            ends = own_ends(self._database, scope, src=assertion.src, dst=assertion.dst)
            values = ASSERTIONS.named(assertion) | told | ends
            return bool(self._database.execute(_ASSERT, values))

    def assertions(
        self,
        scope: Scope,
        key: str,
        kind: RelationshipKind | None = None,
        relationship_type: str = "",
        *,
        dst: str | None = None,
        but_own_sources: bool = False,
    ) -> list[Assertion]:
        values = scope_values(scope, key=key, kind=kind, type=relationship_type, dst=dst)
        told_of = _FROM if dst is None else _BETWEEN
        statement = _AT if kind is None else _BUT_OWN_SOURCES if but_own_sources else told_of
        return [ASSERTIONS.of(row) for row in self._database.execute(statement, values)]

    def put_passages(
        self, scope: Scope, source_key: str, passages: Sequence[Passage], *, first: int = 0
    ) -> None:
        for passage in passages:
            if passage.source_key != source_key:
                raise InvalidInput(
                    "source_key", f"passage {passage.key} is of {passage.source_key!r}"
                )
        keys = [one.key for one in passages]
        if len(set(keys)) < len(keys):
            raise InvalidInput("key", f"two passages of {source_key!r} have one key")
        with self._database.transaction():
            source_id = self._own_source(scope, source_key)
            self._database.execute(_CLEAR, (source_id, first))
            taken = self._database.fetch_one(_TAKEN, (json.dumps(keys),))
            if taken is not None:
                raise InvalidInput("key", f"{taken[0]!r} is a passage of another source")
            self._database.execute_many(
                _ADD_of_passages,
                [(p.key, source_id, p.ordinal, to_json(to_record(p), "passage")) for p in passages],
            )

    def _own_source(self, scope: Scope, source_key: str) -> int:
        row = self._database.fetch_one(_SOURCE, scope_values(scope, key=source_key))
        if row is None or (row[1] != scope.user_id and not row[2]):
            raise UnknownKey(source_key)
        if row[1] != scope.user_id:
            raise Forbidden(f"source {source_key}: {scope.user_id!r} may read it, not write it")
        return int(row[0])

    def passages(self, scope: Scope, source_key: str) -> list[Passage]:
        rows = self._database.execute(_OF_SOURCE_of_passages, scope_values(scope, key=source_key))
        return [passage_of(body) for (body,) in rows]

    def passages_by_key(self, scope: Scope, keys: Sequence[str]) -> dict[str, Passage]:
        rows = self._database.execute(PASSAGES, scope_values(scope, keys=keys)) if keys else ()
        return passages_in(keys, rows)


def note_digest(note: Note) -> bytes:
    return digest_of([note.on, note.source_key, note.content], "note")


def assertion_digest(one: Assertion) -> bytes:
    """Alike for equal assertions, in every memory."""
    values = (
        one.kind.value,
        one.relationship_type,
        to_micros(one.at),
        one.description,
        one.attitude,
        one.proximity,
        float(one.confidence),
        bool(one.ended),
        bool(one.single),
    )
    return digest_of([one.source_key, one.src, one.dst, *values], "assertion")


def passages_in(keys: Sequence[str], rows: Iterable[Row]) -> dict[str, Passage]:
    """By key, in the order of these keys, the passages in these rows."""
    found = {one.key: one for one in (passage_of(body) for (body,) in rows)}
    return {key: found[key] for key in keys if key in found}


@lru_cache(maxsize=2048)  # nobody can change one, and a search reads dozens of the same
def passage_of(body: str) -> Passage:
    """The passage in a row's body."""
    return body_of(Passage, body, "passages")
