"""Hide: somebody else's source is not there any more for one user, whoever shares it, until they show it again.

What had come of it for them is taken back as `undo` does; for everybody else nothing changes, and nobody is told.
"""

from __future__ import annotations

from remanent.core.checks import only_one
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.event import SOURCE_HIDDEN, SOURCE_SHOWN, Event
from remanent.core.model.scope import Scope
from remanent.core.model.source import Source
from remanent.core.read import SHORTEST_PREFIX, resolve
from remanent.erasure.undo import take_back
from remanent.errors import Conflict, Forbidden, UnknownKey
from remanent.ingest.shared import is_for
from remanent.teams.consents import SharedSource, append_answer, told_of


def hide_source(env: Env, scope: Scope, key: str, *, seen: Scope) -> SharedSource:
    """Take somebody else's source, one of what is `seen`, out of the caller's memory for good; twice
    changes nothing."""
    with env.atomic(durable=True):
        known = _among(scope, key)
        if known is not None:
            return told_of(env, _source(env, seen, known))
        source = _source(env, seen, resolve(env, seen, key))
        if source.user_id == scope.user_id:
            raise Conflict("key", "it is your own; archive or erase it instead")
        append_answer(env, scope, SOURCE_HIDDEN, source_key=source.key)
        _forget(env, scope, source.key)
        return told_of(env, source)


def show_source(env: Env, seen: Scope, source_key: str) -> SharedSource:
    """See a hidden source again; `redo` draws from one of a team's again."""
    with env.atomic(durable=True):
        hidden = _among(seen, source_key)
        source = _source(env, seen, hidden or resolve(env, seen, source_key))
        if source.user_id == seen.user_id:
            raise UnknownKey(source_key)
        if hidden is not None:
            append_answer(env, seen, SOURCE_SHOWN, source_key=source.key)
        return told_of(env, source)


def hidden_sources(env: Env, scope: Scope) -> list[SharedSource]:
    """The sources that this user hides, newest first."""
    nodes = env.graph.get_many(_seeing(scope), sorted(scope.hidden))
    found = [told_of(env, one) for one in nodes.values() if isinstance(one, Source)]
    return sorted(found, key=lambda one: (one.added_at, one.key), reverse=True)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Take back once more what had come of the source that the event hides."""
    if event.event_type == SOURCE_HIDDEN:
        _forget(env, scope, str(event.payload["source_key"]))


def settle_hidden(env: Env, scope: Scope, source_key: str) -> None:
    """Take back what an extraction has drawn that was under way when its source was hidden."""
    if source_key in env.registry.consents(scope.user_id).hidden:
        _forget(env, scope, source_key)


def insist_drawable(env: Env, scope: Scope, key: str) -> None:
    """Nobody else's source but a team's is drawn into somebody's graph, not even on request."""
    source = env.graph.get(scope, key)
    if isinstance(source, Source) and not is_for(scope, source):
        raise Forbidden(f"source_key: it is {source.user_id!r}'s, and of no team of yours")


def _forget(env: Env, scope: Scope, key: str) -> None:
    seeing = replace(scope, hidden=scope.hidden - {key})
    source, extraction = env.graph.get(seeing, key), env.graph.extraction(seeing, key)
    if isinstance(source, Source) and extraction is not None and not extraction.is_undone:
        with env.atomic():
            take_back(env, seeing, source)


def _among(scope: Scope, key: str) -> str | None:
    """The key of a hidden source, from that or the beginning of it."""
    wanted = key.strip()
    if len(wanted) < SHORTEST_PREFIX:
        return None
    return only_one(key, sorted(one for one in scope.hidden if one.startswith(wanted)))


def _source(env: Env, scope: Scope, key: str) -> Source:
    source = env.graph.get(_seeing(scope), key)
    if not isinstance(source, Source):
        raise UnknownKey(key)
    return source


def _seeing(scope: Scope) -> Scope:
    return replace(scope, hidden=frozenset())
