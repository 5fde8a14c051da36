"""Nodes by their fields: what `Nodes` asks for, as Cypher."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.node import Node
from remanent.stores.neo4j.dialect import Cypher
from remanent.stores.sql.graph_store.graph import SqlGraph
from remanent.stores.sql.graph_store.select import COLUMNS, MOMENTS, Shape

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


class Neo4jGraph(SqlGraph):
    """The whole graph of everyone in one memory, seen by one caller at a time."""

    def _statement(
        self,
        type_: Any,
        shape: Shape,
        order: tuple[str, ...],
        *,
        own: bool | None,
        goes_on: bool,
    ) -> str:
        return _statement(type_, shape, order, own=own, goes_on=goes_on)

    def _place_of(self, type_: type[Node], order: str) -> str:
        place = _expression(order.lstrip("-"))
        return Cypher(
            f"MATCH (n:MEMORY {{key: $after}}) WHERE {_kinds(type_)} AND VISIBLE(n) RETURN {place}"
        )


@lru_cache(maxsize=256)
def _statement(
    type_: type[Node], shape: Shape, order: tuple[str, ...], *, own: bool | None, goes_on: bool
) -> Cypher:
    terms = [_kinds(type_), *(_term(name, sort, f"v{n}") for n, (name, sort) in enumerate(shape))]
    first, *_ = order or ("key",)
    place, falls = _expression(first.lstrip("-")), "DESC" if first.startswith("-") else ""
    if goes_on and not order:
        terms.append("n.key > $after")
    elif goes_on:
        terms.append(f"{place} {'<=' if falls else '>='} $place")
        terms.append(f"NOT ({place} = $place AND n.key <= $after)")
    parts = {
        "terms": " AND ".join(terms),
        "place": place,
        "falls": falls,
        "order": ", ".join((*map(_ordered, order), "n.key")),
        "but": "AND n.user_id <> $user" if own is False else "",
    }
    if own:
        return Cypher(_OWN.format(**parts))
    found = (_SEEN if own is None else _OTHERS).format(**parts)
    return Cypher(_FOUND.format(found=found, **parts))


def _kinds(type_: type[Node]) -> str:
    return f"n.kind IN {[kind.value for kind, one in NODE_TYPES.items() if issubclass(one, type_)]}"


def _term(name: str, sort: str, mark: str) -> str:
    field, _, sign = name.partition(" ")
    if sign == "unlinked":
        return f"NOT EXISTS {{ (n)<-[:{field}]-(:MEMORY) }}"
    if sort == "flag":
        return f"toString(n.{field}) = ${mark}"
    value = _expression(field, number=sort == "number")
    return f"{value} IN $[{mark}]" if sort == "list" else f"{value} {sign or '='} ${mark}"


def _expression(field: str, *, number: bool = False) -> str:
    if field in _EXPRESSIONS:
        return _EXPRESSIONS[field]
    value = f"n.{COLUMNS.get(field, field)}"
    return f"toFloat({value})" if number and field not in COLUMNS else value


def _ordered(name: str) -> str:
    return f"{_expression(name[1:])} DESC" if name.startswith("-") else _expression(name)
