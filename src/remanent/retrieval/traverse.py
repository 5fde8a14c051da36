"""Traverse: what hangs together with some memories, by personalised PageRank over the edges of the graph, and
the way to whatever the walk reaches (SPEC 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from remanent.beliefs.rules import as_of as past
from remanent.beliefs.rules import belief as believing
from remanent.core.checks import point, statement
from remanent.core.dataclasses import dataclass, replace
from remanent.core.env import Env
from remanent.core.model.page import title_of
from remanent.core.model.scope import Scope
from remanent.core.on_behalf import vector_of
from remanent.core.ports.embedder import question_scale
from remanent.core.ports.graph import Edges, Flags, Floats, Numbers
from remanent.core.read import resolve
from remanent.errors import InvalidInput
from remanent.lifecycle.pin import record_access
from remanent.retrieval.model import Leg, Reached, Traversal
from remanent.retrieval.rules import ranking
from remanent.retrieval.rules.ranking import Walk

RELEVANCE_UNKNOWN = 0.5
_EXACT = 1e-8  # how much of the right-hand side may be left over: ranks are right to some 1e-9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PageRanks:
    """Every node's rank and its distance from the seeds; -1 is out of reach and ranks zero.

    `carried` is how much each node hands on over an edge of strength one.
    """

    edges: Edges
    strength: Floats
    rank: Floats
    distance: Numbers
    carried: Floats

    def best(self, most: int) -> Numbers:
        """The nodes that rank highest, best first; ties in order of key."""
        reached = np.flatnonzero(self.distance >= 0)
        if len(reached) > most:
            bar = np.partition(self.rank[reached], len(reached) - most)[len(reached) - most]
            reached = reached[self.rank[reached] >= bar]
        keys = self.edges.keys
        ordered = sorted(reached.tolist(), key=lambda one: (-self.rank[one], keys[one]))
        return np.array(ordered[:most], dtype=np.int64)

    def way_to(self, node: int) -> list[tuple[int, int]]:
        """Pairs (edge, node it leads to) from a seed: back from each node to the one, a step nearer
        to a seed, that hands it most of its rank."""
        steps: list[tuple[int, int]] = []
        starts, neighbours, via = self.edges.around
        while self.distance[node] > 0:
            here = slice(int(starts[node]), int(starts[node + 1]))
            nearer = self.distance[neighbours[here]] == self.distance[node] - 1
            usable = nearer & (self.strength[via[here]] > 0)
            given = np.where(
                usable, self.carried[neighbours[here]] * self.strength[via[here]], -1.0
            )
            place = here.start + int(np.argmax(given))
            steps.append((int(via[place]), node))
            node = int(neighbours[place])
        return steps[::-1]


def personalized_pagerank(
    edges: Edges, strength: Floats, seeds: Sequence[int], *, max_depth: int, damping: float
) -> PageRanks:
    """Rank all that lies within `max_depth` edges of the seeds by a walk that begins anew at one of
    them after each step with the chance 1 - damping, and whenever it can go no further.

    An edge whose strength is zero is not there.
    """
    distance = _distances(edges, strength > 0, seeds, max_depth)
    inside = distance >= 0
    here = np.repeat(np.arange(len(inside)), np.diff(edges.around.starts))
    there, by = edges.around.neighbours, strength.take(edges.around.via)
    kept = np.flatnonzero(inside.take(here) & inside.take(there) & (by > 0))
    number = np.cumsum(inside) - 1
    rows, columns = number.take(here.take(kept)), number.take(there.take(kept))
    begin = np.zeros(int(inside.sum()))
    np.add.at(begin, number[np.array(seeds, dtype=np.int64)], 1.0 / len(seeds))
    ranks, weights = _ranked(rows, columns, by.take(kept), begin, damping)
    rank, carried = np.zeros(len(inside)), np.zeros(len(inside))
    rank[inside], carried[inside] = ranks, ranks / weights
    return PageRanks(edges=edges, strength=strength, rank=rank, distance=distance, carried=carried)


def _distances(edges: Edges, usable: Flags, seeds: Sequence[int], depth: int) -> Numbers:
    distance = np.full(len(edges.keys), -1, dtype=np.int64)
    front = np.unique(np.array(seeds, dtype=np.int64))
    distance[front] = 0
    starts, neighbours, via = edges.around
    for step in range(1, depth + 1):
        counts = starts[front + 1] - starts[front]
        ahead = np.repeat(starts[front + 1] - np.cumsum(counts), counts) + np.arange(counts.sum())
        beyond = neighbours.take(ahead)[usable.take(via.take(ahead))]
        distance[beyond[distance.take(beyond) < 0]] = step
        front = np.flatnonzero(distance == step)
        if not len(front):
            break
    return distance


def _ranked(
    rows: Numbers, columns: Numbers, by: Floats, begin: Floats, damping: float
) -> tuple[Floats, Floats]:
    """Ranks that sum to one, and what all edges of each node weigh together.

    An edge conducts both ways, so the ranks solve a symmetric system once each node is scaled by the
    root of its weight. Conjugate gradients do that in a third of the rounds of power iteration; what
    a walk loses at a dead end comes back to the seeds, which is to scale the sum up to one.
    """
    weights: Floats = np.bincount(rows, weights=by, minlength=len(begin)).astype(np.float64)
    weights[weights == 0] = 1.0
    root = np.sqrt(weights)
    scaled = damping * by / (root.take(rows) * root.take(columns))
    heads = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else rows

    def passed_on(ranks: Floats) -> Floats:
        given = np.zeros(len(begin))
        if len(rows):
            given[rows[heads]] = np.add.reduceat(scaled * ranks.take(columns), heads)
        return given

    target = begin / root
    ranks = target.copy()
    left = target - ranks + passed_on(ranks)
    towards, size, enough = left.copy(), float(left @ left), (_EXACT**2) * float(target @ target)
    for _ in range(_most_rounds(damping)):
        if size <= enough:
            break
        change = towards - passed_on(towards)
        length = size / float(towards @ change)
        ranks += length * towards
        left -= length * change
        size, before = float(left @ left), size
        towards = left + (size / before) * towards
    ranks = np.maximum(ranks * root, 0.0)
    return ranks / ranks.sum(), weights


def _most_rounds(damping: float) -> int:
    """Rounds after which conjugate gradients are exact, whatever the graph; twice, for rounding."""
    condition = math.sqrt((1 + damping) / (1 - damping))
    return 20 + 2 * math.ceil(condition * math.log(2 / _EXACT) / 2)


NO_EDGE = "no edge that holds leads away from the seeds"


def traverse_graph(  # noqa: PLR0913 - SPEC 8 lists them
    env: Env,
    scope: Scope,
    seeds: str | Sequence[str],
    *,
    max_depth: int | None = None,
    damping: float | None = None,
    top_k: int | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    touch: bool = True,
    include_links: bool = True,
    query: str | None = None,
) -> Traversal:
    """What hangs together with the memories of these keys: all that a walk from them comes by,
    most often first, each with the way to it.

    With a `query` it goes rather where that leads: edges count by how near their ends are to it.
    `as_of` walks what held then, `known_at` what this memory knew then. What is returned is
    strengthened, unless `touch` is False or the question is about the past.
    """
    walk = ranking.checked(max_depth, damping, top_k, env.config.pagerank)
    as_of, known_at = point("as_of", as_of), point("known_at", known_at)
    begun = _seeds(env, scope, seeds)
    edges = env.graph.edges(scope, as_of=as_of, known_at=known_at)
    known = [key for key in begun if key in edges.numbers]
    if known:
        strength = _strengths(env, edges, include_links=include_links)
        if query is not None:
            strength = strength * _relevance(env, scope, edges, query)
        traversal = _traverse_edges(env, scope, edges, known, walk, strength)
    else:
        traversal = _traversal_without_edges(env, scope, begun, known_at)
    if touch and as_of is None and known_at is None:
        record_access(env, scope, _returned_keys(traversal))
    return replace(traversal, seeds=begun, as_of=as_of, known_at=known_at)


def _traverse_edges(
    env: Env, scope: Scope, edges: Edges, known: Sequence[str], walk: Walk, strength: Floats
) -> Traversal:
    done = personalized_pagerank(
        edges,
        strength,
        [edges.numbers[key] for key in known],
        max_depth=walk.max_depth,
        damping=walk.damping,
    )
    return _traversal(env, scope, known, done, walk.top_k)


def _seeds(env: Env, scope: Scope, given: str | Sequence[str]) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else list(given)
    if not listed or not all(isinstance(one, str) for one in listed):
        raise InvalidInput("seeds", "must be one key or several; there are none")
    if len(listed) > ranking.MOST_SEEDS:
        raise InvalidInput(
            "seeds", f"are {len(listed)}; at most {ranking.MOST_SEEDS} are taken at once"
        )
    return tuple(dict.fromkeys(resolve(env, scope, one) for one in listed))


def _strengths(env: Env, edges: Edges, *, include_links: bool) -> Floats:
    """How strongly each edge draws: nothing that holds is without any pull."""
    share = env.config.pagerank.link_strength if include_links else 0.0
    strength = np.where(edges.is_link, share * edges.strength, edges.strength)
    counted = ~edges.is_link | include_links
    return np.where(counted, np.maximum(strength, env.config.pagerank.least_strength), 0.0)


def _relevance(env: Env, scope: Scope, edges: Edges, query: str) -> Floats:
    """How near the question each edge leads: the mean of its two ends, those that nobody can compare
    as far as any; never nothing, so that no way is shut by it."""
    text = statement("query", query, env.config.intake.max_statement_characters)
    vector = vector_of(env.embedder, scope, "traverse", text, kind="question")
    near = np.full(len(edges.keys), RELEVANCE_UNKNOWN)
    if vector is not None:
        scale = question_scale(env.embedder)
        for key, own in env.index.vectors(scope, list(edges.keys)).items():
            near[edges.numbers[key]] = believing.similarity(float(vector @ own), scale)
    least = env.config.pagerank.least_strength
    mean: Floats = (near[edges.src] + near[edges.dst]) / 2.0
    return np.maximum(mean, least)


def _traversal_without_edges(
    env: Env, scope: Scope, begun: Sequence[str], known_at: datetime | None
) -> Traversal:
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


def _traversal(
    env: Env, scope: Scope, begun: Sequence[str], done: PageRanks, top_k: int
) -> Traversal:
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


def _returned_keys(traversal: Traversal) -> list[str]:
    """The keys of all that was returned: memories, and the relationships on the ways to them."""
    between = (
        leg.relationship_key
        for one in traversal.reached
        for leg in one.path
        if leg.relationship_key
    )
    return [*(one.key for one in traversal.reached), *dict.fromkeys(between)]
