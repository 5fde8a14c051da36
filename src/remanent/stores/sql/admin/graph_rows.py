"""The graph's own records: what hangs on nodes is named by their keys, wherever it is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from remanent.anchors.rules.identity import bearers_in
from remanent.core.model.anchor import Anchor
from remanent.core.model.codec import to_record
from remanent.core.model.mind_types import Extraction
from remanent.core.model.node import Node
from remanent.core.model.relationship import Relationship
from remanent.core.model.source import Passage
from remanent.core.records.export import ExportRecord, RecordKind
from remanent.stores.sql.database import Row
from remanent.stores.sql.graph_store import edges, nodes
from remanent.stores.sql.graph_store.notes import (
    ASSERTION_COLUMNS,
    ASSERTIONS,
    NOTE_COLUMNS,
    NOTES,
    assertion_digest,
    note_digest,
    passage_of,
)
from remanent.stores.sql.plain_rows import body_of, from_json, to_json
from remanent.stores.sql.scope import scoped

# In each, MINE(t) tells rows of one user, SEEN(n) whether what it hangs on is theirs or visible to
# them; the owner, whether it hangs on another's, and the place of the row come last.
SELECTS: Final[Mapping[RecordKind, str]] = {
    RecordKind.NODE: """
SELECT n.kind, THING(n), n.user_id, FALSE, n.id
FROM nodes AS n WHERE n.id > :after AND MINE(n) ORDER BY n.id LIMIT :page
""",
    RecordKind.RELATIONSHIP: """
SELECT THING(r), r.user_id, 0, r.id
FROM relationships AS r WHERE r.id > :after AND MINE(r) ORDER BY r.id LIMIT :page
""",
    RecordKind.LINK: """
SELECT LINK(l), l.user_id,
       s.user_id <> l.user_id OR d.user_id <> l.user_id,
       json_array(l.kind, CAST(l.src_id AS TEXT), CAST(l.dst_id AS TEXT), l.detail)
FROM links AS l CROSS JOIN nodes AS s ON s.id = l.src_id CROSS JOIN nodes AS d ON d.id = l.dst_id
WHERE MINE(l) AND SEEN(s) AND SEEN(d) AND (
    l.kind > :after ->> 0 OR (l.kind = :after ->> 0 AND
    (l.src_id, l.dst_id, l.detail)
    > (CAST(:after ->> 1 AS BIGINT), CAST(:after ->> 2 AS BIGINT), :after ->> 3)))
ORDER BY l.kind, l.src_id, l.dst_id, l.detail LIMIT :page
""",
    RecordKind.ASSERTION: """
SELECT ASSERTION(a),
       a.user_id, o.user_id <> a.user_id, a.id
FROM assertions AS a
CROSS JOIN nodes AS s ON s.id = a.src_id
CROSS JOIN nodes AS d ON d.id = a.dst_id
CROSS JOIN nodes AS o ON o.id = a.source_id
WHERE a.id > :after AND MINE(a) AND SEEN(o) ORDER BY a.id LIMIT :page
""",
    RecordKind.NOTE: """
SELECT coalesce(n.key, r.key), t.content, t.added_by, t.date_added, s.key, t.expires_at,
       t.user_id, coalesce(s.user_id <> t.user_id, FALSE), t.id
FROM notes AS t
LEFT JOIN nodes AS n ON n.id = t.node_id
LEFT JOIN relationships AS r ON r.id = t.relationship_id
LEFT JOIN nodes AS s ON s.id = t.source_id
WHERE t.id > :after AND MINE(t) AND (s.id IS NULL OR SEEN(s)) ORDER BY t.id LIMIT :page
""",
    RecordKind.EXTRACTION: """
SELECT e.body, e.user_id, s.user_id <> e.user_id, e.id
FROM extractions AS e CROSS JOIN nodes AS s ON s.id = e.source_id
WHERE e.id > :after AND MINE(e) AND SEEN(s) ORDER BY e.id LIMIT :page
""",
    RecordKind.PASSAGE: """
