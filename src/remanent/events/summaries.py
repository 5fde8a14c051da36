"""Summaries of episodes, sessions and agents: what each is written from, its text from the mind, and its place in the graph (SPEC 2, 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from remanent.core import event_text
from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.event_lookup import find_event
from remanent.core.index_entries import entry_of
from remanent.core.model.event import EventNode, event_key
from remanent.core.model.keys import content_hash, key_for
from remanent.core.model.mind_types import Reading
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Link, LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.source import ContentType, Passage
from remanent.core.model.story import Level, Summary
from remanent.core.on_behalf import embedder_for, mind_for
from remanent.core.ports.graph import Nodes
from remanent.core.ports.index import Entry
from remanent.errors import EmbedderError
from remanent.events.rules import episodes
from remanent.events.rules.episodes import MOST
from remanent.events.rules.importance import importance

Told = Mapping[str, Any]  # what was decided, as the ledger keeps it
Write = Callable[[], list[Summary]]
_MOST_EPISODES = 1000  # of one session, in what is counted of it


def session(env: Env, scope: Scope, decision: Told, now: datetime) -> Write:
    """The episodes that were decided on, and with them the summary of their session."""
    made = [_episode(env, scope, decision, one, now) for one in decision["episodes"]]
    episodes = [one for one in made if one is not None]
    session = _session(env, scope, decision, episodes, now)
    written = [*episodes, *([] if session is None else [session])]
    entries = _entries(env, scope, episodes)
    if session is not None:
        known = [one.text for one in _episodes(env, scope, decision, episodes)]
        entries += _entries(env, scope, [session], known_texts=known)

    def write() -> list[Summary]:
        for one in written:
            env.graph.put(scope, one)
        for one in episodes:
            _cover(env, scope, one, [event_key(scope.user_id, n) for n in one.event_ids], now)
        if session is not None:
            _cover(env, scope, session, [one.key for one in episodes], now)
        if episodes:
            _under_agent(env, scope, episodes if session is None else [session], now)
        _make_findable(env, written, entries)
        return written

    return write


def agent(env: Env, scope: Scope, decision: Told, now: datetime) -> Write:
    """The summary of all that an agent did, from the newest of its sessions."""
    agent_id = str(decision["agent_id"])
    nodes = env.graph.get_many(scope, list(decision["parts"]))
    parts = _in_time([one for one in nodes.values() if isinstance(one, Summary)])
    whole = agent_summaries(env, scope, agent_id)
    key = agent_key(scope, agent_id)
    summary = _written(
        env,
        scope,
        key,
        now,
        text=text_of_parts(env, scope, key, parts),
        level=Level.AGENT,
        covers_from=min(one.covers_from for one in whole),
        covers_to=max(one.covers_to for one in whole),
        event_count=sum(one.event_count for one in whole),
        agent_id=agent_id,
        digest=parts_digest(parts),
    )
    entries = _entries(env, scope, [summary], known_texts=[one.text for one in parts])

    def write() -> list[Summary]:
        env.graph.put(scope, summary)
        _cover(env, scope, summary, [one.key for one in parts], now)
        _make_findable(env, [summary], entries)
        return [summary]

    return write


def parts(env: Env, scope: Scope, agent_id: str) -> list[Summary]:
    """What the summary of an agent is to be written from."""
    newest = sorted(
        agent_summaries(env, scope, agent_id), key=lambda one: (-one.covers_to.timestamp(), one.key)
    )
    return _in_time(newest[: env.config.episodes.summary_parts])


def agent_summaries(env: Env, scope: Scope, agent_id: str | None = None) -> list[Summary]:
    """What tells of an agent, or of any: its sessions, and its episodes without a session."""
    levels = ({"level": Level.SESSION}, {"level": Level.EPISODE, "session_id": ""})
    nodes = [Nodes(Summary, {"agent_id": agent_id, **one}, own=True) for one in levels]
    return [summary for one in nodes for summary in env.graph.select(scope, one)]


# -- texts --------------------------------------------------------------------------------


def _episode(env: Env, scope: Scope, decision: Told, one: Told, now: datetime) -> Summary | None:
    key = str(one["key"])
    known = env.graph.get(scope, key)
    ids, withheld = list(one["events"]), list(one.get("withheld", ()))
    if isinstance(known, Summary):
        ids, withheld = [*known.event_ids, *ids], [*known.withheld, *withheld]
    events = find_event(env, scope, list(dict.fromkeys(ids)))
    if not events:
        return None
    heard = [event for event in events if event.event_id not in withheld]
    return _written(
        env,
        scope,
        key,
        now,
        text=one["text"] if "text" in one else text_of_events(env, scope, key, heard, known),
        level=Level.EPISODE,
        covers_from=events[0].occurred_at,
        covers_to=events[-1].occurred_at,
        event_count=len(events),
        agent_id=str(decision["agent_id"]),
        session_id=str(decision["session_id"]),
        event_ids=tuple(event.event_id for event in events),
        withheld=tuple(dict.fromkeys(withheld)),
    )


def _session(
    env: Env, scope: Scope, decision: Told, fresh: Sequence[Summary], now: datetime
) -> Summary | None:
    """The summary of the session; episodes without one are their agent's directly."""
    agent_id, session_id = str(decision["agent_id"]), str(decision["session_id"])
    if not session_id or not fresh:
        return None
    episodes = _episodes(env, scope, decision, fresh)
    parts = episodes[-env.config.episodes.summary_parts :]
    key = key_for(scope.user_id, Kind.SUMMARY, Level.SESSION, agent_id, session_id)
    return _written(
        env,
        scope,
        key,
        now,
        text=text_of_parts(env, scope, key, parts),
        level=Level.SESSION,
        covers_from=min(one.covers_from for one in episodes),
        covers_to=max(one.covers_to for one in episodes),
        event_count=sum(one.event_count for one in episodes),
        agent_id=agent_id,
        session_id=session_id,
        digest=parts_digest(parts),
    )


