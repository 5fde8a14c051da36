"""What the memory notes of itself, and how far it is, in Cypher."""

from __future__ import annotations

from typing import Final

from remanent.stores.sql import database, ledger

STATEMENTS: Final = {
    "SELECT value FROM meta WHERE name = ?": "MATCH (m:MEMORY_Meta {name: $p1}) RETURN m.value",
    "DELETE FROM meta WHERE name = ?": "MATCH (m:MEMORY_Meta {name: $p1}) DELETE m",
    database._SET_META: "MERGE (m:MEMORY_Meta {name: $p1}) SET m.value = $p2",
    ledger._POSITION: """
MATCH (p:MEMORY_Position {user_id: $p1, consumer: $p2}) RETURN p.seq
""",
    ledger._ADVANCE: """
MERGE (p:MEMORY_Position {user_id: $p1, consumer: $p2})
SET p.seq = CASE WHEN p.seq IS NULL OR p.seq < $p3 THEN $p3 ELSE p.seq END
RETURN p.seq
""",
}