SELECT p.body, n.user_id, 0, p.rowid
FROM passages AS p CROSS JOIN nodes AS n ON n.id = p.source_id
WHERE p.rowid > :after AND MINE(n) ORDER BY p.rowid LIMIT :page
""",
}
FIRST: Final[Mapping[RecordKind, Any]] = {RecordKind.LINK: '["",0,0,""]'}


def _insert(table: str, columns: Sequence[str], found: Mapping[str, str], where: str) -> str:
    """One row, whose columns are given by name or `found`: the ids of what it hangs on."""
    values = ", ".join(found.get(name) or f":{name}" for name in columns)
    return f"""
INSERT INTO {table} ({", ".join(columns)})
SELECT {values} FROM {where}
ON CONFLICT DO NOTHING RETURNING 1
"""  # noqa: S608 - ours


_NODE = f"{nodes.INSERT} ON CONFLICT DO NOTHING RETURNING 1"
_ENDS: Final = {"src_id": "s.id", "dst_id": "d.id"}
_RELATIONSHIP = _insert("relationships", edges.COLUMNS, _ENDS, """
nodes AS s CROSS JOIN nodes AS d
WHERE s.key = :src AND d.key = :dst AND s.user_id = :user_id AND d.user_id = :user_id
""")  # fmt: skip
# OPEN(n): it came with the file, or its user may see it here.
_LINK = _insert("links", edges.LINK_COLUMNS, _ENDS, """
nodes AS s CROSS JOIN nodes AS d
WHERE s.key = :src AND d.key = :dst AND OPEN(s) AND OPEN(d)
""")  # fmt: skip
_ASSERTION = _insert("assertions", ASSERTION_COLUMNS, {**_ENDS, "source_id": "o.id"}, """
nodes AS o CROSS JOIN nodes AS s CROSS JOIN nodes AS d
WHERE o.key = :source_key AND s.key = :src AND d.key = :dst AND OPEN(o)
  AND o.kind IN ('source', 'belief') AND s.user_id = :user_id AND d.user_id = :user_id