def _episodes(env: Env, scope: Scope, decision: Told, fresh: Sequence[Summary]) -> list[Summary]:
    """All episodes of a session, with those just told."""
    agent_id, session_id = str(decision["agent_id"]), str(decision["session_id"])
    where = {"level": Level.EPISODE, "agent_id": agent_id, "session_id": session_id}
    nodes = Nodes(Summary, where, ("-covers_to",), limit=_MOST_EPISODES, own=True)
    known = {one.key: one for one in env.graph.select(scope, nodes)}
    return _in_time([*(known | {one.key: one for one in fresh}).values()])


# -- writing ------------------------------------------------------------------------------


def _make_findable(env: Env, written: Sequence[Summary], entries: Sequence[Entry]) -> None:
    keys = {one.key for one in entries}
    env.index.put(entries)
    env.index.remove([one.key for one in written if one.key not in keys])


def _entries(
    env: Env, scope: Scope, summaries: Sequence[Summary], known_texts: Sequence[str] = ()
) -> list[Entry]:
    """For those that say something new; `known_texts` are those of lower summaries, found by them."""
    telling = [one for one in summaries if one.text and one.text not in known_texts]
    try:
        hand = embedder_for(env.embedder, scope, "summarize")
        vectors = list(hand.embed([one.text for one in telling]))
    except EmbedderError:
        vectors = []
    return [
        entry_of(one, one.text, vectors[n] if vectors else None, day=one.covers_to.date())
        for n, one in enumerate(telling)
    ]


def _cover(env: Env, scope: Scope, summary: Summary, keys: Sequence[str], now: datetime) -> None:
    """Links to those of these that are in the graph."""
    here = env.graph.get_many(scope, keys)
    for key in keys:
        if key in here:
            env.graph.link(scope, Link(scope.user_id, LinkKind.SUMMARIZES, summary.key, key, now))


