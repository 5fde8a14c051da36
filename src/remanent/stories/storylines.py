"""Storylines by night: those that have fallen silent are closed, busy anchors get new ones, and those to
which something came are told anew (SPEC 6, 12.1).

Each storyline is opened, closed or told anew by an event, in a transaction of its own.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from remanent.core.dataclasses import replace
from remanent.core.env import Env, Night, Quota
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import STORYLINE_CLOSED, STORYLINE_OPENED, STORYLINE_RETOLD, Event
from remanent.core.model.keys import key_for
from remanent.core.model.lifecycle import Lifecycle, State
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import JobOutcome
from remanent.core.model.source import Source
from remanent.core.model.story import Storyline
from remanent.core.ports.graph import Nodes
from remanent.core.read import PAGE, own
from remanent.stories import rules as rule
from remanent.stories.rules import OPEN_STATES, Mention
from remanent.stories.sources import (
    Knew,
    add_link,
    fill_storyline,
    flag_anchor,
    keys,
    macros,
    mentioning,
    mentions,
    put_story,
    regroup,
    sources_of,
    storylines,
)
from remanent.stories.text import called, local, put_retold, storyline
from remanent.stories.text import entries as _entries

Busy = tuple[
    float, str
]  # an anchor: its sources, less than nothing the more there are, and its key


def promote_storylines(night: Night) -> JobOutcome:
    """Close what is over at `at`, then open up to so many, the busiest first."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(env.config.story.promote_most)
    for story in own(env, scope, Storyline):
        if story.is_open:
            _settle(night, story)
    most, total, seen = quota.left, 0, 0
    last: Busy | None = None
    while quota.left:
        ranked = [one for one in _candidates(env, scope, at) if last is None or one > last]
        chosen = heapq.nsmallest(most, ranked)
        total = total or len(ranked)
        if not chosen:
            break
        for last in chosen:
            seen += 1
            _promote(night, last[1], quota)
            night.tell(min(1.0, max(seen / total, 1.0 - quota.left / most)))
            if not quota.left:
                break
    is_cut = last is not None and decide_opening(env, scope, last[1], at) is not None
    night.left = total - seen + is_cut if most else sum(1 for _ in _candidates(env, scope, at))
    return night.outcome


# -- closing ------------------------------------------------------------------------------


def _settle(night: Night, story: Storyline) -> None:
    env, scope, at = night.env, night.scope, night.at
    anchor = env.graph.get(scope, story.anchor_key)
    last = anchor.last_mentioned_at if isinstance(anchor, Anchor) else None
    is_still = not story.is_dirty and last == story.last_source_at
    if is_still and not rule.closes(story, at, env.config.story):
        return
    sources = [one for one in mentioning(env, scope, story.anchor_key) if story.covers(one.started_at)]  # fmt: skip
    until = rule.ends_at(story, mentions(env, scope, sources), at, env.config.story)
    if until is not None:
        payload = {"at": at.isoformat(), "key": story.key, "closed_at": until.isoformat()}
        event = night.event(STORYLINE_CLOSED, payload)
        ended = closed(env, scope, event, first=True) or story
        why = _why_closed(story, local(env, scope, story.last_source_at))
        night.note("closed", ended.key, ended.name, why)
    elif {one.key for one in sources} != set(keys(sources_of(env, scope, story.key))):
        with env.atomic():
            put_story(env, scope, story, fill_storyline(env, scope, story))
        night.note(
            "settled", story.key, story.name, "it has the sources of its time, and no others"
        )


def closed(env: Env, scope: Scope, event: Event, *, first: bool = False) -> Storyline | None:
    """The storyline that ends, with the sources of its time."""
    until = datetime.fromisoformat(event.payload["closed_at"])
    with env.atomic(durable=first):
        if first:
            env.ledger.append(event)
        story = env.graph.get(scope, event.payload["key"])
        if not isinstance(story, Storyline):
            return None
        ended = fill_storyline(env, scope, replace(story, closed_at=until))
        put_story(env, scope, story, ended)
        return ended


# -- opening ------------------------------------------------------------------------------


def _candidates(env: Env, scope: Scope, at: datetime) -> Iterator[Busy]:
    """Anchors that may get a storyline at `at`, in no order."""
    least = 1.0 if env.config.story.use_weights else env.config.story.sources_from
    often = {"state <>": State.ARCHIVED, "source_count >=": least}
    nodes: Nodes[Anchor] = Nodes(Anchor, often, limit=PAGE, own=True)
    while page := env.graph.select(scope, nodes):
        nodes = replace(nodes, after=page[-1].key)
        busy = _with_storyline(env, scope, page)
        for anchor in page:
            if anchor.key in busy or anchor.distinct_source_days < env.config.story.days_from:
                continue
            count = _count(env, scope, anchor, at)
            if count:
                yield -count, anchor.key


