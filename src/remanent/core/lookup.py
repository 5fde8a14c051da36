"""Own: one thing of the caller's own by its key, whatever has a life."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from remanent.core import checks, lifecycle
from remanent.core.env import Env
from remanent.core.lifecycle import LifecycleRules
from remanent.core.model.lifecycle import Lifecycle
from remanent.core.model.lifecycle_reports import LifecycleReport
from remanent.core.model.node import Kind, Node
from remanent.core.model.page import title_of
from remanent.core.model.relationship import Relationship
from remanent.core.model.scope import Scope
from remanent.core.read import SHORTEST_PREFIX
from remanent.errors import Forbidden, InvalidInput, UnknownKey

Lived = Node | Relationship


def look_up_own(env: Env, scope: Scope, key: str) -> Lived:
    """The node or relationship of that key, or of the one key of the caller's own that begins so.

    What others keep can be read, and lives by its owner's use alone.
    """
    wanted = checks.plain("key", key).strip().partition("#")[0]
    found = at(env, scope, wanted)
    if found is None and len(wanted) >= SHORTEST_PREFIX:
        keys = env.graph.own_keys_beginning(scope, wanted, limit=5)
        if len(keys) > 1:
            raise InvalidInput("key", f"{key!r} could be any of {', '.join(keys)}")
        found = at(env, scope, keys[0]) if keys else None
    if found is None:
        raise UnknownKey(key)
    if found.user_id != scope.user_id:
        raise Forbidden(f"key {key}: it is another user's, and fades by their use alone")
    return found


def at(env: Env, scope: Scope, key: str) -> Lived | None:
    """The visible node or own relationship of exactly that key."""
    return env.graph.get(scope, key) or env.graph.relationship(scope, key)


def these(env: Env, scope: Scope, keys: Sequence[str]) -> Iterator[Lived]:
    """Those of exactly these keys that are there and the caller's own."""
    nodes = env.graph.get_many(scope, keys)
    for key in keys:
        found = nodes.get(key) or env.graph.relationship(scope, key)
        if found is not None and found.user_id == scope.user_id:
            yield found


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


def live(env: Env, scope: Scope, thing: Lived, life: Lifecycle) -> LifecycleReport:
    """Give it that life, if it is another than it has."""
    if life != thing.life:
        env.graph.relive(scope, {thing.key: life})
    return LifecycleReport(
        key=thing.key,
        kind=kind_of(thing),
        name=name(env, scope, thing),
        life=life,
        changed=life != thing.life,
    )


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
