"""The statements that nights ask, in Cypher."""

from __future__ import annotations

from typing import Final

from remanent.stores.sql.graph_store import queries

_TELLING: Final = "trim(BOTH ' ' FROM t.content) <> ''"
_DIRTY: Final = f"""
@.is_dirty = true OR (@.description = '' AND EXISTS {{
    MATCH (t:MEMORY_Note {{NAME: @.id}}) WHERE {_TELLING}
}})
"""
_ON_NODE: Final = _DIRTY.replace("@", "n").replace("NAME", "node_id")
_ON_RELATIONSHIP: Final = _DIRTY.replace("@", "r").replace("NAME", "relationship_id")
_KEPT: Final = """
MATCH (n:MEMORY) WHERE n.kind = 'source' AND CONDITION
RETURN count(CASE WHEN n.state <> 'archived' THEN 1 END), count(*)
"""

STATEMENTS: Final = {
    queries._DIRTY: f"""
CALL () {{
    MATCH (n:MEMORY {{user_id: $user}})
    WHERE n.kind IN ['person', 'concept', 'entity'] AND ({_ON_NODE})
      AND ($since IS NULL OR n.last_accessed_at >= $since)
    RETURN n.key AS key, COUNT {{ MATCH (:MEMORY_Note {{node_id: n.id}}) }} AS notes
    UNION ALL
    MATCH (:MEMORY {{user_id: $user}})-[r:RELATIONSHIPS]->()
    WHERE r.user_id = $user AND ({_ON_RELATIONSHIP})
      AND ($since IS NULL OR r.last_accessed_at >= $since)
    RETURN r.key AS key, COUNT {{ MATCH (:MEMORY_Note {{relationship_id: r.id}}) }} AS notes
}}
WITH key, notes ORDER BY notes DESC, key
WITH collect(key) AS found
UNWIND found[..$limit] AS key
RETURN key, size(found)
""",
    queries._EXPIRED: f"""
MATCH (t:MEMORY_Note {{user_id: $user}}) WHERE t.expires_at <= $at
OPTIONAL MATCH (n:MEMORY {{id: t.node_id}})
OPTIONAL MATCH (:MEMORY)-[r:RELATIONSHIPS {{id: t.relationship_id}}]->()
WITH t, coalesce(n.key, r.key) AS key, coalesce(n.is_dirty, r.is_dirty) AS is_dirty,
     coalesce(n.description, r.description) AS description
WHERE is_dirty <> true AND (description <> '' OR NOT {_TELLING})
RETURN key, count(*) ORDER BY key LIMIT $limit
""",
    queries._WORN: """
MATCH (n:MEMORY {user_id: $user, kind: 'source'})
WHERE n.state <> 'archived' AND n.ttl_policy <> 'keep_forever' AND n.created_at <= $before
  AND (n.last_accessed_at IS NULL OR n.last_accessed_at < $untouched)
  AND n.processing_status = 'extracted'
WITH n, datetime(n.started_at).epochSeconds AS started,
     n.salience < $low OR (n.access_count >= $often AND n.salience < $little) AS is_worn
WHERE started * 1000000 <= $before
  AND (is_worn OR started * 1000000 > $since OR n.created_at > $since)
  AND NOT EXISTS {
      MATCH (s:MEMORY)-[l:includes]->(n)
      WHERE l.user_id = $user AND s.state <> 'archived' AND s.closed_at IS NULL
  }
WITH n, started, is_worn ORDER BY started, n.key
WITH collect([n, started, is_worn]) AS found
WITH found, size([one IN found WHERE one[2]]) AS worn
UNWIND found[..$limit] AS one
WITH one[0] AS n, one[1] AS started, one[2] AS is_worn, worn
RETURN n.key, started, n.salience, n.access_count, is_worn, worn, COLLECT {
    MATCH (n)-[l:mentions]->(d:MEMORY) WHERE l.user_id = $user RETURN DISTINCT d.key
}
ORDER BY started, n.key
""",
    queries._KEPT.replace("CONDITION", "user_id = :user AND team_id IS NULL"): _KEPT.replace(
        "CONDITION", "n.user_id = $user AND n.team_id IS NULL"
    ),
    queries._KEPT.replace("CONDITION", "team_id = :team"): _KEPT.replace(
        "CONDITION", "n.team_id = $team"
    ),
    queries._SOURCES: """
MATCH (n:MEMORY {user_id: $user, kind: 'source'})
WHERE n.key > $after AND n.state <> 'archived' AND n.team_id IS NULL
RETURN n.id, n.key, n.salience, n.access_count, n.ttl_policy = 'keep_forever',
       n.processing_status = 'extracted', n.started_at
ORDER BY n.key LIMIT $page
""",
    queries._TOLD: """
UNWIND $[ids] AS wanted
MATCH (o:MEMORY {id: toInteger(wanted)})-[:supports]->(b:MEMORY)
WHERE b.user_id = $user AND b.kind = 'belief'
RETURN o.id AS source, 'b' + b.id AS thing, 'belief' AS sort, b.confidence AS confidence,
       toFloat(b.importance) AS importance, b.status = 'active' AS holds,
       b.access_count > 0 OR NOT EXISTS {
           MATCH (x:MEMORY {user_id: $user, kind: 'belief'}) WHERE x.access_count > 0
       } AS asked
UNION ALL
UNWIND $[ids] AS wanted
MATCH (a:MEMORY_Assertion {source_id: toInteger(wanted)}) WHERE a.user_id = $user
CALL (a) {
    OPTIONAL MATCH (s:MEMORY {id: a.src_id})-[r:RELATIONSHIPS]->(d:MEMORY {id: a.dst_id})
    WHERE r.relationship_type = a.relationship_type AND r.kind = a.kind AND r.valid_to IS NULL
      AND (a.ended = 1 OR r.valid_from <= a.at)
    RETURN r
}
RETURN a.source_id AS source,
       CASE WHEN a.ended = 1 THEN 'e' + a.src_id + ' ' + a.dst_id + ' ' + a.relationship_type
            ELSE 'r' + r.id END AS thing,
       'relationship' AS sort, coalesce(r.confidence, a.confidence) AS confidence,
       5.0 AS importance, (a.ended = 1) = (r IS NULL) AS holds, true AS asked
UNION ALL
UNWIND $[ids] AS wanted
MATCH (t:MEMORY_Note {source_id: toInteger(wanted)})
WHERE t.user_id = $user AND (t.expires_at IS NULL OR t.expires_at > $now)
OPTIONAL MATCH (:MEMORY)-[r:RELATIONSHIPS {id: t.relationship_id}]->()
WITH t, r WHERE r.valid_to IS NULL
RETURN t.source_id AS source,
       'n' + coalesce(toString(t.node_id), 'r' + t.relationship_id) + ' ' + t.content AS thing,
       'note' AS sort, 1.0 AS confidence, 5.0 AS importance, true AS holds, true AS asked
UNION ALL
UNWIND $[ids] AS wanted
MATCH (o:MEMORY {id: toInteger(wanted)})-[l:mentions]->(n:MEMORY)
WHERE n.user_id = $user AND l.user_id = $user AND n.state <> 'archived'
RETURN o.id AS source, 'm' + n.id AS thing, 'mention' AS sort, 1.0 AS confidence,
       5.0 AS importance, true AS holds, true AS asked
""",
    queries._SAID: """
UNWIND $[ids] AS wanted
MATCH (p:MEMORY_Passage {source_id: toInteger(wanted)}) RETURN p.source_id, p.text
""",
}
