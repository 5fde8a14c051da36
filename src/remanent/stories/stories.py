"""Stories listed, and what a night did with them applied again from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from remanent.anchors.resolve import anchor_called, final
from remanent.core.env import Env
from remanent.core.model import event as types
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import Event
from remanent.core.model.lifecycle import State
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Macro, Story, Storyline
from remanent.core.read import every, resolve
from remanent.errors import InvalidInput
from remanent.stories import macros, storylines

AGAIN: Final[Mapping[str, Callable[[Env, Scope, Event], object]]] = {
    types.STORYLINE_OPENED: storylines.opened,
    types.STORYLINE_CLOSED: storylines.closed,
    types.STORYLINE_RETOLD: storylines.retold,
    types.MACRO_OPENED: macros.opened,
    types.MACRO_RETOLD: macros.retold,
}


def list_stories(
    env: Env,
    scope: Scope,
    *,
    kind: Kind | None = None,
    anchor: str | None = None,
    state: State | None = None,
) -> list[Story]:
    """The stories that the caller may read, those in which something happened last first.

    Without a state: all that are not archived.
    """
    about = None if anchor is None else _anchor(env, scope, anchor)
    stories: list[Story] = []
    stories += every(env.graph, scope, Storyline) if kind in (None, Kind.STORYLINE) else ()
    stories += every(env.graph, scope, Macro) if kind in (None, Kind.MACRO) else ()
    asked = (
        one
        for one in stories
        if about in (None, one.anchor_key)
        and (one.life.state is not State.ARCHIVED if state is None else one.life.state is state)
    )
    return sorted(asked, key=_newest)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do again what a night did, as the ledger tells it; other events are none of ours."""
    again = AGAIN.get(event.event_type)
    if again is not None:
        again(env, scope, event)


def _anchor(env: Env, scope: Scope, called: str) -> str:
    """The key of the anchor that is called so, or whose key begins so."""
    named = anchor_called(env, scope, called, "anchor")
    if named is not None:
        return named
    key = resolve(env, scope, called)
    if not isinstance(env.graph.get(scope, key), Anchor):
        raise InvalidInput("anchor", f"{called!r} is not a person, concept or entity")
    return final(env, scope, key)


def _newest(story: Story) -> tuple[float, str]:
    last = story.last_source_at if isinstance(story, Storyline) else story.last_event_at
    return (-last.timestamp(), story.key)
