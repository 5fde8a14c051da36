"""Macros: anchors with several storylines get one line over them, opened and told anew by night (SPEC 6).

Each macro is opened or told anew by an event, in a transaction of its own.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from remanent.core.env import Env, Night, Quota
from remanent.core.model.anchor import Anchor
from remanent.core.model.event import MACRO_OPENED, MACRO_RETOLD, Event
from remanent.core.model.keys import key_for
from remanent.core.model.lifecycle import Lifecycle, State, TtlPolicy
from remanent.core.model.node import Kind
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.sleep import JobOutcome
from remanent.core.model.story import Macro, Storyline
from remanent.core.read import own
from remanent.stories import rules as rule
from remanent.stories.rules import OPEN_STATES
from remanent.stories.sources import add_link, flag_anchor, grouped, keys, storylines
from remanent.stories.text import called, put_retold
from remanent.stories.text import entries as _entries
from remanent.stories.text import macro as _macro


def promote_macros(night: Night) -> JobOutcome:
    """Open up to so many, those with the most storylines first."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(env.config.story.macros_most)
    candidates = list(_candidates(env, scope, at))
    chosen = heapq.nsmallest(quota.left, candidates)
    for _, anchor_key in night.each(chosen):
        event = night.event(MACRO_OPENED, _opening_decided(env, scope, anchor_key, at))
        macro = opened(env, scope, event, quota)
        if macro is not None:
            night.note("opened", macro.key, macro.name, f"{macro.storyline_count} storylines")
    night.left = len(candidates) - len(chosen)
    return night.outcome


def _candidates(env: Env, scope: Scope, at: datetime) -> Iterator[tuple[int, str]]:
    counts = Counter(one.anchor_key for one in own(env, scope, Storyline, states=OPEN_STATES))
    for key, count in counts.items():
        if count < env.config.story.macro_storylines:
            continue
        anchor = env.graph.get(scope, key)
        if not isinstance(anchor, Anchor) or anchor.has_macro:
            continue
        if rule.groups_into_macro(anchor, count, at, env.config.story):
            yield -count, key


def _opening_decided(env: Env, scope: Scope, anchor_key: str, at: datetime) -> dict[str, Any]:
    anchor = env.graph.get(scope, anchor_key)
    stories = _open(storylines(env, scope, anchor_key))
    moment = at.astimezone(UTC).isoformat()
    team = next((one.team_id for one in stories if one.team_id), None)
    return {
        "at": at.isoformat(),
        "key": key_for(scope.user_id, Kind.MACRO, anchor_key, moment),
        "anchor": anchor_key,
        "name": rule.macro_name(called(anchor, team) if isinstance(anchor, Anchor) else ""),
        "storylines": keys(stories),
    }


def opened(env: Env, scope: Scope, event: Event, quota: Quota | None = None) -> Macro | None:
    """The macro as it is told now; for the first time, out of the quota of a night."""
    payload = event.payload
    nodes = env.graph.get_many(scope, payload["storylines"])
    stories = [one for one in nodes.values() if isinstance(one, Storyline)]
    anchor = env.graph.get(scope, payload["anchor"])
    if not stories or not isinstance(anchor, Anchor):
        return None
    at = datetime.fromisoformat(payload["at"])
    life = Lifecycle(salience=1.0, state=State.CORE, ttl_policy=TtlPolicy.KEEP_FOREVER)
    blank = Macro(
        key=payload["key"],
        user_id=scope.user_id,
        created_at=event.recorded_at,
        updated_at=event.recorded_at,
        life=life,
        anchor_key=anchor.key,
        name=payload["name"],
        started_at=at,
        last_event_at=at,
    )
    macro = rule.grouped(blank, stories)
    macro = _macro(env, scope, macro, payload["storylines"])
    entries = _entries(env, scope, None, macro)
    with env.atomic(durable=quota is not None):
        if quota is not None:
            env.ledger.append(event)
            quota.take(1)
        env.graph.put(scope, macro)
        env.graph.link(scope, add_link(env, scope, LinkKind.ROOTED_IN, macro.key, anchor.key))
        for one in stories:
            env.graph.link(scope, add_link(env, scope, LinkKind.GROUPS, macro.key, one.key))
        flag_anchor(env, scope, anchor.key)
        env.index.put(entries)
    return macro


def refresh_macros(night: Night) -> JobOutcome:
    """Tell up to so many anew, the largest first."""
    env, scope, at = night.env, night.scope, night.at
    quota = night.quota(env.config.story.macros_most)
    candidates = [
        (-one.total_source_count, one.key)
        for one in own(env, scope, Macro, states=OPEN_STATES)
        if rule.is_due(one, at, env.config.story)
    ]
    chosen = heapq.nsmallest(quota.left, candidates)
    for _, key in night.each(chosen):
        event = night.event(MACRO_RETOLD, _retelling_decided(env, scope, key, at))
        macro = retold(env, scope, event, quota)
        if macro is not None:
            why = f"{macro.storyline_count} storylines, {macro.total_source_count} sources"
            night.note("retold", macro.key, macro.name, why)
    night.left = len(candidates) - len(chosen)
    return night.outcome


def _retelling_decided(env: Env, scope: Scope, key: str, at: datetime) -> dict[str, Any]:
    macro = env.graph.get(scope, key)
    anchor = env.graph.get(scope, macro.anchor_key) if isinstance(macro, Macro) else None
    stories = grouped(env, scope, key)
    name = ""
    if isinstance(macro, Macro) and isinstance(anchor, Anchor):
        name = rule.macro_name(called(anchor, macro.team_id))
    told = keys(_open(stories) or stories)
    return {"at": at.isoformat(), "key": key, "name": name, "storylines": told}


def retold(env: Env, scope: Scope, event: Event, quota: Quota | None = None) -> Macro | None:
    """The macro as it is told now; for the first time, out of the quota of a night."""

    def tell(macro: Macro) -> Macro:
        return _macro(env, scope, macro, event.payload["storylines"])

    return put_retold(env, scope, event, quota, Macro, tell, lambda _: False)


def _open(stories: list[Storyline]) -> list[Storyline]:
    return [one for one in stories if one.life.state in OPEN_STATES]
