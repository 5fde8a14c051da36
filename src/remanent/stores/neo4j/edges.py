"""The statements about links and relationships, in Cypher."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from remanent.stores.sql.graph_store import edges

_LINKS_FROM: Final = """
UNWIND $[keys] AS wanted
MATCH (s:MEMORY {key: wanted})-[l:LINKS]->(d:MEMORY)
WHERE ($any_kind = 1 OR l.kind IN $[kinds]) AND VISIBLE(s) AND VISIBLE(d)
RETURN LINK(l)
"""
_LINKS_TO: Final = """
UNWIND $[keys] AS wanted
MATCH (s:MEMORY)-[l:LINKS]->(d:MEMORY {key: wanted})
WHERE ($any_kind = 1 OR l.kind IN $[kinds]) AND VISIBLE(s) AND VISIBLE(d)
RETURN LINK(l)
"""
_OPEN: Final = """(
    $history = 1
    OR ($as_of IS NULL AND r.valid_to IS NULL)
    OR (r.valid_from <= $as_of AND (r.valid_to IS NULL OR $as_of < r.valid_to))
)"""


def _at_node() -> Iterator[tuple[str, str]]:
    for other in (False, True):
        for typed in (False, True):
            end = " {key: $other}" if other else ""
            type_ = "AND r.relationship_type = $type" if typed else ""
            yield (
                edges._at_node(other=other, typed=typed),
                f"""
MATCH (n:MEMORY {{key: $key}})-[r:RELATIONSHIPS]-(o:MEMORY{end})
WHERE r.user_id = $user {type_} AND {_OPEN}
WITH DISTINCT r
RETURN THING(r) ORDER BY r.valid_from, r.key
""",
            )


STATEMENTS: Final = {
    edges._LINK: """
MATCH (s:MEMORY {id: $src_id}), (d:MEMORY {id: $dst_id})
WHERE NOT EXISTS { MATCH (s)-[o:LINKS]->(d) WHERE o.kind = $kind AND o.detail = $detail }
CREATE (s)-[l:$($kind)]->(d)
SET l = {
    kind: $kind, src_id: $src_id, dst_id: $dst_id, detail: $detail, user_id: $user_id,
    weight: $weight, created_at: $created_at
}
WITH l
DRAWN($user_id)
RETURN 1
""",
    edges._UNLINK: """
MATCH (s:MEMORY {key: $p4})-[l:LINKS]->(d:MEMORY {key: $p5})
WHERE l.kind = $p1 AND l.detail = $p2 AND l.user_id = $p3
DELETE l
WITH s
DRAWN($p3)
RETURN 1
""",
    edges._LINKS[True]: _LINKS_FROM,
    edges._LINKS[False]: _LINKS_TO,
    edges._LINKS[None]: f"{_LINKS_FROM} UNION {_LINKS_TO}",
    edges._RELATION_OWNER: """
MATCH (s:MEMORY)-[r:RELATIONSHIPS {key: $p1}]->() RETURN r.user_id
""",
    # Neither its ends nor its type can be changed: it is made anew, and keeps its number.
    edges._RELATE: """
UNWIND $rows AS row
MATCH (s:MEMORY {id: row.src_id}), (d:MEMORY {id: row.dst_id})
OPTIONAL MATCH (:MEMORY)-[before:RELATIONSHIPS {key: row.key}]->()
WITH s, d, row, before, coalesce(before.id, row.id) AS id,
     CASE WHEN before IS NULL THEN [] ELSE ACCESSED(before) END AS accesses
DELETE before
CREATE (s)-[r:$(row.kind)]->(d)
SET r = row.all
SET r.id = id, r.accesses = accesses, r.change = 0
WITH row
DRAWN(row.user_id)
""",
    edges.EDGES: """
UNWIND $[keys] AS wanted
MATCH (:MEMORY)-[r:RELATIONSHIPS {key: wanted}]->() WHERE r.user_id = $user
RETURN THING(r)
""",
    **dict(_at_node()),
}
