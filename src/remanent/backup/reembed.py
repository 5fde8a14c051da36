"""Re-embedding: all entries get vectors of another embedder, while search goes on with those they have.

The index keeps stems, not texts: each text is made again from the graph as the verb that wrote it made it.
Nothing of the graph changes, and nothing is judged anew: only what a text is near to. How far it came stands
in the file: killed and begun again, it goes on. What is written meanwhile waits in its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

from remanent.core import index_entries
from remanent.core.env import Env
from remanent.core.index_entries import (
    ANCHOR_NOTES,
    NOTES_SUFFIX,
    RELATIONSHIP_NOTES,
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
from remanent.core.model.job import Job, JobKind, new_job
from remanent.core.model.node import Kind, Node
from remanent.core.model.scope import Scope
from remanent.core.model.source import Artifact, Source
from remanent.core.model.story import Macro, Storyline, Summary
from remanent.core.ports.admin import Made
from remanent.core.ports.embedder import Embedder
from remanent.core.records.admin import Due, Embedding


def index_texts(env: Env, scope: Scope, dues: Sequence[Due]) -> dict[str, IndexLine]:
    """A line for each of these entries of one user, by key; what has left the graph has none."""
    nodes = env.graph.get_many(scope, sorted({one.owner_key for one in dues}))
    lines: dict[str, IndexLine] = {}
    for due in dues:
        node = nodes.get(due.owner_key)
        if due.key not in lines and node is not None:
            lines |= {line.key: line for line in _lines(env, scope, due, node)}
    return {one.key: lines[one.key] for one in dues if one.key in lines}


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
    return relationship_lines(one, env.graph.notes(scope, key, limit=RELATIONSHIP_NOTES), node)


def _line_of_text(text: Callable[[Node], str]) -> Callable[[Node], list[IndexLine]]:
    """A node that is found by one text of its own."""
    return lambda node: [IndexLine(key=node.key, kind=node.kind, text=text(node), node=node)]


def _text(node: Node) -> str:
    if isinstance(node, Belief):
        return node.statement
    return node.text if isinstance(node, EventNode | Summary) else ""


def _story(node: Node) -> list[IndexLine]:
    return story_lines(node) if isinstance(node, Storyline | Macro) else []


_PLAIN: Mapping[type, Callable[[Node], list[IndexLine]]] = {
    Belief: _line_of_text(_text),
    EventNode: _line_of_text(_text),
    Summary: _line_of_text(_text),
    Storyline: _story,
    Macro: _story,
    Artifact: lambda node: [artifact_line(node)] if isinstance(node, Artifact) else [],
}


Progress = Callable[[Embedding], None]

BATCH: Final = 64  # entries in one transaction: what is lost when the process is killed


def reembed_entries(env: Env, progress: Progress | None = None) -> None:
    """Embed all that waits, until nothing does."""
    hand = env.embedder
    env.stores.reembedding.begin(hand.name, hand.dimensions)
    while page := env.stores.reembedding.waiting(0, BATCH):
        while page:
            env.stores.reembedding.keep(
                [made for due in _by_user(page) for made in _new_vectors(env, due)]
            )
            _report_progress(env, progress)
            page = env.stores.reembedding.waiting(page[-1].number, BATCH)


def reembed_and_switch(env: Env, progress: Progress | None = None) -> None:
    """Embed all that waits with `env.embedder`, and go over to it as soon as nothing does."""
    reembed_entries(env, progress)
    while not env.stores.reembedding.switch():
        reembed_entries(env, progress)  # somebody wrote meanwhile


def _new_vectors(env: Env, dues: Sequence[Due]) -> Iterator[Made]:
    """New vectors for entries of one user; none for what has left the graph, or must stay here."""
    user_id = dues[0].user_id
    if user_id is None:
        yield from ((due, None, ()) for due in dues)
        return
    scope = env.registry.scope_of(user_id).contributing
    lines = index_texts(env, scope, dues)
    entries = {one.key: one for one in index_entries.entries(env, scope, list(lines.values()))}
    for due in dues:
        entry = entries.get(due.key)
        yield (due, None, ()) if entry is None else (due, entry.vector, entry.parts)


def _report_progress(env: Env, progress: Progress | None) -> None:
    state = env.stores.reembedding.state()
    if progress is not None and state is not None:
        progress(state)


def _by_user(dues: Sequence[Due]) -> list[list[Due]]:
    ordered = sorted(dues, key=lambda one: (one.user_id or "", one.number))
    return [list(same) for _, same in groupby(ordered, key=lambda one: one.user_id)]


def promise_reembedding(env: Env, embedder: Embedder) -> bool:
    """Begin the way to that embedder, or go on with it: the worker will do it. False if nobody is
    registered yet: there is nothing to embed, and no one in whose name it could be done."""
    users = env.registry.users()
    if not users:
        return False
    with env.stores.atomic(durable=True):
        env.stores.reembedding.begin(embedder.name, embedder.dimensions)
        env.queue.enqueue(reembed_job(users[0].user_id, embedder.name, env.clock.now()))
    return True


def reembed_job(user_id: str, embedder: str, now: datetime) -> Job:
    """The promise to embed everyone's entries anew; it stands in the name of one user, for every job does."""
    return new_job(JobKind.REEMBED, user_id, now, embedder, embedder=embedder)
