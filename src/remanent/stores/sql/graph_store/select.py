"""Nodes by their fields: what `Nodes` asks for, as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.node import Node
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Nodes
from remanent.stores.sql.database import OnDatabase
from remanent.stores.sql.graph_store.nodes import node_of
from remanent.stores.sql.scope import scope_values, scoped

N = TypeVar("N", bound=Node)
Shape = tuple[tuple[str, str], ...]  # of each condition the name and how it is compared
_NO_LIMIT: Final = 2**62
_ROUNDED_S: Final = 0.001  # what `unixepoch` may be off
COLUMNS: Final = {
    **{name: name for name in ("key", "state", "access_count", "created_at", "updated_at")},
    "natural": "natural_key",
}
MOMENTS: Final = frozenset({"started_at", "covers_from", "covers_to"})  # texts of any zone
# Word for word as in their indexes, or these are not used. Events are kept in UTC, and sort as text.
_EXPRESSIONS: Final = {
    **{name: f"unixepoch(n.body ->> '{name}', 'subsec')" for name in MOMENTS},
    "occurred_at": "json_extract(n.body, '$.occurred_at')",
    "weight": """CASE WHEN n.body ->> 'instructs' IS NULL
        THEN CAST(n.body ->> 'importance' AS DOUBLE PRECISION) ELSE 11 END""",
}
_UNLINKED = "NOT EXISTS (SELECT 1 FROM links AS l WHERE l.dst_id = n.id AND l.kind = '{}')"
_OWN = "SELECT n.kind, THING(n) FROM nodes AS n WHERE n.user_id = :user AND {terms} ORDER BY {order} LIMIT :limit"
_OTHERS = """
SELECT DISTINCT n.id, {place}, n.key FROM json_each(:tokens) AS mine
CROSS JOIN node_readers AS r ON r.token = mine.value
CROSS JOIN nodes AS n ON n.id = r.node_id
WHERE n.shared = 1 AND {terms} AND VISIBLE(n) {but}
ORDER BY 2 {falls}, 3 LIMIT :limit
"""
# Two ways to what a caller sees: the index of their own, and the index of what names them.
_SEEN = f"""
SELECT * FROM (
    SELECT n.id, {{place}}, n.key FROM nodes AS n
    WHERE n.user_id = :user AND n.shared = 0 AND {{terms}} AND VISIBLE(n)
    ORDER BY {{order}} LIMIT :limit
) AS own
UNION {_OTHERS}
"""  # noqa: S608 - ours
_FOUND = """
WITH found (id, place, key) AS ({found})
SELECT n.kind, THING(n) FROM found CROSS JOIN nodes AS n ON n.id = found.id
ORDER BY found.place {falls}, found.key
"""
_PLACE = "SELECT {place} FROM nodes AS n WHERE n.key = :after AND {kinds} AND VISIBLE(n)"


class Wording:
    """How conditions and orders are said in SQL; another language says them otherwise."""

    own, others, seen, found, place = _OWN, _OTHERS, _SEEN, _FOUND, _PLACE
    mark = ":"  # of a value

    def written(self, statement: str) -> str:
        return scoped(statement)

    def kinds(self, names: Sequence[str]) -> str:
        shown = ", ".join(f"'{name}'" for name in names)
        return f"n.kind = {shown}" if len(names) == 1 else f"n.kind IN ({shown})"

    def term(self, name: str, sort: str, mark: str) -> str:
        """One condition."""
        field, _, sign = name.partition(" ")
        if sign == "unlinked":
            return _UNLINKED.format(field)
        if sort == "flag":
            return f"n.body -> '{field}' = {mark}"
        value = self.expression(field, number=sort == "number")
        if sort == "list":
            return f"{value} IN (SELECT value FROM json_each({mark}))"  # noqa: S608 - ours
        return f"{value} {sign or '='} {mark}"

    def expression(self, field: str, *, number: bool = False) -> str:
        if field in COLUMNS:
            return f"n.{COLUMNS[field]}"
        if field in _EXPRESSIONS:
            return _EXPRESSIONS[field]
        value = f"n.body ->> '{field}'"
        return f"CAST({value} AS DOUBLE PRECISION)" if number else value


class SqlSelect(OnDatabase):
    """The part of the graph that finds nodes by what stands in them."""

    _wording = Wording()

    def select(self, scope: Scope, nodes: Nodes[N]) -> list[N]:
        asked = [(name, one) for name, one in nodes.where.items() if one is not None]
        named = {f"v{n}": _comparable(name, one) for n, (name, one) in enumerate(asked)}
        limit = _NO_LIMIT if nodes.limit is None else nodes.limit
        values = scope_values(scope, **named, after=nodes.after, limit=limit)
        goes_on = bool(nodes.after)
        if goes_on and nodes.order:
            place = _place_of(self._wording, nodes.type, nodes.order[0])
            row = self._database.fetch_one(place, values)
            goes_on, values["place"] = row is not None, row and row[0]
        shape, type_ = tuple((name, _sort(value)) for name, value in asked), cast("Any", nodes.type)
        statement = _statement(
            self._wording, type_, shape, nodes.order, own=nodes.own, goes_on=goes_on
        )
        rows = self._database.execute(statement, values)
        return [cast("N", node_of(row).seen_by(scope.user_id)) for row in rows]


@lru_cache(maxsize=256)
def _statement(
    wording: Wording,
    type_: type[Node],
    shape: Shape,
    order: tuple[str, ...],
    *,
    own: bool | None,
    goes_on: bool,
) -> str:
    """The statement with just these conditions, so that an index answers them."""
    mark, said = wording.mark, wording.expression
    terms = [wording.kinds(_kinds(type_))]
    terms += [wording.term(name, sort, f"{mark}v{n}") for n, (name, sort) in enumerate(shape)]
    first, *_ = order or ("key",)
    place, falls = said(first.lstrip("-")), "DESC" if first.startswith("-") else ""
    if goes_on and not order:
        terms.append(f"n.key > {mark}after")
    elif goes_on:
        terms.append(f"{place} {'<=' if falls else '>='} {mark}place")
        terms.append(f"NOT ({place} = {mark}place AND n.key <= {mark}after)")
    ordered = [f"{said(one.lstrip('-'))} {'DESC' if one.startswith('-') else ''}" for one in order]
    parts = {
        "terms": " AND ".join(terms),
        "place": place,
        "falls": falls,
        "order": ", ".join((*ordered, "n.key")),
        "but": f"AND n.user_id <> {mark}user" if own is False else "",
    }
    if own:
        return wording.written(wording.own.format(**parts))
    found = (wording.seen if own is None else wording.others).format(**parts)
    return wording.written(wording.found.format(found=found, **parts))


def _place_of(wording: Wording, type_: type[Node], order: str) -> str:
    place, kinds = wording.expression(order.lstrip("-")), wording.kinds(_kinds(type_))
    return wording.written(wording.place.format(place=place, kinds=kinds))


def _kinds(type_: type[Node]) -> list[str]:
    return [kind.value for kind, one in NODE_TYPES.items() if issubclass(one, type_)]


def _sort(value: object) -> str:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    return "list" if isinstance(value, list) else "text"


def _comparable(name: str, value: Any) -> Any:
    """The value as its field is compared with it."""
    field, _, sign = name.partition(" ")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime) and field in MOMENTS:
        slack = _ROUNDED_S if sign.startswith("<") else -_ROUNDED_S
        return value.timestamp() + slack
    if isinstance(value, datetime) and field not in COLUMNS:
        return value.astimezone(UTC).isoformat()
    return value