def _with_storyline(env: Env, scope: Scope, anchors: Sequence[Anchor]) -> set[str]:
    """Those of these anchors with an open storyline, or one that closed after their last mention."""
    last = {one.key: one.last_mentioned_at for one in anchors}
    nodes = Nodes(Storyline, {"anchor_key": list(last)}, own=True)
    return {
        story.anchor_key
        for story in env.graph.select(scope, nodes)
        if story.closed_at is None or ((at := last[story.anchor_key]) and story.closed_at > at)
    }


def _count(env: Env, scope: Scope, anchor: Anchor, at: datetime) -> float:
    """How many sources since its last storyline; 0 where it gets none. For its first one that
    stands on the anchor: whether it holds to the letter is looked at when its turn comes. Whose
    arcs were begun at `at`, by a run that was killed, comes first, as it did then."""
    if not rule.is_called_on(anchor, env.config.story):
        return 0
    if not anchor.has_meso and not env.config.story.use_weights:
        return anchor.source_count if rule.is_old_enough(anchor, at, env.config.story) else 0
    heard, stories = _mentions_since_last_storyline(env, scope, anchor, at)
    if not rule.promotable(anchor, heard, at, env.config.story):
        return 0
    is_begun = any(one.key == _key(scope, anchor.key, at, one.ordinal) for one in stories)
    return math.inf if is_begun else sum(one.weight for one in heard)


def _mentions_since_last_storyline(
    env: Env, scope: Scope, anchor: Anchor, at: datetime, knew: Knew | None = None
) -> tuple[list[Mention], list[Storyline]]:
    """The mentions since the last storyline closed, up to `at`; and all storylines so far."""
    stories = storylines(env, scope, anchor.key) if anchor.has_meso else []
    sources = _since(stories, mentioning(env, scope, anchor.key, knew=knew))
    return mentions(env, scope, (one for one in sources if one.started_at <= at)), stories


def _since(stories: list[Storyline], sources: list[Source]) -> list[Source]:
    if any(one.is_open for one in stories):
        return []
    last = max((one.closed_at for one in stories if one.closed_at), default=None)
    return [one for one in sources if last is None or one.started_at >= last]


def _promote(night: Night, anchor_key: str, quota: Quota) -> None:
    """All arcs that the anchor's mentions make, one after the other: the last may be open."""
    while quota.left:
        payload = decide_opening(night.env, night.scope, anchor_key, night.at)
        if payload is None:
            return
        event = night.event(STORYLINE_OPENED, payload)
        story = opened(night.env, night.scope, event, quota)
        if story is None:
            return
        count, days = len(payload["sources"]), payload["days"]
        night.note("opened", story.key, story.name, f"mentioned in {count} sources on {days} days")


def decide_opening(
    env: Env, scope: Scope, anchor_key: str, at: datetime, *, knew: Knew | None = None
) -> dict[str, Any] | None:
    """The storyline that the anchor gets at `at`, as an event tells it; None if it gets none.

    `knew` says which sources were known then; without it, all are."""
    anchor = env.graph.get(scope, anchor_key)
    if not isinstance(anchor, Anchor):
        return None
    heard, stories = _mentions_since_last_storyline(env, scope, anchor, at, knew)
    arc = rule.arc_of(heard, at, env.config.story)
    if arc is None or not rule.promotable(anchor, heard, at, env.config.story):
        return None
    ordinal = len(stories) + 1
    nodes = env.graph.get_many(scope, [one.key for one in arc.mentions])
    sources = [one for one in nodes.values() if isinstance(one, Source)]
    team = rule.team_of(rule.teams_of(sources), len(sources))
    shared = [one for one in sources if team is not None and rule.shared_with(one) == team]
    since = max((one.closed_at for one in stories if one.closed_at), default=None)
    return {
        "at": at.isoformat(),
        "key": _key(scope, anchor_key, at, ordinal),
        "anchor": anchor_key,
        "name": rule.name_of(called(anchor, team), ordinal, local(env, scope, arc.mentions[0].at)),
        "ordinal": ordinal,
        "covers_from": None if since is None else since.isoformat(),
        "closed_at": None if arc.closed_at is None else arc.closed_at.isoformat(),
        "days": len({one.day for one in arc.mentions}),
        "sources": [one.key for one in arc.mentions],
        "chapters": keys(rule.chapters(sources, env.config.story, begins=True)),
        "team_chapters": keys(rule.chapters(shared, env.config.story, begins=True)),
    }


