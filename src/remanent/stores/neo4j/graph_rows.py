"""The graph's own records, out of Neo4j and in again.

What is there already does not come in: a node that is made has the new number of its row, one that was
there another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from remanent.core.records.export import RecordKind
from remanent.stores.sql.admin import export
from remanent.stores.sql.admin import graph_rows as sql

_ASSERTION: Final = """MATCH (s:MEMORY {id: a.src_id})
MATCH (d:MEMORY {id: a.dst_id})
MATCH (o:MEMORY {id: a.source_id})"""
# In each, MINE and SEEN stand as in SQL, and the columns in its order.
_SELECTS: Final[Mapping[RecordKind, str]] = {
    RecordKind.NODE: """
MATCH (n:MEMORY) WHERE n.id > $after AND MINE(n)
RETURN n.kind, THING(n), n.user_id, false, n.id ORDER BY n.id LIMIT $page
""",
    RecordKind.RELATIONSHIP: """
MATCH (:MEMORY)-[r:RELATIONSHIPS]->(:MEMORY) WHERE r.id > $after AND MINE(r)
RETURN THING(r), r.user_id, false, r.id ORDER BY r.id LIMIT $page
""",
    RecordKind.LINK: """
MATCH (s:MEMORY)-[l:LINKS]->(d:MEMORY)
WITH s, l, d, $[after][0] AS kind, toInteger($[after][1]) AS src, toInteger($[after][2]) AS dst,
    $[after][3] AS detail
WHERE MINE(l) AND (l.kind > kind OR (l.kind = kind AND (s.id > src OR (s.id = src AND (
    d.id > dst OR (d.id = dst AND l.detail > detail)))))) AND SEEN(s) AND SEEN(d)
RETURN LINK(l), l.user_id, s.user_id <> l.user_id OR d.user_id <> l.user_id,
    [l.kind, s.id, d.id, l.detail]
ORDER BY l.kind, s.id, d.id, l.detail LIMIT $page
""",
    RecordKind.ASSERTION: f"""
MATCH (a:MEMORY_Assertion) WHERE a.id > $after AND MINE(a)
{_ASSERTION} WHERE SEEN(o)
RETURN ASSERTION(a), a.user_id, o.user_id <> a.user_id, a.id ORDER BY a.id LIMIT $page
""",
    RecordKind.NOTE: """
MATCH (t:MEMORY_Note) WHERE t.id > $after AND MINE(t)
OPTIONAL MATCH (s:MEMORY {id: t.source_id})
WITH t, s WHERE s IS NULL OR SEEN(s)
WITH t, s ORDER BY t.id LIMIT $page
OPTIONAL MATCH (n:MEMORY {id: t.node_id})
OPTIONAL MATCH (:MEMORY)-[r:RELATIONSHIPS {id: t.relationship_id}]->(:MEMORY)
RETURN coalesce(n.key, r.key), t.content, t.added_by, t.date_added, s.key, t.expires_at,
    t.user_id, coalesce(s.user_id <> t.user_id, false), t.id ORDER BY t.id
""",
    RecordKind.EXTRACTION: """
MATCH (e:MEMORY_Extraction) WHERE e.id > $after AND MINE(e)
MATCH (s:MEMORY {id: e.source_id}) WHERE SEEN(s)
RETURN e.body, e.user_id, s.user_id <> e.user_id, e.id ORDER BY e.id LIMIT $page
""",
    RecordKind.PASSAGE: """
MATCH (p:MEMORY_Passage) WHERE p.rowid > $after
MATCH (n:MEMORY {id: p.source_id}) WHERE MINE(n)
RETURN p.body, n.user_id, false, p.rowid ORDER BY p.rowid LIMIT $page
""",
}
_WHOSE: Final = (
    (("TRUE", "TRUE"), ("true", "true")),
    (
        ("@.user_id = :user", vars(export)["_SEEN"]),
        ("@.user_id = $user", "(@.user_id = $user OR VISIBLE(@))"),
    ),
)


def _selects() -> dict[str, str]:
    statements = {}
    for (mine, seen), (my, visible) in _WHOSE:
        for sort, text in _SELECTS.items():
            statement, _ = sql.select(sort, mine=mine, seen=seen)
            asked = re.sub(r"MINE\((\w+)\)", my.replace("@", r"\1"), text)
            statements[statement] = re.sub(r"SEEN\((\w+)\)", visible.replace("@", r"\1"), asked)
    return statements


STATEMENTS: Final = _selects()
