"""The statements about events, in Cypher."""

from __future__ import annotations

from typing import Final

from remanent.stores.sql.graph_store import events

_TOLD: Final = "EXISTS { (n)<-[:summarizes]-(:MEMORY) }"

STATEMENTS: Final = {
    events._SESSIONS: f"""
MATCH (n:MEMORY {{user_id: $user, kind: 'event'}})
WHERE n.created_at <= $at AND n.occurred_at <= $at_text AND NOT {_TOLD}
WITH n.agent_id AS agent, n.session_id AS session, count(*) AS count,
     max(toFloat(n.importance_score)) AS importance, max(n.access_count) AS accesses
RETURN agent, session, count
ORDER BY importance DESC, accesses DESC, agent, session LIMIT $limit
""",
    events._FACTS: f"""
MATCH (n:MEMORY {{user_id: $user, kind: 'event'}})
WHERE n.key > $after AND n.created_at <= $at AND n.occurred_at <= $at_text
WITH n ORDER BY n.key LIMIT $limit
RETURN n.key, n.event_id, n.created_at, n.occurred_at, toFloat(n.importance_score),
       coalesce(toFloat(n.raised), 0.0), n.access_count, n.ttl_policy = 'keep_forever',
       COUNT {{ (n)<-[:caused_by]-(:MEMORY) }}, coalesce(n.known_children, 0),
       COUNT {{ (n)-[:references]->(:MEMORY) }}, COUNT {{ (n)-[:similar_to]-(:MEMORY) }},
       {_TOLD}, coalesce(n.is_enriched, false) OR coalesce(n.seq, 0) = 0
ORDER BY n.key
""",
    events._SHARED: """
UNWIND $[keys] AS wanted
MATCH (e:MEMORY {key: wanted})-[:references]->(a:MEMORY) WHERE e.user_id = $user
WITH a, collect(DISTINCT e) AS mine, COUNT { (a)<-[:references]-(:MEMORY) } AS degree
WHERE degree <= $most
UNWIND mine AS n
MATCH (a)<-[l:references]-(o:MEMORY)
WHERE o <> n AND l.user_id = $user AND o.user_id = $user AND o.kind = 'event'
WITH n, o, count(DISTINCT a) AS shared, min(degree) AS rarest
WHERE (shared > 1 OR rarest <= $rare)
  AND NOT (n.session_id = o.session_id AND n.agent_id = o.agent_id)
RETURN n.key AS key, o.key AS other, shared, rarest ORDER BY key, other
""",
    events._WEAK: """
MATCH (s:MEMORY)-[l:LINKS {user_id: $user}]->(d:MEMORY)
WHERE l.kind = $kind AND l.weight < $below AND s.kind = 'event' AND d.kind = 'event'
  AND s.created_at <= $at AND s.occurred_at <= $at_text
  AND d.created_at <= $at AND d.occurred_at <= $at_text
RETURN LINK(l) ORDER BY src, dst, detail LIMIT $limit
""",
    events._TOGETHER: """
CALL () {
    MATCH (n:MEMORY {user_id: $user})
    WHERE n.access_count >= $least AND n.last_accessed_at IS NOT NULL
    WITH n.last_accessed_at AS at, count(*) AS count WHERE count > 1
    RETURN at ORDER BY at DESC LIMIT $limit
}
MATCH (n:MEMORY {user_id: $user}) WHERE n.access_count >= $least AND n.last_accessed_at = at
RETURN at, n.key AS key ORDER BY at DESC, n.access_count DESC, key
""",
}
