"""Running a query: rows flow from clause to clause, and no further than they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from remanent.core.dataclasses import dataclass
from remanent.cypher.language import tree
from remanent.cypher.language.checking import Checker, imports
from remanent.cypher.language.evaluating import Evaluator, Row, World
from remanent.cypher.language.functions import AGGREGATES, Gathering, aggregates_in
from remanent.cypher.language.matching import Matcher
from remanent.cypher.language.picture import plain
from remanent.cypher.language.schema import LABELS, PROPERTIES, TYPES
from remanent.cypher.language.values import bounded_list, identity, order
from remanent.errors import BadQuery

_TOLD = {"db.labels": LABELS, "db.relationshiptypes": TYPES, "db.propertykeys": PROPERTIES}


def run(
    query: tree.Query, columns: Sequence[str], world: World, *, limit: int
) -> tuple[list[list[Any]], bool]:
    """The first `limit` rows of the answer in plain values, and whether there are more."""
    rows = [
        [plain(row[name], world.tick) for name in columns]
        for row in islice(Runner(world).rows(query, {}), limit + 1)
    ]
    return rows[:limit], len(rows) > limit


class Runner(Matcher):
    """A matcher that knows clauses."""

    def rows(self, query: tree.Query, row: Row, *, called: bool = False) -> Rows:
        """The rows of a query that begins with this one; `called` sees of it what its WITH takes."""
        seen = set()
        for branch in query.branches:
            for result in self._branch(branch, {} if called and not imports(branch) else row):
                if query.distinct:
                    known = tuple(sorted((name, identity(one)) for name, one in result.items()))
                    if known in seen:
                        continue
                    seen.add(known)
                yield result

    def _branch(self, clauses: tuple[tree.Clause, ...], row: Row) -> Rows:
        rows: Rows = iter([dict(row)])
        for clause in clauses:
            rows = self._step(clause, rows)
        return rows

    def _step(self, clause: tree.Clause, rows: Rows) -> Rows:
        match clause:
            case tree.Match():
                return self._match(clause, rows)
            case tree.Unwind():
                return self._unwind(clause, rows)
            case tree.Project():
                return projected(clause, rows, self)
            case tree.CallQuery():
                return self._call_query(clause, rows)
            case tree.Procedure():
                return self._procedure(clause, rows)
            case _:
                raise BadQuery("a clause is not known here")

    def _match(self, clause: tree.Match, rows: Rows) -> Rows:
        named = {name for path in clause.paths for name in tree.names_in(path) if name[:1] != " "}
        for row in rows:
            met = False
            for binding in self.bindings(clause.paths, clause.where, row):
                met = True
                yield binding
            if clause.optional and not met:
                yield {**dict.fromkeys(named), **row}

    def _unwind(self, clause: tree.Unwind, rows: Rows) -> Rows:
        for row in rows:
            items = self.value(clause.source, row)
            for item in [] if items is None else items if isinstance(items, list) else [items]:
                self.world.tick()
                yield {**row, clause.name: item}

    def _call_query(self, clause: tree.CallQuery, rows: Rows) -> Rows:
        for row in rows:
            around: Row = row
            if clause.imports is not None and "*" not in clause.imports:
                around = {name: row[name] for name in clause.imports}
            for inner in self.rows(clause.query, around, called=clause.imports is None):
                self.world.tick()
                yield {**row, **inner}

    def _procedure(self, clause: tree.Procedure, rows: Rows) -> Rows:
        for row in rows:
            for one in _TOLD[clause.name]:
                yield {**row, **{name: one for _, name in clause.yields}}

    # -- inner queries ------------------------------------------------------------------------

    def subquery(self, expr: tree.Subquery, row: Row) -> Any:
        rows: Iterator[dict[str, Any]] = self.rows(expr.query, row)
        if expr.way == "EXISTS":
            return next(rows, None) is not None
        if expr.way == "COUNT":
            return sum(1 for _ in rows)
        columns = Checker().columns(expr.query)
        return bounded_list([one[columns[0]] for one in rows])


Rows = Iterator[dict[str, Any]]


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
        # `*` is everything that has a name; what the query did not name begins with a blank
        values = {name: row[name] for name in row if clause.star and not name.startswith(" ")}
        for item in clause.items:
            values[item.name] = evaluator.value(item.value, row)
        if clause.distinct:
            known = tuple(identity(one) for one in values.values())
            if known in seen:
                continue
            seen.add(known)
        around = values if clause.distinct else {**row, **values}
        yield _Made(values, [evaluator.value(one, around) for one in sorts])


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
