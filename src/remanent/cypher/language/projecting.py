"""WITH and RETURN: what a row becomes, in groups or one by one, in which order, and how many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from remanent.cypher.language import tree
from remanent.cypher.language.evaluating import Evaluator
from remanent.cypher.language.functions import AGGREGATES, Gathering
from remanent.cypher.language.values import identity, order
from remanent.errors import BadQuery

Rows = Iterator[dict[str, Any]]


def aggregates_in(expr: Any) -> list[tree.Call]:
    """The outermost aggregating calls; what a subquery counts is its own affair."""
    if isinstance(expr, tree.Call) and expr.name in AGGREGATES:
        return [expr]
    if isinstance(expr, tree.Subquery):
        return []
    return [found for one in tree.children(expr) for found in aggregates_in(one)]


def projected(clause: tree.Project, rows: Rows, evaluator: Evaluator) -> Rows:
    """The rows as the clause has them."""
    items = list(clause.items)
    sorts = [_by_name(one.value, items) for one in clause.order]
    if any(aggregates_in(one.value) for one in items) or any(map(aggregates_in, sorts)):
        made = _grouped(clause, sorts, rows, evaluator)
    else:
        made = _project_rows(clause, sorts, rows, evaluator)
    if clause.order:
        made = _sorted(clause, made)
    made = _cut(clause, made, evaluator)
    for projection in made:
        if evaluator.holds(clause.where, projection.row):
            yield projection.row


@dataclass(slots=True)
class _Made:
    """A row, and the values it is sorted by."""

    row: dict[str, Any]
    keys: list[Any]


def _by_name(value: tree.Expr, items: list[tree.Item]) -> tree.Expr:
    """The expression with what is returned anyway taken by the name it is returned under."""

    def change(part: tree.Expr) -> tree.Expr | None:
        for item in items:
            if part == item.value and not isinstance(part, tree.Variable):
                return tree.Variable(item.name)
        return None

    changed: tree.Expr = tree.replaced(value, change)
    return changed


# -- one row from one row ---------------------------------------------------------------------


def _project_rows(
    clause: tree.Project, sorts: list[tree.Expr], rows: Rows, evaluator: Evaluator
) -> Iterator[_Made]:
    seen = set()
    for row in rows:
        values = _starred(row) if clause.star else {}
        for item in clause.items:
            values[item.name] = evaluator.value(item.value, row)
        if clause.distinct:
            known = tuple(identity(one) for one in values.values())
            if known in seen:
                continue
            seen.add(known)
        around = values if clause.distinct else {**row, **values}
        yield _Made(values, [evaluator.value(one, around) for one in sorts])


def _starred(row: dict[str, Any]) -> dict[str, Any]:
    """Everything that has a name; what the query did not name begins with a blank."""
    return {name: value for name, value in row.items() if not name.startswith(" ")}


# -- one row from many ------------------------------------------------------------------------


class _Group:
    __slots__ = ("gatherings", "keys")

    def __init__(self, keys: list[Any], calls: list[tree.Call]) -> None:
        self.keys = keys
        self.gatherings = [Gathering(one.name, distinct=one.distinct) for one in calls]


class _Split:
    """The items of an aggregating clause, taken apart into groups' keys and aggregates.

    What is neither aggregated nor a constant is part of the key, wherever it stands.
    """

    def __init__(self, items: list[tree.Item]) -> None:
        self.keys: list[tree.Expr] = []
        self.calls: list[tree.Call] = []
        self.shapes = [(one.name, self._taken_apart(one.value)) for one in items]

    def _taken_apart(self, value: tree.Expr) -> tree.Expr:
        if not aggregates_in(value):
            return self._name(self.keys, value, "key")
        changed: tree.Expr = tree.replaced(value, self._change)
        return changed

    def _change(self, part: tree.Expr) -> tree.Expr | None:
        if isinstance(part, tree.Call) and part.name in AGGREGATES:
            for inner in part.arguments:
                if aggregates_in(inner):
                    raise BadQuery("an aggregate cannot stand inside another; use WITH in between")
            return self._name(self.calls, part, "call")
        if not aggregates_in(part) and tree.names_in(part):
            return self._name(self.keys, part, "key")
        return None

    @staticmethod
    def _name(places: list[Any], part: tree.Expr, kind: str) -> tree.Variable:
        if part not in places:
            places.append(part)
        return tree.Variable(f" {kind} {places.index(part)}")


def _grouped(
    clause: tree.Project, sorts: list[tree.Expr], rows: Rows, evaluator: Evaluator
) -> Iterator[_Made]:
    if clause.star:
        raise BadQuery("* and an aggregate cannot stand together; name what to group by")
    names = {item.name for item in clause.items}
    hidden = [tree.Item(one, f" sort {n}") for n, one in enumerate(sorts) if aggregates_in(one)]
    split = _Split([*clause.items, *hidden])
    groups = _groups(split, rows, evaluator)
    seen = set()
    for group in groups:
        around = {f" key {n}": one for n, one in enumerate(group.keys)}
        around |= {f" call {n}": one.result for n, one in enumerate(group.gatherings)}
        values = {name: evaluator.value(shape, around) for name, shape in split.shapes}
        row = {name: value for name, value in values.items() if name in names}
        known = tuple(identity(one) for one in row.values())
        if not clause.distinct or known not in seen:
            seen.add(known)
            yield _Made(
                row, [_sort_value(one, n, values, evaluator) for n, one in enumerate(sorts)]
            )


def _sort_value(value: tree.Expr, number: int, values: dict[str, Any], evaluator: Evaluator) -> Any:
    if f" sort {number}" in values:
        return values[f" sort {number}"]
    return evaluator.value(value, values)


def _groups(split: _Split, rows: Rows, evaluator: Evaluator) -> list[_Group]:
    groups: dict[Any, _Group] = {}
    for row in rows:
        keys = [evaluator.value(one, row) for one in split.keys]
        known = tuple(identity(one) for one in keys)
        if known not in groups:
            groups[known] = _Group(keys, split.calls)
        for call, gathering in zip(split.calls, groups[known].gatherings, strict=True):
            evaluator.world.tick()
            if not call.arguments:
                gathering.take(True, [])
                continue
            values = [evaluator.value(one, row) for one in call.arguments]
            gathering.take(values[0], values[1:])
    if not groups and not split.keys:
        return [_Group([], split.calls)]
    return list(groups.values())


# -- order and number -------------------------------------------------------------------------


def _sorted(clause: tree.Project, made: Iterator[_Made]) -> Iterator[_Made]:
    ordered = list(made)
    for number in reversed(range(len(clause.order))):
        descending = clause.order[number].descending
        ordered.sort(key=lambda one, n=number: order(one.keys[n]), reverse=descending)  # type: ignore[misc]
    return iter(ordered)


def _cut(clause: tree.Project, made: Iterator[_Made], evaluator: Evaluator) -> Iterator[_Made]:
    first = _amount("SKIP", clause.skip, evaluator) or 0
    number = _amount("LIMIT", clause.limit, evaluator)
    return islice(made, first, None if number is None else first + number)


def _amount(word: str, value: tree.Expr | None, evaluator: Evaluator) -> int | None:
    if value is None:
        return None
    number = evaluator.value(value, {})
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise BadQuery(f"{word} takes a whole number from 0 up")
    return number
