"""Reword: the texts that entries of the index were made from, found again in the graph.

The index keeps stems, not texts; each text is made again as the verb that wrote it made it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from remanent.core.env import Env
from remanent.core.index_entries import (
    ANCHOR_NOTES,
    NOTES_SUFFIX,
    IndexLine,
    anchor_line,
    artifact_line,
    relationship_lines,
    source_lines,
    story_lines,
)
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import Belief
from remanent.core.model.event import EventNode
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.records.embedding import Due


def index_texts(env: Env, scope: Scope, dues: Sequence[Due]) -> dict[str, IndexLine]:
    """A line for each of these entries of one user, by key; what has left the graph has none."""
    nodes = env.graph.get_many(scope, sorted({one.owner_key for one in dues}))
    found: dict[str, IndexLine] = {}
    for due in dues:
        node = nodes.get(due.owner_key)
        if due.key not in found and node is not None:
            found |= {line.key: line for line in _lines(env, scope, due, node)}
    return {one.key: found[one.key] for one in dues if one.key in found}


def _lines(env: Env, scope: Scope, due: Due, node: Node) -> list[IndexLine]:
    if due.kind is Kind.RELATIONSHIP:
        return _related(env, scope, due, node)
    if isinstance(node, Source):
        return source_lines(node, env.graph.passages(scope, node.key))
    if isinstance(node, Anchor):
        return [anchor_line(node, env.graph.notes(scope, node.key, limit=ANCHOR_NOTES))]
    make = _PLAIN.get(type(node))
    return [] if make is None else make(node)


def _related(env: Env, scope: Scope, due: Due, node: Node) -> list[IndexLine]:
    key = due.key.removesuffix(NOTES_SUFFIX)
    one = env.graph.relationship(scope, key)
    if one is None or not isinstance(node, Anchor):
        return []
    return relationship_lines(one, env.graph.notes(scope, key, limit=ANCHOR_NOTES), node)


def _saying(text: Callable[[Node], str]) -> Callable[[Node], list[IndexLine]]:
    """A node that is found by one text of its own."""
    return lambda node: [IndexLine(key=node.key, kind=node.kind, text=text(node), node=node)]


def _text(node: Node) -> str:
    if isinstance(node, Belief):
        return node.statement
    return node.text if isinstance(node, EventNode | Summary) else ""


def _story(node: Node) -> list[IndexLine]:
    return story_lines(node) if isinstance(node, Storyline | Macro) else []


def _artifact(node: Node) -> list[IndexLine]:
    return [artifact_line(node)] if isinstance(node, Artifact) else []


_PLAIN: Mapping[type, Callable[[Node], list[IndexLine]]] = {
    Belief: _saying(_text),
    EventNode: _saying(_text),
    Summary: _saying(_text),
    Storyline: _story,
    Macro: _story,
    Artifact: _artifact,
}
