"""Semantic checks of a query before it is run: names, functions, columns."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from remanent.cypher.language import tree
from remanent.cypher.language.evaluating import checked_call
from remanent.cypher.language.functions import AGGREGATES, aggregates_in
from remanent.cypher.language.schema import LABELS, TYPES
from remanent.errors import BadQuery


class Checker:
    """Goes through a query as its rows will, with the names that they will have."""

    def columns(self, query: tree.Query, outer: Iterable[str] = ()) -> tuple[str, ...]:
        """The columns of the answer, or `BadQuery` with what is wrong."""
        branches = [self._branch(branch, set(outer)) for branch in query.branches]
        if any(set(one) != set(branches[0]) for one in branches):
            raise BadQuery("the parts of a UNION have to return columns of the same names")
        return branches[0]

    def _branch(self, clauses: tuple[tree.Clause, ...], names: set[str]) -> tuple[str, ...]:
        for clause in clauses:
            names = self._clause(clause, names)
        last = clauses[-1]
        if isinstance(last, tree.Project) and not last.star:
            return tuple(item.name for item in last.items)
        return tuple(sorted(name for name in names if name[:1] != " "))

    def _clause(self, clause: tree.Clause, names: set[str]) -> set[str]:
        match clause:
            case tree.Match():
                return self._match(clause, names)
            case tree.Unwind():
                self._ungathered(clause.source)
                self._expr(clause.source, names)
                return names | {clause.name}
            case tree.Project():
                return self._project(clause, names)
            case tree.CallQuery():
                return names | set(self._called(clause, names))
            case tree.Procedure():
                return names | {name for _, name in clause.yields}
            case _:
                return names

    def _called(self, clause: tree.CallQuery, names: set[str]) -> tuple[str, ...]:
        if clause.imports is None:
            for branch in clause.query.branches:
                self._branch(branch, names if imports(branch) else set())
            return self.columns(clause.query, names)
        if "*" in clause.imports:
            return self.columns(clause.query, names)
        self._known(clause.imports, names)
        return self.columns(clause.query, clause.imports)

    def _match(self, clause: tree.Match, names: set[str]) -> set[str]:
        inner = names | _named(clause.paths)
        for part in tree.children(clause):
            self._ungathered(part)
            self._expr(part, inner)
        return inner

    def _ungathered(self, node: tree.Tree) -> None:
        gathering = aggregates_in(node)
        if gathering:
            name = gathering[0].name
            raise BadQuery(f"{name}() gathers rows: it can stand in WITH or RETURN only")

    def _project(self, clause: tree.Project, names: set[str]) -> set[str]:
        for item in clause.items:
            self._expr(item.value, names)
        if clause.star and not names and not clause.items:
            raise BadQuery("there is nothing that * could stand for")
        after = (names if clause.star else set()) | {item.name for item in clause.items}
        grouped = clause.distinct or any(aggregates_in(one.value) for one in clause.items)
        returned = [item.value for item in clause.items]
        for sort in clause.order:
            self._sort(sort.value, after if grouped else after | names, names, returned)
        self._cut(clause, after)
        return after

    def _cut(self, clause: tree.Project, names: set[str]) -> None:
        for amount in (clause.skip, clause.limit):
            if amount is not None:
                self._expr(amount, set())
        if clause.where is not None:
            self._ungathered(clause.where)
            self._expr(clause.where, names)

    def _sort(
        self, value: Any, names: set[str], before: set[str], returned: list[tree.Expr]
    ) -> None:
        """What is returned can be sorted by as it is written, and aggregates of what was there before."""
        if value in returned:
            return
        if isinstance(value, tree.Call) and value.name in AGGREGATES:
            self._expr(value, before)
        elif isinstance(
            value, (tree.Variable, tree.Subquery, tree.PatternComprehension, tree.ListComprehension)
        ):
            self._expr(value, names)
        else:
            if isinstance(value, tree.Call):
                checked_call(value)
            for part in tree.children(value):
                self._sort(part, names, before, returned)

    # -- expressions --------------------------------------------------------------------------

    def _expr(self, node: tree.Tree, names: set[str]) -> None:
        match node:
            case tree.Variable():
                self._known([node.name], names)
            case tree.Call() if node.name not in AGGREGATES:
                checked_call(node)
            case tree.Call() if len(node.arguments) > 2 or (
                node.arguments == () and node.name != "count"
            ):
                raise BadQuery(f"{node.name}() has the wrong number of arguments")
            case _:
                pass
        if isinstance(node, tree.Subquery):
            self._subquery(node, names)
            return
        inner = names | _local(node)
        for part in tree.children(node):
            self._expr(part, inner)

    def _subquery(self, node: tree.Subquery, names: set[str]) -> None:
        columns = self.columns(node.query, names)
        if node.way == "COLLECT":
            last = node.query.branches[0][-1]
            if not isinstance(last, tree.Project) or len(columns) != 1:
                raise BadQuery("COLLECT { } has to return one column")

    def _known(self, wanted: Iterable[str], names: set[str]) -> None:
        for name in wanted:
            if name not in names:
                near = difflib.get_close_matches(name, [one for one in names if one[:1] != " "], 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise BadQuery(f"nothing is called {name[:60]!r} here{hint}")


def imports(branch: tuple[tree.Clause, ...]) -> bool:
    """Whether a query in CALL { } begins with the WITH that takes over names from around it."""
    return isinstance(branch[0], tree.Project) and not branch[0].last


def _named(paths: Iterable[tree.PathPattern]) -> set[str]:
    return {
        one.name
        for path in paths
        for one in tree.walk(path)
        if isinstance(one, (tree.NodePattern, tree.EdgePattern, tree.PathPattern))
    }


def _local(node: tree.Tree) -> set[str]:
    """The names that an expression gives to what it goes through."""
    match node:
        case tree.ListComprehension() | tree.Quantified():
            return {node.name}
        case tree.Reduce():
            return {node.total, node.name}
        case tree.PatternComprehension():
            return _named([node.path])
        case tree.PatternTest():
            return {name for name in tree.names_in(node.path) if name[:1] == " "}
        case _:
            return set()


def notices(query: tree.Query) -> tuple[str, ...]:
    """What is asked for and cannot be there: labels and types that nothing ever has."""
    warnings = []
    for node in tree.walk(query):
        match node:
            case tree.NodePattern(labels=labels) if labels is not None:
                warnings += _unknown(labels, LABELS, "label")
            case tree.EdgePattern(types=types) if types is not None:
                warnings += _unknown(types, TYPES, "relationship type")
            case tree.HasLabels(labels=labels):
                warnings += _unknown(labels, (*LABELS, *TYPES), "label")
            case _:
                pass
    return tuple(dict.fromkeys(warnings))


def _unknown(labels: tree.Labels, known: tuple[str, ...], what: str) -> list[str]:
    lower = {one.lower() for one in known}
    named = [
        one.name for one in tree.walk(labels) if isinstance(one, tree.Labels) and one.way == "name"
    ]
    return [
        f"there is no {what} {name[:60]!r}; there are {', '.join(known)}"
        for name in named
        if name.lower() not in lower
    ]
