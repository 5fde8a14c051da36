"""The graph and the index in Neo4j, beside PostgreSQL, which keeps the locks: nodes and relationships as
Neo4j's own tools show them. What a method promises is said once, at its port in `core/ports`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from remanent.core.records.admin import Comparison
from remanent.stores.combined.part import Dimensions, Opening, Part
from remanent.stores.neo4j.database import Neo4jDatabase
from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.neo4j.erasure import Neo4jErasure
from remanent.stores.neo4j.health import Neo4jHealth
from remanent.stores.neo4j.migrations import drop, migrate
from remanent.stores.neo4j.select import Neo4jGraph
from remanent.stores.neo4j.shadow import SideBySide
from remanent.stores.sql.admin.reembedding import SqlReembedding
from remanent.stores.sql.cypher import SqlCypher
from remanent.stores.sql.index import SqlIndex
from remanent.stores.sql.stores import make_index

__all__ = ["Neo4jPart", "open_part"]

_NOTE = Cypher("""
MERGE (m:MEMORY_Meta {name: 'memory'}) ON CREATE SET m.value = $mark
RETURN m.value
""")


class Neo4jPart(Part):
    """Graph and index, and what they need of exports, erasure, health and a rebuild."""

    database: Neo4jDatabase

    def __init__(self, database: Neo4jDatabase, index: SqlIndex) -> None:
        self.path = database.path
        self.database = database
        self._cypher = SqlCypher(database)
        self.stores = {
            "graph": Neo4jGraph(database),
            "index": index,
            "cypher": self._cypher,
            "reembedding": SqlReembedding(database),
        }
        self.member = database
        self.erasing = Neo4jErasure(database)
        self.health = Neo4jHealth(database)

    def belongs(self, mark: str) -> str:
        """Note whose the part is, unless that is noted; what is noted then."""
        ((noted,),) = self.database.execute(_NOTE, {"mark": mark})
        return str(noted)

    def with_embedder(self, name: str, dimensions: Dimensions) -> Mapping[str, Any]:
        """Those of its stores, by field, that are others once vectors are of another embedder."""
        return {"index": make_index(self.database, name, dimensions)}

    def compare(self, other: Part, samples: int) -> Comparison:
        """What differs between its graph and that of another such part; see `Shadow.compare`."""
        return self._beside(other).compare(samples)

    def adopt(self, other: Part) -> None:
        """Put the other's graph and index in the place of its own, in a block; see `Shadow.switch`."""
        self._beside(other).adopt()

    def _beside(self, other: Part) -> SideBySide:
        if not isinstance(other, Neo4jPart):
            raise TypeError(f"{other.path} keeps no graph in Neo4j")
        return SideBySide(self.database, other.database)

    def drop(self) -> None:
        """Take away all that it has, at once."""
        drop(self.database)

    def close(self) -> None:
        """End all connections."""
        self._cypher.close()
        self.database.close()


def open_part(url: str, opening: Opening) -> Neo4jPart:
    """Open what the server at `url` keeps of the memory, or raise a `StoreError` that says why not."""
    database = Neo4jDatabase(
        url, opening.schema, block=opening.block, busy_timeout_s=opening.busy_timeout_s
    )
    try:
        migrate(database, opening.now)
        index = make_index(database, opening.embedder_name, opening.dimensions)
    except BaseException:
        database.close()
        raise
    return Neo4jPart(database, index)
