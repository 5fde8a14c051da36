"""The query planner: what has to be in the picture, for most queries look at little of all there is, and in
which order a pattern is looked for: from where least has to be looked through."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from remanent.core.dataclasses import dataclass, field
from remanent.cypher.language import tree
from remanent.cypher.language.picture import Picture
from remanent.cypher.language.schema import HAS_PASSAGE, LABELS, PASSAGE, SOURCE, TYPES
from remanent.errors import BadQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Labels of nodes and types of edges; what has none of them cannot be met on the way.

    Passages are many, so they are looked at only where a query names them.
    """

    labels: tuple[str, ...]
    types: tuple[str, ...]


def needs(query: tree.Query) -> Needs:
    """What the patterns of the query can meet."""
    nodes = [one for one in tree.walk(query) if isinstance(one, tree.NodePattern)]
    edges = [one for one in tree.walk(query) if isinstance(one, tree.EdgePattern)]
    labels: set[str] = set()
    for node in nodes:
        if node.labels is not None or not _is_bound(node.name, nodes, query):
            labels |= _named(node.labels, LABELS)
    types: set[str] = set()
    for edge in edges:
        types |= _named(edge.types, TYPES)
    paths = (one for one in tree.walk(query) if isinstance(one, tree.PathPattern))
    if any(edge.hops is not None for edge in edges) or any(one.shortest for one in paths):
        labels |= set(LABELS)  # who knows what stands in between
    if PASSAGE not in _passage_labels(query) and HAS_PASSAGE not in _passage_labels(query):
        labels.discard(PASSAGE)
        types.discard(HAS_PASSAGE)
    if PASSAGE in labels:
        labels.add(SOURCE)  # whoever may read a passage is known by its source
    return Needs(labels=tuple(sorted(labels)), types=tuple(sorted(types)))


def _is_bound(name: str, nodes: Iterable[tree.NodePattern], query: tree.Query) -> bool:
    """Whether a name without a label stands for what has one elsewhere, all through the query."""
    if not any(one.name == name and one.labels is not None for one in nodes):
        return False
    return all(
        one.star
        or any(item.value == tree.Variable(name) == tree.Variable(item.name) for item in one.items)
        for one in tree.walk(query)
        if isinstance(one, tree.Project) and not one.last
    )


def _named(labels: tree.Labels | None, known: tuple[str, ...]) -> set[str]:
    """All of the known ones that may be meant."""
    if labels is None:
        return set(known)
    match labels.way:
        case "name":
            return {one for one in known if one.lower() == labels.name.lower()}
        case "any":
            return set().union(*(_named(one, known) for one in labels.parts))
        case "all" if labels.parts:
            return set.intersection(*(_named(one, known) for one in labels.parts))
        case _:
            return set(known)


def _passage_labels(query: tree.Query) -> set[str]:
    labels = {one.name.lower() for one in tree.walk(query) if isinstance(one, tree.Labels)}
    return {one for one in (PASSAGE, HAS_PASSAGE) if one.lower() in labels}


_BY_VALUE: Final = 2  # what looking up a value costs, beside looking through nodes


@dataclass(slots=True, kw_only=True)
class Step:
    """Something to bind, and the conditions that can be told once it is bound."""

    conditions: list[tree.Expr] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Find(Step):
    """A node, from all of a label, or from those of which a property has a value."""

    name: str
    labels: tree.Labels | None
    label: str | None
    lookup: tuple[str, tree.Expr] | None


@dataclass(slots=True, kw_only=True)
class Follow(Step):
    """From one node over an edge (or several) to the next."""

    start: str
    edge: tree.EdgePattern
    entries: tuple[tree.Entry, ...]
    end: tree.NodePattern
    backwards: bool


@dataclass(slots=True, kw_only=True)
class Shortest(Step):
    """The shortest way between two nodes that are bound."""

    path: tree.PathPattern
    entries: tuple[tree.Entry, ...]


@dataclass(slots=True, kw_only=True)
class Trace(Step):
    """The whole path, under its name."""

    path: tree.PathPattern


def conjuncts(where: tree.Expr | None) -> list[tree.Expr]:
    """The conditions that all have to hold."""
    waiting = [] if where is None else [where]
    parts = []
    while waiting:
        one = waiting.pop()
        if isinstance(one, tree.Binary) and one.sign == "AND":
            waiting += [one.right, one.left]
        else:
            parts.append(one)
    return parts


def entries_of(properties: tree.Expr | None, parameters: Any) -> tuple[tree.Entry, ...]:
    """The `name: value` pairs of a pattern's map."""
    if properties is None:
        return ()
    if isinstance(properties, tree.MapOf):
        return properties.entries
    given = parameters.get(properties.name) if isinstance(properties, tree.Parameter) else None
    if not isinstance(given, dict):
        raise BadQuery("properties in a pattern are a map")
    return tuple(tree.Entry(name, tree.Literal(value)) for name, value in given.items())


