"""What has to be in the picture for a query: of all there is, most queries look at little."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from remanent.cypher.language.schema import HAS_PASSAGE, LABELS, PASSAGE, TYPES
from remanent.cypher.language.tree import (
    EdgePattern,
    Labels,
    NodePattern,
    PathPattern,
    Project,
    Query,
    Variable,
    walk,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Labels of nodes and types of edges; what has none of them cannot be met on the way.

    Passages are many, so they are looked at only where a query names them.
    """

    labels: tuple[str, ...]
    types: tuple[str, ...]


def needs(query: Query) -> Needs:
    """What the patterns of the query can meet."""
    nodes = [one for one in walk(query) if isinstance(one, NodePattern)]
    edges = [one for one in walk(query) if isinstance(one, EdgePattern)]
    labels: set[str] = set()
    for node in nodes:
        if node.labels is not None or not _is_bound(node.name, nodes, query):
            labels |= _named(node.labels, LABELS)
    types: set[str] = set()
    for edge in edges:
        types |= _named(edge.types, TYPES)
    if any(edge.hops is not None for edge in edges) or _has_shortest(query):
        labels |= set(LABELS)  # who knows what stands in between
    if PASSAGE not in _said(query) and HAS_PASSAGE not in _said(query):
        labels.discard(PASSAGE)
        types.discard(HAS_PASSAGE)
    return Needs(labels=tuple(sorted(labels)), types=tuple(sorted(types)))


def _has_shortest(query: Query) -> bool:
    return any(isinstance(one, PathPattern) and one.shortest for one in walk(query))


def _is_bound(name: str, nodes: Iterable[NodePattern], query: Query) -> bool:
    """Whether a name without a label stands for what has one elsewhere, all through the query."""
    if not any(one.name == name and one.labels is not None for one in nodes):
        return False
    return all(
        one.star or any(item.value == Variable(name) == Variable(item.name) for item in one.items)
        for one in walk(query)
        if isinstance(one, Project) and not one.last
    )


def _named(labels: Labels | None, known: tuple[str, ...]) -> set[str]:
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


def _said(query: Query) -> set[str]:
    said = {one.name.lower() for one in walk(query) if isinstance(one, Labels)}
    return {one for one in (PASSAGE, HAS_PASSAGE) if one.lower() in said}
