"""Patterns such as `(a:Person {name: 'Ann'})-[r:MENTIONS|ABOUT*1..3]->(b)`, read and matched in the picture.
Within one MATCH no edge is taken twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from remanent.cypher.language import tree
from remanent.cypher.language.evaluating import Evaluator, Row, World, fits
from remanent.cypher.language.picture import Edge, Node, Path
from remanent.cypher.language.planning import Find, Follow, Planner, Shortest, Step, Trace
from remanent.cypher.language.tokens import Cursor
from remanent.cypher.language.values import equal, sort_of
from remanent.errors import BadQuery

Used = frozenset[int]
_NONE: Used = frozenset()


class Matcher(Evaluator):
    """An evaluator that knows patterns."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._plans: dict[tuple[int, frozenset[str]], list[Step]] = {}
        self._singles: dict[int, tuple[tree.PathPattern, ...]] = {}
        self._kept: list[Any] = []  # a plan is known by where its pattern lies in memory

    def bindings(
        self, paths: tuple[tree.PathPattern, ...], where: tree.Expr | None, row: Row
    ) -> Iterator[dict[str, Any]]:
        """The row with each way in which the patterns can be bound."""
        place = (id(paths), frozenset(row))
        if place not in self._plans:
            planner = Planner(self.world.picture, self.world.parameters, row)
            self._plans[place] = planner.plan(paths, where)
            self._kept.append(paths)
        return self._run(self._plans[place], 0, dict(row), _NONE)

    def pattern_test(self, expr: tree.PatternTest, row: Row) -> bool:
        return next(self.bindings(self._alone(expr), None, row), None) is not None

    def pattern_list(self, expr: tree.PatternComprehension, row: Row) -> list[Any]:
        rows = self.bindings(self._alone(expr), expr.where, row)
        return [self.value(expr.shape, one) for one in rows]

    def _alone(
        self, expr: tree.PatternTest | tree.PatternComprehension
    ) -> tuple[tree.PathPattern, ...]:
        """The same tuple each time, for plans are known by it."""
        known = self._singles.get(id(expr))
        if known is None:
            known = self._singles[id(expr)] = (expr.path,)
            self._kept.append(expr)
        return known

    # -- step by step -------------------------------------------------------------------------

    def _run(
        self, steps: list[Step], place: int, row: dict[str, Any], used: Used
    ) -> Iterator[dict[str, Any]]:
        if place == len(steps):
            yield row
            return
        step = steps[place]
        for bound, taken in self._taken(step, row, used):
            self.world.tick()
            if all(self.holds(one, bound) for one in step.conditions):
                yield from self._run(steps, place + 1, bound, taken)

    def _taken(self, step: Step, row: dict[str, Any], used: Used) -> Iterator[tuple[Any, Used]]:
        match step:
            case Find():
                return ((one, used) for one in self._find(step, row))
            case Follow():
                return self._follow(step, row, used)
            case Shortest():
                return ((one, used) for one in self._shortest(step, row))
            case Trace():
                return iter([(self._traced(step, row), used)])
            case _:
                return iter([(row, used)])

    def _find(self, step: Find, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if step.name in row:
            node = row[step.name]
            if node is not None and not isinstance(node, Node):
                raise BadQuery(f"{step.name!r} is {sort_of(node)}, not a node")
            if node is not None and (step.labels is None or fits(step.labels, node.label)):
                yield row
            return
        for node in self._candidates(step, row):
            if step.labels is None or fits(step.labels, node.label):
                yield {**row, step.name: node}

    def _candidates(self, step: Find, row: Row) -> list[Node]:
        picture = self.world.picture
        if step.lookup is None:
            return picture.with_label(step.label)
        name, expr = step.lookup
        return picture.having(step.label, name, self.value(expr, row))

    # -- edges --------------------------------------------------------------------------------

    def _follow(
        self, step: Follow, row: dict[str, Any], used: Used
    ) -> Iterator[tuple[dict[str, Any], Used]]:
        ways = self._hops if step.edge.hops is not None else self._hop
        for edges, node, taken in ways(step, row, used):
            if step.end.labels is not None and not fits(step.end.labels, node.label):
                continue
            if step.end.name in row and row[step.end.name] is not node:
                continue
            if step.edge.name in row and equal(row[step.edge.name], edges) is not True:
                continue
            yield {**row, step.edge.name: edges, step.end.name: node}, taken

    def _hop(self, step: Follow, row: Row, used: Used) -> Iterator[tuple[Any, Node, Used]]:
        for edge, node in self._edges(row[step.start], step.edge, backwards=step.backwards):
            if edge.id not in used:
                yield edge, node, used | {edge.id}

    def _hops(self, step: Follow, row: Row, used: Used) -> Iterator[tuple[Any, Node, Used]]:
        """Depth first, so that what waits is one path and its side turns."""
        fewest, most = step.edge.hops or (1, 1)
        wanted = self._property_values(step.entries, row)
        waiting: list[tuple[Node, tuple[Edge, ...]]] = [(row[step.start], ())]
        while waiting:
            self.world.tick()
            node, edges = waiting.pop()
            if len(edges) >= fewest:
                taken = used.union(edge.id for edge in edges)
                yield list(edges[::-1] if step.backwards else edges), node, taken
            if most is not None and len(edges) >= most:
                continue
            ahead = [
                (other, (*edges, edge))
                for edge, other in self._edges(node, step.edge, backwards=step.backwards)
                if edge.id not in used and edge not in edges and _has(edge, wanted)
            ]
            waiting += reversed(ahead)

    def _property_values(self, entries: tuple[tree.Entry, ...], row: Row) -> Mapping[str, Any]:
        return {one.name: self.value(one.value, row) for one in entries}

    def _edges(
        self, node: Any, pattern: tree.EdgePattern, *, backwards: bool
    ) -> Iterator[tuple[Edge, Node]]:
        """Edges at the node that are as the pattern says, each with the node at its other end."""
        if not isinstance(node, Node):
            return
        direction = -pattern.direction if backwards else pattern.direction
        types = pattern.types
        if direction >= 0:
            for edge in node.outgoing:
                if types is None or fits(types, edge.type):
                    yield edge, edge.end
        for edge in node.incoming if direction <= 0 else ():
            loop = direction == 0 and edge.start is node  # it was among the outgoing ones
            if not loop and (types is None or fits(types, edge.type)):
                yield edge, edge.start

    # -- paths --------------------------------------------------------------------------------

    def _traced(self, step: Trace, row: dict[str, Any]) -> dict[str, Any]:
        edges: list[Edge] = []
        for pattern in step.path.edges:
            bound = row[pattern.name]
            edges += bound if isinstance(bound, list) else [bound]
        return {**row, step.path.name: _path(row[step.path.nodes[0].name], edges)}

    def _shortest(self, step: Shortest, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Breadth first, level by level, until the other end is met."""
        path, pattern = step.path, step.path.edges[0]
        start, end = row[path.nodes[0].name], row[path.nodes[1].name]
        fewest, most = pattern.hops or (1, 1)
        if start is end:
            return
        if fewest > 1:
            raise BadQuery("shortestPath takes no least length above 1")
        wanted = self._property_values(step.entries, row)
        for edges in self._levels(start, end, pattern, wanted, most):
            yield {**row, path.name: _path(start, edges), pattern.name: list(edges)}
            if path.shortest == "one":
                return

    def _levels(
        self, start: Node, end: Node, pattern: tree.EdgePattern, wanted: Mapping[str, Any],
        most: int | None,
    ) -> Iterator[list[Edge]]:  # fmt: skip
        """All shortest ways, told backwards from the levels at which nodes were met."""
        level, depth = {start.id: start}, 0
        before: dict[int, list[tuple[Edge, Node]]] = {start.id: []}
        while level and end.id not in before and (most is None or depth < most):
            depth += 1
            ahead: dict[int, Node] = {}
            for node in level.values():
                for edge, other in self._edges(node, pattern, backwards=False):
                    self.world.tick()
                    if (other.id in before and other.id not in ahead) or not _has(edge, wanted):
                        continue
                    ahead[other.id] = other
                    before.setdefault(other.id, []).append((edge, node))
            level = ahead
        if end.id not in before:
            return
        waiting: list[tuple[Node, list[Edge]]] = [(end, [])]
        while waiting:
            self.world.tick()
            node, edges = waiting.pop()
            if node is start:
                yield edges
            waiting += [(other, [edge, *edges]) for edge, other in reversed(before[node.id])]


def _path(start: Node, edges: list[Edge]) -> Path:
    nodes = [start]
    for edge in edges:
        nodes.append(edge.end if edge.start is nodes[-1] else edge.start)
    return Path(tuple(nodes), tuple(edges))


def _has(edge: Edge, wanted: Mapping[str, Any]) -> bool:
    return all(equal(edge.properties.get(name), value) is True for name, value in wanted.items())


_SHORTEST: Final = {"shortestpath": "one", "allshortestpaths": "all"}


class PatternReader(Cursor):
    """The part of the reader that knows patterns."""

    def path(self) -> tree.PathPattern:
        """One path, with the name it may have been given."""
        name = self.unnamed()
        if self.is_name() and self.ahead().text == "=" and self.ahead().kind == "sign":
            name = self.name("a name")
            self.expect("=")
        way = _SHORTEST.get(self.token.text.lower(), "") if self.token.kind == "name" else ""
        if not way:
            nodes, edges = self._chain()
            return tree.PathPattern(name, nodes, edges)
        self.advance()
        self.expect("(")
        nodes, edges = self._chain()
        self.expect(")")
        if len(edges) != 1:
            raise BadQuery("shortestPath takes one relationship between two nodes")
        return tree.PathPattern(name, nodes, edges, way)

    def matched(self, *, optional: bool) -> tree.Match:
        """The patterns of a MATCH and their condition."""
        paths = self.separated(self.path)
        where = self.expression() if self.takes_word("where") else None
        return tree.Match(paths, where, optional)

    def relation(self) -> tree.PathPattern:
        """A path with at least one edge: a single node in parentheses is no pattern to test."""
        name = self.unnamed()
        nodes, edges = self._chain()
        if not edges:
            raise self.unexpected("a relationship")
        return tree.PathPattern(name, nodes, edges)

    def _chain(self) -> tuple[tuple[tree.NodePattern, ...], tuple[tree.EdgePattern, ...]]:
        nodes, edges = [self._node()], []
        while self._sees_edge():
            edges.append(self._edge())
            nodes.append(self._node())
        return tuple(nodes), tuple(edges)

    def _sees_edge(self) -> bool:
        if self.sees("<"):
            return self.ahead().text == "-"
        return self.sees("-") and self.ahead().text in ("-", "[") and self.ahead().kind == "sign"

    def _node(self) -> tree.NodePattern:
        self.expect("(")
        name = self.name("a name") if self.is_name() else self.unnamed()
        labels = self._labels_here()
        properties = self._properties()
        where = self.deeper(self.expression) if self.takes_word("where") else None
        self.expect(")")
        return tree.NodePattern(name, labels, properties, where)

    def _edge(self) -> tree.EdgePattern:
        to_left = self.takes("<")
        self.expect("-")
        name, types, hops = "", None, None
        properties = where = None
        if self.takes("["):
            name = self.name("a name") if self.is_name() else ""
            types = self._labels_here()
            hops = self._hops()
            properties = self._properties()
            where = self.deeper(self.expression) if self.takes_word("where") else None
            self.expect("]")
        self.expect("-")
        to_right = self.takes(">")
        hops = self._quantifier() or hops
        if hops is not None and where is not None:
            raise BadQuery("WHERE inside a relationship of variable length is not known here")
        direction = 0 if to_left == to_right else 1 if to_right else -1
        return tree.EdgePattern(name or self.unnamed(), types, properties, where, direction, hops)

    def _properties(self) -> tree.Expr | None:
        if self.token.kind == "parameter":
            return tree.Parameter(str(self.advance().value))
        if not self.takes("{"):
            return None
        return tree.MapOf(self.up_to("}", self._property))

    def _property(self) -> tree.Entry:
        key = self.word("a property")
        self.expect(":")
        return tree.Entry(key, self.deeper(self.expression))

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
        self.expect("}")
        return (first or 0, last)

    def _number(self) -> int | None:
        return int(self.advance().value) if self.token.kind == "int" else None

    # -- labels and types ---------------------------------------------------------------------

    def _labels_here(self) -> tree.Labels | None:
        return self.labels() if self.takes(":") or self.takes_word("is") else None

    def labels(self) -> tree.Labels:
        """`A`, `A|B`, `A&B`, `A:B`, `!A`, `%` and parentheses."""
        parts = [self._all_labels()]
        while self.takes("|"):
            self.takes(":")
            parts.append(self._all_labels())
        return parts[0] if len(parts) == 1 else tree.Labels("any", parts=tuple(parts))

    def _all_labels(self) -> tree.Labels:
        parts = [self._label()]
        while self.takes("&") or self.takes(":"):
            parts.append(self._label())
        return parts[0] if len(parts) == 1 else tree.Labels("all", parts=tuple(parts))

    def _label(self) -> tree.Labels:
        if self.takes("!"):
            return tree.Labels("not", parts=(self.deeper(self._label),))
        if self.takes("%"):
            return tree.Labels("all")
        if self.takes("("):
            inner = self.deeper(self.labels)
            self.expect(")")
            return inner
        return tree.Labels("name", self.word("a label or a type"))
