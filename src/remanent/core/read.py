"""Look-up and read: a node or relationship by its key or the beginning of it; a whole page of it, with notes,
links and evidence, which is an access and strengthens it by its spacing; and all nodes of a kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import TypeVar

from remanent.core import checks, event_lookup, lifecycle
from remanent.core.checks import only_one
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.anchor import Anchor, Note
from remanent.core.model.belief import Belief
from remanent.core.model.codec import NODE_TYPES
from remanent.core.model.event import event_key
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import Page, title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.model.source import Passage, Source
from remanent.core.model.story import Summary
from remanent.core.ports.graph import Graph, Nodes, Wanted
from remanent.errors import DiskFull, Forbidden, NotFound, ReadOnlyMemory, UnknownKey

Lived = Node | Relationship
N = TypeVar("N", bound=Node)
PAGE = 500


def look_up_own(env: Env, scope: Scope, key: str) -> Lived:
    """The node or relationship of that key, or of the one key of the caller's own that begins so.

    What others keep can be read, and lives by its owner's use alone.
    """
    wanted = checks.plain("key", key).strip().partition("#")[0]
    thing = at(env, scope, wanted)
    if thing is None and len(wanted) >= SHORTEST_PREFIX:
        whole = only_one(key, env.graph.keys_beginning(scope, wanted, limit=5, own=True))
        thing = None if whole is None else at(env, scope, whole)
    if thing is None:
        raise UnknownKey(key)
    if thing.user_id != scope.user_id:
        raise Forbidden(f"key {key}: it is another user's, and fades by their use alone")
    return thing


def at(env: Env, scope: Scope, key: str) -> Lived | None:
    """The visible node or own relationship of exactly that key."""
    return env.graph.get(scope, key) or env.graph.relationship(scope, key)


def by_keys(env: Env, scope: Scope, keys: Sequence[str]) -> Iterator[Lived]:
    """Those of exactly these keys that are there and the caller's own."""
    found = env.graph.read(scope, Wanted(nodes=keys, relationships=keys))
    for key in keys:
        thing = found.nodes.get(key) or found.relationships.get(key)
        if thing is not None and thing.user_id == scope.user_id:
            yield thing


def name(env: Env, scope: Scope, thing: Lived) -> str:
    """What to call it in one line."""
    if isinstance(thing, Node):
        return title_of(thing)
    ends = env.graph.get_many(scope, [thing.src, thing.dst])
    src, dst = (title_of(ends[key]) if key in ends else key[:8] for key in (thing.src, thing.dst))
    return f"{src} - {thing.relationship_type} - {dst}"


def rules_of(env: Env, thing: Lived) -> LifecycleRules:
    """The figures by which it fades."""
    return lifecycle.rules_for(kind_of(thing), env.config.lifecycle)


def faded(env: Env, thing: Lived, life: Lifecycle, at: datetime) -> Lifecycle:
    """That life of it as it has faded by then."""
    return lifecycle.faded(
        life,
        confidence=confidence_of(thing),
        created_at=thing.created_at,
        now=at,
        episodic=is_episodic(thing),
        rules=rules_of(env, thing),
    )


def set_lifecycle(env: Env, scope: Scope, thing: Lived, life: Lifecycle) -> LifecycleReport:
    """Give it that life, if it is another than it has."""
    if life != thing.life:
        set_life(env, scope, thing.key, life)
    return LifecycleReport(
        key=thing.key,
        kind=kind_of(thing),
        name=name(env, scope, thing),
        life=life,
        changed=life != thing.life,
    )


def set_life(env: Env, scope: Scope, key: str, life: Lifecycle) -> None:
    """Give the caller's own node or relationship of that key that life, and change nothing else of it."""
    env.graph.touch(scope, [key], lambda _: life)


def kind_of(thing: Lived) -> Kind:
    """What sort of memory it is."""
    return thing.kind if isinstance(thing, Node) else Kind.RELATIONSHIP


def is_episodic(thing: Lived) -> bool:
    """Whether it is an episode, and not knowledge, to what is ephemeral."""
    return kind_of(thing) in lifecycle.EPISODIC


def confidence_of(thing: Lived) -> float | None:
    """How sure we are of it, where that can be said."""
    confidence: float | None = getattr(thing, "confidence", None)
    return confidence


SHORTEST_PREFIX = 4


def read_key(env: Env, scope: Scope, key: str) -> Page:
    """The page of that key, or of the one key that begins so. Looking is access (SPEC 12.11).

    An event may be asked for by its id too, and once it has left the graph the ledger tells it.
    """
    try:
        resolved = resolve(env, scope, key)
    except UnknownKey:
        return _event_page(env, scope, key.strip())
    return _node_page(env, scope, _accessed(env, scope, resolved))