""")  # fmt: skip
_PLACE: Final = {"node_id": "at.node_id", "relationship_id": "at.relationship_id"}
_NOTE = _insert("notes", NOTE_COLUMNS, {**_PLACE, "source_id": "s.id"}, """
(
    SELECT id AS node_id, NULL AS relationship_id FROM nodes
    WHERE key = :on AND user_id = :user_id AND kind IN ('person', 'concept', 'entity')
    UNION ALL
    SELECT NULL, id FROM relationships WHERE key = :on AND user_id = :user_id
    LIMIT 1
) AS at
LEFT JOIN nodes AS s ON s.key = :source_key AND s.kind = 'source' AND OPEN(s)
WHERE :source_key IS NULL OR s.id IS NOT NULL
""")  # fmt: skip
_SOURCE: Final = {"source_id": "s.id"}
_EXTRACTION = _insert("extractions", ("user_id", "source_id", "body"), _SOURCE, """
nodes AS s WHERE s.key = :source_key AND s.kind = 'source' AND OPEN(s)
""")  # fmt: skip
_PASSAGE = _insert("passages", ("key", "source_id", "ordinal", "body"), _SOURCE, """
nodes AS s WHERE s.key = :source_key AND s.kind = 'source' AND s.user_id = :user_id
""")  # fmt: skip
_OPEN: Final = """(
    @.user_id IN (SELECT value FROM json_each(:users)) OR EXISTS (
        SELECT 1 FROM node_readers AS reader
        WHERE reader.node_id = @.id AND reader.token = 'user:' || :user_id
    )
)"""


def _opened(statement: str) -> str:
    for alias in "sdo":
        statement = statement.replace(f"OPEN({alias})", _OPEN.replace("@", alias))
    return statement


INSERTS: Final[Mapping[RecordKind, str]] = {
    RecordKind.NODE: _NODE,
    RecordKind.RELATIONSHIP: _RELATIONSHIP,
    RecordKind.LINK: _opened(_LINK),
    RecordKind.ASSERTION: _opened(_ASSERTION),
    RecordKind.NOTE: _opened(_NOTE),
    RecordKind.EXTRACTION: _opened(_EXTRACTION),
    RecordKind.PASSAGE: _PASSAGE,
}
# What a node or an extraction is looked up by comes with it: statements, and the rows of each.
READERS = """
INSERT INTO node_readers (node_id, token) SELECT id, ? FROM nodes WHERE key = ?
ON CONFLICT DO NOTHING
"""
WORDS = """
INSERT INTO anchor_words (user_id, kind, word, node_id) SELECT ?, ?, ?, id FROM nodes WHERE key = ?
ON CONFLICT DO NOTHING
"""
BEARERS = """
INSERT INTO bearers (user_id, word, called, source_id)
SELECT e.user_id, ?, ?, e.source_id FROM nodes AS n CROSS JOIN extractions AS e ON e.source_id = n.id
WHERE e.user_id = ? AND n.key = ? ON CONFLICT DO NOTHING
"""


_READ: Final[Mapping[RecordKind, Callable[[Row], Any]]] = {
    RecordKind.NODE: nodes.node_of,
    RecordKind.RELATIONSHIP: edges.relationship_of,
    RecordKind.LINK: edges.LINKS.of,
    RecordKind.ASSERTION: ASSERTIONS.of,
    RecordKind.NOTE: NOTES.of,
    RecordKind.EXTRACTION: lambda row: body_of(Extraction, row[0], "extractions"),
    RecordKind.PASSAGE: lambda row: passage_of(row[0]),
}
_WITH_BODY: Final = (RecordKind.EXTRACTION, RecordKind.PASSAGE)  # which goes as it is


def select(sort: RecordKind, *, mine: str, seen: str) -> tuple[str, Any]:
    """The statement for a page of rows, with the conditions on an alias `@`, and what it begins after."""
    conditions = {"MINE": mine, "SEEN": seen}
    sql = re.sub(
        r"(MINE|SEEN)\((\w+)\)",
        lambda found: conditions[found[1]].replace("@", found[2]),
        SELECTS[sort],
    )
    return scoped(sql), FIRST.get(sort, 0)


def record_of(sort: RecordKind, row: Row) -> ExportRecord:
    """The record in a row of its select."""
    *columns, user_id, elsewhere, _ = row
    plain = from_json(columns[0], f"{sort.value}s") if sort in _WITH_BODY else None
    value = _READ[sort](tuple(columns))
    return ExportRecord(
        sort=sort, user_id=user_id, value=value, elsewhere=bool(elsewhere), plain=plain
    )


def values_of(one: ExportRecord) -> dict[str, Any]:
    """What its insert takes."""
    values = {"user_id": one.user_id, **_VALUES[one.sort](one.value)}
    return values if one.plain is None else {**values, "body": to_json(one.plain, "value")}


def looked_up_by(one: ExportRecord) -> list[tuple[str, tuple[Any, ...]]]:
    """The statements and rows by which it is looked up."""
    value = one.value
    look_ups: list[tuple[str, tuple[Any, ...]]] = []
    if isinstance(value, Extraction):
        for who in bearers_in(value):
            names = to_json([who.name, *who.aliases], "name")
            words = sorted(nodes.words_in((who.name, *who.aliases)))
            look_ups += [(BEARERS, (word, names, one.user_id, value.source_key)) for word in words]
    if isinstance(value, Node) and value.readers != (f"user:{value.user_id}",):
        look_ups += [(READERS, (token, value.key)) for token in dict.fromkeys(value.readers)]
    if isinstance(value, Anchor):
        words = sorted(nodes.words_in((value.name, *value.aliases)))
        look_ups += [(WORDS, (value.user_id, value.kind.value, word, value.key)) for word in words]
    return look_ups


def _relationship(one: Relationship) -> dict[str, Any]:
    return {"src": one.src, "dst": one.dst, **edges.relationship_values(one)}


def _extraction(one: Extraction) -> dict[str, Any]:
    return {"source_key": one.source_key, "body": to_json(to_record(one), "extraction")}


def _passage(one: Passage) -> dict[str, Any]:
    body = to_json(to_record(one), "passage")
    return {"key": one.key, "source_key": one.source_key, "ordinal": one.ordinal, "body": body}


_VALUES: Final[Mapping[RecordKind, Any]] = {
    RecordKind.NODE: nodes.node_values,
    RecordKind.RELATIONSHIP: _relationship,
    RecordKind.LINK: edges.LINKS.named,
    RecordKind.ASSERTION: lambda one: {**ASSERTIONS.named(one), "digest": assertion_digest(one)},
    RecordKind.NOTE: lambda one: {**NOTES.named(one), "digest": note_digest(one)},
    RecordKind.EXTRACTION: _extraction,
    RecordKind.PASSAGE: _passage,
}
