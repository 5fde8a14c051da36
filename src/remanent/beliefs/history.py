"""History: what a belief replaced, what replaced it, and on whose word."""

from __future__ import annotations

from remanent.beliefs.query import evidence, get_belief
from remanent.beliefs.rules import as_of
from remanent.core import event_lookup
from remanent.core.env import Env
from remanent.core.model.belief import Belief, Change
from remanent.core.model.node import Kind
from remanent.core.model.page import Chapter, History, Occurrence, title_of
from remanent.core.model.scope import Scope
from remanent.core.read import every


def history_of(env: Env, scope: Scope, key: str) -> History:
    """The whole chain of supersession that a belief is part of, oldest first: each belief with
    its changes, the words behind them, and the episodes."""
    asked = get_belief(env, scope, key)
    every_one = every(env.graph, scope, Kind.BELIEF)
    known = [one for one in every_one if isinstance(one, Belief)]
    return History(
        key=asked.key,
        chapters=tuple(_chapter(env, scope, one) for one in as_of.chain(asked.key, known)),
    )


def _chapter(env: Env, scope: Scope, belief: Belief) -> Chapter:
    return Chapter(
        belief=belief,
        occurrences=tuple(_occurrence(env, scope, change) for change in belief.changes),
        evidence=tuple(evidence(env, scope, belief)),
    )


def _occurrence(env: Env, scope: Scope, change: Change) -> Occurrence:
    return Occurrence(change=change, words=_words(env, scope, change.by))


def _words(env: Env, scope: Scope, by: str | None) -> str:
    """Of the belief, the episode or the relationship that brought a change about."""
    if by is None:
        return ""
    node = env.graph.get(scope, by)
    if node is not None:
        return title_of(node)
    relationship = env.graph.relationship(scope, by)
    if relationship is not None:
        return relationship.description
    return event_lookup.words(env, scope, by)
