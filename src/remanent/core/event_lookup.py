"""Event look-up: an event from the graph or, where it has left that, from the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from remanent.core import event_text
from remanent.core.checks import only_one
from remanent.core.env import Env
from remanent.core.model.event import SOURCE_ERASED, Event, EventNode, ForgottenEvent, event_key
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.page import CoveredEvent, Page, title_of
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Summary
from remanent.core.ports.records import Select

_PAGE: Final = 1000


def find_event(env: Env, scope: Scope, event_ids: Sequence[str]) -> list[EventNode]:
    """These events in order of time; ids that nobody knows are left out."""
    keys = {event_key(scope.user_id, one): one for one in event_ids}
    nodes = env.graph.get_many(scope, list(keys))
    events = [one for one in nodes.values() if isinstance(one, EventNode)]
    for key, event_id in keys.items():
        if key not in nodes and (event := env.ledger.event(scope, event_id)) is not None:
            events.append(shadow(event))
    return sorted(events, key=lambda one: (one.occurred_at, one.event_id))


def ledger_events(env: Env, scope: Scope, *types: str, after: int = 0) -> Iterator[Event]:
    """The caller's events of these types, or of all, in the order of the ledger."""
    while page := list(env.ledger.replay(scope, after=after, types=types, limit=_PAGE)):
        after = page[-1].seq
        yield from page


def session_events(env: Env, scope: Scope, session_id: str) -> list[Event]:
    """The caller's events of that session, of whatever agent, in the order in which they happened."""
    events = env.ledger.replay(scope, session=session_id)
    return sorted(events, key=lambda one: (one.occurred_at, one.seq))


def tombstones(env: Env, scope: Scope) -> frozenset[str]:
    """The marks on the caller's tombstones: what is left of sources that were erased."""
    erased = env.ledger.replay(scope, types=(SOURCE_ERASED,))
    return frozenset(mark for one in erased for mark in one.payload["marks"])


def forgotten_event(env: Env, scope: Scope, key: str) -> ForgottenEvent | None:
    """Where an event went that has left the graph, by its whole key."""
    return env.records.get(scope, ForgottenEvent, key)


def forgotten_events(env: Env, scope: Scope, key: str) -> list[ForgottenEvent]:
    """The same for every key that begins so, in order."""
    begins = {"key >=": key, "key <": f"{key}\U0010ffff"}
    return env.records.find(scope, Select(ForgottenEvent, begins, limit=5))


def page(env: Env, scope: Scope, key: str) -> Page | None:
    """The page of an event that is in the ledger alone, by its id, its key, or the beginning of
    that; None when there is none."""
    event = env.ledger.event(scope, key)
    forgotten = forgotten_events(env, scope, key) if event is None else []
    if only_one(key, [one.key for one in forgotten]) is not None:
        event = env.ledger.event(scope, forgotten[0].event_id)
    if event is None:
        return None
    node = shadow(event)
    gone = forgotten_event(env, scope, node.key)
    summary = None if gone is None else env.graph.get(scope, gone.summary_key)
    if summary is None:
        return Page(node=node)
    link = Link(scope.user_id, LinkKind.SUMMARIZES, summary.key, node.key, summary.created_at)
    return Page(node=node, links=(link,), titles={summary.key: title_of(summary)})


def covered(env: Env, scope: Scope, summary: Summary) -> tuple[CoveredEvent, ...]:
    """The events of an episode, but for those that were put out of mind."""
    known = [one for one in summary.event_ids if one not in summary.withheld]
    events = find_event(env, scope, known)
    here = env.graph.get_many(scope, [one.key for one in events])
    return tuple(
        CoveredEvent(
            event_id=one.event_id, at=one.occurred_at, text=one.text, is_gone=one.key not in here
        )
        for one in events
    )


def words(env: Env, scope: Scope, key: str) -> str:
    """What an event that has left the graph said, or ""."""
    gone = forgotten_event(env, scope, key)
    event = None if gone is None else env.ledger.event(scope, gone.event_id)
    return "" if event is None else shadow(event).text


def shadow(event: Event) -> EventNode:
    """The node that an event had: what can be told of it from the ledger alone."""
    text = event_text.text_of(event.event_type, event.payload)
    return node_for(event, text, payload=event.payload, life=Lifecycle(state=State.ARCHIVED))


def node_for(event: Event, text: str, **more: Any) -> EventNode:
    """The node of an event that says `text`."""
    return EventNode(
        key=event_key(event.user_id, event.event_id),
        user_id=event.user_id,
        created_at=event.recorded_at,
        updated_at=event.recorded_at,
        event_id=event.event_id,
        event_type=event.event_type,
        text=text,
        occurred_at=event.occurred_at,
        agent_id=event.agent_id,
        session_id=event.session_id,
        parent_event_id=event.parent_event_id,
        **more,
    )
