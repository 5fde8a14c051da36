"""What a query in Cypher of the caller's is shown: the picture for the jail, read from Neo4j."""

from __future__ import annotations

from typing import Final

from remanent.stores.neo4j.dialect import worded
from remanent.stores.sql import cypher

STATEMENTS: Final = {"SELECT 1": "RETURN 1"} | worded(cypher, {
    "_NODES": """
CALL () {
  UNWIND $[kinds] AS kind MATCH (n:MEMORY {user_id: $user, kind: kind}) WHERE n.shared = 0 RETURN n
  UNION
  UNWIND $[tokens] AS token MATCH (:MEMORY_Reader {token: token})-[:reads]->(n:MEMORY)
  WHERE n.shared = 1 AND n.kind IN $[kinds] RETURN n
}
WITH n WHERE ($archived = 1 OR n.state <> 'archived')
  AND ($known_at IS NULL OR n.kind = 'belief' OR n.created_at <= $known_at) AND VISIBLE(n)
RETURN n.id, n.key, n.kind, THING(n)
""",
    "_RELATIONSHIPS": """
MATCH (s:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->(d:MEMORY)
WHERE r.user_id = $user AND r.kind IN $[types] AND ($archived = 1 OR r.state <> 'archived') AND (
    ($as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= $as_of AND (r.valid_to IS NULL OR $as_of < r.valid_to))
)
RETURN r.id, r.key, r.kind, s.id, d.id, THING(r)
""",
    "_LINKS": """
CALL () {
  MATCH (s:MEMORY)-[l:LINKS {user_id: $user}]->(d:MEMORY) RETURN s, l, d
  UNION
  UNWIND $[shared] AS id MATCH (s:MEMORY {id: id})-[l:LINKS]->(d:MEMORY)
  WHERE l.user_id <> $user RETURN s, l, d
}
WITH s, l, d WHERE l.kind IN $[types] AND ($known_at IS NULL OR l.created_at <= $known_at)
RETURN l.kind, s.id, d.id, l.weight
""",
    "_NOTES": """
MATCH (t:MEMORY_Note {user_id: $user})
WHERE t.date_added <= $at AND (t.expires_at IS NULL OR t.expires_at > $at)
OPTIONAL MATCH (s:MEMORY {id: t.source_id})
WITH t, s WHERE $known_at IS NULL OR $known_at >= coalesce(s.created_at, t.date_added)
RETURN t.node_id, t.relationship_id, t.content, t.added_by, t.date_added, s.key, t.expires_at
ORDER BY t.date_added, t.id
""",
    "_PASSAGES": """
UNWIND $[sources] AS id MATCH (p:MEMORY_Passage {source_id: id})
RETURN p.source_id, p.key, p.body ORDER BY p.source_id, p.ordinal
""",
})  # fmt: skip
