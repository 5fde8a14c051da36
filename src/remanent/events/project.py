"""Project: agents' events become nodes, in the order of their sessions (SPEC 2, stage 1).

A consumer of the ledger with a position of its own, which moves with what it writes.

It takes what agents record. What we append ourselves is either the life of something that is in
the graph already (a source, a belief, a merge) or an episode that its verb has put there.
"""

from __future__ import annotations

import json

from remanent.core import checks
from remanent.core import event_text as telling
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import node_for
from remanent.core.model.event import (
    ENRICHMENT,
    PROJECTION,
    RESERVED,
    Behind,
    Event,
    EventNode,
    Lag,
    event_key,
)
from remanent.core.model.job import JobKind, new_job
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.records.export import Position
from remanent.errors import Forbidden
from remanent.events.rules import ranking


def project_events(env: Env, scope: Scope, *, until: int | None = None) -> int:
    """Project all that was recorded (up to the position `until`); how many events."""
    done = 0
    while (batch := _batch(env, scope, until)) is not None:
        done += batch
    return done


def _batch(env: Env, scope: Scope, until: int | None) -> int | None:
    """One transaction; None when nothing is left."""
    with env.atomic(scope):
        after = env.graph.position(scope, PROJECTION)
        replayed = env.ledger.replay(scope, after=after, limit=env.config.events.batch)
        events = [one for one in replayed if until is None or one.seq <= until]
        if not events:
            return None
        recorded = [one for one in events if one.event_type not in RESERVED]
        for event in recorded:
            apply(env, scope, event)
        env.graph.position(scope, PROJECTION, to=events[-1].seq)
        if recorded:
            position, now = env.ledger.position(scope, ENRICHMENT), env.clock.now()
            # `project_job` says why the position is in the key.
            env.queue.enqueue(new_job(JobKind.ENRICH, scope.user_id, now, scope.user_id, position))
    return len(recorded)


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Put one event into the graph with its links; again, and all stays as it is.

    Events are applied in the order of the ledger: each finds its place among those before it.
    """
    key = event_key(scope.user_id, event.event_id)
    known, node = env.graph.get(scope, key), _node(env, event)
    if isinstance(known, EventNode):
        node = _merged(node, known)
    if node != known:
        env.graph.put(scope, node)
    if event.session_id:
        _follow(env, scope, event)
    _cause(env, scope, event)


def _node(env: Env, event: Event) -> EventNode:
    most = env.config.events.node_payload_characters
    fits = len(json.dumps(event.payload, ensure_ascii=False)) <= most
    return node_for(
        event,
        telling.text_of(event.event_type, event.payload),
        stability=ranking.stability(0, env.config.events),
        payload=event.payload if fits else {},  # the ledger has it
        seq=event.seq,
        importance_hint=event.importance_hint,
        team_id=event.team_id,
    )


def _follow(env: Env, scope: Scope, event: Event) -> None:
    """Between its neighbours in the session, who until now followed one another."""
    before, after = env.ledger.beside(scope, event, but=RESERVED)
    there = _present(env, scope, before, after)
    if before in there and before is not None:
        env.graph.link(scope, _link(LinkKind.FOLLOWS, event, before))
    if after in there and after is not None:
        env.graph.link(scope, _link(LinkKind.FOLLOWS, after, event))
        if before is not None:
            env.graph.unlink(scope, _link(LinkKind.FOLLOWS, after, before))


def _cause(env: Env, scope: Scope, event: Event) -> None:
    """From its parent, and to those of its children that came before it."""
    parent = event.parent_event_id
    cause = None if parent is None else env.ledger.event(scope, parent)
    children = [
        one
        for one in env.ledger.replay(scope, parent=event.event_id, before=event.seq)
        if one.event_type not in RESERVED
    ]
    for other in _present(env, scope, cause, *children):
        ends = (event, other) if other is cause else (other, event)
        env.graph.link(scope, _link(LinkKind.CAUSED_BY, *ends))


def _present(env: Env, scope: Scope, *events: Event | None) -> list[Event]:
    """Those of these that are in the graph: some are not there yet, some have left it."""
    named = {event_key(one.user_id, one.event_id): one for one in events if one is not None}
    there = env.graph.get_many(scope, list(named)) if named else {}
    return [one for key, one in named.items() if key in there]


_OWN_CONSUMER = "own:"  # before the name that a user gave; ours have no such names


def replay(
    env: Env,
    scope: Scope,
    after: int | None = None,
    *,
    consumer: str | None = None,
    limit: int = 100,
) -> list[Event]:
    """What agents recorded beyond the position `after`, in the order of the ledger.

    A `consumer` of your own naming goes on where `advance` has last put it, unless `after` says
    otherwise. Each event has its position, `seq`; what this returns is not strengthened.
    """
    limit = checks.limited(limit)
    if scope.narrowed_to is not None:
        raise Forbidden("replay: a handle that is narrowed to a team does not see all there is")
    if after is None and consumer is not None:
        after = env.ledger.position(scope, _OWN_CONSUMER + checks.identifier("consumer", consumer))
    return _recorded(env, scope, checks.whole("after", 0 if after is None else after, 0), limit)


def _recorded(env: Env, scope: Scope, after: int, limit: int) -> list[Event]:
    found: list[Event] = []
    while batch := list(env.ledger.replay(scope, after=after, limit=limit)):
        found += [one for one in batch if one.event_type not in RESERVED]
        after = batch[-1].seq
        if len(found) >= limit:
            break
    return found[:limit]


def advance(env: Env, scope: Scope, consumer: str, seq: int) -> Position:
    """Let a consumer of your own naming have handled the ledger up to `seq`; it never goes back.
    Where it stands now comes back."""
    name = _OWN_CONSUMER + checks.identifier("consumer", consumer)
    checks.whole("seq", seq, 0, env.ledger.last_seq(scope))
    with env.atomic(scope, durable=True):
        return Position(consumer=consumer, seq=env.ledger.position(scope, name, to=seq))


def lag(env: Env, scope: Scope) -> Lag:
    """How far projection and enrichment are behind what was recorded."""
    projected = env.graph.position(scope, PROJECTION)
    enriched = env.ledger.position(scope, ENRICHMENT)
    return Lag(projection=_behind(env, scope, projected), enrichment=_behind(env, scope, enriched))


def _behind(env: Env, scope: Scope, after: int) -> Behind:
    waiting = env.ledger.waiting(scope, after=after, but=RESERVED)
    if waiting.oldest is None:
        return Behind()
    seconds = (env.clock.now() - waiting.oldest).total_seconds()
    return Behind(events=waiting.events, seconds=max(0.0, seconds))


def _merged(fresh: EventNode, known: EventNode) -> EventNode:
    """The event as the ledger tells it, with the life and the meaning that its node has."""
    return replace(
        fresh,
        life=known.life,
        stability=known.stability,
        updated_at=known.updated_at,
        summary=known.summary,
        keywords=known.keywords,
        importance_score=known.importance_score,
        raised=known.raised,
        known_children=known.known_children,
        is_enriched=known.is_enriched,
    )


def _link(kind: LinkKind, src: Event, dst: Event) -> Link:
    """As old as the younger of its ends, whatever the order in which they came."""
    later, earlier = (event_key(one.user_id, one.event_id) for one in (src, dst))
    return Link(src.user_id, kind, later, earlier, max(src.recorded_at, dst.recorded_at))