class Planner:
    """Makes the steps for the patterns of one MATCH."""

    def __init__(self, picture: Picture, parameters: Any, bound: Iterable[str]) -> None:
        self._picture = picture
        self._parameters = parameters
        self._bound = set(bound)
        self._conditions: list[tree.Expr] = []
        self._steps: list[Step] = []

    def plan(self, paths: tuple[tree.PathPattern, ...], where: tree.Expr | None) -> list[Step]:
        """Steps that bind all names; every condition is told as early as it can be."""
        self._conditions = conjuncts(where)
        for path in paths:
            self._gather(path)
        waiting = list(paths)
        while waiting:
            _, start, number = min(
                (self._cost(node), start, number)
                for number, path in enumerate(waiting)
                for start, node in enumerate(path.nodes)
            )
            self._plan_path(waiting.pop(number), start)
        if self._conditions:
            self._steps.append(Step(conditions=self._conditions))
        return self._steps

    def _gather(self, path: tree.PathPattern) -> None:
        """What stands inside a pattern is a condition like any other."""
        parts: list[tree.NodePattern | tree.EdgePattern] = [*path.nodes, *path.edges]
        for part in parts:
            self._conditions += conjuncts(part.where)
            if isinstance(part, tree.EdgePattern) and (part.hops is not None or path.shortest):
                continue
            for entry in entries_of(part.properties, self._parameters):
                own = tree.Property(tree.Variable(part.name), entry.name)
                self._conditions.append(tree.Comparison(own, (("=", entry.value),)))

    # -- where to begin -----------------------------------------------------------------------

    def _cost(self, node: tree.NodePattern) -> int:
        if node.name in self._bound:
            return 0
        if self._lookup(node.name) is not None:
            return _BY_VALUE
        return 10 + len(self._picture.with_label(self._label(node.labels)))

    def _label(self, labels: tree.Labels | None) -> str | None:
        """The one label that all nodes of the pattern have, as the picture writes it."""
        if labels is None:
            return None
        if labels.way == "name":
            known = {one.lower(): one for one in self._picture.labelled}
            return known.get(labels.name.lower(), labels.name)
        if labels.way == "all" and labels.parts:
            return next((found for one in labels.parts if (found := self._label(one))), None)
        return None

    def _lookup(self, name: str) -> tuple[str, tree.Expr] | None:
        """A property of that node whose value is known before the node is."""
        for condition in self._conditions:
            if not isinstance(condition, tree.Comparison) or [
                sign for sign, _ in condition.rest
            ] != ["="]:
                continue
            for own, other in (
                (condition.first, condition.rest[0][1]),
                (condition.rest[0][1], condition.first),
            ):
                if (
                    isinstance(own, tree.Property)
                    and own.of == tree.Variable(name)
                    and tree.names_in(other) <= self._bound
                ):
                    return own.name, other
        return None

    # -- laying out ---------------------------------------------------------------------------

    def _plan_path(self, path: tree.PathPattern, start: int) -> None:
        if path.shortest:
            self._lay_shortest(path)
            return
        self._find(path.nodes[start])
        for place in range(start, len(path.edges)):
            self._follow(path, place, backwards=False)
        for place in reversed(range(start)):
            self._follow(path, place, backwards=True)
        if not path.name.startswith(" "):
            self._add(Trace(path=path), path.name)

    def _lay_shortest(self, path: tree.PathPattern) -> None:
        for node in path.nodes:
            self._find(node)
        edge = path.edges[0]
        entries = entries_of(edge.properties, self._parameters)
        self._add(Shortest(path=path, entries=entries), path.name, edge.name)

    def _find(self, node: tree.NodePattern) -> None:
        lookup = None if node.name in self._bound else self._lookup(node.name)
        step = Find(
            name=node.name, labels=node.labels, label=self._label(node.labels), lookup=lookup
        )
        self._add(step, node.name)

    def _follow(self, path: tree.PathPattern, place: int, *, backwards: bool) -> None:
        edge = path.edges[place]
        left, right = path.nodes[place], path.nodes[place + 1]
        start, end = (right, left) if backwards else (left, right)
        entries = () if edge.hops is None else entries_of(edge.properties, self._parameters)
        step = Follow(start=start.name, edge=edge, entries=entries, end=end, backwards=backwards)
        self._add(step, edge.name, end.name)

    def _add(self, step: Step, *names: str) -> None:
        self._bound.update(names)
        step.conditions = [one for one in self._conditions if tree.names_in(one) <= self._bound]
        self._conditions = [one for one in self._conditions if one not in step.conditions]
        self._steps.append(step)
