"""Rejoin: beliefs that were derived anew take their place again among all that hangs on them, by the index as
of a moment: what came later is not near to anything.

Works inside the caller's transaction. `before` are the beliefs that were taken out, as they
were; `others` all that were not; `links` those that the first had.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, cast

from remanent.anchors.relationships import history
from remanent.beliefs.rules import belief as rule
from remanent.beliefs.rules.belief import Similar
from remanent.beliefs.truth_maintenance import retract_dependents
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.index_entries import belief_entry
from remanent.core.model.anchor import Anchor
from remanent.core.model.belief import Belief
from remanent.core.model.node import Kind
from remanent.core.model.relationship import Assertion, Link, LinkKind, Relationship
from remanent.core.model.scope import Scope
from remanent.core.ports.graph import Graph
from remanent.core.ports.index import Index, Match, Vector
from remanent.core.read import own
from remanent.erasure import rules

Moment: TypeAlias = tuple[datetime, int, int]
"""When a belief came: the time, the place of its episode in the ledger, which of its statements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _IndexAsOf:
    """An index in whose `near` some entries are not there yet: `born` says since when they are."""

    index: Index
    born: Mapping[str, Moment]
    now: Callable[[], Moment]

    def near(self, scope: Scope, vector: Vector, *, limit: int, **given: Any) -> list[Match]:
        now, wanted = self.now(), limit
        while True:
            matches = self.index.near(scope, vector, limit=wanted, **given)
            there = [one for one in matches if self.born.get(one.key, now) <= now]
            if len(there) >= limit or len(matches) < wanted:
                return there[:limit]
            wanted *= 2

    def __getattr__(self, name: str) -> Any:
        """All else is the index's own."""
        return getattr(self.index, name)


def index_as_of(index: Index, born: Mapping[str, Moment], now: Callable[[], Moment]) -> Index:
    """The index as it is at the moment that `now` tells."""
    return cast("Index", _IndexAsOf(index=index, born=born, now=now))


@dataclass(frozen=True, slots=True, kw_only=True)
class _GraphAsOf:
    """A graph in which the relationships of any type between two are open as they were when not all had been
    told: `is_known` says of an assertion whether it had been."""

    env: Env
    is_known: Callable[[Assertion], bool]

    def relationships(
        self, scope: Scope, key: str, *, other: str | None = None, **more: Any
    ) -> list[Relationship]:
        graph = self.env.graph
        if other is None or more:
            return graph.relationships(scope, key, other=other, **more)
        every = graph.relationships(scope, key, other=other, history=True)
        return [one for one in every if self._was_open(scope, one)]

    def _was_open(self, scope: Scope, one: Relationship) -> bool:
        told = self.env.graph.assertions(scope, one.src, one.kind, one.relationship_type)
        known = [each for each in told if self.is_known(each)]
        if len(known) == len(told):
            return one.valid_to is None
        spans = [each for each in history(self.env, scope, one, known) if each.dst == one.dst]
        return bool(spans) and (spans[-1].valid_from, spans[-1].valid_to) == (one.valid_from, None)

    def __getattr__(self, name: str) -> Any:
        """All else is the graph's own."""
        return getattr(self.env.graph, name)


def graph_as_of(env: Env, is_known: Callable[[Assertion], bool]) -> Graph:
    """The graph as it is with no more told than is known."""
    return cast("Graph", _GraphAsOf(env=env, is_known=is_known))


_MADE_ANEW = (LinkKind.SUPPORTS, LinkKind.ABOUT)


