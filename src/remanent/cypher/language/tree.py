"""The syntax tree of a query."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, dataclass_transform


@dataclass_transform(frozen_default=True)
@dataclass(frozen=True)
class Tree:
    """Anything a query is made of: a frozen dataclass, so that two parts can be compared."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Expr(Tree):
    """Anything that has a value."""


class Literal(Expr):
    value: Any


class Parameter(Expr):
    name: str


class Variable(Expr):
    name: str


class Property(Expr):
    of: Expr
    name: str


class Index(Expr):
    of: Expr
    at: Expr


class Slice(Expr):
    of: Expr
    first: Expr | None
    last: Expr | None


class ListOf(Expr):
    items: tuple[Expr, ...]


class Entry(Tree):
    """One `name: value` of a map."""

    name: str
    value: Expr


class MapOf(Expr):
    entries: tuple[Entry, ...]


class MapProjection(Expr):
    """`of {.name, .*, other: 1}`; with `whole` all properties come first."""

    of: Variable
    entries: tuple[Entry, ...]
    whole: bool


class Unary(Expr):
    """NOT, + or -."""

    sign: str
    of: Expr


class Binary(Expr):
    """Arithmetic, logic, or a test such as IN or STARTS WITH."""

    sign: str
    left: Expr
    right: Expr


class Comparison(Expr):
    """`1 < x <= 3`: each neighbour compared with the next."""

    first: Expr
    rest: tuple[tuple[str, Expr], ...]


class IsNull(Expr):
    of: Expr
    negated: bool


class Labels(Tree):
    """What a label or type must be: a `name`, or `any`, `all` or `not` of parts; no name: whatever."""

    way: str
    name: str = ""
    parts: tuple[Labels, ...] = ()


class HasLabels(Expr):
    of: Expr
    labels: Labels


class Case(Expr):
    subject: Expr | None
    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr | None


class Call(Expr):
    """A function by its lower-case name; `count(*)` has no argument and is `count`."""

    name: str
    arguments: tuple[Expr, ...]
    distinct: bool = False


class ListComprehension(Expr):
    name: str
    source: Expr
    where: Expr | None
    shape: Expr | None


class Quantified(Expr):
    """any, all, none or single of a list."""

    way: str
    name: str
    source: Expr
    where: Expr


class Reduce(Expr):
    total: str
    start: Expr
    name: str
    source: Expr
    step: Expr


class NodePattern(Tree):
    name: str
    labels: Labels | None
    properties: Expr | None
    where: Expr | None


class EdgePattern(Tree):
    """`direction` is 1 from left to right, -1 the other way, 0 either. `hops` None: exactly one."""

    name: str
    types: Labels | None
    properties: Expr | None
    where: Expr | None
    direction: int
    hops: tuple[int, int | None] | None


class PathPattern(Tree):
    """Nodes with edges between them; `shortest` is "", "one" or "all"."""

    name: str
    nodes: tuple[NodePattern, ...]
    edges: tuple[EdgePattern, ...]
    shortest: str = ""


class PatternTest(Expr):
    """A pattern where a truth value is wanted."""

    path: PathPattern


class PatternComprehension(Expr):
    path: PathPattern
    where: Expr | None
    shape: Expr


class Subquery(Expr):
    """EXISTS, COUNT or COLLECT of an inner query."""

    way: str
    query: Query


class Clause(Tree):
    """One step of a query."""


class Match(Clause):
    paths: tuple[PathPattern, ...]
    where: Expr | None
    optional: bool


class Unwind(Clause):
    source: Expr
    name: str


class Item(Tree):
    """Something returned, under its name."""

    value: Expr
    name: str


class Sort(Tree):
    value: Expr
    descending: bool


class Project(Clause):
    """WITH or RETURN."""

    items: tuple[Item, ...]
    star: bool
    distinct: bool
    order: tuple[Sort, ...]
    skip: Expr | None
    limit: Expr | None
    where: Expr | None
    last: bool


class CallQuery(Clause):
    """CALL { ... }: run for every row; `imports` None takes over whatever its WITH names."""

    query: Query
    imports: tuple[str, ...] | None


class Procedure(Clause):
    """One of the few procedures that only tell what there is; `yields` are (column, name)."""

    name: str
    yields: tuple[tuple[str, str], ...]


class Query(Tree):
    """Branches of a UNION (mostly one); `distinct` where any of the UNIONs is not ALL."""

    branches: tuple[tuple[Clause, ...], ...]
    distinct: bool = False


def children(tree: Any) -> Iterator[Tree]:
    """The parts right under this one."""
    values = (
        (getattr(tree, field.name) for field in dataclasses.fields(tree))
        if isinstance(tree, Tree)
        else tree
    )
    for value in values:
        if isinstance(value, Tree):
            yield value
        elif isinstance(value, tuple):
            yield from children(value)


def walk(tree: Tree) -> Iterator[Tree]:
    """It and all under it, in the order of the query."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(list(children(one))))


def names_in(tree: Tree) -> set[str]:
    """Every name of a variable or pattern that stands anywhere in it."""
    names = set()
    for part in walk(tree):
        if isinstance(part, (Variable, NodePattern, EdgePattern, PathPattern)):
            names.add(part.name)
    return names


def replaced(tree: Any, change: Callable[[Expr], Expr | None]) -> Any:
    """The same tree with every expression for which `change` has another in the place of it."""
    if isinstance(tree, tuple):
        return tuple(replaced(one, change) for one in tree)
    if not isinstance(tree, Tree):
        return tree
    if isinstance(tree, Expr):
        other = change(tree)
        if other is not None:
            return other
    names = [field.name for field in dataclasses.fields(tree)]
    return type(tree)(**{name: replaced(getattr(tree, name), change) for name in names})
