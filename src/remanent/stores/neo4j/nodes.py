"""The statements about nodes and their names, in Cypher."""

from __future__ import annotations

from typing import Final

from remanent.core.model.node import Kind
from remanent.stores.sql.graph_store import nodes

_LABELS: Final = "".join(f":{kind.value.capitalize()}" for kind in Kind)
# What hangs on a relationship goes with it.
_REMOVE_RELATIONSHIPS: Final = """
UNWIND $[keys] AS wanted
MATCH (s:MEMORY)-[r:RELATIONSHIPS {key: wanted}]->() WHERE r.user_id = $user
CALL (r) {
    MATCH (t:MEMORY_Note {relationship_id: r.id}) DELETE t
}
DELETE r
WITH wanted
DRAWN($user)
RETURN 1
"""
_REMOVE_NODES: Final = """
UNWIND $[keys] AS wanted
MATCH (n:MEMORY {key: wanted}) WHERE n.user_id = $user
GONE(n)
RETURN 1
"""
# What is replaced keeps its number, and with it what hangs on it.
_PUT: Final = f"""
UNWIND $rows AS row
MERGE (n:MEMORY {{key: row.key}})
ON CREATE SET n.id = row.id, n.user_id = row.user_id, n.accesses = []
WITH n, row, n.id AS id, n.user_id AS user_id, ACCESSED(n) AS accesses,
     coalesce(n.shared <> row.shared, false)
     OR (n.kind IS NOT NULL AND coalesce(n.team_id, '') <> coalesce(row.team_id, ''))
     OR coalesce(row.kind = 'belief' AND n.status <> row.all.status, false) AS is_drawn,
     coalesce(row.kind = 'source' AND (n.state = 'archived') <> (row.state = 'archived'), false)
     AS is_moved
SET n = row.all
SET n.id = id, n.user_id = user_id, n.accesses = accesses
REMOVE n{_LABELS}
SET n:$(toUpper(left(row.kind, 1)) + substring(row.kind, 1))
FOREACH (one IN CASE WHEN is_drawn THEN [user_id] ELSE [] END |
    DRAWN(one)
)
WITH id, CASE WHEN is_moved THEN n END AS moved
SHELVED(moved)
RETURN id
"""

STATEMENTS: Final = {
    nodes._VISIBLE: """
UNWIND $[keys] AS wanted
MATCH (n:MEMORY {key: wanted}) WHERE VISIBLE(n) RETURN n.key, n.id, n.kind
""",
    nodes._OWN: """
UNWIND $[p1] AS wanted
MATCH (n:MEMORY {key: wanted}) WHERE n.user_id = $p2 RETURN n.key, n.id
""",
    nodes._NAMES: """
MATCH (n:MEMORY) WHERE n.user_id = $user AND n.kind IN ['person', 'concept', 'entity']
RETURN n.key, n.kind, n.called ORDER BY n.key
""",
    nodes._NAMED: """
UNWIND $[words] AS wanted
MATCH (w:MEMORY_Word {user_id: $user, word: wanted}) WHERE w.kind IN $[kinds]
WITH DISTINCT w.node_id AS id
MATCH (n:MEMORY {id: id})
RETURN n.key, n.kind, n.called ORDER BY n.key
""",
    nodes._FORGET_WORDS: "MATCH (w:MEMORY_Word {node_id: $p1}) DELETE w",
    nodes._ADD_WORD: """
UNWIND $rows AS row
CREATE (:MEMORY_Word {user_id: row.p1, kind: row.p2, word: row.p3, node_id: row.p4})
""",
    nodes._STANDING: """
UNWIND $[p1] AS wanted
MATCH (n:MEMORY {key: wanted})
RETURN n.key, n.user_id, n.kind, n.called, n.state, n.shared, n.natural_key
""",
    nodes._NAMESAKE: """
MATCH (n:MEMORY {user_id: $p1, kind: $p2, natural_key: $p3}) WHERE n.key <> $p4 RETURN n.key
""",
    nodes._PUT: _PUT,
    nodes.GET: """
UNWIND $[keys] AS wanted
MATCH (n:MEMORY {key: wanted}) WHERE VISIBLE(n)
RETURN n.kind AS kind, THING(n)
""",
    nodes._KEYS: """
UNWIND $[prefixes] AS wanted
MATCH (n:MEMORY) WHERE n.key >= wanted AND n.key < wanted + $beyond
WITH n WHERE VISIBLE(n)
RETURN DISTINCT n.key AS key ORDER BY key LIMIT $limit
""",
    nodes._OWN_KEYS: """
CALL () {
    UNWIND $[prefixes] AS wanted
    MATCH (n:MEMORY) WHERE n.key >= wanted AND n.key < wanted + $beyond AND n.user_id = $user
    RETURN n.key AS key
    UNION
    UNWIND $[prefixes] AS wanted
    MATCH (s:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->()
    WHERE r.key >= wanted AND r.key < wanted + $beyond AND r.user_id = $user
    RETURN r.key AS key
}
RETURN key ORDER BY key LIMIT $limit
""",
    nodes._WAITING: """
MATCH (r:MEMORY_Reader {token: $waiting})-[:reads]->(n:MEMORY)
WHERE n.key >= $prefix AND n.key < $beyond
  AND (n.team_id IS NULL OR (
      NOT n.team_id IN $[left] AND ($narrowed IS NULL OR n.team_id = $narrowed)
  ))
  AND NOT n.key IN $[declined]
  AND NOT (n.user_id IN keys($[blocked]) AND coalesce(n.created_at <= $[blocked][n.user_id], true))
RETURN n.kind AS kind, THING(n) ORDER BY n.created_at DESC, n.key LIMIT $limit
""",
    nodes._REMOVE.replace("TABLE", "relationships"): _REMOVE_RELATIONSHIPS,
    nodes._REMOVE.replace("TABLE", "nodes"): _REMOVE_NODES,
    nodes._FORGET_READERS: "MATCH (r:MEMORY_Reader {node_id: $p1}) DETACH DELETE r",
    nodes._ADD_READER: """
UNWIND $rows AS row
MATCH (n:MEMORY {id: row.p1})
CREATE (:MEMORY_Reader {node_id: row.p1, token: row.p2})-[:reads]->(n)
""",
}
