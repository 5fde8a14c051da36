"""Taking away for good what Neo4j keeps. The room that it leaves in the server's files is used again by
and by: what they and the server's log hold until then is for whoever runs it to let go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from remanent.core.model.scope import Scope
from remanent.core.model.source import WAITING
from remanent.core.records.admin import FileTraces
from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.sql.database import INDEX, OnDatabase
from remanent.stores.sql.graph_store.nodes import decoded_once

_MINE: Final = "MATCH (x:MEMORY_{0} {{user_id: $user}}) DELETE x RETURN count(*)"
_HANGING: Final = """
MATCH (n:MEMORY {user_id: $user})
MATCH (x:MEMORY_%s {%s: n.id})
WITH DISTINCT x DELETE x
RETURN count(*)
"""
_READ: Final = "MATCH (x:MEMORY_{0}) WHERE x.token IN $tokens DETACH DELETE x RETURN count(*)"
# Table by table, as SQL has them: first what is the user's own, then what hung on it.
_STEPS: Final = (
    ("entries", """
CALL () {
  MATCH (n:MEMORY {user_id: $user}) MATCH (e:MEMORY_Entry {owner_key: n.key}) RETURN e
  UNION
  MATCH (:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->(:MEMORY)
  MATCH (e:MEMORY_Entry {owner_key: r.key}) RETURN e
  UNION
  MATCH (r:MEMORY_Reads {token: $token}) MATCH (e:MEMORY_Entry {id: r.entry_id})
  WHERE NOT EXISTS { MATCH (o:MEMORY_Reads {entry_id: e.id}) WHERE o.token <> $token } RETURN e
}
CALL (e) { SPOILED(e) }
DELETE e
RETURN count(*)
"""),
    ("positions", _MINE.format("Position")),
    ("bearers", _MINE.format("Bearer")),
    ("extractions", _MINE.format("Extraction")),
    ("assertions", _MINE.format("Assertion")),
    ("notes", _MINE.format("Note")),
    # Whoever else had a link that ends here has other edges now.
    ("", """
MATCH (n:MEMORY {user_id: $user})-[l:LINKS]-(:MEMORY)
WHERE l.user_id <> $user
WITH DISTINCT l.user_id AS other
DRAWN(other)
"""),
    ("links", "MATCH (:MEMORY)-[l:LINKS {user_id: $user}]->(:MEMORY) DELETE l RETURN count(*)"),
    ("", _HANGING % ("Note", "node_id")),
    ("", _HANGING % ("Note", "source_id")),
    ("", _HANGING % ("Assertion", "source_id")),
    ("", _HANGING % ("Extraction", "source_id")),
    ("", _HANGING % ("Bearer", "source_id")),
    ("", _HANGING % ("Passage", "source_id")),
    ("node_readers", _HANGING.replace("DELETE", "DETACH DELETE") % ("Reader", "node_id")),
    ("relationships", """
MATCH (:MEMORY {user_id: $user})-[r:RELATIONSHIPS]->(:MEMORY) DELETE r RETURN count(*)
"""),
    ("anchor_words", _MINE.format("Word")),
    ("nodes", "MATCH (n:MEMORY {user_id: $user}) DETACH DELETE n RETURN count(*)"),
    ("edge_versions", _MINE.format("Edges")),
    # Should they come back under their name, shelves of old are behind them.
    ("", """
MATCH (t:MEMORY_Token {token: $token})
MERGE (m:MEMORY_Meta {name: 'tokens.from'}) ON CREATE SET m.value = '0'
WITH t, m WHERE toInteger(m.value) < t.version
SET m.value = toString(t.version)
"""),
    ("vector_readers", _READ.format("Reads")),
    ("node_readers", _READ.format("Reader")),
    ("token_versions", _READ.format("Token")),
    ("", _READ.format("Block")),
)  # fmt: skip
_SPOILED: Final = """
    MATCH (r:MEMORY_Reads {entry_id: e.id})
    CALL (r) {
        MATCH (b:MEMORY_Block {token: r.token})
        WHERE b.first <= r.entry_id AND b.last >= r.entry_id
        DELETE b
    }
    DELETE r
"""
# By the names that the tables have in SQL.
TABLES: Final[Mapping[str, str]] = {
    "": "nodes",
    "_Assertion": "assertions",
    "_Bearer": "bearers",
    "_Edges": "edge_versions",
    "_Entry": "entries",
    "_Extraction": "extractions",
    "_Meta": "meta",
    "_Note": "notes",
    "_Passage": "passages",
    "_Position": "positions",
    "_Reader": "node_readers",
    "_Reads": "vector_readers",
    "_Token": "token_versions",
    "_Word": "anchor_words",
    "_Block": "shelf_blocks",
}
_TRUTH: Final = {"_Passage": "['body']", "_Extraction": "['body']", "_Meta": "['name', 'value']"}
# What stands in a body stands in properties, too: that is one place.
_FOUND: Final = """
WHERE any(name IN @ WHERE CASE WHEN x[name] IS :: STRING
    THEN any(word IN $words WHERE x[name] CONTAINS word)
    WHEN x[name] IS :: LIST<STRING NOT NULL>
    THEN any(one IN x[name] WHERE any(word IN $words WHERE one CONTAINS word))
    ELSE false END)
RETURN count(*)
"""


class Neo4jErasure(OnDatabase):
    """Knows all labels; what it does to them is asked for by the verbs of erasing alone."""

    def strike_user(self, scope: Scope, name: str) -> Mapping[str, int]:
        del name  # the log of who did what is kept elsewhere
        user, gone = scope.user_id, dict[str, int]()
        values = {
            "user": user,
            "token": f"user:{user}",
            "tokens": [f"user:{user}", f"{WAITING}:{user}"],
        }
        with self._database.transaction(durable=True):
            self._database.touch(INDEX)
            for table, step in _STEPS:
                cypher = Cypher(step.replace("SPOILED(e)", _SPOILED))
                count = sum(row[0] for row in self._database.execute(cypher, values))
                if table:
                    gone[table] = gone.get(table, 0) + count
        return {table: count for table, count in sorted(gone.items()) if count}

    def traces(self, words: Sequence[str], *, truth: bool = False) -> Mapping[str, int]:
        if not words:
            return {}
        labels = _TRUTH if truth else dict.fromkeys(TABLES, "keys(x)")
        counts = {
            TABLES[label]: self._count(f"MATCH (x:MEMORY{label})", names, words)
            for label, names in labels.items()
        }
        if not truth:
            for table, types in (("relationships", "RELATIONSHIPS"), ("links", "LINKS")):
                match = f"MATCH (:MEMORY)-[x:{types}]->(:MEMORY)"
                counts[table] = self._count(match, "keys(x)", words)
        return {table: count for table, count in counts.items() if count}

    def _count(self, match: str, names: str, words: Sequence[str]) -> int:
        cypher = Cypher(match + _FOUND.replace("@", names))
        ((count,),) = self._database.execute(cypher, {"words": list(words)})
        return int(count)

    def compact(self) -> bool:
        decoded_once.cache_clear()  # nothing of what is erased stays at hand
        return True

    def files(self, words: Sequence[str] = ()) -> FileTraces:
        """The files of a server are not ours to read, and it does not tell how large they are."""
        del words
        return FileTraces()
