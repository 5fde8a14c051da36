"""Forget: links too weak to last and events past their tier leave the graph once a Summary stands for them
(SPEC 7); and the trimmer, by which the words of such events leave the ledger where that has a ceiling."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from remanent.core import event_text
from remanent.core.dataclasses import dataclass, field, replace
from remanent.core.env import Env
from remanent.core.event_lookup import ledger_events
from remanent.core.model.event import (
    EVENTS_RECONSOLIDATED,
    RESERVED,
    Event,
    ForgottenEvent,
    Tier,
    event_key,
)
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Summary
from remanent.events.links import CROSS_SESSION
from remanent.events.rules import episodes
from remanent.events.rules.episodes import EVENTS_LET_GO, TOLD, TRIMMED
from remanent.events.rules.ranking import decay_score

PAGE = 1000
BATCH = 500  # of events or links in one entry of the ledger

Ends = tuple[str, str, str]  # source, target and detail of a link

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # heard only by programs that listen; the ledger keeps it all


def weak_links(env: Env, scope: Scope, at: datetime) -> list[Ends]:
    """The next links that are too weak to outlive the hot tier."""
    links_found = env.graph.weak_links(
        scope,
        LinkKind.SIMILAR_TO,
        below=env.config.tiers.weak_below,
        born_by=episodes.begins(Tier.WARM, at, env.config.tiers),
        limit=BATCH,
    )
    return [(one.src, one.dst, one.detail) for one in links_found]


def unlink(env: Env, scope: Scope, links: Sequence[Ends], now: datetime) -> int:
    """Take these links away; how many there were."""
    gone = sum(
        env.graph.unlink(
            scope, Link(scope.user_id, LinkKind.SIMILAR_TO, src, dst, now, detail=detail)
        )
        for src, dst, detail in links
    )
    log.info("weak links let go", extra={"user": scope.user_id, "links": gone})
    return gone


def due_for_letting_go(env: Env, scope: Scope, at: datetime) -> Iterator[dict[Tier, list[str]]]:
    """Batches of the ids of events that have to go, by their tier."""
    after, batch = "", _empty()
    born_by = episodes.begins(Tier.COLD, at, env.config.tiers)
    while page := env.graph.event_facts(scope, born_by=born_by, limit=PAGE, after=after):
        after = page[-1].key
        for facts in page:
            tier = episodes.tier_of(at - facts.born, env.config.tiers)
            score = decay_score(facts, at, env.config.events)
            if not episodes.stays(facts, tier, env.config.tiers, score=score):
                batch[tier].append(facts.event_id)
            if sum(map(len, batch.values())) >= BATCH:
                yield batch
                batch = _empty()
    if any(batch.values()):
        yield batch


def let_go_events(env: Env, scope: Scope, event_ids: Sequence[str]) -> int:
    """Take these events out of the graph and out of search, and note which summary stands for each; how many
    there were. Whoever is not told yet stays, and stays findable."""
    ids = {event_key(scope.user_id, one): one for one in event_ids}
    told = env.graph.links(scope.contributing, *ids, kinds=(LinkKind.SUMMARIZES,), outward=False)
    first = {link.dst: link.src for link in reversed(told)}
    for key, summary in first.items():
        trace = ForgottenEvent(key=key, event_id=ids[key], summary_key=summary)
        env.records.put(scope, trace)
    gone = env.graph.remove(scope, *first)
    there = env.graph.get_many(scope, list(ids))
    env.index.remove([key for key in ids if key not in there])
    log.info("events let go", extra={"user": scope.user_id, "events": gone})
    return gone


def _empty() -> dict[Tier, list[str]]:
    return {Tier.COLD: [], Tier.GONE: []}


# -- the trimmer --------------------------------------------------------------------------


@dataclass(slots=True)
class _Past:
    """What the ledger tells of agents' events: which entries told of an episode, when an event left the
    graph, which are there still, and which may lose their words, by their episode, oldest first."""

    told: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    here: dict[str, int] = field(default_factory=dict)
    old: dict[str, list[Event]] = field(default_factory=dict)


def trim(env: Env, scope: Scope, at: datetime, append: Callable[[Mapping[str, Any]], None]) -> None:
    """Take the words of old events out of the ledger, the oldest episodes first, until it is under its
    ceiling. Each batch is one transaction with the entry that `append` makes of it.

    An event keeps its place, its id and its kin, so that nothing is recorded twice and a rebuild gives
    the same graph; what its episode says is kept with the entries that told it. Only what agents
    recorded is trimmed, once it has left the graph.
    """
    ceiling = env.config.tiers.ceiling
    if ceiling is None or env.ledger.size(scope) <= ceiling:
        return
    past = _past(env, scope, at - timedelta(days=env.config.tiers.trim_after_days))
    stub = {event_text.TRIMMED: at.isoformat()}
    while batch := _batch(env, scope, past, env.ledger.size(scope) - ceiling):
        ids = dict.fromkeys(one for key in batch for one in past.told[key])
        events = [one for key in batch for one in past.old.pop(key)]
        with env.atomic(durable=True):
            told = (env.ledger.event(scope, one) for one in ids)
            fold(env, scope, batch, [one for one in told if one is not None])
            for event in events:
                env.ledger.amend(scope, replace(event, payload=stub))
            links = _links_kept(env, scope, past, events)
            append({"what": TRIMMED, "count": len(events), "links": links})


def fold(env: Env, scope: Scope, texts: Mapping[str, str | None], events: Iterable[Event]) -> None:
    """Keep what these episodes say in those of the events that told of them; with None, no longer."""
    for event in events:
        parts = event.payload["episodes"] if decision_in(event) == TOLD else ()
        fresh = [_folded(one, texts[one["key"]]) if one["key"] in texts else one for one in parts]
        if fresh != list(parts):
            env.ledger.amend(scope, replace(event, payload={**event.payload, "episodes": fresh}))


def decision_in(event: Event) -> str:
    """What the event says that a night decided, or ""."""
    return str(event.payload["what"]) if event.event_type == EVENTS_RECONSOLIDATED else ""


def _folded(part: Mapping[str, Any], text: str | None) -> dict[str, Any]:
    bare = {name: value for name, value in part.items() if name != "text"}
    return bare if text is None else {**bare, "text": text}


def _past(env: Env, scope: Scope, until: datetime) -> _Past:
    past, episode = _Past(), dict[str, str]()
    recorded = list[Event]()
    for event in ledger_events(env, scope):
        if event.event_type not in RESERVED:
            recorded.append(event)
        elif decision_in(event) == TOLD:
            for part in event.payload["episodes"]:
                past.told.setdefault(part["key"], []).append(event.event_id)
                episode |= dict.fromkeys(part["events"], part["key"])
        elif decision_in(event) == EVENTS_LET_GO:
            ids = event.payload["events"].values()
            past.left |= dict.fromkeys((one for some in ids for one in some), event.seq)
    past.here = _in_graph(env, scope, recorded)
    gone = past.left.keys() & episode.keys() - past.here.keys()
    for event in recorded:
        is_worded = not event_text.is_trimmed(event.payload)
        if event.event_id in gone and event.recorded_at <= until and is_worded:
            past.old.setdefault(episode[event.event_id], []).append(event)
    return past


def _batch(env: Env, scope: Scope, past: _Past, over: float) -> dict[str, str]:
    """The next episodes, until their events have as many characters as there are too many, and what they
    say; one that is to be told again has to wait."""
    batch, count = dict[str, str](), 0
    for key, events in past.old.items():
        if over <= 0 or count >= BATCH:
            break
        summary = env.graph.get(scope, key)
        if isinstance(summary, Summary) and summary.text and not summary.is_dirty:
            batch[key] = summary.text
            count += len(events)
            over -= sum(len(str(one.payload)) for one in events)
    return batch


def _links_kept(
    env: Env, scope: Scope, past: _Past, events: Sequence[Event]
) -> dict[str, list[str]]:
    """Of the events that are in the graph, and were when one of these was: whom each was found to be
    like. Without the words of these, a rebuild would find it like others instead."""
    first, last = min(one.seq for one in events), max(past.left[one.event_id] for one in events)
    beside = (one for one, seq in past.here.items() if first < seq < last)
    keys = [event_key(scope.user_id, one) for one in beside]
    return {key: [link.dst for link in _alike(env, scope, key)] for key in keys}


def settle_links(env: Env, scope: Scope, kept: Mapping[str, Sequence[str]]) -> None:
    """Leave these events no other likenesses than those that were kept of them."""
    for key, others in kept.items():
        for link in _alike(env, scope, key):
            if link.dst not in others:
                env.graph.unlink(scope, link)


def _alike(env: Env, scope: Scope, key: str) -> list[Link]:
    links = env.graph.links(scope, key, kinds=(LinkKind.SIMILAR_TO,), outward=True)
    return [link for link in links if link.detail != CROSS_SESSION]


def _in_graph(env: Env, scope: Scope, events: Sequence[Event]) -> dict[str, int]:
    """The places of those of these events that are in the graph, by their ids."""
    here = dict[str, int]()
    for start in range(0, len(events), PAGE):
        named = {
            event_key(scope.user_id, one.event_id): one for one in events[start : start + PAGE]
        }
        found = env.graph.get_many(scope, list(named))
        here |= {named[key].event_id: named[key].seq for key in found}
    return here
