"""Erase events: what agents recorded, what was remembered, what a conversation left behind.

Works inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events, shadow
from remanent.core.event_text import is_trimmed
from remanent.core.model.event import (
    BELIEF_IMPORTED,
    EVENTS_RECONSOLIDATED,
    REMEMBERED,
    Event,
    ForgottenEvent,
    event_key,
)
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Level, Summary
from remanent.core.ports.graph import Nodes
from remanent.core.ports.records import Select
from remanent.erasure.redo_beliefs import rederive_beliefs
from remanent.erasure.source import ErasureTally, reword, strike, unlearn_since
from remanent.errors import MindError
from remanent.events import summaries
from remanent.events.forget import fold
from remanent.events.summaries import agent_key


def erase_events(env: Env, scope: Scope, events: Sequence[Event], toll: ErasureTally) -> None:
    """These events of the caller's own, their nodes, and what was told of them."""
    if not events:
        return
    before = env.graph.dates(scope, links=False).kinds
    ids = {one.event_id for one in events}
    keys = {event_key(scope.user_id, one) for one in ids}
    toll.texts += [shadow(one).text for one in events if not is_trimmed(one.payload)]
    episodes = env.graph.select(scope, _summaries(level=Level.EPISODE))
    summaries_ = [one for one in episodes if ids & set(one.event_ids)]
    # Where words had left the ledger, what stands for them cannot be told again without these: it goes.
    nights = ledger_events(env, scope, EVENTS_RECONSOLIDATED)
    fold(env, scope, dict.fromkeys(one.key for one in summaries_), nights)
    for event in events:
        _take_out(env, scope, event)
    _unbelieve(env, scope, events, toll)
    env.ledger.erase(scope, ids)
    env.records.delete(scope, Select(ForgottenEvent, {"key": sorted(keys)}))
    left = [one for one in summaries_ if _is_left(env, scope, one, ids)]
    for one in summaries_:
        if one.session_id and not _of_session(env, scope, one):
            _drop_session(env, scope, one)
    after = env.graph.dates(scope, links=False).kinds
    gone = {key: kind for key, kind in before.items() if key not in after}
    for kind in sorted(set(gone.values())):
        toll.take("graph", kind, [key for key, one in gone.items() if one == kind])
    env.index.remove(sorted(gone))
    toll.take("ledger", "event", sorted(ids))
    toll.keys |= gone.keys() | keys
    strike(env, scope, gone.keys() | ids | keys, toll, after=min(e.seq for e in events) - 1)
    _retell_all(env, scope, summaries_, left, toll)
    toll.take("queue", "job", count=env.queue.strike(ids))
    first = min(one.recorded_at for one in events)
    unlearn_since(env, scope, first, toll)
    toll.users.add(scope.user_id)


def _unbelieve(env: Env, scope: Scope, events: Sequence[Event], toll: ErasureTally) -> None:
    for event in events:
        if event.event_type in (REMEMBERED, BELIEF_IMPORTED):
            imported = event.payload.get("belief", {}).get("key")
            done = rederive_beliefs(env, scope, event.event_id, imported=imported)
            reword(env, scope, done)
            toll.rederived.update(beliefs=len(done.back) + len(done.fresh) + len(done.changed))


def _retell_all(
    env: Env,
    scope: Scope,
    summaries_: Sequence[Summary],
    left: Sequence[Summary],
    toll: ErasureTally,
) -> None:
    times, first = _times(env, scope)
    for one in summaries_:
        _resummarize(env, scope, one, times, again=one in left)
    for agent in sorted({one.agent_id for one in summaries_}):
        _retell_agent(env, scope, agent, times, first, toll)


def _take_out(env: Env, scope: Scope, event: Event) -> None:
    """The node goes, and whoever followed it follows what was before it."""
    key = event_key(scope.user_id, event.event_id)
    links = env.graph.links(scope, key, kinds=(LinkKind.FOLLOWS,))
    before = [one.dst for one in links if one.src == key]
    after = [one for one in links if one.dst == key]
    env.graph.remove(scope, key)
    env.index.remove([key])
    for link in after:
        for dst in before:
            env.graph.link(scope, _follows(env, scope, link, dst))


