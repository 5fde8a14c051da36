"""The statements about notes, assertions, passages and extractions, in Cypher."""

from __future__ import annotations

from typing import Final

from remanent.stores.sql.graph_store import extractions, notes

_CREATED: Final = """
UNWIND $rows AS row
CALL (row) {
    MATCH (t:LABEL {user_id: row.user_id, digest: row.digest}) RETURN count(t) AS there
}
WITH row WHERE there = 0
CREATE (t:LABEL)
SET t = row.all
SET t.id = row.id
RETURN 1
"""
# Within a text its quotes would be escaped: only the field itself reads so.
_SOIL: Final = """
SET @.body = replace(@.body, '"is_dirty": false', '"is_dirty": true'), @.is_dirty = true
"""
_FROM: Final = """
MATCH (s:MEMORY {key: $key})
MATCH (a:MEMORY_Assertion {src_id: s.id})
WHERE a.kind = $kind AND a.relationship_type = $type AND a.user_id = $user
MATCH (d:MEMORY {id: a.dst_id})
MATCH (o:MEMORY {id: a.source_id})
RETURN ASSERTION(a) ORDER BY a.at, o.key, d.key, BYTES(a.digest)
"""

STATEMENTS: Final = {
    notes._PLACE: """
CALL () {
    MATCH (n:MEMORY {key: $key})
    WHERE n.user_id = $user AND n.kind IN ['person', 'concept', 'entity']
    RETURN n.id AS node_id, NULL AS relationship_id, n.by_hand AS words, n.is_dirty AS is_dirty
    UNION ALL
    MATCH (:MEMORY)-[r:RELATIONSHIPS {key: $key}]->() WHERE r.user_id = $user
    RETURN NULL AS node_id, r.id AS relationship_id, r.by_hand AS words, r.is_dirty AS is_dirty
}
RETURN node_id, relationship_id, words, is_dirty LIMIT 1
""",
    notes._ADD: _CREATED.replace("LABEL", "MEMORY_Note"),
    notes._SOIL_NODE: f"""
MATCH (n:MEMORY {{id: $p1}}) WHERE n.is_dirty = false {_SOIL.replace("@", "n")}
""",
    notes._SOIL_RELATIONSHIP: f"""
MATCH (:MEMORY)-[r:RELATIONSHIPS {{id: $p1}}]->() WHERE r.is_dirty = false {_SOIL.replace("@", "r")}
""",
    notes._DROP: "MATCH (t:MEMORY_Note {user_id: $p1, digest: $p2}) DELETE t RETURN 1",
    notes.NEWEST: """
CALL () {
    UNWIND $[keys] AS wanted
    MATCH (n:MEMORY {key: wanted}) WHERE VISIBLE(n)
    MATCH (t:MEMORY_Note {node_id: n.id})
    RETURN n.key AS place, t
    UNION ALL
    UNWIND $[keys] AS wanted
    MATCH (:MEMORY)-[r:RELATIONSHIPS {key: wanted}]->() WHERE r.user_id = $user
    MATCH (t:MEMORY_Note {relationship_id: r.id})
    RETURN r.key AS place, t
}
OPTIONAL MATCH (s:MEMORY {id: t.source_id})
WITH place, t, s ORDER BY place, t.date_added DESC, coalesce(s.key, '') DESC, t.content DESC
WITH place, collect([t, s.key])[..$limit] AS newest
UNWIND range(size(newest) - 1, 0, -1) AS rank
WITH place, rank, newest[rank][0] AS t, newest[rank][1] AS source_key
RETURN place, t.content, t.added_by, t.date_added, source_key, t.expires_at
ORDER BY place, rank DESC
""",
    notes._OF_SOURCE: """
MATCH (s:MEMORY {key: $p1})
MATCH (t:MEMORY_Note {source_id: s.id}) WHERE t.user_id = $p2
OPTIONAL MATCH (n:MEMORY {id: t.node_id})
OPTIONAL MATCH (:MEMORY)-[r:RELATIONSHIPS {id: t.relationship_id}]->()
RETURN coalesce(n.key, r.key) AS place, t.content AS content, t.added_by, t.date_added, s.key,
       t.expires_at
ORDER BY place, content
""",
    notes._ASSERT: _CREATED.replace("LABEL", "MEMORY_Assertion"),
    notes._FROM: _FROM,
    notes._BETWEEN: _FROM.replace("{id: a.dst_id}", "{id: a.dst_id, key: $dst}"),
    notes._BUT_OWN_SOURCES: _FROM.replace(
        "RETURN",
        """WHERE (o.user_id <> $user OR o.kind <> 'source' OR NOT VISIBLE(o))
AND ($dst IS NULL OR d.key = $dst)
RETURN""",
    ),
    notes._AT: """
MATCH (n:MEMORY {key: $key})
CALL (n) {
    MATCH (a:MEMORY_Assertion {src_id: n.id}) RETURN a
    UNION
    MATCH (a:MEMORY_Assertion {dst_id: n.id}) RETURN a
}
WITH a WHERE a.user_id = $user
MATCH (s:MEMORY {id: a.src_id})
MATCH (d:MEMORY {id: a.dst_id})
MATCH (o:MEMORY {id: a.source_id})
RETURN ASSERTION(a)
ORDER BY a.at, o.key, CASE WHEN s.key = $key THEN d.key ELSE s.key END, BYTES(a.digest)
""",
    notes._SOURCE: """
MATCH (n:MEMORY {key: $key}) WHERE n.kind = 'source' RETURN n.id, n.user_id, VISIBLE(n)
""",
    notes._CLEAR: "MATCH (p:MEMORY_Passage {source_id: $p1}) WHERE p.ordinal >= $p2 DELETE p",
    notes._TAKEN: """
UNWIND $[p1] AS wanted MATCH (p:MEMORY_Passage {key: wanted}) RETURN p.key LIMIT 1
""",
    notes._ADD_of_passages: """
UNWIND $rows AS row
CREATE (p:MEMORY_Passage)
SET p = row.fields
SET p.key = row.p1, p.source_id = row.p2, p.ordinal = row.p3, p.body = row.p4, p.rowid = row.id
""",
    notes._OF_SOURCE_of_passages: """
MATCH (n:MEMORY {key: $key}) WHERE VISIBLE(n)
MATCH (p:MEMORY_Passage {source_id: n.id})
RETURN p.body ORDER BY p.ordinal, p.key
""",
    notes.PASSAGES: """
UNWIND $[keys] AS wanted
MATCH (p:MEMORY_Passage {key: wanted})
MATCH (n:MEMORY {id: p.source_id}) WHERE VISIBLE(n)
RETURN p.body
""",
    extractions._PUT: """
MERGE (e:MEMORY_Extraction {user_id: $p1, source_id: $p2})
ON CREATE SET e.id = $id
SET e.body = $p3
""",
    extractions._FORGET_BEARERS: """
MATCH (b:MEMORY_Bearer {source_id: $p1}) WHERE b.user_id = $p2 DELETE b
""",
    extractions._ADD_BEARER: """
UNWIND $rows AS row
CREATE (:MEMORY_Bearer {user_id: row.p1, word: row.p2, called: row.p3, source_id: row.p4})
""",
    extractions._BEARERS: """
UNWIND $[words] AS wanted
MATCH (b:MEMORY_Bearer {user_id: $user, word: wanted})
RETURN b.called AS called, count(DISTINCT b.source_id) ORDER BY called
""",
    extractions._GET: """
MATCH (n:MEMORY {key: $key}) WHERE VISIBLE(n)
MATCH (e:MEMORY_Extraction {source_id: n.id}) WHERE e.user_id = $user
RETURN e.body
""",
    extractions._ASSERTED: """
MATCH (o:MEMORY {key: $key})
MATCH (a:MEMORY_Assertion {source_id: o.id}) WHERE a.user_id = $user
MATCH (s:MEMORY {id: a.src_id})
MATCH (d:MEMORY {id: a.dst_id})
RETURN ASSERTION(a) ORDER BY a.at, s.key, d.key, BYTES(a.digest)
""",
    extractions._RETRACT[0]: """
MATCH (o:MEMORY {key: $key})
MATCH (a:MEMORY_Assertion {source_id: o.id}) WHERE a.user_id = $user
DELETE a
""",
    extractions._RETRACT[1]: """
MATCH (o:MEMORY {key: $key})
MATCH (t:MEMORY_Note {source_id: o.id})
WHERE t.user_id = $user AND t.node_id IS NOT NULL AND t.added_by = $user
DELETE t
""",
    extractions._RETRACT[2]: """
MATCH (:MEMORY {key: $key})-[l:mentions]->(:MEMORY) WHERE l.user_id = $user
DELETE l
WITH DISTINCT $user AS whose
DRAWN(whose)
""",
}