def _under_agent(env: Env, scope: Scope, parts: Sequence[Summary], now: datetime) -> None:
    """Every part hangs on its agent's summary from the start; that is told when all are there."""
    first = parts[0]
    key = agent_key(scope, first.agent_id)
    known = env.graph.get(scope, key)
    agent = known if isinstance(known, Summary) else None
    if agent is None:
        agent = replace(first, key=key, level=Level.AGENT, session_id="", event_ids=(), digest="")
        env.graph.put(scope, agent)
    _cover(env, scope, agent, [one.key for one in parts], now)


def agent_key(scope: Scope, agent_id: str) -> str:
    """The key of the summary of all that an agent did."""
    return key_for(scope.user_id, Kind.SUMMARY, Level.AGENT, agent_id)


def episode_key(scope: Scope, first: EventNode) -> str:
    """The key of the episode that begins with this event."""
    start = first.occurred_at.isoformat()
    natural = (first.agent_id, first.session_id, start, first.event_id)
    return key_for(scope.user_id, Kind.SUMMARY, Level.EPISODE, *natural)


def parts_digest(parts: Sequence[Summary]) -> str:
    """What tells whether a higher summary has to be written again."""
    text = "\x1f".join(f"{one.key}\x1e{one.event_count}\x1e{one.text}" for one in parts)
    return content_hash(text)[:16]


def _written(env: Env, scope: Scope, key: str, now: datetime, **fields: Any) -> Summary:
    """A summary with these fields; one that is written again keeps its life."""
    summary = Summary(key=key, user_id=scope.user_id, created_at=now, updated_at=now, **fields)
    known = env.graph.get(scope, key)
    if not isinstance(known, Summary):
        return summary
    return replace(summary, created_at=known.created_at, life=known.life)


def _in_time(summaries: Sequence[Summary]) -> list[Summary]:
    return sorted(summaries, key=lambda one: (one.covers_to, one.key))


def text_of_events(
    env: Env, scope: Scope, key: str, events: Sequence[EventNode], known: object = None
) -> str:
    """What happened, from the events that weigh no less than average; for those that have lost their
    words speaks the summary that is `known`."""
    worded = [one for one in events if not event_text.is_trimmed(one.payload)]
    pieces: list[tuple[str, str | None, datetime]] = []
    if isinstance(known, Summary) and known.text and len(worded) < len(events):
        pieces.append((known.text, None, known.covers_from))
    heard = episodes.summarized_events([_weight(env, event) for event in worded])
    pieces += [
        (
            event.text[: env.config.episodes.event_characters],
            event_text.speaker_of(event.event_type, event.payload),
            event.occurred_at,
        )
        for event, is_heard in zip(worded, heard, strict=True)
        if is_heard
    ]
    return _summary(env, scope, key, pieces)


def _weight(env: Env, event: EventNode) -> float:
    """What it says of itself: what it has come to mean may be another thing when told again."""
    if not event.is_recorded:
        return MOST
    hint = event.importance_hint
    return importance(event.event_type, event.payload, hint=hint, rules=env.config.importance)


def text_of_parts(env: Env, scope: Scope, key: str, parts: Sequence[Summary]) -> str:
    """What the lower summaries say together."""
    pieces = [(part.text, None, part.covers_from) for part in parts if part.text]
    return pieces[0][0] if len(pieces) == 1 else _summary(env, scope, key, pieces)


def _summary(
    env: Env, scope: Scope, key: str, pieces: Sequence[tuple[str, str | None, datetime]]
) -> str:
    if not pieces:
        return ""
    owner = env.registry.user(scope.user_id)
    spoken = any(speaker is not None for _, speaker, _ in pieces)
    reading = Reading(
        content_type=ContentType.CONVERSATION if spoken else ContentType.TEXT_NOTE,
        started_at=pieces[0][2],
        passages=tuple(
            Passage(key=f"{key}#{n}", source_key=key, ordinal=n, text=text, speaker=speaker, at=at)
            for n, (text, speaker, at) in enumerate(pieces)
        ),
        owner_names=() if owner is None else (owner.name, owner.user_id),
    )
    mind = mind_for(env.mind, scope, "reconsolidate")  # what happened has no sensitivity
    return mind.summarize(reading) or pieces[0][0]
