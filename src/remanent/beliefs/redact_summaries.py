"""Redaction: summaries of events no longer tell a belief that was forgotten."""

from __future__ import annotations

from collections.abc import Iterable

from remanent.core.dataclasses import replace
from remanent.core.env import Env
from remanent.core.model.belief import Belief, BeliefStatus
from remanent.core.model.event import EventNode, ForgottenEvent, event_key
from remanent.core.model.relationship import LinkKind
from remanent.core.model.scope import Scope
from remanent.core.model.story import Summary
from remanent.core.ports.records import Select


def redact_summaries(env: Env, scope: Scope, belief: Belief) -> None:
    """Take the words of a forgotten belief's episodes out of the summaries that stand for them.

    Those say nothing, and are not found, until they are told again without these words.
    """
    for support in belief.supports:
        key = event_key(scope.user_id, support.event_id)
        if support.source_key is None:
            for summary in _standing_for(env, scope, key):
                _silence(env, scope, summary, support.event_id)


def among(env: Env, scope: Scope, events: Iterable[EventNode]) -> list[str]:
    """The ids of those of these events that speak for something that was forgotten."""
    return [
        one.event_id for one in events if not one.is_recorded and _is_forgotten(env, scope, one.key)
    ]


def _is_forgotten(env: Env, scope: Scope, key: str) -> bool:
    links = env.graph.links(scope, key, kinds=(LinkKind.SUPPORTS,), outward=True)
    beliefs = env.graph.get_many(scope, [link.dst for link in links]).values()
    return any(isinstance(one, Belief) and one.status is BeliefStatus.FORGOTTEN for one in beliefs)


def _standing_for(env: Env, scope: Scope, key: str) -> list[Summary]:
    gone = env.records.find(scope, Select(ForgottenEvent, {"key": key}))
    above = [one.summary_key for one in gone] or _above(env, scope, key)
    nodes = env.graph.get_many(scope, above).values()
    return [one for one in nodes if isinstance(one, Summary)]


def _above(env: Env, scope: Scope, key: str) -> list[str]:
    links = env.graph.links(scope, key, kinds=(LinkKind.SUMMARIZES,), outward=False)
    return [link.src for link in links]


def _silence(env: Env, scope: Scope, summary: Summary, event_id: str | None) -> None:
    withheld = dict.fromkeys((*summary.withheld, *(() if event_id is None else (event_id,))))
    silent = replace(summary, text="", digest="", withheld=tuple(withheld), is_dirty=True)
    env.graph.put(scope, silent)
    env.index.remove([summary.key])
    for key in _above(env, scope, summary.key):
        higher = env.graph.get(scope, key)
        if isinstance(higher, Summary):
            _silence(env, scope, higher, None)
