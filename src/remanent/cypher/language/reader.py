"""The parser of whole queries. What would change anything is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from remanent.cypher.language import tree
from remanent.cypher.language.expressions import ExpressionReader
from remanent.errors import BadQuery, ForbiddenQuery

# What these procedures tell is the shape of the graph, which is the same for everybody.
PROCEDURES: Final = {
    "db.labels": ("label",),
    "db.relationshiptypes": ("relationshipType",),
    "db.propertykeys": ("propertyKey",),
}
_WRITING: Final = frozenset({
    "create", "merge", "set", "delete", "detach", "remove", "drop", "foreach", "load", "alter",
    "grant", "deny", "revoke", "start", "stop", "rename", "enable", "disable", "insert", "update",
    "upsert", "truncate", "attach", "pragma", "vacuum", "begin", "commit", "rollback", "terminate",
    "dryrun", "deallocate", "reallocate", "copy", "import", "export",
})  # fmt: skip
_UNKNOWN: Final = {
    "use": "there is one graph, yours; USE is not known here",
    "explain": "plans are not shown; leave EXPLAIN out",
    "profile": "plans are not shown; leave PROFILE out",
    "show": "SHOW is not known; ask CALL db.labels() or CALL db.relationshipTypes()",
    "finish": "a query has to RETURN something",
    "let": "LET is not known; use WITH",
    "for": "FOR is not known; use UNWIND",
    "filter": "FILTER is not known; use WHERE",
    "select": "this is Cypher, not SQL: MATCH ... RETURN ...",
}


def read(text: str) -> tree.Query:
    """What the query says, or `BadQuery` or `ForbiddenQuery` with the reason."""
    try:
        return QueryReader(text).whole()
    except RecursionError:
        raise BadQuery("it is nested too deeply") from None


class QueryReader(ExpressionReader):
    """The part of the reader that knows clauses."""

    def whole(self) -> tree.Query:
        """The query, to its end."""
        query = self._query(inner=False)
        self.takes(";")
        if self.token.kind != "end":
            raise self._no_clause()
        return query

    def inner_query(self) -> tree.Query:
        """A query in braces, which need not return anything."""
        return self._query(inner=True)

    def _query(self, *, inner: bool) -> tree.Query:
        branches = [self._branch(inner=inner)]
        distinct = False
        while self.takes_word("union"):
            distinct = (not self.takes_word("all")) or distinct
            self.takes_word("distinct")
            branches.append(self._branch(inner=inner))
        return tree.Query(tuple(branches), distinct)

    def _branch(self, *, inner: bool) -> tuple[tree.Clause, ...]:
        clauses: list[tree.Clause] = []
        while (read := self._clause_here()) is not None:
            clauses.append(read())
            if isinstance(clauses[-1], tree.Project) and clauses[-1].last:
                break
        if not clauses:
            raise self._no_clause()
        last = clauses[-1]
        if not inner and not (isinstance(last, tree.Project) and last.last):
            if isinstance(last, tree.Procedure) and len(clauses) == 1:
                return (last, _all_of(last))
            raise self._no_clause() if self.token.kind != "end" else self.unexpected("RETURN")
        return tuple(clauses)

    def _clause_here(self) -> Callable[[], tree.Clause] | None:
        if self.token.kind != "name":
            return None
        readers: dict[str, Callable[[], tree.Clause]] = {
            "match": self._match,
            "optional": self._match,
            "unwind": self._unwind,
            "with": self._project,
            "return": self._project,
            "call": self._call,
        }
        return readers.get(self.token.text.lower())

    def _no_clause(self) -> BadQuery | ForbiddenQuery:
        word = self.token.text.lower() if self.token.kind == "name" else ""
        if word in _UNKNOWN:
            return BadQuery(_UNKNOWN[word])
        if word in _WRITING:
            return ForbiddenQuery(f"{word.upper()} is refused: a query only reads")
        return self.unexpected("MATCH, OPTIONAL MATCH, UNWIND, WITH, CALL or RETURN")

    # -- clauses ------------------------------------------------------------------------------

    def _match(self) -> tree.Clause:
        optional = self.takes_word("optional")
        self.insist_word("match")
        return self.matched(optional=optional)

    def _unwind(self) -> tree.Clause:
        self.insist_word("unwind")
        source = self.expression()
        self.insist_word("as")
        return tree.Unwind(source, self.name("a name"))

    def _project(self) -> tree.Clause:
        last = self.advance().text.lower() == "return"
        distinct = self.takes_word("distinct")
        star, items = self._items(named=not last)
        order = self.separated(self._sort) if self.takes_word("order", "by") else ()
        skip = self._amount("skip", "offset")
        limit = self._amount("limit")
        where = None
        if not last and self.takes_word("where"):
            where = self.expression()
        return tree.Project(items, star, distinct, order, skip, limit, where, last)

    def _items(self, *, named: bool) -> tuple[bool, tuple[tree.Item, ...]]:
        star = self.takes("*")
        if star and not self.takes(","):
            return star, ()
        items = self.separated(lambda: self._item(named=named))
        twice = {one.name for one in items if [two.name for two in items].count(one.name) > 1}
        if twice:
            raise BadQuery(f"two columns are called {min(twice)!r}")
        return star, items

    def _item(self, *, named: bool) -> tree.Item:
        start = self.token.start
        value = self.expression()
        end = self._tokens[self._at - 1].end
        if self.takes_word("as"):
            return tree.Item(value, self.word("a name"))
        if isinstance(value, tree.Variable):
            return tree.Item(value, value.name)
        if named:
            raise BadQuery(f"{self.text[start:end][:60]!r} needs a name in WITH: write AS ...")
        return tree.Item(value, self.text[start:end])

    def _sort(self) -> tree.Sort:
        value = self.expression()
        descending = self.takes_word("desc") or self.takes_word("descending")
        if not descending and not self.takes_word("asc"):
            self.takes_word("ascending")
        return tree.Sort(value, descending)

    def _amount(self, *words: str) -> tree.Expr | None:
        return self.expression() if any(self.takes_word(word) for word in words) else None

    # -- CALL ---------------------------------------------------------------------------------

    def _call(self) -> tree.Clause:
        self.insist_word("call")
        if self.sees("{"):
            return tree.CallQuery(self._braced(), None)
        if self.sees("("):
            return self._importing()
        return self._procedure()

    def _importing(self) -> tree.Clause:
        self.expect("(")
        names = self.up_to(")", lambda: "*" if self.takes("*") else self.name("a name"))
        return tree.CallQuery(self._braced(), names)

    def _braced(self) -> tree.Query:
        self.expect("{")
        query = self.deeper(self.inner_query)
        self.expect("}")
        if self.sees_word("in"):
            raise ForbiddenQuery("CALL { ... } IN TRANSACTIONS is refused: a query only reads")
        for branch in query.branches:
            if not (isinstance(branch[-1], tree.Project) and branch[-1].last):
                raise BadQuery("a query in CALL { } has to RETURN something")
        return query

    def _procedure(self) -> tree.Clause:
        name = self.word("a procedure")
        while self.takes("."):
            name += f".{self.word('a procedure')}"
        columns = PROCEDURES.get(name.lower())
        if columns is None:
            known = ", ".join(("db.labels()", "db.relationshipTypes()", "db.propertyKeys()"))
            raise ForbiddenQuery(f"procedure {name[:60]} is refused; there are only {known}")
        if self.takes("("):
            self.expect(")")
        return tree.Procedure(name.lower(), self._yields(columns))

    def _yields(self, columns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        if not self.takes_word("yield"):
            return tuple((one, one) for one in columns)
        return self.separated(lambda: self._yield(columns))

    def _yield(self, columns: tuple[str, ...]) -> tuple[str, str]:
        column = self.name("a column")
        if column not in columns:
            raise BadQuery(f"this procedure yields {', '.join(columns)}, not {column!r}")
        return column, self.name("a name") if self.takes_word("as") else column


def _all_of(procedure: tree.Procedure) -> tree.Clause:
    items = tuple(tree.Item(tree.Variable(name), name) for _, name in procedure.yields)
    return tree.Project(items, False, False, (), None, None, None, last=True)
