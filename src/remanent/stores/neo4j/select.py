"""Nodes by their fields: what `Nodes` asks for, as Cypher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.sql.graph_store.graph import SqlGraph
from remanent.stores.sql.graph_store.select import COLUMNS, MOMENTS, Wording

_EXPRESSIONS: Final = {
    **{name: f"datetime(n.{name}).epochMillis / 1000.0" for name in MOMENTS},
    "weight": "CASE WHEN n.instructs IS NULL THEN toFloat(n.importance) ELSE 11.0 END",
}
_OWN: Final = """
MATCH (n:MEMORY {{user_id: $user}}) WHERE {terms}
RETURN n.kind AS kind, THING(n) ORDER BY {order} LIMIT $limit
"""
_OTHERS: Final = """
    UNWIND $[tokens] AS mine
    MATCH (:MEMORY_Reader {{token: mine}})-[:reads]->(n:MEMORY)
    WHERE n.shared = 1 AND {terms} AND VISIBLE(n) {but}
    WITH DISTINCT n ORDER BY {place} {falls}, n.key LIMIT $limit
    RETURN n
"""
_SEEN: Final = f"""
    MATCH (n:MEMORY {{{{user_id: $user}}}}) WHERE n.shared = 0 AND {{terms}} AND VISIBLE(n)
    WITH n ORDER BY {{order}} LIMIT $limit
    RETURN n
    UNION {_OTHERS}
"""
_FOUND: Final = """
CALL () {{ {found} }}
RETURN n.kind AS kind, THING(n) ORDER BY {place} {falls}, n.key LIMIT $limit
"""
_PLACE: Final = "MATCH (n:MEMORY {{key: $after}}) WHERE {kinds} AND VISIBLE(n) RETURN {place}"


class CypherWording(Wording):
    """The same in Cypher."""

    own, others, seen, found, place = _OWN, _OTHERS, _SEEN, _FOUND, _PLACE
    mark = "$"

    def written(self, statement: str) -> str:
        return Cypher(statement)

    def kinds(self, names: Sequence[str]) -> str:
        return f"n.kind IN {[*names]}"

    def term(self, name: str, sort: str, mark: str) -> str:
        field, _, sign = name.partition(" ")
        if sign == "unlinked":
            return f"NOT EXISTS {{ (n)<-[:{field}]-(:MEMORY) }}"
        if sort == "flag":
            return f"toString(n.{field}) = {mark}"
        value = self.expression(field, number=sort == "number")
        return f"{value} IN $[{mark[1:]}]" if sort == "list" else f"{value} {sign or '='} {mark}"

    def expression(self, field: str, *, number: bool = False) -> str:
        if field in _EXPRESSIONS:
            return _EXPRESSIONS[field]
        value = f"n.{COLUMNS.get(field, field)}"
        return f"toFloat({value})" if number and field not in COLUMNS else value


class Neo4jGraph(SqlGraph):
    """The whole graph of everyone in one memory, seen by one caller at a time."""

    _wording = CypherWording()
