"""Walk: personalised PageRank over the edges of one graph, and the way to whatever it reaches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from remanent.core.ports.adjacency import Edges, Flags, Floats, Numbers

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
        found = np.flatnonzero(self.distance >= 0)
        if len(found) > most:
            bar = np.partition(self.rank[found], len(found) - most)[len(found) - most]
            found = found[self.rank[found] >= bar]
        keys = self.edges.keys
        ordered = sorted(found.tolist(), key=lambda one: (-self.rank[one], keys[one]))
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


def walked(
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
    by = by.take(kept)
    begin = np.zeros(int(inside.sum()))
    np.add.at(begin, number[np.array(seeds, dtype=np.int64)], 1.0 / len(seeds))
    ranks, weights = _ranked(rows, columns, by, begin, damping)
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