def _event_page(env: Env, scope: Scope, key: str) -> Page:
    standing = event_key(scope.user_id, key)
    if env.graph.get(scope, standing) is not None:
        return _node_page(env, scope, _accessed(env, scope, standing))
    page = event_lookup.page(env, scope, key) if len(key) >= SHORTEST_PREFIX else None
    if page is None:
        thing = look_up_own(env, scope, key)
        if not isinstance(thing, Relationship):
            raise UnknownKey(key)
        raise NotFound(f"key: {key!r} is a relationship; `relationships` of {thing.src} has it")
    return page


def _node_page(env: Env, scope: Scope, node: Node) -> Page:
    links = env.graph.links(scope, node.key)
    related = (
        env.graph.relationships(scope, node.key, history=True) if isinstance(node, Anchor) else []
    )
    far = {end for link in links for end in (link.src, link.dst)}
    far |= {end for one in related for end in (one.src, one.dst)}
    if isinstance(node, Belief):
        ends = (node.supersedes, node.superseded_by, node.disputes)
        far |= {end for end in ends if end is not None}
    others = env.graph.get_many(scope, sorted(far - {node.key}))
    raw = env.ledger.raw(scope, node.key) if isinstance(node, Source) else None
    passages = tuple(env.graph.passages(scope, node.key)) if isinstance(node, Source) else ()
    return Page(
        node=node,
        passages=passages,
        content=_content(node, passages) if isinstance(node, Source) else None,
        notes=_notes(env, scope, node),
        relationships=tuple(related),
        links=tuple(links),
        titles={one: title_of(other) for one, other in others.items()},
        raw=None if raw is None else raw.content,
        covered=event_lookup.covered(env, scope, node) if isinstance(node, Summary) else (),
        extraction=env.graph.extraction(scope, node.key) if isinstance(node, Source) else None,
    )


def _content(source: Source, passages: Sequence[Passage]) -> dict[str, str]:
    """The processed text of a source (SPEC 3), which stands in its passages."""
    said = (f"{one.speaker}: {one.text}" if one.speaker else one.text for one in passages)
    return {"type": source.content_type.value, "content": "\n\n".join(said)}


def _notes(env: Env, scope: Scope, node: Node) -> tuple[Note, ...]:
    if isinstance(node, Source):
        return tuple(env.graph.notes_of(scope, node.key))
    return tuple(env.graph.notes(scope, node.key)) if isinstance(node, Anchor) else ()


def resolve(env: Env, scope: Scope, key: str) -> str:
    """The whole key for a whole key, a passage's key, or an unambiguous beginning."""
    wanted = key.strip().partition("#")[0]
    if env.graph.get(scope, wanted) is not None:
        return wanted
    if len(wanted) < SHORTEST_PREFIX:
        raise UnknownKey(key)
    whole = only_one(key, env.graph.keys_beginning(scope, wanted, limit=5))
    if whole is None:
        raise UnknownKey(key)
    return whole


def _accessed(env: Env, scope: Scope, key: str) -> Node:
    """The node, with this access counted: also where there is no room to write it down."""
    with if_writable(), env.atomic(scope):
        seen = _with_access(env, scope, key)
        if seen.user_id == scope.user_id:  # another's memory fades by its owner's use alone
            env.graph.put(scope, seen)
        return seen
    return _with_access(env, scope, key)


def _with_access(env: Env, scope: Scope, key: str) -> Node:
    node = env.graph.get(scope, key)
    if node is None:
        raise UnknownKey(key)
    life = lifecycle.accessed(node.life, env.clock.now(), env.config.lifecycle)
    return replace(node, life=life)


def own(env: Env, scope: Scope, type_: type[N], *, states: Sequence[State] = ()) -> Iterator[N]:
    """The caller's own nodes of a type, in these states or any, read page by page as they are asked for."""
    nodes = Nodes(type_, {"state": list(states) or None}, limit=PAGE)
    while page := env.graph.select(scope, nodes):
        nodes = replace(nodes, after=page[-1].key)
        yield from (one for one in page if one.user_id == scope.user_id)


def every(graph: Graph, scope: Scope, type_: type[N]) -> list[N]:
    """All visible nodes of one type, read page by page."""
    nodes = list[N]()
    pages = Nodes(type_, limit=1000)
    while page := graph.select(scope, pages):
        nodes.extend(page)
        pages = replace(pages, after=page[-1].key)
    return nodes


def by_natural(graph: Graph, scope: Scope, kind: Kind, natural: str) -> Node | None:
    """The caller's own node of that kind with that natural key."""
    found = graph.select(scope, Nodes(NODE_TYPES[kind], {"natural": natural}, own=True, limit=1))
    return found[0] if found else None


def if_writable() -> AbstractContextManager[None, bool]:
    """A block that is left out where nothing can be written: on a full disk, or on read-only media."""
    return suppress(DiskFull, ReadOnlyMemory)
