"""What searching asks of the graph, in Cypher; and what must not leave this machine."""

from __future__ import annotations

from typing import Final

from remanent.stores.neo4j.dialect import worded
from remanent.stores.sql.graph_store import search_queries

# Two ways to what a caller sees: the index of their own, and what names them as its reader.
_SEEN: Final = """
CALL () {
  MATCH (n:MEMORY {user_id: $user, kind: 'source'}) WHERE n.shared = 0 RETURN n
  UNION
  UNWIND $[tokens] AS token MATCH (:MEMORY_Reader {token: token})-[:reads]->(n:MEMORY) RETURN n
}
WITH n
"""
# Times in a body are ISO texts: they are compared in seconds, as everywhere.
_AT: Final = "datetime({0}).epochMillis / 1000.0"
_MAY_ANSWER: Final = f"""n.kind = 'source' AND VISIBLE(n)
  AND ($[states] IS NULL OR n.state IN $[states])
  AND ($team IS NULL OR n.team_id = $team)
  AND ($known_at IS NULL OR n.created_at <= $known_at)
  AND ($[types] IS NULL OR n.source_type IN $[types] OR n.content_type IN $[types])
  AND ($[sensitivity] IS NULL OR n.sensitivity IN $[sensitivity])
  AND ($timeless = 1
       OR ({_AT.format("n.started_at")} <= $until
           AND {_AT.format("coalesce(n.ended_at, n.started_at)")} >= $since)
       OR EXISTS {{
           MATCH (p:MEMORY_Passage {{source_id: n.id}})
           WHERE p.at IS NOT NULL AND $since <= {_AT.format("p.at")} <= $until
       }})
"""
_HIGH: Final = "MATCH (h:MEMORY {sensitivity: 'high'})"
STATEMENTS: Final = worded(search_queries, {
    "_SPOKEN": """
UNWIND $[p1] AS key MATCH (n:MEMORY {key: key})
MATCH (p:MEMORY_Passage {source_id: n.id}) RETURN DISTINCT key, p.speaker
""",
    "_TAGGED": f"""{_SEEN}
WHERE n.kind = 'source' AND VISIBLE(n) RETURN n.key, n.keywords, n.tags ORDER BY n.key
""",
    "_LIKE": f"{_SEEN} WHERE {_MAY_ANSWER} RETURN n.key",
    "BELIEFS": """
UNWIND $[keys] AS key MATCH (s:MEMORY {key: key})-[:supports]->(n:MEMORY)
WHERE VISIBLE(s) AND n.user_id = $user AND n.kind = 'belief'
WITH DISTINCT n RETURN THING(n) ORDER BY n.key
""",
    "TOLD": """
UNWIND $[keys] AS key MATCH (s:MEMORY {key: key})
WHERE VISIBLE(s)
MATCH (t:MEMORY_Note {source_id: s.id}) WHERE t.user_id = $user
MATCH (:MEMORY)-[r:RELATIONSHIPS {id: t.relationship_id}]->(:MEMORY) WHERE r.user_id = $user
RETURN THING(r), r.key, t.content, t.added_by, t.date_added, s.key, t.expires_at
ORDER BY s.key, r.key, t.content
""",
    "_ANY": f"{_HIGH} RETURN 1 LIMIT 1",
    "_ASKED": """
UNWIND $[keys] AS key MATCH (n:MEMORY {key: key}) WHERE VISIBLE(n) RETURN n.key AS key, n.id AS id
UNION
UNWIND $[keys] AS key MATCH (:MEMORY)-[r:RELATIONSHIPS {key: key}]->(:MEMORY) WHERE r.user_id = $user
MATCH (a:MEMORY_Assertion {src_id: r.src_id, dst_id: r.dst_id})
WHERE a.kind = r.kind AND a.relationship_type = r.relationship_type AND a.user_id = $user
RETURN r.key AS key, a.source_id AS id
UNION
UNWIND $[keys] AS key MATCH (:MEMORY)-[r:RELATIONSHIPS {key: key}]->(:MEMORY) WHERE r.user_id = $user
MATCH (t:MEMORY_Note {relationship_id: r.id}) WHERE t.source_id IS NOT NULL
RETURN r.key AS key, t.source_id AS id
""",
    "_BELOW": """
UNWIND $[ids] AS id MATCH (n:MEMORY {id: id, kind: 'belief'})
UNWIND coalesce(n.derived_from, []) AS ground MATCH (below:MEMORY {key: ground})
RETURN n.id AS above, below.id AS below
UNION
UNWIND $[ids] AS id MATCH (n:MEMORY {id: id})-[l:groups|rooted_in|same_as|about]->(d:MEMORY)
WHERE type(l) <> 'about' OR n.kind = 'storyline'
RETURN n.id AS above, d.id AS below
UNION
UNWIND $[ids] AS id MATCH (s:MEMORY)-[:same_as]->(n:MEMORY {id: id})
RETURN n.id AS above, s.id AS below
""",
    "_PRIVATE": """
UNWIND $[ids] AS id MATCH (n:MEMORY {id: id})
WITH DISTINCT n WHERE n.sensitivity = 'high'
   OR EXISTS { MATCH (h:MEMORY {sensitivity: 'high'})-[:mentions|produced|supports]->(n) }
   OR EXISTS { MATCH (n)-[:includes]->(h:MEMORY {sensitivity: 'high'}) }
   OR EXISTS {
       MATCH (t:MEMORY_Note {node_id: n.id}) WHERE t.source_id IS NOT NULL
       MATCH (h:MEMORY {id: t.source_id}) WHERE h.sensitivity = 'high'
   }
   OR (n.kind = 'belief' AND EXISTS {
       MATCH (h:MEMORY) WHERE h.key IN coalesce(n.supports_keys, [])
         AND h.sensitivity = 'high'
   })
RETURN n.id
""",
})  # fmt: skip
