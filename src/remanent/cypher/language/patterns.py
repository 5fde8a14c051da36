"""Reading patterns: `(a:Person {name: 'Ann'})-[r:MENTIONS|ABOUT*1..3]->(b)`."""

from __future__ import annotations

from typing import Final

from remanent.cypher.language.cursor import Cursor
from remanent.cypher.language.tree import (
    EdgePattern,
    Entry,
    Expr,
    Labels,
    MapOf,
    NodePattern,
    Parameter,
    PathPattern,
)
from remanent.errors import BadQuery

_SHORTEST: Final = {"shortestpath": "one", "allshortestpaths": "all"}


class PatternReader(Cursor):
    """The part of the reader that knows patterns."""

    def path(self) -> PathPattern:
        """One path, with the name it may have been given."""
        name = self.unnamed()
        if self.is_name() and self.ahead().text == "=" and self.ahead().kind == "sign":
            name = self.name("a name")
            self.insist("=")
        way = _SHORTEST.get(self.token.text.lower(), "") if self.token.kind == "name" else ""
        if not way:
            nodes, edges = self._chain()
            return PathPattern(name, nodes, edges)
        self.advance()
        self.insist("(")
        nodes, edges = self._chain()
        self.insist(")")
        if len(edges) != 1:
            raise BadQuery("shortestPath takes one relationship between two nodes")
        return PathPattern(name, nodes, edges, way)

    def relation(self) -> PathPattern:
        """A path with at least one edge: a single node in parentheses is no pattern to test."""
        name = self.unnamed()
        nodes, edges = self._chain()
        if not edges:
            raise self.unexpected("a relationship")
        return PathPattern(name, nodes, edges)

    def _chain(self) -> tuple[tuple[NodePattern, ...], tuple[EdgePattern, ...]]:
        nodes, edges = [self._node()], []
        while self._sees_edge():
            edges.append(self._edge())
            nodes.append(self._node())
        return tuple(nodes), tuple(edges)

    def _sees_edge(self) -> bool:
        if self.sees("<"):
            return self.ahead().text == "-"
        return self.sees("-") and self.ahead().text in ("-", "[") and self.ahead().kind == "sign"

    def _node(self) -> NodePattern:
        self.insist("(")
        name = self.name("a name") if self.is_name() else self.unnamed()
        labels = self._labels_here()
        properties = self._properties()
        where = self.deeper(self.expression) if self.takes_word("where") else None
        self.insist(")")
        return NodePattern(name, labels, properties, where)

    def _edge(self) -> EdgePattern:
        to_left = self.takes("<")
        self.insist("-")
        name, types, hops = "", None, None
        properties = where = None
        if self.takes("["):
            name = self.name("a name") if self.is_name() else ""
            types = self._labels_here()
            hops = self._hops()
            properties = self._properties()
            where = self.deeper(self.expression) if self.takes_word("where") else None
            self.insist("]")
        self.insist("-")
        to_right = self.takes(">")
        hops = self._quantifier() or hops
        if hops is not None and where is not None:
            raise BadQuery("WHERE inside a relationship of variable length is not known here")
        direction = 0 if to_left == to_right else 1 if to_right else -1
        return EdgePattern(name or self.unnamed(), types, properties, where, direction, hops)

    def _properties(self) -> Expr | None:
        if self.token.kind == "parameter":
            return Parameter(str(self.advance().value))
        if not self.takes("{"):
            return None
        entries = []
        while not self.sees("}"):
            key = self.word("a property")
            self.insist(":")
            entries.append(Entry(key, self.deeper(self.expression)))
            if not self.takes(","):
                break
        self.insist("}")
        return MapOf(tuple(entries))

    # -- how many -----------------------------------------------------------------------------

    def _hops(self) -> tuple[int, int | None] | None:
        if not self.takes("*"):
            return None
        first = self._number()
        if self.takes(".."):
            return (1 if first is None else first, self._number())
        return (1, None) if first is None else (first, first)

    def _quantifier(self) -> tuple[int, int | None] | None:
        """`+`, `*` or `{1,3}` behind a relationship."""
        if self.takes("+"):
            return (1, None)
        if self.takes("*"):
            return (0, None)
        if not self.takes("{"):
            return None
        first = self._number()
        last = first
        if self.takes(","):
            last = self._number()
        self.insist("}")
        return (first or 0, last)

    def _number(self) -> int | None:
        return int(self.advance().value) if self.token.kind == "int" else None

    # -- labels and types ---------------------------------------------------------------------

    def _labels_here(self) -> Labels | None:
        if self.takes(":") or self.takes_word("is"):
            return self.labels()
        return None

    def labels(self) -> Labels:
        """`A`, `A|B`, `A&B`, `A:B`, `!A`, `%` and parentheses."""
        parts = [self._all_labels()]
        while self.takes("|"):
            self.takes(":")
            parts.append(self._all_labels())
        return parts[0] if len(parts) == 1 else Labels("any", parts=tuple(parts))

    def _all_labels(self) -> Labels:
        parts = [self._label()]
        while self.takes("&") or self.takes(":"):
            parts.append(self._label())
        return parts[0] if len(parts) == 1 else Labels("all", parts=tuple(parts))

    def _label(self) -> Labels:
        if self.takes("!"):
            return Labels("not", parts=(self.deeper(self._label),))
        if self.takes("%"):
            return Labels("all")
        if self.takes("("):
            inner = self.deeper(self.labels)
            self.insist(")")
            return inner
        return Labels("name", self.word("a label or a type"))
