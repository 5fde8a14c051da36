"""The statements about the graph as a whole, in Cypher: all edges, lives, counts, and how it once stood."""

from __future__ import annotations

from typing import Final

from remanent.stores.sql.graph_store import adjacency, as_of, decay, graph
from remanent.stores.sql.scope import LIFE

_NUMBER: Final = f"p{len(LIFE) + 1}"
# A row of a life as `_RELIVE` gives it, with the names that the macros read.
_ROW: Final = f"""
UNWIND $rows AS given
WITH given, {{{", ".join(f"{name}: given.p{place}" for place, name in enumerate(LIFE, 1))}}} AS row
"""
_THOSE: Final = """
UNWIND $[ids] AS wanted
MATCH (n:MEMORY {id: toInteger(wanted)})
"""
_WEIGHT: Final = "r.salience, r.confidence, toFloat(r.proximity)"


def _table(name: str, alias: str = "t") -> str:
    """The pattern of a table of living things, by a user."""
    if name == "nodes":
        return f"({alias}:MEMORY {{user_id: $p1}})"
    return f"(:MEMORY {{user_id: $p1}})-[{alias}:RELATIONSHIPS]->()"


def _fading(table: str) -> dict[str, str]:
    kind = decay._TABLES[table]
    kind_of = "t.kind" if table == "nodes" else "'relationship'"
    change = decay._CHANGE if table == "relationships" else ""
    place = _table(table)
    return {
        decay._SIZE.format(table=table): f"MATCH {place} WHERE t.user_id = $p1 RETURN count(t)",
        decay._ROWS.format(table=table, kind=kind): f"""
MATCH {place} WHERE t.user_id = $p1 AND t.id > $p2
RETURN LIFE(t), t.id AS id, t.key AS key, {kind_of} AS kind, t.confidence AS confidence,
       t.created_at AS created_at
ORDER BY id LIMIT $p3
""",
        decay._FADE.format(table=table, change=change): _FADED[table],
    }


_FADED: Final = {
    "nodes": """
UNWIND $rows AS row
MATCH (n:MEMORY {id: row.id})
WITH n, row, n.kind = 'source' AND (n.state = 'archived') <> (row.state = 'archived') AS is_moved
SET n.salience = row.salience, n.state = row.state, n.decayed_at = row.now
WITH CASE WHEN is_moved THEN n END AS moved
SHELVED(moved)
""",
    "relationships": """
UNWIND $rows AS row
MATCH (:MEMORY)-[r:RELATIONSHIPS {id: row.id}]->()
SET r.salience = row.salience, r.state = row.state, r.decayed_at = row.now,
    r.change = coalesce(row.version, r.change)
""",
}

