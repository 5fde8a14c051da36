"""Traverse: what hangs together with some memories, by personalised PageRank (SPEC 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from remanent.beliefs.rules import as_of as past
from remanent.core.env import Env
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.ports.adjacency import Edges, Floats
from remanent.core.read import resolve
from remanent.errors import InvalidInput
from remanent.lifecycle.touch import record_access
from remanent.retrieval.model.traversal import Leg, Reached, Traversal
from remanent.retrieval.pagerank import PageRanks, walked
from remanent.retrieval.rules import pagerank
from remanent.retrieval.rules.pagerank import Walk

NO_EDGE = "no edge that holds leads away from the seeds"


def traverse_graph(  # noqa: PLR0913 - one for each way to ask
    env: Env,
    scope: Scope,
    seeds: str | Sequence[str],
    walk: Walk,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    touch: bool = True,
    include_links: bool = True,
) -> Traversal:
    """The memories that a walk from the seeds comes by most often, with the way to each; of the
    graph now, as it held at `as_of`, or as it was recorded by `known_at`. To ask about the past
    is no access."""
    begun = _seeds(env, scope, seeds)
    edges = env.graph.edges(scope, as_of=as_of, known_at=known_at)
    known = [key for key in begun if key in edges.numbers]
    if known:
        found = _walked(env, scope, edges, known, walk, include_links=include_links)
    else:
        found = _alone(env, scope, begun, known_at)
    if touch and as_of is None and known_at is None:
        record_access(env, scope, _returned(found))
    return replace(found, seeds=begun, as_of=as_of, known_at=known_at)


def _walked(
    env: Env, scope: Scope, edges: Edges, known: Sequence[str], walk: Walk, *, include_links: bool
) -> Traversal:
    done = walked(
        edges,
        _strengths(env, edges, include_links=include_links),
        [edges.numbers[key] for key in known],
        max_depth=walk.max_depth,
        damping=walk.damping,
    )
    return _told(env, scope, known, done, walk.top_k)


def _seeds(env: Env, scope: Scope, given: str | Sequence[str]) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given)
    if not listed or not all(isinstance(one, str) for one in listed):
        raise InvalidInput("seeds", "must be one key or several; there are none")
    if len(listed) > pagerank.MOST_SEEDS:
        raise InvalidInput(
            "seeds", f"are {len(listed)}; at most {pagerank.MOST_SEEDS} are taken at once"
        )
    return tuple(dict.fromkeys(resolve(env, scope, one) for one in listed))


def _strengths(env: Env, edges: Edges, *, include_links: bool) -> Floats:
    """How strongly each edge draws: nothing that holds is without any pull."""
    share = env.config.pagerank.link_strength if include_links else 0.0
    strength = np.where(edges.is_link, share * edges.strength, edges.strength)
    counted = ~edges.is_link | include_links
    return np.where(counted, np.maximum(strength, env.config.pagerank.least_strength), 0.0)


def _alone(env: Env, scope: Scope, begun: Sequence[str], known_at: datetime | None) -> Traversal:
    """Seeds that no edge leads to: they share the rank. What came later than `known_at` is none."""
    nodes = {
        key: node
        for key, node in env.graph.get_many(scope, begun).items()
        if known_at is None or past.was_known(node, known_at)
    }
    return Traversal(
        seeds=tuple(begun),
        reached=tuple(
            Reached(
                key=key,
                kind=nodes[key].kind,
                title=title_of(nodes[key]),
                score=1 / len(nodes),
                distance=0,
            )
            for key in sorted(nodes)
        ),
        within_reach=len(nodes),
        titles={key: title_of(node) for key, node in nodes.items()},
        reason=NO_EDGE if nodes else "none of the seeds was known then",
    )


def _told(env: Env, scope: Scope, begun: Sequence[str], done: PageRanks, top_k: int) -> Traversal:
    edges = done.edges
    best = done.best(top_k).tolist()
    ways = {number: _legs(edges, done.way_to(number)) for number in best}
    named = {leg.from_key for way in ways.values() for leg in way}
    nodes = env.graph.get_many(scope, [*(edges.keys[one] for one in best), *sorted(named)])
    reached = tuple(
        Reached(
            key=edges.keys[number],
            kind=nodes[edges.keys[number]].kind,
            title=title_of(nodes[edges.keys[number]]),
            score=float(done.rank[number]),
            distance=int(done.distance[number]),
            path=ways[number],
        )
        for number in best
        if edges.keys[number] in nodes
    )
    within = int((done.distance >= 0).sum())
    return Traversal(
        seeds=tuple(begun),
        reached=reached,
        within_reach=within,
        titles={key: title_of(node) for key, node in nodes.items()},
        reason="" if within > len(begun) else NO_EDGE,
    )


def _legs(edges: Edges, way: Sequence[tuple[int, int]]) -> tuple[Leg, ...]:
    legs = []
    for edge, to in way:
        src, dst = int(edges.src[edge]), int(edges.dst[edge])
        backward = to == src
        legs.append(
            Leg(
                from_key=edges.keys[dst if backward else src],
                to_key=edges.keys[to],
                word=edges.words[edge],
                backward=backward,
                relationship_key=edges.edge_keys[edge] or None,
            )
        )
    return tuple(legs)


def _returned(found: Traversal) -> list[str]:
    """The keys of all that was returned: memories, and the relationships on the ways to them."""
    between = (
        leg.relationship_key for one in found.reached for leg in one.path if leg.relationship_key
    )
    return [*(one.key for one in found.reached), *dict.fromkeys(between)]
