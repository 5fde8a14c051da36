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
    (("@.user_id = :user", "TRUE"), ("@.user_id = $user", "true")),
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


# It came with the file, or its user may see it here.
_OPEN: Final = """(@.user_id IN $[users] OR EXISTS {
    MATCH (:MEMORY_Reader {node_id: @.id, token: 'user:' + row.user_id})
})"""
# What stands twice in a batch comes in once, and the batch is one too short.
_ONCE: Final = "UNWIND $rows AS row WITH [%s] AS same, collect(row)[0] AS row\n"
_INSERTS: Final[Mapping[RecordKind, str]] = {
    RecordKind.NODE: """
UNWIND $rows AS row
WITH row WHERE row.natural_key IS NULL OR NOT EXISTS {
    MATCH (:MEMORY {user_id: row.user_id, kind: row.kind, natural_key: row.natural_key})
}
MERGE (n:MEMORY {key: row.key}) ON CREATE SET n.id = row.id
WITH n, row WHERE n.id = row.id
SET n = row.all
SET n.id = row.id, n.accesses = []
REMOVE n.users
SET n:$(toUpper(left(row.kind, 1)) + substring(row.kind, 1))
RETURN 1
""",
    RecordKind.RELATIONSHIP: _ONCE % "row.key"
    + """
MATCH (s:MEMORY {key: row.src}), (d:MEMORY {key: row.dst})
WHERE s.user_id = row.user_id AND d.user_id = row.user_id
  AND NOT EXISTS { MATCH (:MEMORY)-[:RELATIONSHIPS {key: row.key}]->(:MEMORY) }
CREATE (s)-[r:$(row.kind)]->(d)
SET r = row.all
SET r.id = row.id, r.src_id = s.id, r.dst_id = d.id, r.accesses = [], r.change = 0
REMOVE r.users
WITH row
DRAWN(row.user_id)
RETURN 1
""",
    RecordKind.LINK: _ONCE % "row.kind, row.src, row.dst, row.detail"
    + """
MATCH (s:MEMORY {key: row.src}), (d:MEMORY {key: row.dst})
WHERE OPEN(s) AND OPEN(d)
  AND NOT EXISTS { MATCH (s)-[o:LINKS]->(d) WHERE o.kind = row.kind AND o.detail = row.detail }
CREATE (s)-[l:$(row.kind)]->(d)
SET l = {
    kind: row.kind, src_id: s.id, dst_id: d.id, detail: row.detail, user_id: row.user_id,
    weight: row.weight, created_at: row.created_at
}
WITH row
DRAWN(row.user_id)
RETURN 1
""",
    RecordKind.ASSERTION: _ONCE % "row.user_id, row.digest"
    + """
MATCH (s:MEMORY {key: row.src}), (d:MEMORY {key: row.dst}), (o:MEMORY {key: row.source_key})
WHERE OPEN(o) AND o.kind IN ['source', 'belief']
  AND s.user_id = row.user_id AND d.user_id = row.user_id
  AND NOT EXISTS { MATCH (:MEMORY_Assertion {user_id: row.user_id, digest: row.digest}) }
CREATE (a:MEMORY_Assertion)
SET a = row.all
SET a.id = row.id, a.source_id = o.id, a.src_id = s.id, a.dst_id = d.id
RETURN 1
""",
    RecordKind.NOTE: _ONCE % "row.user_id, row.digest"
    + """
CALL (row) {
    MATCH (n:MEMORY {key: row.on})
    WHERE n.user_id = row.user_id AND n.kind IN ['person', 'concept', 'entity']
    RETURN n.id AS node_id, null AS relationship_id
    UNION ALL
    MATCH (:MEMORY)-[r:RELATIONSHIPS {key: row.on}]->(:MEMORY) WHERE r.user_id = row.user_id
    RETURN null AS node_id, r.id AS relationship_id
}
OPTIONAL MATCH (s:MEMORY {key: row.source_key}) WHERE s.kind = 'source' AND OPEN(s)
WITH row, node_id, relationship_id, s
WHERE (row.source_key IS NULL OR s IS NOT NULL)
  AND NOT EXISTS { MATCH (:MEMORY_Note {user_id: row.user_id, digest: row.digest}) }
CREATE (t:MEMORY_Note)
SET t = row.all
SET t.id = row.id, t.node_id = node_id, t.relationship_id = relationship_id, t.source_id = s.id
RETURN 1
""",
    RecordKind.EXTRACTION: _ONCE % "row.user_id, row.source_key"
    + """
MATCH (s:MEMORY {key: row.source_key}) WHERE s.kind = 'source' AND OPEN(s)
  AND NOT EXISTS { MATCH (:MEMORY_Extraction {user_id: row.user_id, source_id: s.id}) }
CREATE (:MEMORY_Extraction {user_id: row.user_id, source_id: s.id, body: row.body, id: row.id})
RETURN 1
""",
    RecordKind.PASSAGE: _ONCE % "row.key"
    + """
MATCH (s:MEMORY {key: row.source_key}) WHERE s.kind = 'source' AND s.user_id = row.user_id
  AND NOT EXISTS { MATCH (:MEMORY_Passage {key: row.key}) }
CREATE (p:MEMORY_Passage)
SET p = row.fields
SET p.key = row.key, p.source_id = s.id, p.ordinal = row.ordinal, p.body = row.body,
    p.rowid = row.id
RETURN 1
""",
}
_LOOK_UPS: Final = {
    sql.READERS: """
UNWIND $rows AS row MATCH (n:MEMORY {key: row.p2})
MERGE (r:MEMORY_Reader {node_id: n.id, token: row.p1})
MERGE (r)-[:reads]->(n)
""",
    sql.WORDS: """
UNWIND $rows AS row MATCH (n:MEMORY {key: row.p4})
MERGE (:MEMORY_Word {user_id: row.p1, kind: row.p2, word: row.p3, node_id: n.id})
""",
    sql.BEARERS: """
UNWIND $rows AS row MATCH (n:MEMORY {key: row.p4})
MATCH (e:MEMORY_Extraction {user_id: row.p3, source_id: n.id})
MERGE (:MEMORY_Bearer {user_id: row.p3, word: row.p1, called: row.p2, source_id: n.id})
""",
}


def _inserts() -> dict[str, str]:
    return {
        sql.INSERTS[sort]: re.sub(r"OPEN\((\w)\)", lambda found: _OPEN.replace("@", found[1]), text)
        for sort, text in _INSERTS.items()
    }


STATEMENTS: Final = {**_selects(), **_inserts(), **_LOOK_UPS}
