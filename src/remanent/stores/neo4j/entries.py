"""The index in Cypher: entries, who reads them, and at which version that changed.

What triggers do in SQL is part of the statement here: a block of a shelf goes with any entry in it that
changes, and a new vector that waits goes with the words it was made of.
"""

from __future__ import annotations

from typing import Final

from remanent.stores.neo4j.dialect import worded
from remanent.stores.sql import index
from remanent.stores.sql.admin import entry_rows, reembedding

# An entry whose source was put away lies on the other shelf of whoever reads it.
_IS_COLD: Final = (
    """CASE WHEN e.kind IN ['source', 'passage'] AND n.state = 'archived' THEN 1 ELSE 0 END"""
)
_SPOIL: Final = """CALL (r) {
    MATCH (b:MEMORY_Block {token: r.token}) WHERE b.first <= r.entry_id AND b.last >= r.entry_id
    DELETE b
}"""
_PUT: Final = """
UNWIND $rows AS row
MERGE (e:MEMORY_Entry {key: row.p1}) ON CREATE SET e.id = row.id
SET e.kind = row.p2, e.owner_key = row.p3, e.team = row.p4, e.vector = row.p5, e.marks = row.p7,
    e.day = row.p8, e.parts = row.p9, e.words = row.p6,
    e.made = null, e.made_vector = null, e.made_parts = null
RETURN e.id
"""
_READABLE: Final = """
UNWIND $rows AS row
CREATE (:MEMORY_Reads {token: row.p1, entry_id: row.p2, change: row.p3})
"""
_BUMP: Final = """
UNWIND $rows AS row
OPTIONAL MATCH (m:MEMORY_Meta {name: 'tokens.from'})
WITH row, coalesce(toInteger(m.value), 0) AS start
MERGE (t:MEMORY_Token {token: row.token})
  ON CREATE SET t.version = start + 1, t.removed_at = CASE WHEN start > 0 THEN start + 1 ELSE 0 END
  ON MATCH SET t.version = t.version + 1,
    t.removed_at = CASE WHEN row.removes = 1 THEN t.version + 1 ELSE t.removed_at END
RETURN t.version
"""
_INDEX: Final = worded(index, {
    "_BIND": "MERGE (m:MEMORY_Meta {name: 'embedder'}) ON CREATE SET m.value = $p1",
    "_KNOWN": """
UNWIND $[p1] AS key MATCH (e:MEMORY_Entry {key: key})
OPTIONAL MATCH (r:MEMORY_Reads {entry_id: e.id})
RETURN e.id, e.key, r.token
""",
    "_PUT": _PUT,
    "_BUMP": _BUMP,
    "_READABLE": _READABLE,
    "_UNREADABLE": f"""
UNWIND $rows AS row MATCH (r:MEMORY_Reads {{entry_id: row.p1}})
{_SPOIL}
DELETE r
""",
    "_REMOVE": "UNWIND $rows AS row MATCH (e:MEMORY_Entry {id: row.p1}) DELETE e",
    "_VERSION": "MATCH (t:MEMORY_Token {token: $p1}) RETURN t.version, t.removed_at",
    "_VERSIONS": """
MATCH (m:MEMORY_Meta {name: 'embedder'}) RETURN '' AS token, 0 AS version, m.value AS value
UNION ALL
UNWIND $[p1] AS one MATCH (t:MEMORY_Token {token: one})
RETURN t.token AS token, t.version AS version, '' AS value
""",
    "_CHANGED": """
MATCH (r:MEMORY_Reads {token: $p1}) WHERE r.change > $p2
RETURN r.entry_id, r.change ORDER BY r.entry_id
""",
    "_STORED": f"""
UNWIND $[p1] AS id MATCH (e:MEMORY_Entry {{id: id}})
OPTIONAL MATCH (n:MEMORY {{key: e.owner_key}})
OPTIONAL MATCH (p:MEMORY_Passage {{key: e.key}})
WITH e, n, p WHERE {_IS_COLD} = $p2
RETURN e.id, e.key, e.kind, e.owner_key, e.team, e.vector, e.parts, e.words, e.marks, e.day,
       CASE WHEN e.kind = 'source' THEN n.ended_at END, p.speaker ORDER BY e.id
""",
    "_STILL_THERE": """
MATCH (r:MEMORY_Reads {token: $p1}) WHERE r.change <= $p2 RETURN r.entry_id
""",
    "_BLOCKS": """
MATCH (b:MEMORY_Block {token: $p1}) RETURN b.first, b.cold, b.version, b.ids ORDER BY b.first
""",
    "_BLOCK": "MATCH (b:MEMORY_Block {token: $p1, first: $p2}) RETURN b.data",
    "_KEEP": """
UNWIND $[named] AS id MATCH (r:MEMORY_Reads {token: $token, entry_id: id})
WHERE r.change <= $version
WITH count(*) AS count WHERE count = $count
MERGE (b:MEMORY_Block {token: $token, first: $first})
SET b.last = $last, b.cold = $cold, b.version = $version, b.ids = $ids, b.data = $data
""",
    "_VECTORS": """
UNWIND $[keys] AS key MATCH (e:MEMORY_Entry {key: key})
WHERE e.vector IS NOT NULL AND NOT e.owner_key IN $[hidden]
  AND (e.team IS NULL OR (
      NOT e.team IN $[left] AND ($narrowed IS NULL OR e.team = $narrowed)
  ))
  AND EXISTS { MATCH (r:MEMORY_Reads {entry_id: e.id}) WHERE r.token IN $[tokens] }
RETURN e.key, e.vector
""",
})  # fmt: skip
# Of a record, who reads it besides its node's user is looked at one by one.
_CARRIED: Final = worded(entry_rows, {
    "SELECT": """
MATCH (e:MEMORY_Entry) WHERE e.id > $after
OPTIONAL MATCH (n:MEMORY {key: e.owner_key})
WITH e, n ORDER BY e.id
CALL (e) {
  OPTIONAL MATCH (r:MEMORY_Reads {entry_id: e.id})
  WITH r.token AS token ORDER BY token RETURN collect(token) AS tokens
}
WITH e, tokens, coalesce(n.user_id, substring(
    head([one IN tokens WHERE one STARTS WITH 'user:']), 5)) AS whose
WHERE whose IS NOT NULL AND ($user IS NULL OR whose = $user)
RETURN e.key, e.kind, e.owner_key, e.team, e.words, e.marks, e.day, e.vector, e.parts, tokens,
       whose, e.id LIMIT $page
""",
    "_PUT": """
UNWIND $rows AS row
MERGE (e:MEMORY_Entry {key: row.p1}) ON CREATE SET e.id = row.id
WITH e, row WHERE e.id = row.id
SET e.kind = row.p2, e.owner_key = row.p3, e.team = row.p4, e.vector = row.p5, e.words = row.p6,
    e.marks = row.p7, e.day = row.p8, e.parts = row.p9
RETURN e.id
""",
    "_BUMP": """
UNWIND $rows AS row
MERGE (t:MEMORY_Token {token: row.p1}) ON CREATE SET t.version = 1, t.removed_at = 0
  ON MATCH SET t.version = t.version + 1
RETURN t.version
""",
    "_READABLE": _READABLE,
    "_OWNER": "MATCH (n:MEMORY {key: $p1}) RETURN n.id, n.user_id",
    "_READS": "MATCH (:MEMORY_Reader {token: $p2, node_id: $p1}) RETURN 1",
    "_BIND": "MERGE (m:MEMORY_Meta {name: 'embedder'}) ON CREATE SET m.value = $p1",
})  # fmt: skip
_STAMP: Final = """CALL (e) {
  OPTIONAL MATCH (r:MEMORY_Reads {entry_id: e.id})
  WITH max(r.change) AS change, count(r) AS readers
  RETURN toString(coalesce(change, 0)) + ' ' + toString(readers) + ' ' + e.words AS stamp
}"""
_REEMBEDDING: Final = worded(reembedding, {
    "_CLEAR": """
MATCH (e:MEMORY_Entry {made: 1}) SET e.made = null, e.made_vector = null, e.made_parts = null
""",
    "_COUNT": "MATCH (e:MEMORY_Entry) RETURN count(e.made), count(e)",
    "_WAITING": f"""
MATCH (e:MEMORY_Entry) WHERE e.id > $p1 AND e.made IS NULL
WITH e ORDER BY e.id LIMIT $p2
OPTIONAL MATCH (n:MEMORY {{key: e.owner_key}})
{_STAMP}
RETURN e.id, e.key, e.kind, e.owner_key, n.user_id, stamp ORDER BY e.id
""",
    "_KEEP": f"""
UNWIND $rows AS row
MATCH (e:MEMORY_Entry {{id: row.p3}})
{_STAMP}
WITH e, row WHERE stamp = row.p4
SET e.made = 1, e.made_vector = row.p1, e.made_parts = row.p2
RETURN e.id
""",
    "_SWITCH": """
CALL () {
  MATCH (e:MEMORY_Entry {made: 1})
  SET e.vector = e.made_vector, e.parts = e.made_parts
  SET e.made = null, e.made_vector = null, e.made_parts = null
  RETURN count(*) AS entries
}
CALL () { MATCH (b:MEMORY_Block) DELETE b RETURN count(*) AS blocks }
CALL () {
  MATCH (t:MEMORY_Token) SET t.version = t.version + 1 SET t.removed_at = t.version
  RETURN count(*) AS tokens
}
MATCH (r:MEMORY_Reads) MATCH (t:MEMORY_Token {token: r.token}) SET r.change = t.version
""",
})  # fmt: skip
STATEMENTS: Final = {**_INDEX, **_CARRIED, **_REEMBEDDING}