def opened(env: Env, scope: Scope, event: Event, quota: Quota | None = None) -> Storyline | None:
    """The storyline that begins; for the first time, out of the quota of a night."""
    payload = event.payload
    anchor = env.graph.get(scope, payload["anchor"])
    if not isinstance(anchor, Anchor):
        return None
    blank = _blank(scope, anchor, event)
    mentioned_in = mentioning(env, scope, anchor.key)
    sources = [one for one in mentioned_in if blank.covers(one.started_at)]
    if not sources:
        return None
    story = rule.with_sources(blank, sources)
    story = storyline(env, scope, story, payload["chapters"], payload["team_chapters"])
    newest = keys(rule.chapters(sources, env.config.story))
    story = replace(story, is_dirty=not {*newest} <= {*payload["chapters"]})
    entries = _entries(env, scope, None, story)
    with env.atomic(durable=quota is not None):
        if quota is not None:
            env.ledger.append(event)
            quota.take(1)
        env.graph.put(scope, story)
        _link(env, scope, story, sources)
        env.index.put(entries)
    return story


def _blank(scope: Scope, anchor: Anchor, event: Event) -> Storyline:
    payload, at = event.payload, datetime.fromisoformat(event.payload["at"])
    since, until = payload["covers_from"], payload["closed_at"]
    return Storyline(
        key=payload["key"],
        user_id=scope.user_id,
        created_at=event.recorded_at,
        updated_at=event.recorded_at,
        life=Lifecycle(salience=anchor.life.salience, state=State.ACTIVE),
        anchor_key=anchor.key,
        name=payload["name"],
        started_at=at,
        last_source_at=at,
        ordinal=payload["ordinal"],
        covers_from=None if since is None else datetime.fromisoformat(since),
        closed_at=None if until is None else datetime.fromisoformat(until),
    )


def _link(env: Env, scope: Scope, story: Storyline, sources: list[Source]) -> None:
    env.graph.link(scope, add_link(env, scope, LinkKind.ABOUT, story.key, story.anchor_key))
    for one in sources:
        env.graph.link(scope, add_link(env, scope, LinkKind.INCLUDES, story.key, one.key))
    for macro in macros(env, scope, story.anchor_key):
        env.graph.link(scope, add_link(env, scope, LinkKind.GROUPS, macro.key, story.key))
    regroup(env, scope, story.key)
    flag_anchor(env, scope, story.anchor_key)


def _key(scope: Scope, anchor_key: str, at: datetime, ordinal: int) -> str:
    moment = at.astimezone(UTC).isoformat()
    return key_for(scope.user_id, Kind.STORYLINE, anchor_key, moment, str(ordinal))


def _why_closed(story: Storyline, last: datetime) -> str:
    if story.life.state is State.ARCHIVED:
        return "it was archived"
    return f"no source since {last.day} {last:%B %Y}"


def refresh_storylines(night: Night) -> JobOutcome:
    """Tell up to so many anew, the largest first."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(env.config.story.refresh_most)
    total = sum(1 for _ in _due(env, scope, at))
    chosen = heapq.nsmallest(quota.left, _due(env, scope, at))
    for _, key in night.each(chosen):
        payload = decide_retelling(env, scope, key, at)
        if payload is not None:
            story = retold(env, scope, night.event(STORYLINE_RETOLD, payload), quota)
            if story is not None:
                why = f"it has {story.source_count} sources now"
                night.note("retold", story.key, story.name, why)
    night.left = total - len(chosen)
    return night.outcome


def _due(env: Env, scope: Scope, at: datetime) -> Iterator[tuple[int, str]]:
    for story in own(env, scope, Storyline, states=OPEN_STATES):
        if rule.is_due(story, at, env.config.story):
            yield -story.source_count, story.key


def decide_retelling(
    env: Env, scope: Scope, key: str, at: datetime, *, knew: Knew | None = None
) -> dict[str, Any] | None:
    """What a storyline is told from at `at`, as an event tells it; from what `knew` says was known."""
    story = env.graph.get(scope, key)
    if not isinstance(story, Storyline):
        return None
    anchor = env.graph.get(scope, story.anchor_key)
    name = called(anchor, story.team_id) if isinstance(anchor, Anchor) else ""
    started = local(env, scope, story.started_at)
    sources = sources_of(env, scope, key, knew=knew)
    shared = [
        one
        for one in sources
        if story.team_id is not None and rule.shared_with(one) == story.team_id
    ]
    return {
        "at": at.isoformat(),
        "key": key,
        "name": rule.name_of(name, story.ordinal, started) if name else story.name,
        "chapters": keys(rule.chapters(sources, env.config.story)),
        "team_chapters": keys(rule.chapters(shared, env.config.story)),
    }


def retold(env: Env, scope: Scope, event: Event, quota: Quota | None = None) -> Storyline | None:
    """The storyline as it is told now; for the first time, out of the quota of a night."""
    chapters, team_chapters = event.payload["chapters"], event.payload["team_chapters"]

    def is_news(story: Storyline) -> bool:
        newest = rule.chapters(sources_of(env, scope, story.key), env.config.story)
        return keys(newest) != list(chapters)

    def tell(story: Storyline) -> Storyline:
        return storyline(env, scope, story, chapters, team_chapters)

    return put_retold(env, scope, event, quota, Storyline, tell, is_news)
