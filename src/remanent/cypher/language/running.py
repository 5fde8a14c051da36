"""Running a query: rows flow from clause to clause, and no further than they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from remanent.cypher.language import tree
from remanent.cypher.language.checking import Checker, imports
from remanent.cypher.language.evaluating import Row, World
from remanent.cypher.language.matching import Matcher
from remanent.cypher.language.picture import plain
from remanent.cypher.language.projecting import Rows, projected
from remanent.cypher.language.schema import LABELS, PROPERTIES, TYPES
from remanent.cypher.language.values import bounded_list, identity
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