def _follows(env: Env, scope: Scope, link: Link, dst: str) -> Link:
    ends = env.graph.get_many(scope, [link.src, dst]).values()
    born = max((one.created_at for one in ends), default=link.created_at)
    return replace(link, dst=dst, created_at=born)


# -- summaries --------------------------------------------------------------------------------------


def _is_left(env: Env, scope: Scope, one: Summary, ids: set[str]) -> bool:
    """The episode without these events; where it has none left, it goes."""
    left = tuple(each for each in one.event_ids if each not in ids)
    _silence(env, scope, one)
    if not left:
        _drop(env, scope, one)
        return False
    hidden = tuple(each for each in one.withheld if each not in ids)
    short = replace(one, text="", digest="", event_ids=left, withheld=hidden)
    env.graph.put(scope, replace(short, event_count=len(left), is_dirty=True))
    return True


def _of_session(env: Env, scope: Scope, one: Summary) -> list[Summary]:
    place = {"agent_id": one.agent_id, "session_id": one.session_id}
    return env.graph.select(scope, _summaries(level=Level.EPISODE, **place))


def _summaries(**where: str) -> Nodes[Summary]:
    return Nodes(Summary, where, ("-covers_to",), own=True)


def _times(env: Env, scope: Scope) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """When episodes, by their keys, and agents, by theirs, were last told; when agents first were."""
    times, first, parts = dict[str, datetime](), dict[str, datetime](), dict[str, object]()
    for event in ledger_events(env, scope, EVENTS_RECONSOLIDATED):
        for one in event.payload.get("episodes", ()):
            times[str(one["key"])] = event.recorded_at
        if "parts" in event.payload:
            key = agent_key(scope, str(event.payload["agent_id"]))
            if parts.get(key) != event.payload["parts"]:
                times[key] = event.recorded_at
            parts[key] = event.payload["parts"]
            first.setdefault(key, event.recorded_at)
    return times, first


def _silence(env: Env, scope: Scope, one: Summary) -> None:
    """No higher summary says these words while it waits to be told again."""
    for link in env.graph.links(scope, one.key, kinds=(LinkKind.SUMMARIZES,), outward=False):
        higher = env.graph.get(scope, link.src)
        if isinstance(higher, Summary):
            env.index.remove([higher.key])
            env.graph.put(scope, replace(higher, text="", digest="", is_dirty=True))
            _silence(env, scope, higher)
    env.index.remove([one.key])


def _resummarize(
    env: Env, scope: Scope, one: Summary, times: Mapping[str, datetime], *, again: bool
) -> None:
    others = [] if again or not one.session_id else _of_session(env, scope, one)
    if not again and not others:
        return
    key = one.key if again else others[-1].key
    payload = {"agent_id": one.agent_id, "session_id": one.session_id}
    again_ = {**payload, "episodes": [{"key": key, "events": []}], "links": []}
    try:
        summaries.session(env, scope, again_, times.get(key, env.clock.now()))()
    except MindError:  # the next night tells them
        return


def _drop_session(env: Env, scope: Scope, one: Summary) -> None:
    place = {"agent_id": one.agent_id, "session_id": one.session_id}
    for higher in env.graph.select(scope, _summaries(level=Level.SESSION, **place)):
        _drop(env, scope, higher)


def _retell_agent(
    env: Env,
    scope: Scope,
    agent_id: str,
    times: Mapping[str, datetime],
    first: Mapping[str, datetime],
    toll: ErasureTally,
) -> None:
    key = agent_key(scope, agent_id)
    agent = env.graph.get(scope, key)
    if not isinstance(agent, Summary):
        return
    parts = summaries.parts(env, scope, agent_id)
    if not parts:
        _drop(env, scope, agent)
        toll.take("graph", "summary", [key])
        return
    payload = {"agent_id": agent_id, "parts": [one.key for one in parts]}
    env.graph.put(scope, replace(agent, created_at=first.get(key, agent.created_at)))
    try:
        summaries.agent(env, scope, payload, times.get(key, env.clock.now()))()
    except MindError:
        return


def _drop(env: Env, scope: Scope, one: Summary) -> None:
    env.graph.remove(scope, one.key)
    env.index.remove([one.key])