STATEMENTS: Final = {
    # -- all edges ----------------------------------------------------------------------------
    adjacency._VERSION: """
MATCH (v:MEMORY_Edges {user_id: $p1}) RETURN v.born, v.version, v.drawn_at
""",
    adjacency._NODES: """
CALL () {
    MATCH (n:MEMORY {user_id: $user})
    RETURN n, n.shared = 1 OR n.team_id IS NOT NULL AS is_guarded
    UNION ALL
    MATCH (s:MEMORY)-[l:LINKS {user_id: $user}]->(d:MEMORY)
    UNWIND [s, d] AS n
    WITH DISTINCT n WHERE n.user_id <> $user
    RETURN n, true AS is_guarded
}
RETURN n.id AS id, n.key, is_guarded ORDER BY id
""",
    adjacency._RELATIONSHIPS: f"""
MATCH (s:MEMORY {{user_id: $user}})-[r:RELATIONSHIPS]->(d:MEMORY)
WHERE r.user_id = $user AND s <> d AND (
    ($as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= $as_of AND (r.valid_to IS NULL OR $as_of < r.valid_to))
)
RETURN r.id, s.id, d.id, r.relationship_type, r.key, {_WEIGHT} ORDER BY r.key
""",
    adjacency._WEIGHED: f"""
MATCH (:MEMORY {{user_id: $p1}})-[r:RELATIONSHIPS]->()
WHERE r.user_id = $p1 AND r.change > $p2
RETURN r.id, {_WEIGHT}
""",
    adjacency._LINKS: """
MATCH (s:MEMORY)-[l:LINKS {user_id: $user}]->(d:MEMORY)
WHERE s <> d AND ($known_at IS NULL OR l.created_at <= $known_at)
RETURN s.id, d.id, l.kind, l.weight ORDER BY l.kind, s.id, d.id, l.detail
""",
    adjacency._FALLEN: """
MATCH (n:MEMORY {user_id: $user, kind: 'belief'}) WHERE n.status <> 'active' RETURN n.id
""",
    adjacency._DATED: f"""{_THOSE}
WHERE n.kind IN ['source', 'artifact', 'storyline', 'macro', 'belief', 'event']
RETURN n.id, n.kind, n.created_at, n.started_at, n.since, n.until, n.status, n.occurred_at
""",
    adjacency._LATER: f"""{_THOSE}
WHERE n.kind <> 'belief' AND n.created_at > $known_at RETURN n.id
""",
    adjacency._SEEN: f"{_THOSE} WHERE VISIBLE(n) RETURN n.id",
    adjacency._OTHERS_LINKS: """
UNWIND $[tokens] AS mine
MATCH (:MEMORY_Reader {token: mine})-[:reads]->(s:MEMORY)
WITH DISTINCT s
MATCH (s)-[l:LINKS]->(d:MEMORY)
WHERE l.user_id <> $user AND s <> d AND VISIBLE(s) AND VISIBLE(d)
  AND ($known_at IS NULL OR l.created_at <= $known_at)
RETURN DISTINCT s.id AS src, d.id AS dst, l.kind AS kind, l.weight, s.key, d.key, l.detail AS detail
ORDER BY kind, src, dst, detail
""",
    # -- lives --------------------------------------------------------------------------------
    adjacency._LIVES.format(table="nodes"): """
UNWIND $[keys] AS wanted
MATCH (t:MEMORY {key: wanted}) WHERE t.user_id = $user
RETURN LIFE(t), t.id
""",
    adjacency._LIVES.format(table="relationships"): """
UNWIND $[keys] AS wanted
MATCH (:MEMORY)-[t:RELATIONSHIPS {key: wanted}]->() WHERE t.user_id = $user
RETURN LIFE(t), t.id
""",
    adjacency._RELIVE.format(table="nodes"): f"""{_ROW}
MATCH (n:MEMORY {{id: given.{_NUMBER}}})
WITH n, row, ACCESSED(n) AS accesses,
     n.kind = 'source' AND (n.state = 'archived') <> (row.state = 'archived') AS is_moved
SET {", ".join(f"n.{name} = row.{name}" for name in LIFE)}, n.accesses = accesses
WITH CASE WHEN is_moved THEN n END AS moved
SHELVED(moved)
""",
    adjacency._RELIVE.format(table="relationships"): f"""{_ROW}
MATCH (:MEMORY)-[r:RELATIONSHIPS {{id: given.{_NUMBER}}}]->()
WITH r, row, ACCESSED(r) AS accesses, r.salience <> row.salience AS is_weighed
SET {", ".join(f"r.{name} = row.{name}" for name in LIFE)}, r.accesses = accesses
WITH r WHERE is_weighed
MERGE (v:MEMORY_Edges {{user_id: r.user_id}})
ON CREATE SET v.born = timestamp(), v.version = 0, v.drawn_at = 0
SET v.version = v.version + 1
SET r.change = v.version
""",
    **_fading("nodes"),
    **_fading("relationships"),
    decay._VERSION: """
MERGE (v:MEMORY_Edges {user_id: $p1})
ON CREATE SET v.born = timestamp(), v.version = 0, v.drawn_at = 0
SET v.version = v.version + 1
RETURN v.version
""",
    decay._ACCESSES: """
CALL () {
    MATCH (n:MEMORY {key: $key}) WHERE n.user_id = $user RETURN n.accesses AS told
    UNION ALL
    MATCH (:MEMORY)-[r:RELATIONSHIPS {key: $key}]->() WHERE r.user_id = $user
    RETURN r.accesses AS told
}
RETURN reduce(text = '', one IN told | text + one + ';')
""",
    # -- as it once stood ---------------------------------------------------------------------
    as_of._TOLD: """
MATCH (a:MEMORY_Assertion) WHERE a.user_id = $user AND a.recorded_at <= $known_at
MATCH (s:MEMORY {id: a.src_id})
MATCH (d:MEMORY {id: a.dst_id})
MATCH (o:MEMORY {id: a.source_id})
RETURN ASSERTION(a), s.id, d.id ORDER BY a.id
""",
    as_of._LIVES: """
UNWIND $[keys] AS wanted
MATCH (:MEMORY)-[r:RELATIONSHIPS {key: wanted}]->() WHERE r.user_id = $user
RETURN LIFE(r), r.key
""",
    as_of._BELIEFS: f"{_THOSE} WHERE n.kind = 'belief' RETURN THING(n), n.id",
    as_of._BY_HAND: """
MATCH (n:MEMORY) WHERE n.user_id = $user AND n.kind IN ['person', 'concept', 'entity']
  AND n.by_hand IS NOT NULL
RETURN THING(n), n.kind, n.key ORDER BY n.kind, n.key
""",
    as_of._ENDS: """
UNWIND $[keys] AS wanted
MATCH (n:MEMORY {key: wanted}) WHERE n.user_id = $user RETURN n.key, n.id
""",
    as_of._MERGED: """
MATCH (s:MEMORY)-[l:same_as {user_id: $user}]->(d:MEMORY) RETURN s.key, d.key
""",
    # -- what there is ------------------------------------------------------------------------
    graph._KIND_COUNTS: "MATCH (n:MEMORY {user_id: $p1}) RETURN n.kind, count(n)",
    graph._OTHER_COUNTS: """
CALL () {
    MATCH (:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->() RETURN count(r) AS relationships
}
CALL () { MATCH (:MEMORY)-[l:LINKS {user_id: $user}]->() RETURN count(l) AS links }
CALL () { MATCH (a:MEMORY_Assertion {user_id: $user}) RETURN count(a) AS assertions }
CALL () { MATCH (t:MEMORY_Note {user_id: $user}) RETURN count(t) AS notes }
CALL () {
    MATCH (n:MEMORY {user_id: $user, kind: 'source'})
    MATCH (p:MEMORY_Passage {source_id: n.id})
    RETURN count(p) AS passages
}
RETURN relationships, links, assertions, notes, passages
""",
    graph._READERS: """
MATCH (n:MEMORY {key: $key})
CALL (n) {
    RETURN n.user_id AS whose
    UNION MATCH (e:MEMORY_Extraction {source_id: n.id}) RETURN e.user_id AS whose
    UNION MATCH (t:MEMORY_Note {source_id: n.id}) RETURN t.user_id AS whose
    UNION MATCH (a:MEMORY_Assertion {source_id: n.id}) RETURN a.user_id AS whose
    UNION MATCH (b:MEMORY_Bearer {source_id: n.id}) RETURN b.user_id AS whose
    UNION MATCH (n)-[l:LINKS]-(:MEMORY) RETURN l.user_id AS whose
}
RETURN DISTINCT whose ORDER BY whose
""",
    graph._THINGS: """
MATCH (n:MEMORY {user_id: $user})
RETURN n.key AS key, n.kind AS kind, n.created_at AS created_at, n.updated_at AS updated_at
UNION ALL
MATCH (:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->() WHERE r.user_id = $user
RETURN r.key AS key, 'relationship' AS kind, r.created_at AS created_at, r.updated_at AS updated_at
""",
    graph._LINKS: """
MATCH (s:MEMORY)-[l:LINKS {user_id: $user}]->(d:MEMORY)
RETURN l.kind, s.key, d.key, l.detail, l.created_at
""",
    graph._REDATE.replace("TABLE", "nodes"): """
UNWIND $rows AS row
MATCH (n:MEMORY {key: row.p3}) WHERE n.user_id = row.p4
SET n.created_at = row.p1, n.updated_at = row.p2
""",
    graph._REDATE.replace("TABLE", "relationships"): """
UNWIND $rows AS row
MATCH (:MEMORY)-[r:RELATIONSHIPS {key: row.p3}]->() WHERE r.user_id = row.p4
SET r.created_at = row.p1, r.updated_at = row.p2
""",
    graph._REDATE_LINK: """
UNWIND $rows AS row
MATCH (:MEMORY {key: row.p3})-[l:LINKS]->(:MEMORY {key: row.p4})
WHERE l.kind = row.p2 AND l.user_id = row.p6 AND l.detail = row.p5 AND l.created_at <> row.p1
SET l.created_at = row.p1
""",
}