def rejoin_links(
    env: Env,
    scope: Scope,
    before: Mapping[str, Belief],
    others: Mapping[str, Belief],
    links: Sequence[Link],
    born_of: Callable[[Belief], Moment],
) -> list[Belief]:
    """Lives and links of those that are there again; other neighbours for who has lost one.
    The inferences that are no more."""
    now = env.graph.get_many(scope, list(before))
    for key, old in before.items():
        new = now.get(key)
        if isinstance(new, Belief):
            steady = max(old.stability, new.stability)
            env.graph.put(scope, replace(new, life=old.life, stability=steady))
    for link in links:
        is_own = link.kind is LinkKind.NEIGHBOUR and link.src in before
        if link.kind in _MADE_ANEW or is_own:
            continue
        if len(env.graph.get_many(scope, [link.src, link.dst])) == 2:
            env.graph.link(scope, link)
        elif link.kind is LinkKind.NEIGHBOUR and link.src in others:
            _neighbours(env, scope, others[link.src], born_of)
    for key in now:
        _about(env, scope, key, links)
    return _inferences(env, scope, before, others)


def _neighbours(
    env: Env, scope: Scope, belief: Belief, born_of: Callable[[Belief], Moment]
) -> None:
    """The neighbours that it would have got, had the one that is gone never been there."""
    vector = env.index.vectors(scope, [belief.key]).get(belief.key)
    if vector is None:
        return
    born, now = {one.key: born_of(one) for one in own(env, scope, Belief)}, born_of(belief)
    born[belief.key] = (datetime.max.replace(tzinfo=belief.created_at.tzinfo), 0, 0)
    index, most = index_as_of(env.index, born, lambda: now), env.config.belief
    near = index.near(scope, vector, kinds=(Kind.BELIEF,), limit=most.compare_with)
    similar = [
        Similar(one.key, rule.similarity(one.score, env.embedder.scale), 0, belief.since)
        for one in near
    ]
    for key in rule.neighbours(similar, most, but=belief.supersedes or belief.disputes):
        env.graph.link(
            scope, Link(scope.user_id, LinkKind.NEIGHBOUR, belief.key, key, belief.created_at)
        )


def _about(env: Env, scope: Scope, key: str, links: Sequence[Link]) -> None:
    """Whom it is about, if they were known by then."""
    had = {(one.src, one.dst) for one in links if one.kind is LinkKind.ABOUT}
    belief = env.graph.get(scope, key)
    for link in env.graph.links(scope, key, kinds=(LinkKind.ABOUT,), outward=True):
        person = env.graph.get(scope, link.dst)
        if (
            belief is not None
            and isinstance(person, Anchor)
            and person.created_at > belief.created_at
            and (link.src, link.dst) not in had
        ):
            env.graph.unlink(scope, link)


def _inferences(
    env: Env, scope: Scope, before: Mapping[str, Belief], others: Mapping[str, Belief]
) -> list[Belief]:
    """Inferences from what is gone go with it; those from what stands again, or no longer, follow."""
    now = env.graph.get_many(scope, list(before))
    gone = before.keys() - now.keys()
    lost = rules.lost(others.values(), gone)
    for key in sorted(lost):
        env.graph.remove(scope, key)
    env.index.remove(sorted(lost))
    revived = {
        key
        for key, one in now.items()
        if isinstance(one, Belief) and rules.is_active(one) and not rules.is_active(before[key])
    }
    for key, other in others.items():
        if key not in lost:
            _without(env, scope, other, gone | lost, revived)
    ended = [one for one in now.values() if isinstance(one, Belief) and not rules.is_active(one)]
    retract_dependents(env, scope, ended)
    return [others[key] for key in sorted(lost)]


def _without(
    env: Env, scope: Scope, belief: Belief, gone: Collection[str], revived: Collection[str]
) -> None:
    fresh = rules.without_word_of(belief, gone)
    if not belief.supports and set(revived) & set(belief.derived_from):
        fresh = rules.upheld_again(fresh, revived)
    if fresh == belief:
        return
    env.graph.put(scope, fresh)
    if rules.is_active(fresh) and not rules.is_active(belief):
        vector = env.index.vectors(scope, [fresh.key]).get(fresh.key)
        env.index.put([belief_entry(fresh, vector)])
