"""Refresh: storylines to which something came are told anew (SPEC 6).

Each storyline is told anew by an event, in a transaction of its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from remanent.core.env import Env, Night, Quota
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import STORYLINE_RETOLD, Event
from remanent.core.model.node import Kind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import JobOutcome
from remanent.core.model.story import Storyline
from remanent.stories import rules as rule
from remanent.stories.promote import PAGE
from remanent.stories.rules import OPEN_STATES
from remanent.stories.sources import Knew, keys, put_story, sources_of
from remanent.stories.text import entries as _entries
from remanent.stories.text import local, storyline


def refresh_storylines(night: Night) -> JobOutcome:
    """Tell up to so many anew, the largest first."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(env.config.story.refresh_most)
    total = sum(1 for _ in _due(env, scope, at))
    chosen = heapq.nsmallest(quota.left, _due(env, scope, at))
    for _, key in night.each(chosen):
        payload = decided(env, scope, key, at)
        if payload is not None:
            story = _retold(env, scope, night.event(STORYLINE_RETOLD, payload), quota)
            if story is not None:
                night.note(
                    "retold", story.key, story.name, f"it has {story.source_count} sources now"
                )
    night.left = total - len(chosen)
    return night.outcome


def apply(env: Env, scope: Scope, event: Event) -> None:
    """Do what an event of this job says, as it was done then."""
    if event.event_type == STORYLINE_RETOLD:
        _retold(env, scope, event)


def _due(env: Env, scope: Scope, at: datetime) -> Iterator[tuple[int, str]]:
    after = ""
    while page := env.graph.find(
        scope, Kind.STORYLINE, states=OPEN_STATES, limit=PAGE, after=after
    ):
        after = page[-1].key
        for one in page:
            own = isinstance(one, Storyline) and one.user_id == scope.user_id
            if own and isinstance(one, Storyline) and rule.is_due(one, at, env.config.story):
                yield -one.source_count, one.key


def decided(
    env: Env, scope: Scope, key: str, at: datetime, *, knew: Knew | None = None
) -> dict[str, Any] | None:
    """What a storyline is told from at `at`, as an event tells it; from what `knew` says was known."""
    story = env.graph.get(scope, key)
    if not isinstance(story, Storyline):
        return None
    anchor = env.graph.get(scope, story.anchor_key)
    name = anchor.name if isinstance(anchor, Anchor) else ""
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


def _retold(env: Env, scope: Scope, event: Event, quota: Quota | None = None) -> Storyline | None:
    """The storyline as it is told now; for the first time, out of the quota of a night."""
    payload = event.payload
    before = env.graph.get(scope, payload["key"])
    if not isinstance(before, Storyline):
        return None
    told = storyline(env, scope, before, payload["chapters"], payload["team_chapters"])
    told = replace(told, name=payload["name"])
    entries = _entries(env, scope, before, told)
    with env.atomic(durable=quota is not None):
        story = env.graph.get(scope, payload["key"])
        if not isinstance(story, Storyline) or story.team_id != before.team_id:
            return None  # it changed hands meanwhile: another night
        if quota is not None:
            env.ledger.append(event)
            quota.take(1)
        newest = keys(rule.chapters(sources_of(env, scope, story.key), env.config.story))
        after = replace(
            story,
            name=told.name,
            description=told.description,
            team_description=told.team_description,
            is_dirty=newest != list(payload["chapters"]),
        )
        put_story(env, scope, story, after)
        env.index.put(entries)
    return after
